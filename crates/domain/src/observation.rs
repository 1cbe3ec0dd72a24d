//! What one look at a source found. Absence is a proof and failure is a cause; there is no third
//! way to have nothing (R-OBS-1).

use crate::reason::{UnavailableReason, WithheldReason};
use serde::{Deserialize, Serialize};

/// The outcome of one look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation<T> {
    /// It is there, and this is it.
    Available(T),
    /// It is not there for us, proven.
    Absent(Absence),
    /// Nobody knows: the look failed, and what was told stands.
    Unavailable(UnavailableReason),
}

/// The proof behind an absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Absence {
    /// The system said that no such entry exists, or that a component is no directory.
    NotFound,
    /// It exists and policy leaves it out.
    Withheld(WithheldReason),
}

impl<T> Observation<T> {
    /// The same outcome with the value turned into another.
    pub fn map<U>(self, turn: impl FnOnce(T) -> U) -> Observation<U> {
        match self {
            Self::Available(value) => Observation::Available(turn(value)),
            Self::Absent(absence) => Observation::Absent(absence),
            Self::Unavailable(reason) => Observation::Unavailable(reason),
        }
    }

    /// The value by reference.
    pub const fn as_ref(&self) -> Observation<&T> {
        match self {
            Self::Available(value) => Observation::Available(value),
            Self::Absent(absence) => Observation::Absent(*absence),
            Self::Unavailable(reason) => Observation::Unavailable(*reason),
        }
    }
}
