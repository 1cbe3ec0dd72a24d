//! A clock that stands still until it is told to move.

use async_trait::async_trait;
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use told_domain::time::{Date, Timestamp};
use told_ports::Clock;

/// A clock of one's own making. A sleep is over at once, moves the time forward and is in the log.
/// The date moves by hand only: in which time zone the user lives is the test's business.
pub struct FakeClock {
    state: Mutex<State>,
}

struct State {
    milliseconds: i64,
    today: Date,
    sleeps: Vec<Duration>,
}

impl FakeClock {
    /// A clock that shows this moment and day.
    #[must_use]
    pub fn new(now: Timestamp, today: Date) -> Self {
        let state = State { milliseconds: now.as_millisecond(), today, sleeps: Vec::new() };
        Self { state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the time forward; parts of a millisecond are rounded up, so that a sleep is never short.
    pub fn advance(&self, duration: Duration) {
        let milliseconds = duration.as_nanos().div_ceil(1_000_000);
        let mut state = self.state();
        state.milliseconds =
            state.milliseconds.saturating_add(i64::try_from(milliseconds).unwrap_or(i64::MAX));
    }

    /// Turns the user's calendar to this day.
    pub fn set_today(&self, today: Date) {
        self.state().today = today;
    }

    /// Every sleep so far, in order.
    #[must_use]
    pub fn sleeps(&self) -> Vec<Duration> {
        self.state().sleeps.clone()
    }
}

#[async_trait]
impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.state().milliseconds)
    }

    fn today(&self) -> Date {
        self.state().today
    }

    async fn sleep(&self, duration: Duration) {
        self.state().sleeps.push(duration);
        self.advance(duration);
    }
}
