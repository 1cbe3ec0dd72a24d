//! The fakes pass the suites that the real adapters pass, and have faults of their own.

mod ports;
mod store;
