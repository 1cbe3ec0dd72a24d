//! What a Location knows of its files without looking: caches that only proven coverage lets a boundary
//! use (R-WAT-3).
//!
//! One boundary: drain first, which makes stale what it names; then take what is fresh, and look at the
//! rest as one batch. So a boundary that begins after a write has returned sees that write (R-WAT-4).
//! Without coverage it looks directly, and nothing here is asked.

mod cell;
mod engine;
mod gather;
mod root;

pub use self::root::{Caches, RootCoverage, RootStatus, WatchStatus};

use self::{
    cell::{Cells, Place},
    gather::{differing, gather, is_certain, scanned},
    root::{Attempt, Roots},
};
use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use told_domain::{look::Seen, path::AbsolutePath, plan::Plan};
use told_ports::{Coverage, Drained, FileSystem, Subscription, Uncovered, Watched, Watcher};

/// What one Location knows of its files.
pub(crate) struct Cover {
    watcher: Arc<dyn Watcher>,
    warned: Arc<Warned>,
    /// Who holds it drains and makes stale, as one step: nobody takes a value between the two.
    watch: tokio::sync::Mutex<Watch>,
    cells: Mutex<Cells>,
    /// How often something was made stale.
    made_stale: AtomicU64,
}

/// The reasons for direct looks that an engine has warned of: each once, whatever the Location and however
/// often it is tried (R-WAT-7).
#[derive(Default)]
pub(crate) struct Warned(Mutex<BTreeSet<Uncovered>>);

#[derive(Default)]
struct Watch {
    roots: Roots,
    /// What the entries of all covered roots share: one drain asks for all.
    subscription: Option<Arc<dyn Subscription>>,
    /// The plans of late, the last one last.
    arrangements: Vec<Arrangement>,
    boundaries: u64,
    /// How many of them drained.
    covered: u64,
}

/// A plan, where its answers are kept, and the last answer to all of it.
struct Arrangement {
    plan: Arc<Plan>,
    places: Arc<[Place]>,
    last: Option<Last>,
}

/// What was seen, which counts as long as nothing was made stale since.
struct Last {
    seen: Arc<Seen>,
    made_stale: u64,
}

/// Every so many covered boundaries look directly as well, and compare (R-WAT-3).
const VERIFY_EVERY: u64 = 16;
/// A Location that is looked at once is not worth watching.
const WATCH_FROM: u64 = 2;
/// Plans kept: the sessions that work in one Location by turns.
const ARRANGEMENTS: usize = 16;

/// How a boundary comes to its answers.
enum Way {
    /// It looks.
    Direct,
    /// Nothing happened since this was seen.
    Same(Arc<Seen>),
    /// What is fresh counts.
    Cached(Covered),
    /// It looks, and compares with what counts as fresh.
    Verify(Covered),
}

/// What a drain left.
struct Covered {
    places: Arc<[Place]>,
    /// Roots that are not covered.
    direct: BTreeSet<AbsolutePath>,
    made_stale: u64,
}

impl Cover {
    pub(crate) fn new(watcher: Arc<dyn Watcher>, warned: Arc<Warned>) -> Self {
        let (watch, cells) = (tokio::sync::Mutex::default(), Mutex::default());
        Self { watcher, warned, watch, cells, made_stale: AtomicU64::new(0) }
    }

    /// What `plan` asks for, as it is now.
    pub(crate) async fn look(&self, plan: &Arc<Plan>, files: &Arc<dyn FileSystem>) -> Arc<Seen> {
        match self.way(plan).await {
            Way::Same(seen) => {
                let again = scanned(plan, seen.clone(), files).await;
                if !Arc::ptr_eq(&again, &seen) {
                    self.replace(plan, &again).await;
                }
                return again;
            }
            Way::Direct => {}
            Way::Verify(covered) => return self.verify(plan, covered, files).await,
            Way::Cached(covered) => {
                let seen = gather(plan, &covered.places, &covered.direct, files).await;
                if let Some(seen) = seen.map(Arc::new) {
                    let seen = scanned(plan, seen, files).await;
                    self.remember(plan, &seen, &covered).await;
                    return seen;
                }
            }
        }
        Arc::new(files.observe(&plan.looks).await)
    }

