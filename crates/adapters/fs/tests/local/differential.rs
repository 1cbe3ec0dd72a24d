//! The same random changes on the fake and on a real directory, and then the same looks: each
//! answer must be the same. So what is proven with the fake is proven of the disk.

use super::real::{Twice, apply};
use fastrand::Rng;
use std::{
    cell::RefCell,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};
use told_domain::{
    look::{Containment, Hidden, Listing, Looks, Read, Scan, Seen},
    observation::Observation,
    path::{AbsolutePath, CanonicalPath},
};
use told_fs::{LocalFileSystem, Step};
use told_ports::FileSystem;
use told_testkit::{
    change::Change,
    contract::block_on,
    fake::file_system::{FakeFileSystem, Fault, Rule, Step as FakeStep},
};

/// Few names, so that changes meet; the odd ones are no instruction file's.
const NAMES: [&str; 8] = ["a", "b", "c", "AGENTS.md", "agents.md", "d (deleted)", ".é", "\u{1b}x"];

struct World {
    random: Rng,
    root: PathBuf,
    boundary: CanonicalPath,
    /// Where something was made: what comes next meets it more often than not.
    made: Vec<PathBuf>,
}

impl World {
    fn name(&mut self) -> OsString {
        match self.random.u32(..60) {
            0 => "n".repeat(256).into(),
            1 => "n".repeat(255).into(),
            2..5 => odd_name(),
            at => NAMES[at as usize % NAMES.len()].into(),
        }
    }

    /// A path of one to three names, below the project or beside it; often one of before, or one
    /// below it.
    fn path(&mut self) -> PathBuf {
        if !self.made.is_empty() && self.random.u32(..10) < 7 {
            let mut path = self.made[self.random.usize(..self.made.len())].clone();
            if self.random.u32(..4) == 0 {
                path.push(self.name());
            }
            return path;
        }
        let mut path = self.root.clone();
        path.push(["project", "project", "project", "outside"][self.random.usize(..4)]);
        for _ in 0..=self.random.usize(..3) {
            path.push(self.name());
        }
        path
    }

    /// A path that looks take: they are all UTF-8.
    fn asked(&mut self) -> AbsolutePath {
        loop {
            if let Ok(path) = AbsolutePath::new(self.path()) {
                return path;
            }
        }
    }

    fn target(&mut self) -> OsString {
        let name = self.name();
        match self.random.u32(..8) {
            0..3 => name,
            3 => Path::new("..").join(name).into(),
            4 => Path::new("../../outside").join(name).into(),
            5 => {
                let mut directory = name;
                directory.push("/");
                directory
            }
            6 => self.path().into(),
            _ => Path::new(".").join(name).join("..").join(self.name()).into(),
        }
    }

    fn change(&mut self) -> Change {
        let path = self.path();
        match self.random.u32(..16) {
            0..5 => Change::Write { path, bytes: self.bytes() },
            5 => Change::Resize { path, size: self.random.u64(..200_000) },
            6 => Change::Remove { path },
            7..10 => Change::MakeDirectory { path },
            10 => Change::RemoveDirectory { path },
            11 => Change::Rename { from: path, to: self.path() },
            12..15 => Change::Link { path, target: self.target() },
            _ if self.random.bool() => Change::Fifo { path },
            _ => Change::Socket { path },
        }
    }

    /// What happens to a file while it is read: to itself, mostly.
    fn interruption(&mut self, path: &Path) -> Change {
        let path = path.to_path_buf();
        match self.random.u32(..6) {
            0 => Change::Write { path, bytes: self.bytes() },
            1 => Change::Resize { path, size: self.random.u64(..400) },
            2 => Change::Remove { path },
            3 => Change::Rename { from: path, to: self.path() },
            4 => Change::Rename { from: self.path(), to: path },
            _ => self.change(),
        }
    }

    fn bytes(&mut self) -> Vec<u8> {
        let length = [0, 1, 10, 300, 70_000][self.random.usize(..5)];
        vec![self.random.u8(b'a'..=b'z'); length]
    }

    fn scan(&mut self) -> Scan {
        let project = self.boundary.as_absolute().clone();
        let directory = if self.random.bool() { project } else { self.asked() };
        let containment = if self.random.u32(..4) == 0 {
            Containment::Anywhere
        } else {
            Containment::Within(self.boundary.clone())
        };
        let max_depth = self.random.u32(..5);
        Scan {
            directory,
            containment,
            max_depth,
            max_entries: [0, 3, 1000][self.random.usize(..3)],
            max_directories: [1000, 0, 2, 1000, 3][max_depth as usize],
            hidden: if self.random.bool() { Hidden::Counts } else { Hidden::LeftOut },
        }
    }

