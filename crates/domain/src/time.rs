//! Moments and dates, as values. The domain never asks what time it is: the `Clock` port does.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A moment in UTC, RFC 3339 on the wire, to the millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// The moment `milliseconds` after 1970-01-01T00:00:00Z; one outside the calendar is clamped to it.
    #[must_use]
    pub fn from_millisecond(milliseconds: i64) -> Self {
        let clamped = jiff::Timestamp::from_millisecond(milliseconds);
        Self(clamped.unwrap_or(if milliseconds < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        }))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn as_millisecond(self) -> i64 {
        self.0.as_millisecond()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A day in the user's own calendar, as `2026-11-30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Date(jiff::civil::Date);

impl Date {
    /// The day, or nothing where the calendar has no such day.
    #[must_use]
    pub fn new(year: i16, month: i8, day: i8) -> Option<Self> {
        jiff::civil::Date::new(year, month, day).ok().map(Self)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
