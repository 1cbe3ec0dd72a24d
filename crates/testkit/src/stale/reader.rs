//! Who believes: a cache of each entry, kept as a boundary keeps it.

use super::{Outcome, STALE_MAX};
use std::{fs, io, sync::Arc};
use told_ports::{Drained, Subscription, Watched, Watcher};

pub(super) struct Reader<'w> {
    watcher: &'w Arc<dyn Watcher>,
    watched: Vec<Watched>,
    runtime: tokio::runtime::Runtime,
    subscription: Arc<dyn Subscription>,
    believed: Vec<Found>,
}

/// What a direct look finds.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Text(Vec<u8>),
    Nothing(io::ErrorKind),
}

fn look(watched: &Watched) -> Found {
    match fs::read(watched.path()) {
        Ok(text) => Found::Text(text),
        Err(error) => Found::Nothing(error.kind()),
    }
}

impl<'w> Reader<'w> {
    pub(super) fn new(watcher: &'w Arc<dyn Watcher>, watched: Vec<Watched>) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("a runtime for the reader");
        let subscription = runtime.block_on(watcher.subscribe(watched.clone()));
        let believed = watched.iter().map(look).collect();
        Self { watcher, watched, runtime, subscription, believed }
    }

    /// One boundary: drain, load what was told, and compare with a look at everything.
    pub(super) fn round(&mut self, outcome: &mut Outcome, what: impl Fn() -> String) {
        match self.runtime.block_on(self.subscription.drain()) {
            Drained::Unchanged => outcome.unchanged += 1,
            Drained::Changed(changed) => {
                for (watched, believed) in self.watched.iter().zip(&mut self.believed) {
                    if changed.contains(watched) {
                        *believed = look(watched);
                    }
                }
            }
            Drained::Lost(reason) => {
                *outcome.direct.entry(reason).or_default() += 1;
                self.begin_anew();
                return;
            }
        }
        outcome.covered += 1;
        for (watched, believed) in self.watched.iter().zip(&self.believed) {
            let found = look(watched);
            if found != *believed && outcome.stale.len() < STALE_MAX {
                let path = watched.path();
                outcome.stale.push(format!("{path}: {believed:?}, is {found:?}; {}", what()));
            }
        }
    }

    fn begin_anew(&mut self) {
        let subscribe = self.watcher.subscribe(self.watched.clone());
        self.subscription = self.runtime.block_on(subscribe);
        self.believed = self.watched.iter().map(look).collect();
    }

    /// Drains for nothing but to be in the way.
    pub(super) fn steal(&mut self) {
        if let Drained::Lost(_) = self.runtime.block_on(self.subscription.drain()) {
            self.begin_anew();
        }
    }
}
