//! The watcher on Linux.

use crate::hub::{Hub, Never};
use async_trait::async_trait;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, mpsc};
use told_ports::{Subscription, Uncovered, Watched, Watcher};
use told_steps::{Begin, Limits, Live, Source as _};

/// Watches through one notify watcher, which is there as long as a subscription is. A process needs one;
/// clones are the same.
///
/// It needs a tokio runtime with its clock. A drain makes a file in a directory of our own and waits until
/// notify's thread has heard of it.
#[derive(Clone)]
pub struct NotifyWatcher {
    shared: Arc<Shared>,
}

struct Shared {
    begin: Begin,
    hub: Mutex<Slot>,
}

/// The hub, while there is one.
#[derive(Default)]
struct Slot {
    hub: Weak<Hub>,
    /// Disconnected when the thread of the last one is gone.
    ended: Option<mpsc::Receiver<Never>>,
}

/// How much is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Paths that notify watches.
    pub watches: usize,
    /// Subscriptions that hold or held some.
    pub subscriptions: usize,
    /// notify watchers, each with a thread: one, or none where nothing is watched.
    pub watchers: usize,
}

impl Default for NotifyWatcher {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl NotifyWatcher {
    /// One that takes no more than `limits`.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { shared: Arc::new(Shared { begin: Begin::new(limits), hub: Mutex::default() }) }
    }

    /// How much is in use now.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let Some(hub) = self.shared.slot().hub.upgrade() else { return Usage::default() };
        let state = hub.lock();
        let (watches, subscriptions) = (state.table.watches(), state.table.subscriptions());
        Usage { watches, subscriptions, watchers: 1 }
    }

    /// As if notify had told this. For what it cannot be made to tell.
    pub fn hear(&self, event: &notify::Result<notify::Event>) {
        if let Some(hub) = self.shared.slot().hub.upgrade() {
            hub.heard().hear(event);
        }
    }

    async fn begin(&self, watched: Vec<Watched>) -> Result<Live<Hub>, Uncovered> {
        let shared = Arc::clone(&self.shared);
        let hub = self.shared.begin.hop(move || shared.opened()).await??;
        // It tells something, and of what was before nothing any more.
        if let Err(reason) = hub.reach().await {
            self.shared.discard(&hub);
            return Err(if reason == Uncovered::Timeout { Uncovered::Unproven } else { reason });
        }
        self.shared.begin.live(hub, watched).await
    }
}

impl Shared {
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the end of the last one's thread, so that however many come and go, there is one.
    fn opened(&self) -> Result<Arc<Hub>, Uncovered> {
        let mut slot = self.slot();
        if let Some(open) = slot.hub.upgrade() {
            return Ok(open);
        }
        if let Some(ended) = &slot.ended
            && ended.recv_timeout(self.begin.limits().wait) == Err(mpsc::RecvTimeoutError::Timeout)
        {
            return Err(Uncovered::Timeout);
        }
        let (open, ended) = Hub::new(self.begin.limits().watches, self.begin.limits().wait)?;
        let open = Arc::new(open);
        *slot = Slot { hub: Arc::downgrade(&open), ended: Some(ended) };
        Ok(open)
    }

    /// One that tells nothing is no use to the next who comes.
    fn discard(&self, silent: &Arc<Hub>) {
        let mut slot = self.slot();
        if slot.hub.upgrade().is_some_and(|hub| Arc::ptr_eq(&hub, silent)) {
            *slot = Slot::default();
        }
    }
}

#[async_trait]
impl Watcher for NotifyWatcher {
    async fn subscribe(&self, watched: Vec<Watched>) -> Arc<dyn Subscription> {
        self.shared.begin.subscription(self.begin(watched).await)
    }
}
