//! The watcher, its limits, and its way to threads that may wait.

use crate::{
    instance::{Instance, kernel_number},
    subscription::{Direct, Live},
};
use async_trait::async_trait;
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;
use told_ports::{Subscription, Uncovered, Watched, Watcher};

/// Watches through one inotify instance, which is there as long as a subscription is. A process needs one
/// watcher; clones are the same.
///
/// It needs a tokio runtime with its clock where it begins to watch, and where a watched file was replaced. A drain
/// of which nothing happened is one system call on the caller's own thread.
#[derive(Clone)]
pub struct InotifyWatcher {
    shared: Arc<Shared>,
}

struct Shared {
    limits: Limits,
    instance: Mutex<Weak<Instance>>,
    hops: Hops,
    warned: AtomicBool,
}

/// How much it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Watches of this process: others of the same user need some (R-WAT-7).
    pub watches: usize,
    /// Watches of one subscription, so that no project takes them all.
    pub watches_each: usize,
    /// Until when a beginning has its answer.
    pub wait: Duration,
}

/// How much is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Kernel watches.
    pub watches: usize,
    /// Subscriptions that hold or held some.
    pub subscriptions: usize,
    /// inotify instances: one, or none where nothing is watched.
    pub instances: usize,
}

/// A user's watches where the kernel does not say: its smallest default.
const USER_WATCHES: usize = 8_192;

/// More are of no use.
const WATCHES_MAX: usize = 65_536;

impl Default for Limits {
    /// A quarter of what this user may have, half of that for one subscription, and a second.
    fn default() -> Self {
        let user = kernel_number("max_user_watches").unwrap_or(USER_WATCHES);
        let watches = (user / 4).min(WATCHES_MAX);
        Self { watches, watches_each: watches / 2, wait: Duration::from_secs(1) }
    }
}

impl Default for InotifyWatcher {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl InotifyWatcher {
    /// One that takes no more than `limits`. It has no instance yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let hops = Hops { places: Arc::new(Semaphore::new(HOPS)), wait: limits.wait };
        let (instance, warned) = (Mutex::default(), AtomicBool::new(false));
        Self { shared: Arc::new(Shared { limits, instance, hops, warned }) }
    }

    /// The limits that it keeps.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.shared.limits
    }

    /// How much is in use now.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let Some(instance) = self.shared.instance().upgrade() else { return Usage::default() };
        let state = instance.lock();
        let (watches, subscriptions) = (state.table.watches(), state.table.subscriptions());
        Usage { watches, subscriptions, instances: 1 }
    }

    async fn begin(&self, watched: Vec<Watched>) -> Result<Live, Uncovered> {
        let instance = self.shared.opened()?;
        let (each, hops) = (self.shared.limits.watches_each, self.shared.hops.clone());
        let begin = move || Live::begin(&instance, &watched, each, &hops);
        self.shared.hops.run(begin).await?
    }
}

impl Shared {
    fn instance(&self) -> MutexGuard<'_, Weak<Instance>> {
        self.instance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened(&self) -> Result<Arc<Instance>, Uncovered> {
        let mut instance = self.instance();
        if let Some(open) = instance.upgrade() {
            return Ok(open);
        }
        let open = Arc::new(Instance::new(self.limits.watches)?);
        *instance = Arc::downgrade(&open);
        Ok(open)
    }

    fn warn(&self) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                watches = self.limits.watches,
                watches_each = self.limits.watches_each,
                "the limit of inotify watches or instances is reached: what is beyond it is looked at \
                 directly; see /proc/sys/fs/inotify"
            );
        }
    }
}

#[async_trait]
impl Watcher for InotifyWatcher {
    async fn subscribe(&self, watched: Vec<Watched>) -> Arc<dyn Subscription> {
        match self.begin(watched).await {
            Ok(live) => Arc::new(live),
            Err(reason) => {
                if reason == Uncovered::Limit {
                    self.shared.warn();
                }
                Arc::new(Direct(reason))
            }
        }
    }
}

/// Threads that may wait at once for a disk that does not answer.
const HOPS: usize = 4;

/// The way to threads that may wait.
#[derive(Clone)]
pub(crate) struct Hops {
    places: Arc<Semaphore>,
    wait: Duration,
}

impl Hops {
    /// Runs `work` there, for no longer than the limit. What comes later is dropped.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Uncovered> {
        let places = Arc::clone(&self.places);
        let hop = async {
            let place = places.acquire_owned().await.map_err(|_| Uncovered::Failed)?;
            let work = move || {
                let _place = place;
                work()
            };
            tokio::task::spawn_blocking(work).await.map_err(|_| Uncovered::Failed)
        };
        tokio::time::timeout(self.wait, hop).await.unwrap_or(Err(Uncovered::Timeout))
    }
}
