//! How a subscription begins, whatever the source.

use crate::{
    hops::{Hops, Limits},
    source::Source,
    subscription::{Direct, Live},
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use told_ports::{Subscription, Uncovered, Watched};

/// What a watcher keeps beside its source: its limits, and its way to threads that may wait.
#[derive(Debug)]
pub struct Begin {
    limits: Limits,
    hops: Hops,
    /// A limit was reached, and the log has it.
    reached: AtomicBool,
}

impl Begin {
    /// Takes no more than `limits`.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, hops: Hops::new(limits.wait), reached: AtomicBool::new(false) }
    }

    /// The limits that it keeps.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// Runs `work` on a thread that may wait.
    ///
    /// # Errors
    /// As [`Hops::run`].
    pub async fn hop<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Uncovered> {
        self.hops.run(work).await
    }

    /// Watches all of it through `source`.
    ///
    /// # Errors
    /// Why it cannot be covered.
    pub async fn live<S: Source>(
        &self,
        source: Arc<S>,
        watched: Vec<Watched>,
    ) -> Result<Live<S>, Uncovered> {
        let (each, hops) = (self.limits.watches_each, self.hops.clone());
        self.hop(move || Live::begin(&source, &watched, each, &hops)).await?
    }

    /// What `subscribe` gives. A limit that was reached stands in the log once, with its numbers: that files
    /// are looked at directly is the application's to say (R-WAT-7).
    pub fn subscription<S: Source>(
        &self,
        begun: Result<Live<S>, Uncovered>,
    ) -> Arc<dyn Subscription> {
        match begun {
            Ok(live) => Arc::new(live),
            Err(reason) => {
                if reason == Uncovered::Limit && !self.reached.swap(true, Ordering::Relaxed) {
                    tracing::info!(
                        watches = self.limits.watches,
                        watches_each = self.limits.watches_each,
                        "the limit of inotify watches or instances is reached; see /proc/sys/fs/inotify"
                    );
                }
                Arc::new(Direct(reason))
            }
        }
    }
}
