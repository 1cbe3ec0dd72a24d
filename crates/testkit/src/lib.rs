//! What told is tested with: fakes of every port with fault scripts, and the contract suites that
//! fakes and real adapters pass alike.
//!
//! **May depend on** `told-domain`, `told-ports` and `told-app`; never on an adapter.
//! **Start** with [`fake::file_system`] for the fault model, then [`contract::file_system`] for how a
//! suite is run.

pub mod change;
pub mod contract;
pub mod fake;
pub mod simulator;
pub mod stale;
pub mod transcript;