    async fn way(&self, plan: &Arc<Plan>) -> Way {
        // Another session's boundary is at it: nobody waits for a watch.
        let Ok(mut watch) = self.watch.try_lock() else { return Way::Direct };
        let watch = &mut *watch;
        watch.boundaries += 1;
        if !plan.looks.listings.is_empty() || watch.boundaries < WATCH_FROM {
            return Way::Direct;
        }
        let at = watch.arranged(plan, || self.cells());
        self.keep_watching(watch).await;
        let Some(subscription) = watch.subscription.clone() else { return Way::Direct };
        match subscription.drain().await {
            Drained::Unchanged => {}
            Drained::Changed(changed) => self.make_stale(&changed),
            Drained::Lost(reason) => {
                self.lose(watch, reason);
                return Way::Direct;
            }
        }
        watch.covered += 1;
        let made_stale = self.made_stale.load(Ordering::Acquire);
        let arrangement = &watch.arrangements[at];
        let verify = watch.covered.is_multiple_of(VERIFY_EVERY);
        if let Some(last) = &arrangement.last
            && last.made_stale == made_stale
            && !verify
        {
            return Way::Same(last.seen.clone());
        }
        let (places, direct) = (arrangement.places.clone(), watch.roots.uncovered());
        let covered = Covered { places, direct, made_stale };
        if verify { Way::Verify(covered) } else { Way::Cached(covered) }
    }

    /// Has a subscription for all that can be covered, anew where something new is looked at.
    async fn keep_watching(&self, watch: &mut Watch) {
        let subscribed = watch.subscription.as_ref();
        let subscribed = subscribed.is_some_and(|s| s.coverage() == Coverage::Covered);
        let Some(attempt) = watch.roots.attempt(subscribed, watch.boundaries) else { return };
        let together = self.watcher.subscribe(attempt.entries()).await;
        let armed = match together.coverage() {
            Coverage::Covered => {
                watch.roots.covered(attempt.names());
                Some(together)
            }
            Coverage::Direct(_) => {
                drop(together);
                self.cover_what_can_be(watch, &attempt).await
            }
        };
        // What one subscription shares with the next is not let go in between.
        watch.subscription = armed;
        // What was looked at before they were armed proves nothing.
        self.make_all_stale();
    }

    /// One root keeps the others from being covered: each by itself, then those that can be.
    async fn cover_what_can_be(
        &self,
        watch: &mut Watch,
        attempt: &Attempt,
    ) -> Option<Arc<dyn Subscription>> {
        let mut good = Vec::new();
        for (root, entries) in attempt.each() {
            match self.watcher.subscribe(entries).await.coverage() {
                Coverage::Covered => good.push(root.clone()),
                Coverage::Direct(reason) => {
                    self.warned.direct(root, reason);
                    watch.roots.direct(root, reason, watch.boundaries);
                }
            }
        }
        if good.is_empty() {
            return None;
        }
        let together = self.watcher.subscribe(attempt.entries_of(&good)).await;
        match together.coverage() {
            Coverage::Covered => {
                watch.roots.covered(good.iter());
                Some(together)
            }
            Coverage::Direct(reason) => {
                for root in &good {
                    self.warned.direct(root, reason);
                    watch.roots.direct(root, reason, watch.boundaries);
                }
                None
            }
        }
    }

    fn lose(&self, watch: &mut Watch, reason: Uncovered) {
        tracing::warn!(%reason, "changes of files may have been missed: looking directly");
        watch.subscription = None;
        watch.roots.lose(reason, watch.boundaries);
        self.make_all_stale();
    }

    /// A direct look beside what counts as fresh. What differs is told by the next drain, or there was
    /// no coverage.
    async fn verify(
        &self,
        plan: &Arc<Plan>,
        covered: Covered,
        files: &Arc<dyn FileSystem>,
    ) -> Arc<Seen> {
        let cached = gather(plan, &covered.places, &covered.direct, files).await;
        let seen = Arc::new(files.observe(&plan.looks).await);
        let Some(cached) = cached else { return seen };
        let differing = differing(plan, &cached, &seen);
        let mut watch = self.watch.lock().await;
        let watch = &mut *watch;
        if differing.is_empty() {
            watch.roots.verified();
            return seen;
        }
        // Another session's drain was told what this one would be: the next verification finds out.
        if self.made_stale.load(Ordering::Acquire) != covered.made_stale {
            return seen;
        }
        let Some(subscription) = watch.subscription.clone() else { return seen };
        let told = match subscription.drain().await {
            Drained::Unchanged => Vec::new(),
            Drained::Changed(changed) => changed,
            Drained::Lost(reason) => {
                self.lose(watch, reason);
                return seen;
            }
        };
        self.make_stale(&told);
        let is_told = |path: &AbsolutePath| told.iter().any(|watched| watched.path() == path);
        let untold: Vec<_> = differing.into_iter().filter(|path| !is_told(path)).collect();
        let mistaken = watch.roots.of(&untold);
        if mistaken.iter().any(|root| !covered.direct.contains(root)) {
            for root in &mistaken {
                tracing::warn!(%root, "a change was not told: files here are looked at directly");
                watch.roots.direct(root, Uncovered::Mismatch, watch.boundaries);
            }
            watch.subscription = None;
            self.make_all_stale();
        }
        seen
    }

