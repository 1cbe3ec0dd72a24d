//! One cache a candidate path, present or absent, and which change makes which of them stale.

use super::root::Caches;
use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};
use told_domain::{
    look::{Containment, EntryKind, FileBytes, Read},
    observation::Observation,
    path::AbsolutePath,
    plan::Plan,
};
use told_refreshable::Refreshable;

/// What one look found.
pub(super) type Found<T> = Arc<Observation<T>>;

/// The last answer to one look. What failed, or was left unread for its size, is an answer for one
/// boundary and no value.
pub(super) struct Cell<T> {
    value: Refreshable<Found<T>, Found<T>>,
    /// For those who ask how things stand: the cache itself has no peek.
    loaded: AtomicU64,
    made_stale: AtomicU64,
    /// Where the file really is: who changes it there changes this answer.
    canonical: Mutex<Option<AbsolutePath>>,
    /// How many wait for an answer: until it is there, nobody knows where the file is.
    waiting: AtomicUsize,
}

/// One who waits for an answer.
struct Waiting<'c>(&'c AtomicUsize);

/// Where the answer to one look of a plan is kept.
pub(super) struct Place {
    pub(super) root: AbsolutePath,
    pub(super) path: AbsolutePath,
    pub(super) cell: AnyCell,
}

#[derive(Clone)]
pub(super) enum AnyCell {
    Read(Arc<Cell<FileBytes>>),
    Probe(Arc<Cell<EntryKind>>),
}

/// The caches of one Location.
#[derive(Default)]
pub(super) struct Cells {
    reads: HashMap<Read, Arc<Cell<FileBytes>>>,
    probes: HashMap<AbsolutePath, Arc<Cell<EntryKind>>>,
    of_path: HashMap<AbsolutePath, Vec<AnyCell>>,
}

impl<T: Send + Sync + 'static> Cell<T> {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            value: Refreshable::new(),
            loaded: AtomicU64::new(0),
            made_stale: AtomicU64::new(0),
            canonical: Mutex::new(None),
            waiting: AtomicUsize::new(0),
        })
    }

    /// The answer, by `load` where it is not fresh.
    pub(super) async fn get<L, F>(
        &self,
        load: L,
        canonical: fn(&T) -> Option<&AbsolutePath>,
    ) -> Found<T>
    where
        L: Fn() -> F,
        F: Future<Output = Result<Found<T>, Found<T>>> + Send + 'static,
    {
        let _waiting = Waiting::on(&self.waiting);
        let before = self.made_stale.load(Ordering::Acquire);
        let (Ok(found) | Err(found)) = self.value.get(|_| load()).await.inspect(|found| {
            let there = match &**found {
                Observation::Available(value) => canonical(value).cloned(),
                Observation::Absent(_) | Observation::Unavailable(_) => None,
            };
            *self.canonical.lock().unwrap_or_else(PoisonError::into_inner) = there;
            self.loaded.fetch_max(before + 1, Ordering::AcqRel);
        });
        found
    }

    /// Whether that took a fresh answer away.
    fn make_stale(&self) -> bool {
        self.value.invalidate();
        let before = self.made_stale.fetch_add(1, Ordering::AcqRel);
        self.loaded.load(Ordering::Acquire) > before
    }

    fn is_fresh(&self) -> Option<bool> {
        let loaded = self.loaded.load(Ordering::Acquire);
        (loaded > 0).then(|| loaded > self.made_stale.load(Ordering::Acquire))
    }

    /// Whether what is below a directory is, or may be, where the answer comes from.
    fn is_below(&self, directory: &Path) -> bool {
        if self.waiting.load(Ordering::Acquire) > 0 {
            return true;
        }
        let canonical = self.canonical.lock().unwrap_or_else(PoisonError::into_inner);
        canonical.as_ref().is_some_and(|path| path.as_path().starts_with(directory))
    }
}

