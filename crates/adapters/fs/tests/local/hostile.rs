//! Entries that somebody made to do harm, or that are just odd.

use super::real::{Real, Twice, apply};
use std::{
    fs::{self, OpenOptions},
    io::Read as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use told_domain::{
    look::{Containment, FileBytes, Looks, Read},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    reason::{UnavailableReason, WithheldReason},
};
use told_fs::{LocalFileSystem, Step};
use told_ports::FileSystem;
use told_testkit::{
    change::Change,
    contract::{block_on, file_system::Fixture as _},
};

fn read(path: impl AsRef<Path>, within: Option<&Path>) -> Read {
    let containment = within.map_or(Containment::Anywhere, |directory| {
        Containment::Within(CanonicalPath::observed(
            AbsolutePath::new(directory).expect("absolute"),
        ))
    });
    Read { path: AbsolutePath::new(path).expect("absolute"), containment, max_bytes: 1 << 18 }
}

fn look(system: &dyn FileSystem, read: Read) -> Observation<FileBytes> {
    let looks =
        Looks { reads: vec![read], total_bytes: 1 << 24, look_ms: 20_000, ..Looks::default() };
    block_on(system.observe(&looks)).files.pop().expect("one answer")
}

fn found(canonical: impl AsRef<Path>, bytes: &str) -> Observation<FileBytes> {
    let canonical = CanonicalPath::observed(AbsolutePath::new(canonical).expect("absolute"));
    Observation::Available(FileBytes { canonical, bytes: bytes.into(), size: bytes.len() as u64 })
}

fn withheld<T>(reason: WithheldReason) -> Observation<T> {
    Observation::Absent(Absence::Withheld(reason))
}

/// Stops a writer's thread when the looks are done, also by a failure.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A file of `bytes` at `name`, moved over what is there in one step.
fn replace(root: &Path, name: &str, bytes: &str) {
    let temporary = root.join("new");
    fs::write(&temporary, bytes).expect("can be made");
    fs::rename(temporary, root.join(name)).expect("can be made");
}

#[test]
fn r_obs_6_a_sparse_file_of_10_gib_costs_what_is_read_of_it() {
    let real = Real::new();
    let path = real.root().join("huge");
    fs::write(&path, "start").unwrap();
    OpenOptions::new().write(true).open(&path).unwrap().set_len(10 << 30).unwrap();
    let root = real.root();
    let Observation::Available(file) = look(&*real.system(), read(&path, Some(&root))) else {
        panic!("it is a regular file");
    };
    assert_eq!((file.size, file.bytes.len()), (10 << 30, 1 << 18));
    assert!(file.bytes.capacity() <= 1 << 18, "{}", file.bytes.capacity());
    assert!(file.bytes.starts_with(b"start\0"));
}

#[test]
#[cfg(target_os = "linux")]
fn r_obs_3_a_device_is_withheld() {
    let real = Real::new();
    let root = real.root();
    std::os::unix::fs::symlink("/dev/zero", root.join("zero")).unwrap();
    let system = real.system();
    let device = withheld(WithheldReason::NotRegularFile);
    assert_eq!(look(&*system, read("/dev/zero", None)), device);
    assert_eq!(look(&*system, read(root.join("zero"), None)), device);
    let outside = withheld(WithheldReason::OutsideProject);
    assert_eq!(look(&*system, read(root.join("zero"), Some(&root))), outside);
}

#[test]
#[cfg(target_os = "linux")]
fn r_obs_6_a_file_that_claims_no_size_is_read_to_its_end_or_the_limit() {
    let system = LocalFileSystem::new();
    let mut expected = String::new();
    fs::File::open("/proc/sys/kernel/ostype").unwrap().read_to_string(&mut expected).unwrap();
    assert_eq!(
        look(&system, read("/proc/sys/kernel/ostype", None)),
        found("/proc/sys/kernel/ostype", &expected)
    );
    let short = Read { max_bytes: 3, ..read("/proc/sys/kernel/ostype", None) };
    let Observation::Available(file) = look(&system, short.clone()) else {
        panic!("it is a regular file");
    };
    assert_eq!(file.bytes, expected.as_bytes()[..3]);
    assert!(file.size > 3, "a reader is told that there is more");
    let looks = Looks { reads: vec![short], total_bytes: 2, look_ms: 20_000, ..Looks::default() };
    assert_eq!(block_on(system.observe(&looks)).files, [withheld(WithheldReason::Limit)]);
}

#[test]
#[cfg(target_os = "linux")]
fn r_obs_7_a_magic_link_of_proc_is_followed_by_nobody_inside_a_project() {
    let real = Real::new();
    let (root, outside) = (real.root(), tempfile::tempdir().unwrap());
    let secret = outside.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let open = fs::File::open(&secret).unwrap();
    let magic = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open));
    std::os::unix::fs::symlink(magic, root.join("link")).unwrap();
    let seen = look(&*real.system(), read(root.join("link"), Some(&root)));
    assert_eq!(seen, withheld(WithheldReason::OutsideProject));
}

