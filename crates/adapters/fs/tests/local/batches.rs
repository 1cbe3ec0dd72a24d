//! Batches as a whole: threads, deadlines, callers that go away, and the caller's own thread.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use told_domain::{
    look::{Containment, Looks, Read},
    observation::Observation,
    path::{AbsolutePath, CanonicalPath},
    reason::UnavailableReason,
};
use told_fs::{Hook, LocalFileSystem, Step};
use told_ports::FileSystem as _;
use told_testkit::contract::block_on;

fn reads(root: &Path, names: impl IntoIterator<Item = String>) -> Looks {
    let boundary = CanonicalPath::observed(AbsolutePath::new(root).expect("absolute"));
    let reads = names
        .into_iter()
        .map(|name| Read {
            path: AbsolutePath::new(root.join(name)).expect("absolute"),
            containment: Containment::Within(boundary.clone()),
            max_bytes: 1 << 20,
        })
        .collect();
    Looks { reads, total_bytes: 1 << 30, look_ms: 20_000, ..Looks::default() }
}

fn root(temporary: &tempfile::TempDir) -> PathBuf {
    temporary.path().canonicalize().expect("the temporary directory")
}

/// A hook that waits at every look whose name starts with `hangs`, until it is released.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
    waiting: AtomicUsize,
}

impl Gate {
    fn hook(self: &Arc<Self>) -> Hook {
        let gate = Arc::clone(self);
        Arc::new(move |step| {
            if let Step::Looking(path) = step
                && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("hangs"))
            {
                gate.waiting.fetch_add(1, Ordering::SeqCst);
                let open = gate.open.lock().expect("no panic");
                drop(gate.opened.wait_while(open, |open| !*open));
                gate.waiting.fetch_sub(1, Ordering::SeqCst);
            }
        })
    }

    fn open(&self) {
        *self.open.lock().expect("no panic") = true;
        self.opened.notify_all();
    }
}

#[test]
fn r_obs_10_a_large_batch_passes_the_inline_bounds_and_keeps_its_order() {
    let temporary = tempfile::tempdir().unwrap();
    let root = root(&temporary);
    for at in 0..700 {
        fs::write(root.join(format!("f{at}")), vec![b'x'; at * 10]).unwrap();
    }
    let looks = reads(&root, (0..700).map(|at| format!("f{at}")));
    let system = LocalFileSystem::settled_after(Duration::ZERO);
    for _ in 0..3 {
        let seen = block_on(system.observe(&looks));
        for (at, file) in seen.files.iter().enumerate() {
            assert!(matches!(file, Observation::Available(file) if file.size == at as u64 * 10));
        }
    }
}

#[test]
fn r_obs_10_what_hung_once_is_not_waited_for_again_until_it_comes_back() {
    let temporary = tempfile::tempdir().unwrap();
    let root = root(&temporary);
    for name in ["hangs", "calm"] {
        fs::write(root.join(name), "text").unwrap();
    }
    let gate = Arc::new(Gate::default());
    let system = LocalFileSystem::with_hook(gate.hook());
    let mut looks = reads(&root, ["hangs".to_owned(), "calm".to_owned()]);
    looks.look_ms = 500;
    let timeout = Observation::Unavailable(UnavailableReason::Timeout);
    let seen = block_on(system.observe(&looks));
    assert_eq!(seen.files[0], timeout);
    assert!(matches!(seen.files[1], Observation::Available(_)));
    // With a limit that no test would live through: the answer comes at once, from what is known.
    looks.look_ms = u64::MAX;
    for _ in 0..100 {
        let seen = block_on(system.observe(&looks));
        assert_eq!(seen.files[0], timeout);
        assert!(matches!(seen.files[1], Observation::Available(_)));
    }
    assert_eq!(gate.waiting.load(Ordering::SeqCst), 1, "one thread hangs, however many asked");
    gate.open();
    // It lands when its thread runs again; until then it may be said to hang.
    let mut seen = block_on(system.observe(&looks));
    while seen.files[0] == timeout {
        std::thread::yield_now();
        seen = block_on(system.observe(&looks));
    }
    assert!(matches!(seen.files[0], Observation::Available(_)));
}

#[test]
fn r_obs_10_a_caller_that_goes_away_leaves_no_batch_behind() {
    let temporary = tempfile::tempdir().unwrap();
    let root = root(&temporary);
    for name in ["hangs", "calm"] {
        fs::write(root.join(name), "text").unwrap();
    }
    let gate = Arc::new(Gate::default());
    let system = LocalFileSystem::with_hook(gate.hook());
    let looks = reads(&root, ["hangs".to_owned(), "calm".to_owned()]);
    block_on(async {
        let gone = tokio::time::timeout(Duration::from_millis(5), system.observe(&looks)).await;
        assert!(gone.is_err(), "the look hangs");
        // The same look goes on for another caller: nobody has said that it is dead.
        gate.open();
        let seen = system.observe(&looks).await;
        assert!(seen.files.iter().all(|file| matches!(file, Observation::Available(_))));
    });
}

#[test]
fn r_obs_11_a_look_that_panics_costs_itself_alone() {
    let temporary = tempfile::tempdir().unwrap();
    let root = root(&temporary);
    for name in ["bad", "good"] {
        fs::write(root.join(name), "text").unwrap();
    }
    let hook: Hook = Arc::new(|step| {
        assert!(!matches!(step, Step::Reading(path) if path.ends_with("bad")), "on purpose");
    });
    let system = LocalFileSystem::with_hook(hook);
    let mut looks = reads(&root, ["bad".to_owned(), "good".to_owned()]);
    looks.look_ms = 1000;
    for _ in 0..2 {
        let seen = block_on(system.observe(&looks));
        assert_eq!(seen.files[0], Observation::Unavailable(UnavailableReason::IoError));
        assert!(matches!(seen.files[1], Observation::Available(_)));
    }
}

