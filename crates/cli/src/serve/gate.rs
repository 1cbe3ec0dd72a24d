//! How much may be in flight: who asks for more waits.

use super::line::LINE_MAX;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests in flight at most.
pub(super) const REQUESTS: u32 = 64;
/// Bytes of requests in flight at most.
const BYTES: u32 = 2 * LINE_MAX as u32;

/// Lets requests in, as long as there is room.
#[derive(Clone)]
pub(super) struct Gate {
    requests: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
}

/// The room of one request in flight; dropped when it is answered.
pub(super) struct Slot {
    _request: Option<OwnedSemaphorePermit>,
    _bytes: Option<OwnedSemaphorePermit>,
}

impl Gate {
    pub(super) fn new() -> Self {
        Self {
            requests: Arc::new(Semaphore::new(REQUESTS as usize)),
            bytes: Arc::new(Semaphore::new(BYTES as usize)),
        }
    }

    /// Waits for room for a request of so many bytes.
    pub(super) async fn enter(&self, bytes: usize) -> Slot {
        let bytes = u32::try_from(bytes).unwrap_or(BYTES).clamp(1, BYTES);
        // The semaphores are never closed.
        Slot {
            _request: self.requests.clone().acquire_owned().await.ok(),
            _bytes: self.bytes.clone().acquire_many_owned(bytes).await.ok(),
        }
    }

    /// Waits until nothing is in flight, and lets nothing in while what it gave is held.
    pub(super) async fn close(&self) -> Slot {
        Slot {
            _request: self.requests.clone().acquire_many_owned(REQUESTS).await.ok(),
            _bytes: None,
        }
    }
}