#[test]
fn r_obs_7_a_directory_that_became_a_link_contains_nothing_of_its_own() {
    let real = Real::new();
    let root = real.root();
    let (project, moved) = (root.join("project"), root.join("moved"));
    fs::create_dir(&project).unwrap();
    fs::write(project.join("file"), "text").unwrap();
    let system = real.system();
    let seen = look(&*system, read(project.join("file"), Some(&project)));
    assert_eq!(seen, found(project.join("file"), "text"));
    fs::rename(&project, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &project).unwrap();
    let seen = look(&*system, read(project.join("file"), Some(&project)));
    assert_eq!(seen, withheld(WithheldReason::OutsideProject));
    fs::remove_file(&project).unwrap();
    let seen = look(&*system, read(project.join("file"), Some(&project)));
    assert_eq!(seen, Observation::Absent(Absence::NotFound));
}

#[test]
fn r_obs_7_a_file_named_deleted_is_itself() {
    let real = Real::new();
    let root = real.root();
    let odd = root.join("file (deleted)");
    fs::write(&odd, "odd").unwrap();
    std::os::unix::fs::symlink("file (deleted)", root.join("link")).unwrap();
    std::os::unix::fs::symlink(&odd, root.join("absolute")).unwrap();
    for name in ["file (deleted)", "link", "absolute"] {
        let seen = look(&*real.system(), read(root.join(name), Some(&root)));
        assert_eq!(seen, found(&odd, "odd"), "{name}");
    }
}

/// A link to a file that somebody replaces without pause. Each look must see a whole version at
/// the file's own path: never a path that ends in ` (deleted)`, and never a mixture.
#[test]
fn r_obs_7_a_file_replaced_while_open_is_never_at_a_deleted_path() {
    let real = Real::new();
    let root = real.root();
    replace(&root, "file", "0");
    std::os::unix::fs::symlink(root.join("file"), root.join("link")).unwrap();
    let (stop, round) = (AtomicBool::new(false), AtomicUsize::new(0));
    let system = LocalFileSystem::new();
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let text = round.fetch_add(1, Ordering::Relaxed).to_string().repeat(50);
                replace(&root, "file", &text);
            }
        });
        let mut seen_whole = 0;
        for _ in 0..3000 {
            match look(&system, read(root.join("link"), Some(&root))) {
                Observation::Available(file) => {
                    assert_eq!(file.canonical.as_path(), root.join("file"));
                    let unit = &file.bytes[..file.bytes.len().div_ceil(50)];
                    assert_eq!(file.bytes.len() as u64, file.size);
                    assert!(file.size == 1 || unit.repeat(50) == file.bytes);
                    seen_whole += 1;
                }
                Observation::Unavailable(UnavailableReason::ChangedWhileRead) => {}
                other => panic!("{other:?}"),
            }
        }
        assert!(seen_whole > 0, "not one look in 3000 between two replacements");
    });
}

