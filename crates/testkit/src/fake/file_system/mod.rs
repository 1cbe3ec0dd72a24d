//! A file system in memory, with a script of faults.
//!
//! **The model.** A tree of directories, files, symbolic links, FIFOs and sockets, walked as a
//! POSIX kernel walks it: names compared by their bytes, links followed to a depth of 40, names of
//! 255 bytes. An unlinked file lives on for the look that has it open.
//!
//! **The faults.** Every batch and every look passes one gate at each of its steps ([`Step`]), and
//! the gate alone decides what happens there ([`Fault`]): the look fails with a cause, somebody
//! changes the tree in just this moment (a swap between discovery and read, a tear, a truncation),
//! it is slow, it hangs, or the whole batch is held until a test releases it, before its looks or
//! between them and the answer. A [`Rule`] says when: at which step, for which path, after how many
//! passes, how many times. Failures can also come by chance, from a seed. An entry can refuse to be
//! opened for as long as a test wants ([`FakeFileSystem::refuse`]). The log has every step passed.
//!
//! **What it never does**, as no real file system may: change an answer without a change of the
//! tree or a fault in the log; use a clock or a thread; depend on anything but the calls made.
//!
//! **Stricter than a real one.** The port says in which order reads happen, and nothing of the
//! rest: here the listings come first, then the probes, the last first, then the reads. A listing
//! past its limit keeps the names that sort last.

mod gate;
mod scan;
mod tree;
mod unseen;

pub use gate::{Fault, Kind, Passed, Rule, Step};
pub use unseen::Mounted;

use crate::{
    change::{Change, Refused},
    fake::clock::FakeClock,
};
use async_trait::async_trait;
use gate::Gate;
use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::Notify;
use told_domain::{
    look::{Containment, EntryKind, FileBytes, Listing, Looks, Names, Read, Seen},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    reason::{UnavailableReason, WithheldReason},
};
use told_ports::FileSystem;
pub(crate) use tree::Trace;
use tree::{Node, Stop, Tree, Walk};

/// Attempts to read one version of a file (R-OBS-9).
const ATTEMPTS: usize = 3;

/// A file system in memory. Clones of its `Arc` see one tree.
pub struct FakeFileSystem {
    state: Mutex<State>,
    released: Notify,
    clock: Option<Arc<FakeClock>>,
}

struct State {
    tree: Tree,
    gate: Gate,
    calls: Calls,
    held: usize,
}

/// How often the port was asked for what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Batches.
    pub batches: usize,
    /// Reads in them.
    pub reads: usize,
    /// Probes in them.
    pub probes: usize,
    /// Listings in them.
    pub listings: usize,
    /// Scans in them.
    pub scans: usize,
    /// Questions for a directory.
    pub directories: usize,
}

/// The port's `Observation` without its value: what kept a look from one.
type Outcome<T> = Result<T, Observation<std::convert::Infallible>>;

impl Default for FakeFileSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl FakeFileSystem {
    /// An empty root and no faults.
    #[must_use]
    pub fn new() -> Self {
        let state =
            State { tree: Tree::new(), gate: Gate::default(), calls: Calls::default(), held: 0 };
        Self { state: Mutex::new(state), released: Notify::new(), clock: None }
    }