#[test]
fn r_obs_12_a_late_look_takes_its_bytes_from_those_behind_it() {
    let temporary = tempfile::tempdir().unwrap();
    let root = root(&temporary);
    for name in ["hangs", "a", "b"] {
        fs::write(root.join(name), "four").unwrap();
    }
    let gate = Arc::new(Gate::default());
    let (inner, opener) = (gate.hook(), Arc::clone(&gate));
    // The last look releases the first, which comes back in time.
    let hook: Hook = Arc::new(move |step| {
        if matches!(step, Step::Stamping(path) if path.ends_with("b")) {
            opener.open();
        }
        inner(step);
    });
    let system = LocalFileSystem::with_hook(hook);
    let mut looks = reads(&root, ["hangs", "a", "b"].map(String::from));
    (looks.total_bytes, looks.look_ms) = (8, 4000);
    let seen = block_on(system.observe(&looks));
    let told: Vec<bool> =
        seen.files.iter().map(|file| matches!(file, Observation::Available(_))).collect();
    assert_eq!(told, [true, true, false], "{:?}", seen.files);
}

/// What takes the hop does not take the rest with it, and gets the bytes that its rank gives it: as if all
/// had been read in order.
#[test]
fn r_obs_12_a_look_that_hops_keeps_its_rank() {
    let temporary = tempfile::tempdir().unwrap();
    let root = root(&temporary);
    fs::create_dir(root.join("known")).unwrap();
    for (name, bytes) in [("b", 4), ("c", 2), ("d", 1)] {
        fs::write(root.join("known").join(name), vec![b'x'; bytes]).unwrap();
    }
    let system = LocalFileSystem::settled_after(Duration::ZERO);
    let names = ["known/b", "known/c", "known/d"].map(String::from);
    let mut known = reads(&root, names);
    known.reads.iter_mut().for_each(|read| read.containment = Containment::Anywhere);
    block_on(system.observe(&known));
    // The size of the first, whose directory nobody looked at before; the total; who is told.
    let cases = [
        (4, 11, [true, true, true, true]),
        (4, 10, [true, true, true, false]),
        (4, 9, [true, true, false, true]),
        (4, 8, [true, true, false, false]),
        (5, 8, [true, false, true, true]),
        (5, 7, [true, false, true, false]),
        (9, 8, [false, true, true, true]),
    ];
    for (case, (bytes, total_bytes, told)) in cases.into_iter().enumerate() {
        let directory = root.join(format!("new{case}"));
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("a"), vec![b'x'; bytes]).unwrap();
        let mut looks = known.clone();
        let first = AbsolutePath::new(directory.join("a")).unwrap();
        looks.reads.insert(0, Read { path: first, ..known.reads[0].clone() });
        looks.total_bytes = total_bytes;
        for max_bytes in [9, 1 << 20] {
            looks.reads.iter_mut().for_each(|read| read.max_bytes = max_bytes);
            let seen = block_on(system.observe(&looks));
            let answers = seen.files.iter().map(|file| matches!(file, Observation::Available(_)));
            assert!(answers.eq(told), "{bytes} of {total_bytes}, {max_bytes}: {:?}", seen.files);
        }
    }
}

/// On Linux an unchanged batch needs no thread but the caller's.
#[test]
#[cfg(target_os = "linux")]
fn r_obs_10_an_unchanged_batch_is_answered_at_the_first_poll() {
    use std::{
        future::Future as _,
        pin::pin,
        task::{Context, Poll, Waker},
    };
    let temporary = tempfile::tempdir().unwrap();
    let root = root(&temporary);
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/file"), "text").unwrap();
    std::os::unix::fs::symlink("sub/file", root.join("link")).unwrap();
    let mut looks = reads(&root, ["sub/file", "none", "sub/none", "link"].map(String::from));
    let anywhere = Read { containment: Containment::Anywhere, ..looks.reads[0].clone() };
    looks.reads.push(anywhere);
    looks.probes = ["sub", "none"].map(|name| AbsolutePath::new(root.join(name)).unwrap()).into();
    let system = LocalFileSystem::settled_after(Duration::ZERO);
    let first = block_on(system.observe(&looks));
    // The kernel may say "not now" when somebody else renames or mounts: not for ever.
    let mut at_once = false;
    for _ in 0..1000 {
        let seen = block_on(async {
            let mut again = pin!(system.observe(&looks));
            match again.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(seen) => (true, seen),
                Poll::Pending => (false, again.await),
            }
        });
        assert_eq!(seen.1, first);
        at_once |= seen.0;
        if at_once {
            break;
        }
    }
    // A file system that this way does not know (an overlay, say) takes the hop each time.
    assert!(at_once || !is_known(&root), "a known file system, and not once without a hop");
}

#[cfg(target_os = "linux")]
fn is_known(root: &Path) -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").expect("a release");
    let mut numbers = release.split(['.', '-']).map(|number| number.parse::<u32>().unwrap_or(0));
    let kernel = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    // tmpfs has no read from memory alone; the others here have.
    kernel >= (6, 8) && rustix::fs::statfs(root).expect("a directory").f_type as i64 == 0xEF53
}