impl<'c> Waiting<'c> {
    fn on(count: &'c AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl AnyCell {
    fn make_stale(&self) -> bool {
        match self {
            Self::Read(cell) => cell.make_stale(),
            Self::Probe(cell) => cell.make_stale(),
        }
    }

    fn is_below(&self, directory: &Path) -> bool {
        match self {
            Self::Read(cell) => cell.is_below(directory),
            Self::Probe(cell) => cell.is_below(directory),
        }
    }

    fn is_fresh(&self) -> Option<bool> {
        match self {
            Self::Read(cell) => cell.is_fresh(),
            Self::Probe(cell) => cell.is_fresh(),
        }
    }
}

impl Cells {
    /// Where the answers to a plan's reads and probes are kept, in the order asked.
    pub(super) fn places(&mut self, plan: &Plan) -> Arc<[Place]> {
        let project = plan.root();
        let project = project.as_absolute();
        let below_project = |path: &AbsolutePath| path.as_path().starts_with(project.as_path());
        let skills: Vec<_> = plan.skill_roots().map(|root| &root.directory).collect();
        // What of skills lies elsewhere is covered or not by itself.
        let elsewhere = |path: &AbsolutePath| {
            let root = skills.iter().find(|root| path.is_within(root) && !below_project(root));
            root.map(|root| (*root).clone())
        };
        let mut places = Vec::with_capacity(plan.looks.reads.len() + plan.looks.probes.len());
        for read in &plan.looks.reads {
            let root = match &read.containment {
                Containment::Within(directory) => directory.as_absolute().clone(),
                Containment::Anywhere if below_project(&read.path) => project.clone(),
                Containment::Anywhere => {
                    let parent = || read.path.parent().unwrap_or_else(|| read.path.clone());
                    elsewhere(&read.path).unwrap_or_else(parent)
                }
            };
            let cell = match self.reads.get(read) {
                Some(cell) => AnyCell::Read(cell.clone()),
                None => {
                    let made = Cell::new();
                    self.reads.insert(read.clone(), made.clone());
                    self.know(&read.path, AnyCell::Read(made))
                }
            };
            places.push(Place { root, path: read.path.clone(), cell });
        }
        for path in &plan.looks.probes {
            let cell = match self.probes.get(path) {
                Some(cell) => AnyCell::Probe(cell.clone()),
                None => {
                    let made = Cell::new();
                    self.probes.insert(path.clone(), made.clone());
                    self.know(path, AnyCell::Probe(made))
                }
            };
            let root = elsewhere(path).unwrap_or_else(|| project.clone());
            places.push(Place { root, path: path.clone(), cell });
        }
        places.into()
    }

    fn know(&mut self, path: &AbsolutePath, cell: AnyCell) -> AnyCell {
        self.of_path.entry(path.clone()).or_default().push(cell.clone());
        cell
    }

    /// Forgets what no place in use keeps.
    pub(super) fn keep_used(&mut self) {
        // One for the map of looks, one for the map of paths.
        self.reads.retain(|_, cell| Arc::strong_count(cell) > 2);
        self.probes.retain(|_, cell| Arc::strong_count(cell) > 2);
        for cells in self.of_path.values_mut() {
            cells.retain(|cell| match cell {
                AnyCell::Read(cell) => Arc::strong_count(cell) > 1,
                AnyCell::Probe(cell) => Arc::strong_count(cell) > 1,
            });
        }
        self.of_path.retain(|_, cells| !cells.is_empty());
    }

    /// Makes the answers of exactly this path stale.
    pub(super) fn make_stale(&self, path: &AbsolutePath) {
        for cell in self.of_path.get(path).into_iter().flatten() {
            cell.make_stale();
        }
    }

    /// Makes stale what this path, or anything below it, is the answer to, by whatever name it was
    /// asked. Gives how many were fresh.
    pub(super) fn make_stale_below(&self, path: &AbsolutePath) -> usize {
        let changed = path.as_path();
        let is_below = |name: &AbsolutePath, cell: &AnyCell| {
            name.as_path().starts_with(changed) || cell.is_below(changed)
        };
        let all =
            self.of_path.iter().flat_map(|(name, cells)| cells.iter().map(move |c| (name, c)));
        all.filter(|(name, cell)| is_below(name, cell))
            .filter(|(_, cell)| cell.make_stale())
            .count()
    }

    pub(super) fn make_all_stale(&self) {
        for cell in self.of_path.values().flatten() {
            cell.make_stale();
        }
    }

    pub(super) fn count(&self) -> Caches {
        let mut caches = Caches::default();
        for cell in self.of_path.values().flatten() {
            match cell.is_fresh() {
                None => caches.empty += 1,
                Some(true) => caches.fresh += 1,
                Some(false) => caches.stale += 1,
            }
        }
        caches
    }
}