    async fn remember(&self, plan: &Arc<Plan>, seen: &Arc<Seen>, covered: &Covered) {
        // What is looked at directly, or failed, is looked at again.
        if !covered.direct.is_empty() || !is_certain(seen) {
            return;
        }
        if let Some(arrangement) = self.watch.lock().await.arrangement(plan) {
            let made_stale = covered.made_stale;
            arrangement.last = Some(Last { seen: seen.clone(), made_stale });
        }
    }

    /// The same answers with what scans found since.
    async fn replace(&self, plan: &Arc<Plan>, seen: &Arc<Seen>) {
        let mut watch = self.watch.lock().await;
        if let Some(last) = watch.arrangement(plan).and_then(|a| a.last.as_mut()) {
            last.seen = seen.clone();
        }
    }

    /// This process changed these paths: what is cached of them, and of what is below them, does not count
    /// any more when this returns (R-WAT-5). Gives how many answers that took.
    pub(crate) fn mutated(&self, paths: &[AbsolutePath]) -> usize {
        let cells = self.cells();
        let taken = paths.iter().map(|path| cells.make_stale_below(path)).sum();
        self.made_stale.fetch_add(1, Ordering::AcqRel);
        taken
    }

    fn make_stale(&self, changed: &[Watched]) {
        let cells = self.cells();
        changed.iter().for_each(|watched| cells.make_stale(watched.path()));
        self.made_stale.fetch_add(1, Ordering::AcqRel);
    }

    fn make_all_stale(&self) {
        self.cells().make_all_stale();
        self.made_stale.fetch_add(1, Ordering::AcqRel);
    }

    /// What is watched, and what is cached.
    pub(crate) async fn status(&self) -> WatchStatus {
        let watch = self.watch.lock().await;
        // No boundary may have been told of a loss yet, or have begun anew since.
        let covered = match watch.subscription.as_ref().map(|subscription| subscription.coverage())
        {
            Some(Coverage::Covered) => RootCoverage::Covered,
            Some(Coverage::Direct(reason)) => RootCoverage::Direct(reason),
            None => RootCoverage::NotYet,
        };
        WatchStatus { roots: watch.roots.status(covered), caches: self.cells().count() }
    }

    /// Lets everything go; the next boundary begins anew.
    pub(crate) async fn close(&self) {
        let watch = std::mem::take(&mut *self.watch.lock().await);
        *self.cells() = Cells::default();
        self.made_stale.fetch_add(1, Ordering::AcqRel);
        drop(watch);
    }

    fn cells(&self) -> MutexGuard<'_, Cells> {
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Warned {
    fn direct(&self, root: &AbsolutePath, reason: Uncovered) {
        let first = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(reason);
        if first {
            tracing::warn!(%root, %reason, "files here are looked at directly");
        } else {
            tracing::debug!(%root, %reason, "files here are looked at directly");
        }
    }
}

impl Watch {
    fn arrangement(&mut self, plan: &Arc<Plan>) -> Option<&mut Arrangement> {
        self.arrangements.iter_mut().find(|arrangement| Arc::ptr_eq(&arrangement.plan, plan))
    }

    /// Where the arrangement of `plan` stands: the last one.
    fn arranged<'c>(
        &mut self,
        plan: &Arc<Plan>,
        cells: impl FnOnce() -> MutexGuard<'c, Cells>,
    ) -> usize {
        let last = self.arrangements.len().saturating_sub(1);
        let known = self.arrangements.iter().position(|a| Arc::ptr_eq(&a.plan, plan));
        if let Some(at) = known {
            if at != last {
                let arrangement = self.arrangements.remove(at);
                self.arrangements.push(arrangement);
            }
            return last;
        }
        let mut cells = cells();
        let places = cells.places(plan);
        self.roots.add(&places);
        if self.arrangements.len() == ARRANGEMENTS {
            let oldest = self.arrangements.remove(0);
            self.roots.remove(&oldest.places);
            drop(oldest);
            cells.keep_used();
        }
        self.arrangements.push(Arrangement { plan: plan.clone(), places, last: None });
        self.arrangements.len() - 1
    }
}
