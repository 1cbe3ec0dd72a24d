//! A watcher of a [`FakeFileSystem`], with a script of faults.
//!
//! **The model.** A subscription remembers everything that a look at its entries depends on, each name and
//! what it is bound to, and a drain compares. So it is exact, and told of a change that was undone.
//! What happens through a mapping changes nothing that it remembers until the file is closed.
//!
//! **The faults.** Each drain of whatever subscription counts, and a script says what happens in the n-th
//! one ([`Fault`]): the system overflows or dies, an answer comes twice, or it lies, as a broken
//! watcher does: drops what happened, or tells it some drains later. Who must not be lied to
//! finds it by looking (R-WAT-3); [`FakeWatcher::lies`] says how often there was something to find.
//!
//! **What it never does** without a fault in the script: miss a change, or tell one of nobody.
//!
//! **Stricter than a real one.** A mapped write is told at the last moment. Whatever binds a step anew
//! is lost, also where a real one could follow. A subscription that is lost forgets at once.

use super::file_system::{FakeFileSystem, Trace};
use async_trait::async_trait;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use told_ports::{Coverage, Drained, Subscription, Uncovered, Watched, Watcher};

/// A watcher in memory. Clones are one.
#[derive(Clone)]
pub struct FakeWatcher {
    shared: Arc<Shared>,
}

struct Shared {
    files: Arc<FakeFileSystem>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    given: u64,
    drains: u64,
    script: BTreeMap<u64, Fault>,
    watching: BTreeMap<u64, Watching>,
    limit: Option<usize>,
    untrusted: Vec<PathBuf>,
    dead: bool,
    lies: u64,
}

struct Watching {
    /// Each entry and what it was at the last answer, until it is lost.
    known: Result<Vec<Known>, Uncovered>,
    /// Answers nothing in so many drains.
    silent: u64,
}

struct Known {
    watched: Watched,
    trace: Trace,
    /// Told once more though nothing happened.
    again: bool,
}

/// What happens in one drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// What happened is never told. A lie.
    Drop,
    /// What happened is told so many drains later. A lie.
    Delay(u64),
    /// What is told now is told by the next drain as well.
    Duplicate,
    /// The system lost events: every subscription is lost.
    Overflow,
    /// It ends: every subscription is lost, and no new one covers until [`FakeWatcher::revive`].
    Die,
}

impl FakeWatcher {
    /// One that watches `files`, without faults or limits.
    #[must_use]
    pub fn new(files: Arc<FakeFileSystem>) -> Self {
        Self { shared: Arc::new(Shared { files, state: Mutex::default() }) }
    }

    /// One that watches so many entries at most.
    #[must_use]
    pub fn limited_to(files: Arc<FakeFileSystem>, entries: usize) -> Self {
        let watcher = Self::new(files);
        watcher.state().limit = Some(entries);
        watcher
    }

    /// From now on so many entries can be watched.
    pub fn limit(&self, entries: Option<usize>) {
        self.state().limit = entries;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }

    /// Has something happen in the `nth` next drain (1 is the next one), of whatever subscription.
    ///
    /// # Panics
    /// Where `nth` is 0.
    pub fn script(&self, nth: u64, fault: Fault) {
        assert!(nth > 0, "the next drain is the first");
        let mut state = self.state();
        let at = state.drains + nth;
        state.script.insert(at, fault);
    }

    /// From now on what lies at or below `path` cannot be trusted.
    pub fn distrust(&self, path: impl Into<PathBuf>) {
        self.state().untrusted.push(path.into());
    }

    /// The system lost events.
    pub fn overflow(&self) {
        self.state().lose_all(Uncovered::Overflow);
    }

    /// New subscriptions cover again.
    pub fn revive(&self) {
        self.state().dead = false;
    }

    /// How many drains there were.
    #[must_use]
    pub fn drains(&self) -> u64 {
        self.state().drains
    }

    /// How many entries' changes were dropped or delayed.
    #[must_use]
    pub fn lies(&self) -> u64 {
        self.state().lies
    }

    /// How many entries are watched now, equal ones once.
    #[must_use]
    pub fn entries(&self) -> usize {
        let state = self.state();
        let known = state.watching.values().filter_map(|watching| watching.known.as_ref().ok());
        let mut paths: Vec<_> = known.flatten().map(|known| &known.watched).collect();
        paths.sort_unstable();
        paths.dedup();
        paths.len()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, watched: Vec<Watched>) -> Result<Vec<Known>, Uncovered> {
        let state = self.state();
        if state.dead {
            return Err(Uncovered::Failed);
        }
        let held = state.watching.values().filter_map(|watching| watching.known.as_ref().ok());
        let held: usize = held.map(Vec::len).sum();
        if state.limit.is_some_and(|limit| held + watched.len() > limit) {
            return Err(Uncovered::Limit);
        }
        let known = watched.into_iter().map(|watched| {
            let trace = self.files.trace(watched.path());
            let leads = self.files.canonical_prefix(watched.path().as_path());
            if state.untrusted.iter().any(|untrusted| leads.starts_with(untrusted)) {
                return Err(Uncovered::FileSystem);
            }
            match trace.links {
                0 | 1 => Ok(Known { watched, trace, again: false }),
                _ if trace.names.is_some() => Ok(Known { watched, trace, again: false }),
                _ => Err(Uncovered::HardLink),
            }
        });
        known.collect()
    }