    /// One whose slow and hanging looks move `clock` forward.
    #[must_use]
    pub fn with_clock(clock: Arc<FakeClock>) -> Self {
        Self { clock: Some(clock), ..Self::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes one change.
    ///
    /// # Errors
    /// [`Refused`] where a system would refuse it; the tree is then as it was.
    pub fn apply(&self, change: &Change) -> Result<(), Refused> {
        self.state().tree.apply(change)
    }

    /// Makes a directory and those above it.
    ///
    /// # Errors
    /// [`Refused`] where something else is in the way.
    pub fn make_directories(&self, path: impl AsRef<Path>) -> Result<(), Refused> {
        let mut state = self.state();
        let above: Vec<_> = path.as_ref().ancestors().collect();
        for path in above.into_iter().rev().skip(1) {
            let made = state.tree.apply(&Change::MakeDirectory { path: path.to_path_buf() });
            match state.tree.walk(path, true) {
                Ok(Walk::Found { node, .. }) if state.tree.kind(node) == EntryKind::Directory => {}
                Ok(_) | Err(_) => made?,
            }
        }
        Ok(())
    }

    /// Writes a file, with the directories above it.
    ///
    /// # Errors
    /// [`Refused`] where something else is in the way.
    pub fn write(&self, path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) -> Result<(), Refused> {
        let path = path.as_ref();
        if let Some(above) = path.parent() {
            self.make_directories(above)?;
        }
        self.apply(&Change::Write { path: path.to_path_buf(), bytes: bytes.into() })
    }

    /// Removes an entry that is no directory.
    ///
    /// # Errors
    /// [`Refused`] where there is none.
    pub fn remove(&self, path: impl AsRef<Path>) -> Result<(), Refused> {
        self.apply(&Change::Remove { path: path.as_ref().to_path_buf() })
    }

    /// Lets the entry at `path` refuse to be opened or walked through, for this cause or no longer.
    ///
    /// # Errors
    /// [`Refused`] where there is no entry.
    pub fn refuse(
        &self,
        path: impl AsRef<Path>,
        reason: Option<UnavailableReason>,
    ) -> Result<(), Refused> {
        self.state().tree.refuse(path.as_ref(), reason)
    }

    /// Adds a rule to the script.
    pub fn script(&self, rule: Rule) {
        self.state().gate.add(rule);
    }

    /// Lets looks fail by chance, so many in a thousand.
    pub fn fail_by_chance(&self, seed: u64, per_thousand: u16) {
        self.state().gate.fail_by_chance(seed, per_thousand);
    }

    /// Drops the rest of the script and the chance of failure.
    pub fn heal(&self) {
        self.state().gate.clear();
    }

    /// How many batches are held now.
    #[must_use]
    pub fn held(&self) -> usize {
        self.state().held
    }

    /// Lets every held batch go on.
    pub fn release(&self) {
        self.released.notify_waiters();
    }

    /// How often the port was asked so far.
    #[must_use]
    pub fn calls(&self) -> Calls {
        self.state().calls
    }

    /// Every step passed so far.
    #[must_use]
    pub fn log(&self) -> Vec<Passed> {
        self.state().gate.log.clone()
    }

    /// Empties the log.
    pub fn forget_log(&self) {
        self.state().gate.log.clear();
    }

    /// Answers a batch at once, as `observe` does where nothing holds it.
    pub fn observe_now(&self, looks: &Looks) -> Seen {
        let (seen, taken) = self.state().observe(looks);
        if let Some(clock) = &self.clock {
            clock.advance(Duration::from_millis(taken));
        }
        seen
    }

    /// Passes a batch's step, and waits there if the script says so.
    async fn pass(&self, step: Step) {
        let released = self.released.notified();
        tokio::pin!(released);
        let holds = {
            let mut state = self.state();
            let faults = state.gate.pass(Kind::Batch, step, Path::new(""));
            let holds = faults.contains(&Fault::Hold);
            for fault in faults {
                if let Fault::Change(change) = fault {
                    // A change that the system refuses does not happen.
                    let _ = state.tree.apply(&change);
                }
            }
            if holds {
                state.held += 1;
                released.as_mut().enable();
            }
            holds
        };
        if holds {
            let _held = Held(self);
            released.await;
        }
    }
}

/// Counts a held batch out, also where its caller went away.
struct Held<'a>(&'a FakeFileSystem);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.state().held -= 1;
    }
}

#[async_trait]
impl FileSystem for FakeFileSystem {
    async fn observe(&self, looks: &Looks) -> Seen {
        self.pass(Step::Asked).await;
        let seen = self.observe_now(looks);
        self.pass(Step::Answering).await;
        seen
    }

    async fn directory(&self, path: &Path) -> Observation<CanonicalPath> {
        let mut state = self.state();
        state.calls.directories += 1;
        outcome(state.directory(path))
    }
}

impl State {
    /// Answers a batch; also how many milliseconds it took.
    fn observe(&mut self, looks: &Looks) -> (Seen, u64) {
        self.calls.batches += 1;
        let mut batch = Batch { limit: looks.look_ms, left: looks.total_bytes, taken: 0 };
        let listings = looks.listings.iter().map(|listing| outcome(self.list(listing, &mut batch)));
        let listings = listings.collect();
        let scans = looks.scans.iter().map(|scan| outcome(self.scan(scan, &mut batch))).collect();
        let probes = looks.probes.iter().rev().map(|path| outcome(self.probe(path, &mut batch)));
        let mut probes: Vec<_> = probes.collect();
        probes.reverse();
        let mut files = Vec::with_capacity(looks.reads.len());
        for read in &looks.reads {
            let file = outcome(self.read(read, &mut batch));
            if let Observation::Available(file) = &file {
                batch.left -= file.bytes.len() as u64;
            }
            files.push(file);
        }
        (Seen { files, probes, listings, scans }, batch.taken)
    }