    fn looks(&mut self) -> Looks {
        let mut looks = Looks {
            total_bytes: [0, 100, 1000, 1 << 20][self.random.usize(..4)],
            look_ms: 20_000,
            ..Looks::default()
        };
        for _ in 0..self.random.usize(1..12) {
            let containment = if self.random.u32(..4) == 0 {
                Containment::Anywhere
            } else {
                Containment::Within(self.boundary.clone())
            };
            let max_bytes = [0, 5, 1 << 16, 1 << 20][self.random.usize(..4)];
            looks.reads.push(Read { path: self.asked(), containment, max_bytes });
        }
        for _ in 0..self.random.usize(..6) {
            let probe = self.asked();
            looks.probes.push(probe);
        }
        for _ in 0..self.random.usize(..3) {
            let directory = self.asked();
            looks.listings.push(Listing { directory, max_entries: self.random.u64(..6) });
        }
        for _ in 0..self.random.usize(..3) {
            let scan = self.scan();
            looks.scans.push(scan);
        }
        looks
    }
}

/// Where a change makes something.
fn place(change: &Change) -> Option<PathBuf> {
    match change {
        Change::Write { path, .. }
        | Change::MakeDirectory { path }
        | Change::Link { path, .. }
        | Change::Fifo { path }
        | Change::Socket { path } => Some(path.clone()),
        Change::Rename { to, .. } => Some(to.clone()),
        Change::Resize { .. } | Change::Remove { .. } | Change::RemoveDirectory { .. } => None,
    }
}

#[cfg(unix)]
fn odd_name() -> OsString {
    use std::os::unix::ffi::OsStringExt as _;
    OsString::from_vec(vec![b'o', 0xFF])
}

/// The same but for which names a listing past its limit keeps, which is open.
fn assert_same(real: &Seen, fake: &Seen, seed: u64, looks: &Looks) {
    assert_eq!(real.files, fake.files, "seed {seed}: {:#?}", looks.reads);
    assert_eq!(real.probes, fake.probes, "seed {seed}: {:#?}", looks.probes);
    for (real, fake) in real.listings.iter().zip(&fake.listings) {
        match (real, fake) {
            (Observation::Available(real), Observation::Available(fake)) if real.more => {
                assert!(fake.more && real.names.len() == fake.names.len(), "seed {seed}");
            }
            _ => assert_eq!(real, fake, "seed {seed}: {:#?}", looks.listings),
        }
    }
    for (real, fake) in real.scans.iter().zip(&fake.scans) {
        match (real, fake) {
            (Observation::Available(real), Observation::Available(fake)) if real.more => {
                assert!(fake.more, "seed {seed}: {:#?}", looks.scans);
            }
            _ => assert_eq!(real, fake, "seed {seed}: {:#?}", looks.scans),
        }
    }
}

/// What a look is interrupted with, and when: the next change of each look that reads.
type Interruptions = Arc<Mutex<Vec<(PathBuf, Change)>>>;

/// How often each kind of answer came, so that no seed's luck makes the test empty.
#[derive(Debug, Default)]
struct Tally {
    available: usize,
    not_found: usize,
    withheld: [usize; 4],
    unavailable: [usize; 3],
    interrupted: usize,
}

impl Tally {
    fn count(&mut self, seen: &Seen) {
        use told_domain::{
            observation::Absence::{NotFound, Withheld},
            reason::{UnavailableReason as Why, WithheldReason as Policy},
        };
        let withheld =
            [Policy::NotRegularFile, Policy::OutsideProject, Policy::Limit, Policy::PathNotUtf8];
        let unavailable = [Why::TooManyLinks, Why::NameTooLong, Why::ChangedWhileRead];
        for file in &seen.files {
            match file {
                Observation::Available(_) => self.available += 1,
                Observation::Absent(NotFound) => self.not_found += 1,
                Observation::Absent(Withheld(why)) => {
                    let at = withheld.iter().position(|known| known == why);
                    self.withheld[at.expect("a reason of the file system")] += 1;
                }
                Observation::Unavailable(why) => {
                    let at = unavailable.iter().position(|known| known == why);
                    self.unavailable[at.expect("a cause that a disk has here")] += 1;
                }
            }
        }
    }

