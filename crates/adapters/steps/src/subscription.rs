//! One subscription: what it holds, and its drain.

use crate::{
    hops::Hops,
    source::Source,
    table::Id,
    walk::{Ledger, Walk},
};
use async_trait::async_trait;
use std::sync::{Arc, Mutex, PoisonError};
use told_ports::{Coverage, Drained, Subscription, Uncovered, Watched};

/// How often a beginning is tried where things change under it.
const ATTEMPTS: usize = 3;

/// One that covers, until it is lost.
#[derive(Debug)]
pub struct Live<S: Source> {
    held: Arc<Held<S>>,
    hops: Hops,
}

/// One that never did.
#[derive(Debug)]
pub struct Direct(pub Uncovered);

/// What a subscription holds of the instance. A walk that is under way holds it as well: all is
/// released with the last of them.
#[derive(Debug)]
struct Held<S: Source> {
    source: Arc<S>,
    id: Id,
    watched: Vec<Watched>,
    watches_max: usize,
    ledger: Mutex<Ledger>,
}

impl<S: Source> Live<S> {
    /// Watches all of it. Waits for the disk.
    ///
    /// # Errors
    /// Why it cannot be covered.
    pub fn begin(
        source: &Arc<S>,
        watched: &[Watched],
        watches_max: usize,
        hops: &Hops,
    ) -> Result<Self, Uncovered> {
        let mut last = Uncovered::Unsettled;
        for _ in 0..ATTEMPTS {
            let held = Held::new(source, watched, watches_max);
            let all: Vec<usize> = (0..watched.len()).collect();
            match held.walk(&all) {
                Ok(()) => return Ok(Self { held: Arc::new(held), hops: hops.clone() }),
                // What moved under the walk may stand still under the next.
                Err(reason @ (Uncovered::Replaced | Uncovered::Mounts | Uncovered::Unsettled)) => {
                    last = reason;
                }
                Err(reason) => return Err(reason),
            }
        }
        Err(last)
    }

    fn lose(&self, reason: Uncovered) -> Drained {
        let reason = {
            let mut state = self.held.source.lock();
            let waiting = state.table.waiting(self.held.id);
            waiting.lose(reason);
            waiting.lost().unwrap_or(reason)
        };
        self.held.release();
        Drained::Lost(reason)
    }
}

impl<S: Source> Held<S> {
    fn new(source: &Arc<S>, watched: &[Watched], watches_max: usize) -> Self {
        let id = source.lock().table.enter(watched.len());
        Self {
            source: Arc::clone(source),
            id,
            watched: watched.to_vec(),
            watches_max,
            ledger: Mutex::new(Ledger::new(watched.len())),
        }
    }

    /// Watches the steps of these entries as they are now. Waits for the disk.
    fn walk(&self, entries: &[usize]) -> Result<(), Uncovered> {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let mounts = self.source.pumped().mounts.changes();
        let mut walk = Walk::new(&*self.source, self.id, &mut ledger, self.watches_max);
        for entry in entries {
            walk.entry(*entry, &self.watched[*entry])?;
        }
        let mut state = self.source.pumped();
        if state.mounts.changes() != mounts {
            return Err(Uncovered::Mounts);
        }
        state.settle(self.id, ledger.places.clone());
        state.table.waiting(self.id).lost().map_or(Ok(()), Err)
    }

    /// Releases what nobody needs any more. Where a walk is under way, its end does.
    fn release(&self) {
        if let Ok(mut ledger) = self.ledger.try_lock() {
            ledger.release(&*self.source, self.id);
        }
    }
}

impl<S: Source> Drop for Held<S> {
    fn drop(&mut self) {
        let ledger = self.ledger.get_mut().unwrap_or_else(PoisonError::into_inner);
        ledger.release(&*self.source, self.id);
        self.source.lock().table.leave(self.id);
    }
}

#[async_trait]
impl<S: Source> Subscription for Live<S> {
    fn coverage(&self) -> Coverage {
        let mut state = self.held.source.lock();
        state.table.waiting(self.held.id).lost().map_or(Coverage::Covered, Coverage::Direct)
    }

    async fn drain(&self) -> Drained {
        if let Err(reason) = self.held.source.reach().await {
            return self.lose(reason);
        }
        let looked = {
            let mut state = self.held.source.pumped();
            let waiting = state.table.waiting(self.held.id);
            waiting.lost().map_or_else(|| Ok(waiting.changed()), Err)
        };
        let changed = match looked {
            Ok(changed) if changed.is_empty() => return Drained::Unchanged,
            Ok(changed) => changed,
            Err(reason) => return self.lose(reason),
        };
        let moved = changed.iter().filter(|(_, change)| change.steps);
        let moved: Vec<usize> = moved.map(|(entry, _)| *entry).collect();
        if !moved.is_empty() {
            // Until they are watched as they are now, nobody is told: who goes away meanwhile loses nothing.
            let held = Arc::clone(&self.held);
            if let Err(reason) = self.hops.run(move || held.walk(&moved)).await.and_then(|r| r) {
                return self.lose(reason);
            }
        }
        self.held.source.lock().table.waiting(self.held.id).told(&changed);
        let entries = changed.iter().map(|(entry, _)| self.held.watched[*entry].clone());
        Drained::Changed(entries.collect())
    }
}

#[async_trait]
impl Subscription for Direct {
    fn coverage(&self) -> Coverage {
        Coverage::Direct(self.0)
    }

    async fn drain(&self) -> Drained {
        Drained::Lost(self.0)
    }
}