    /// Asks the gate at one step of a look.
    fn pass(&mut self, kind: Kind, step: Step, path: &Path, batch: &mut Batch) -> Outcome<()> {
        let mut end = Ok(());
        for fault in self.gate.pass(kind, step, path) {
            match fault {
                Fault::Fail(reason) => end = Err(Observation::Unavailable(reason)),
                Fault::Change(change) => {
                    // A change that the system refuses does not happen.
                    let _ = self.tree.apply(&change);
                }
                Fault::Delay(milliseconds) if milliseconds <= batch.limit => {
                    batch.taken = batch.taken.max(milliseconds);
                }
                Fault::Delay(_) | Fault::Hang | Fault::Hold => {
                    batch.taken = batch.limit;
                    end = Err(Observation::Unavailable(UnavailableReason::Timeout));
                }
            }
        }
        end
    }

    fn find(&self, path: &Path) -> Outcome<(Node, std::path::PathBuf)> {
        match self.tree.walk(path, true) {
            Ok(Walk::Found { node, canonical }) => Ok((node, canonical)),
            Ok(Walk::Missing { .. }) | Err(Stop::Nothing) => {
                Err(Observation::Absent(Absence::NotFound))
            }
            Err(Stop::Failed(reason)) => Err(Observation::Unavailable(reason)),
        }
    }

    fn read(&mut self, read: &Read, batch: &mut Batch) -> Outcome<FileBytes> {
        self.calls.reads += 1;
        let path = read.path.as_path();
        self.pass(Kind::Read, Step::Looking, path, batch)?;
        let (node, place) = self.find(path)?;
        let withheld = |reason| Err(Observation::Absent(Absence::Withheld(reason)));
        if let Containment::Within(directory) = &read.containment
            && !place.starts_with(directory.as_path())
        {
            return withheld(WithheldReason::OutsideProject);
        }
        if self.tree.kind(node) != EntryKind::File {
            return withheld(WithheldReason::NotRegularFile);
        }
        let canonical = canonical(&place)?;
        if let Some(reason) = self.tree.refusal(node) {
            return Err(Observation::Unavailable(reason));
        }
        for _ in 0..ATTEMPTS {
            let (version, size) = (self.tree.version(node), self.tree.size(node));
            if size.min(read.max_bytes) > batch.left {
                return withheld(WithheldReason::Limit);
            }
            self.pass(Kind::Read, Step::Reading, path, batch)?;
            let bytes = self.tree.bytes(node, read.max_bytes);
            self.pass(Kind::Read, Step::Stamping, path, batch)?;
            if self.tree.version(node) == version {
                return Ok(FileBytes { canonical, bytes, size });
            }
        }
        Err(Observation::Unavailable(UnavailableReason::ChangedWhileRead))
    }

    fn probe(&mut self, path: &AbsolutePath, batch: &mut Batch) -> Outcome<EntryKind> {
        self.calls.probes += 1;
        self.pass(Kind::Probe, Step::Looking, path.as_path(), batch)?;
        self.find(path.as_path()).map(|(node, _)| self.tree.kind(node))
    }

    fn list(&mut self, listing: &Listing, batch: &mut Batch) -> Outcome<Names> {
        self.calls.listings += 1;
        let path = listing.directory.as_path();
        self.pass(Kind::Listing, Step::Looking, path, batch)?;
        let (node, _) = self.find(path)?;
        let mut names = self.tree.names(node).ok_or(Observation::Absent(Absence::NotFound))?;
        if let Some(reason) = self.tree.refusal(node) {
            return Err(Observation::Unavailable(reason));
        }
        let limit = usize::try_from(listing.max_entries).unwrap_or(usize::MAX);
        let more = names.len() > limit;
        names.drain(..names.len().saturating_sub(limit));
        Ok(Names { names, more })
    }

    fn directory(&mut self, path: &Path) -> Outcome<CanonicalPath> {
        let mut batch = Batch { limit: u64::MAX, left: 0, taken: 0 };
        self.pass(Kind::Directory, Step::Looking, path, &mut batch)?;
        if !path.is_absolute() {
            return Err(Observation::Unavailable(UnavailableReason::IoError));
        }
        let (node, place) = self.find(path)?;
        if self.tree.kind(node) != EntryKind::Directory {
            return Err(Observation::Absent(Absence::NotFound));
        }
        canonical(&place)
    }
}

/// What one batch has left.
struct Batch {
    limit: u64,
    left: u64,
    taken: u64,
}

fn canonical(place: &Path) -> Outcome<CanonicalPath> {
    AbsolutePath::new(place)
        .map(CanonicalPath::observed)
        .map_err(|_| Observation::Absent(Absence::Withheld(WithheldReason::PathNotUtf8)))
}

fn outcome<T>(found: Outcome<T>) -> Observation<T> {
    match found {
        Ok(value) => Observation::Available(value),
        Err(missing) => missing.map(|never| match never {}),
    }
}
