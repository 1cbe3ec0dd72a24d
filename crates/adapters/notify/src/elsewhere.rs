//! Systems on which notify orders nothing.

use async_trait::async_trait;
use std::sync::Arc;
use told_ports::{Coverage, Drained, Subscription, Uncovered, Watched, Watcher};

/// Watches nothing: on FSEvents, Windows, kqueue and by polling an event can come after a later one of
/// another watch, so no drain could say that it heard all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NotifyWatcher;

struct Direct;

#[async_trait]
impl Watcher for NotifyWatcher {
    async fn subscribe(&self, _: Vec<Watched>) -> Arc<dyn Subscription> {
        Arc::new(Direct)
    }
}

#[async_trait]
impl Subscription for Direct {
    fn coverage(&self) -> Coverage {
        Coverage::Direct(Uncovered::Platform)
    }

    async fn drain(&self) -> Drained {
        Drained::Lost(Uncovered::Platform)
    }
}