    /// Whether each kind came often enough to mean something.
    fn is_full(&self) -> bool {
        let all = [self.available, self.not_found, self.interrupted];
        all.iter().chain(&self.withheld).chain(&self.unavailable).all(|count| *count >= 3)
    }
}

fn run(seed: u64, tally: &mut Tally) {
    let temporary = tempfile::tempdir().expect("a directory");
    let root = temporary.path().canonicalize().expect("a directory");
    let boundary = AbsolutePath::new(root.join("project")).expect("can be made");
    let boundary = CanonicalPath::observed(boundary);
    let mut world = World { random: Rng::with_seed(seed), root, boundary, made: Vec::new() };
    let fake = FakeFileSystem::new();
    fake.make_directories(&world.root).expect("can be made");
    for name in ["project", "outside"] {
        let change = Change::MakeDirectory { path: world.root.join(name) };
        assert_eq!((fake.apply(&change), apply(&change)), (Ok(()), Ok(())));
    }
    let calm = Twice(LocalFileSystem::settled_after(Duration::ZERO));
    let interruptions: Interruptions = Arc::default();
    let next = Arc::clone(&interruptions);
    let raced = LocalFileSystem::with_hook(Arc::new(move |step| {
        if let Step::Reading(path) = step {
            let mut interruptions = next.lock().expect("no panic");
            if let Some(at) = interruptions.iter().position(|(wanted, _)| wanted == path) {
                let _ = apply(&interruptions.remove(at).1);
            }
        }
    }));
    let log = RefCell::new(Vec::new());
    for _ in 0..12 {
        for _ in 0..world.random.usize(1..8) {
            let change = world.change();
            let (made, faked) = (apply(&change), fake.apply(&change));
            if made.is_ok() {
                world.made.extend(place(&change));
            }
            assert_eq!(made, faked, "seed {seed}: {change:?} after {:#?}", log.borrow());
            log.borrow_mut().push((change, made.is_ok()));
        }
        let looks = world.looks();
        let seen = block_on(calm.observe(&looks));
        assert_same(&seen, &fake.observe_now(&looks), seed, &looks);
        tally.count(&seen);
        let asked = world.path();
        let directory = |system: &dyn FileSystem| block_on(system.directory(&asked));
        assert_eq!(directory(&calm), directory(&fake), "seed {seed}: {asked:?}");

        // Races: something else happens while one of the files is read. Reads alone, since the
        // order of the other looks is open.
        let mut looks = world.looks();
        looks.probes.clear();
        looks.listings.clear();
        looks.scans.clear();
        for _ in 0..world.random.usize(..4) {
            let at = world.random.usize(..looks.reads.len());
            let path = looks.reads[at].path.as_path().to_path_buf();
            for _ in 0..world.random.usize(1..=3) {
                let change = world.interruption(&path);
                interruptions.lock().expect("no panic").push((path.clone(), change));
            }
        }
        script(&fake, &interruptions.lock().expect("no panic"));
        let seen = block_on(raced.observe(&looks));
        assert_same(&seen, &fake.observe_now(&looks), seed, &looks);
        tally.count(&seen);
        let struck = fake.log();
        tally.interrupted += struck.iter().filter(|passed| !passed.faults.is_empty()).count();
        fake.forget_log();
        interruptions.lock().expect("no panic").clear();
        fake.heal();
    }
}

/// The same interruptions for the fake: the n-th of a path strikes at its n-th reading.
fn script(fake: &FakeFileSystem, interruptions: &[(PathBuf, Change)]) {
    for (at, (path, change)) in interruptions.iter().enumerate() {
        let before = interruptions[..at].iter().filter(|(other, _)| other == path).count();
        let rule = Rule::new(FakeStep::Reading, Fault::Change(change.clone()));
        fake.script(rule.at(path).after(before as u32));
    }
}

fn seeds() -> std::ops::Range<u64> {
    // One seed again: TOLD_SEED=17 cargo test -p told-fs differential
    match std::env::var("TOLD_SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => seed..seed + 1,
        None => 0..250,
    }
}

#[test]
fn the_fake_answers_as_the_disk_does() {
    let mut tally = Tally::default();
    let seeds = seeds();
    let all = seeds.end - seeds.start > 1;
    for seed in seeds {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run(seed, &mut tally);
        }));
        if let Err(panic) = outcome {
            eprintln!("TOLD_SEED={seed} fails");
            std::panic::resume_unwind(panic);
        }
    }
    assert!(!all || tally.is_full(), "{tally:?}");
    println!("{tally:?}");
}
