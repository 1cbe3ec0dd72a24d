//! How much a watcher may take, and its way to threads that may wait.

use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;
use told_ports::Uncovered;

/// How much a watcher may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Watches of this process: others of the same user need some (R-WAT-7).
    pub watches: usize,
    /// Watches of one subscription, so that no project takes them all.
    pub watches_each: usize,
    /// Until when a beginning, or a drain, has its answer.
    pub wait: Duration,
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

/// One of the kernel's numbers about inotify.
#[must_use]
pub fn kernel_number(name: &str) -> Option<usize> {
    let text = std::fs::read_to_string(format!("/proc/sys/fs/inotify/{name}")).ok()?;
    text.trim().parse().ok()
}

/// Threads that may wait at once for a disk that does not answer.
const HOPS: usize = 4;

/// The way to threads that may wait.
#[derive(Clone, Debug)]
pub struct Hops {
    places: Arc<Semaphore>,
    wait: Duration,
}

impl Hops {
    /// With so much time for each.
    #[must_use]
    pub fn new(wait: Duration) -> Self {
        Self { places: Arc::new(Semaphore::new(HOPS)), wait }
    }

    /// Runs `work` on a thread that may wait. What comes later than the limit is dropped.
    ///
    /// # Errors
    /// [`Uncovered::Timeout`], or [`Uncovered::Failed`] where it panicked.
    pub async fn run<T: Send + 'static>(
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
