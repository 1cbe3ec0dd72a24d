//! The watcher, and the one instance behind it.

use crate::instance::Instance;
use async_trait::async_trait;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use told_ports::{Subscription, Uncovered, Watched, Watcher};
use told_steps::{Begin, Limits, Live, Source as _};

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
    begin: Begin,
    instance: Mutex<Weak<Instance>>,
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

impl Default for InotifyWatcher {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl InotifyWatcher {
    /// One that takes no more than `limits`. It has no instance yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { shared: Arc::new(Shared { begin: Begin::new(limits), instance: Mutex::default() }) }
    }

    /// The limits that it keeps.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.shared.begin.limits()
    }

    /// How much is in use now.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let Some(instance) = self.shared.instance().upgrade() else { return Usage::default() };
        let state = instance.lock();
        let (watches, subscriptions) = (state.table.watches(), state.table.subscriptions());
        Usage { watches, subscriptions, instances: 1 }
    }

    async fn begin(&self, watched: Vec<Watched>) -> Result<Live<Instance>, Uncovered> {
        self.shared.begin.live(self.shared.opened()?, watched).await
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
        let open = Arc::new(Instance::new(self.begin.limits().watches)?);
        *instance = Arc::downgrade(&open);
        Ok(open)
    }
}

#[async_trait]
impl Watcher for InotifyWatcher {
    async fn subscribe(&self, watched: Vec<Watched>) -> Arc<dyn Subscription> {
        self.shared.begin.subscription(self.begin(watched).await)
    }
}