    fn drain(&self, id: u64) -> Drained {
        let mut state = self.state();
        state.drains += 1;
        let nth = state.drains;
        let fault = state.script.remove(&nth);
        match fault {
            Some(Fault::Overflow) => state.lose_all(Uncovered::Overflow),
            Some(Fault::Die) => {
                state.dead = true;
                state.lose_all(Uncovered::Failed);
            }
            Some(Fault::Drop | Fault::Delay(_) | Fault::Duplicate) | None => {}
        }
        let Some(watching) = state.watching.get_mut(&id) else {
            return Drained::Lost(Uncovered::Failed);
        };
        let (drained, lies) = watching.drain(&self.files, fault);
        state.lies += lies;
        drained
    }
}

impl State {
    fn lose_all(&mut self, reason: Uncovered) {
        for watching in self.watching.values_mut() {
            if watching.known.is_ok() {
                watching.known = Err(reason);
            }
        }
    }
}

impl Watching {
    /// The answer, and how many changes it hides.
    fn drain(&mut self, files: &FakeFileSystem, fault: Option<Fault>) -> (Drained, u64) {
        let known = match &mut self.known {
            Ok(known) => known,
            Err(reason) => return (Drained::Lost(*reason), 0),
        };
        if let Some(Fault::Delay(drains)) = fault {
            self.silent = self.silent.max(drains);
        }
        let found = known.iter().map(|known| (known, files.trace(known.watched.path())));
        let found: Vec<_> = found.map(|(known, now)| (happened(known, &now), now)).collect();
        if self.silent > 0 {
            self.silent -= 1;
            let hidden = found.iter().filter(|(happened, _)| *happened != Happened::Nothing);
            return (Drained::Unchanged, hidden.count() as u64);
        }
        let lost = found.iter().find_map(|(happened, _)| match happened {
            Happened::Loss(reason) => Some(*reason),
            Happened::Nothing | Happened::Change => None,
        });
        if let Some(reason) = lost.filter(|_| fault != Some(Fault::Drop)) {
            self.known = Err(reason);
            return (Drained::Lost(reason), 0);
        }
        let mut changed = Vec::new();
        for (known, (happened, now)) in known.iter_mut().zip(found) {
            let again = std::mem::take(&mut known.again);
            if again || happened != Happened::Nothing {
                changed.push(known.watched.clone());
                known.again = fault == Some(Fault::Duplicate) && !again;
            }
            known.trace = now;
        }
        match changed.len() as u64 {
            0 => (Drained::Unchanged, 0),
            hidden if fault == Some(Fault::Drop) => (Drained::Unchanged, hidden),
            _ => (Drained::Changed(changed), 0),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Happened {
    Nothing,
    Change,
    Loss(Uncovered),
}

fn happened(known: &Known, now: &Trace) -> Happened {
    let was = &known.trace;
    // A way may grow where there was nothing; no step of it may be another.
    if !now.way.starts_with(&was.way) {
        return Happened::Loss(Uncovered::Replaced);
    }
    if now.links > 1 && now.names.is_none() {
        return Happened::Loss(Uncovered::HardLink);
    }
    let equal = match &known.watched {
        Watched::Entry(_) => {
            // Of a directory the names are not the entry's.
            let (mut was, mut now) = (was.clone(), now.clone());
            (was.names, now.names) = (None, None);
            (was.links, now.links) = (0, 0);
            was == now
        }
        Watched::Names(_) => was.names == now.names && was.end == now.end && was.way == now.way,
    };
    if equal { Happened::Nothing } else { Happened::Change }
}

/// A subscription in memory.
struct Live {
    shared: Arc<Shared>,
    id: u64,
}

#[async_trait]
impl Watcher for FakeWatcher {
    async fn subscribe(&self, watched: Vec<Watched>) -> Arc<dyn Subscription> {
        let known = self.shared.begin(watched);
        let mut state = self.state();
        state.given += 1;
        let id = state.given;
        state.watching.insert(id, Watching { known, silent: 0 });
        drop(state);
        Arc::new(Live { shared: Arc::clone(&self.shared), id })
    }
}

#[async_trait]
impl Subscription for Live {
    fn coverage(&self) -> Coverage {
        match self.shared.state().watching.get(&self.id).map(|watching| &watching.known) {
            Some(Ok(_)) => Coverage::Covered,
            Some(Err(reason)) => Coverage::Direct(*reason),
            None => Coverage::Direct(Uncovered::Failed),
        }
    }

    async fn drain(&self) -> Drained {
        self.shared.drain(self.id)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.shared.state().watching.remove(&self.id);
    }
}