/// The same through the plain name, where no link hides the change: every look sees a file.
#[test]
fn r_obs_9_a_file_replaced_without_pause_is_always_there() {
    let real = Real::new();
    let root = real.root();
    replace(&root, "file", "0");
    let stop = AtomicBool::new(false);
    let system = LocalFileSystem::new();
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                replace(&root, "file", "text");
            }
        });
        for _ in 0..3000 {
            match look(&system, read(root.join("file"), Some(&root))) {
                Observation::Available(file) => {
                    assert_eq!(file.canonical.as_path(), root.join("file"));
                    assert!(file.bytes == b"text" || file.bytes == b"0");
                }
                // Its last name goes: a change, but of a file that is read again as it is open.
                other => panic!("{other:?}"),
            }
        }
    });
}

/// A writer that writes in place, over several pages: what is seen is one write's.
#[test]
fn r_obs_9_a_file_written_in_place_without_pause_is_never_torn() {
    let real = Real::new();
    let root = real.root();
    let path = root.join("file");
    fs::write(&path, "").unwrap();
    let stop = AtomicBool::new(false);
    let system = LocalFileSystem::new();
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            let mut letter = b'a';
            while !stop.load(Ordering::Relaxed) {
                let bytes = vec![letter; 100_000];
                apply(&Change::Write { path: path.clone(), bytes }).expect("a file");
                letter = if letter == b'z' { b'a' } else { letter + 1 };
                // Pauses of the length of a look, so that some see it at rest.
                std::thread::yield_now();
            }
        });
        for _ in 0..500 {
            match look(&system, read(&path, Some(&root))) {
                Observation::Available(file) => {
                    let first = file.bytes.first().copied();
                    assert!(file.bytes.iter().all(|byte| Some(*byte) == first));
                    assert_eq!(file.bytes.len() as u64, file.size);
                }
                Observation::Unavailable(UnavailableReason::ChangedWhileRead) => {}
                other => panic!("{other:?}"),
            }
        }
    });
}

/// Between the open and the read the name comes to lead out of the project: what was opened counts.
#[test]
fn r_obs_7_the_opened_file_counts_and_not_what_its_name_leads_to_later() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let project = root.join("project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("real"), "mine").unwrap();
    fs::write(root.join("secret"), "secret").unwrap();
    let link = project.join("link");
    std::os::unix::fs::symlink(project.join("real"), &link).unwrap();
    let steps: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let (taken, swapped, secret) = (Arc::clone(&steps), link.clone(), root.join("secret"));
    let system = LocalFileSystem::with_hook(Arc::new(move |step| {
        if let Step::Reading(path) = step {
            taken.lock().unwrap().push(path.to_path_buf());
            fs::remove_file(&swapped).unwrap();
            std::os::unix::fs::symlink(&secret, &swapped).unwrap();
        }
    }));
    let seen = look(&system, read(&link, Some(&project)));
    assert_eq!(seen, found(project.join("real"), "mine"));
    let seen = look(&system, read(&link, Some(&project)));
    assert_eq!(seen, withheld(WithheldReason::OutsideProject));
    assert_eq!(*steps.lock().unwrap(), [link], "the second look never came to read");
}

#[test]
fn r_obs_1_a_nul_in_a_name_is_no_proof_of_absence() {
    let real = Real::new();
    let root = real.root();
    let seen = look(&*real.system(), read(root.join("a\0b"), Some(&root)));
    assert_eq!(seen, Observation::Unavailable(UnavailableReason::IoError));
}

#[test]
fn r_obs_1_a_directory_asked_for_by_a_relative_path_is_no_absence() {
    let system = Twice(LocalFileSystem::settled_after(Duration::ZERO));
    let seen = block_on(system.directory(Path::new("src")));
    assert_eq!(seen, Observation::Unavailable(UnavailableReason::IoError));
}
