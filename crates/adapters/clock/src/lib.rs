//! The system clock behind told's `Clock` port: a moment that never goes backwards, the date in the
//! user's own time zone, and tokio's sleep.
//!
//! **May depend on** `told-ports`, `told-domain`, jiff for the calendar and tokio for sleeping.
//! **Start** with [`SystemClock`].

use async_trait::async_trait;
use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use told_domain::time::{Date, Timestamp};
use told_ports::Clock;

/// The time of this machine. Its sleep needs a tokio runtime with time.
#[derive(Debug)]
pub struct SystemClock {
    /// The latest moment that was told, in milliseconds.
    latest: AtomicI64,
}

impl SystemClock {
    /// The system's clock.
    #[must_use]
    pub const fn new() -> Self {
        Self { latest: AtomicI64::new(i64::MIN) }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

/// The moment as the system has it now; it may be set back.
fn system_milliseconds() -> i64 {
    let clamp = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => clamp(since),
        Err(before) => -clamp(before.duration()),
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let system = system_milliseconds();
        // All that matters is this one number, so that no order with other memory is needed.
        let latest = self.latest.fetch_max(system, Ordering::Relaxed).max(system);
        Timestamp::from_millisecond(latest)
    }

    fn today(&self) -> Date {
        let now = jiff::Zoned::now();
        Date::new(now.year(), now.month(), now.day()).expect("a day of the same calendar is a day")
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cl_1_a_clock_that_is_set_back_stands_still() {
        let ahead = system_milliseconds() + 3_600_000;
        let clock = SystemClock { latest: AtomicI64::new(ahead) };
        assert_eq!(clock.now(), Timestamp::from_millisecond(ahead));
        assert_eq!(clock.now(), Timestamp::from_millisecond(ahead));
    }
}
