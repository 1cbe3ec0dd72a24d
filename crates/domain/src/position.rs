//! Numbers that order things. Each orders one thing only, so each is a type of its own.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Counts the durable records of one session, from 1. [`Revision::NONE`] stands before the first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Revision(pub u64);

impl Revision {
    /// Before any record: what a session that does not exist is at.
    pub const NONE: Self = Self(0);

    /// The revision of the next record.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The revision `records` further on.
    #[must_use]
    pub const fn plus(self, records: usize) -> Self {
        Self(self.0 + records as u64)
    }
}

/// A place in the host's own list of messages. told only compares it (a count, an ascending id,
/// an event number); it goes down only by a revert.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Position(pub u64);

impl Position {
    /// Where every session starts.
    pub const START: Self = Self(0);
}

/// Counts the epochs of one session, from 1; never used twice (R-EPO-3).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct EpochNumber(pub u64);

impl EpochNumber {
    /// The number of the next epoch.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

macro_rules! display_number {
    ($($name:ident),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}
display_number!(Revision, Position, EpochNumber);
