//! The port to time, the only source of it.

use async_trait::async_trait;
use std::time::Duration;
use told_domain::time::{Date, Timestamp};

/// Tells time.
///
/// - **CL-1** `now` never goes backwards within one process, whatever the system's clock does.
/// - **CL-2** `today` is the date in the user's own time zone at the moment of the call.
/// - **CL-3** `sleep` returns no earlier than asked, and a dropped sleep leaves nothing behind.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The moment, to the millisecond.
    fn now(&self) -> Timestamp;

    /// The user's local date.
    fn today(&self) -> Date;

    /// Waits for at least `duration`.
    async fn sleep(&self, duration: Duration);
}
