//! The simulator.

pub mod schedule;
