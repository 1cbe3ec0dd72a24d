//! The fakes pass the suites that the real adapters pass, and have faults of their own. Transcripts
//! and the simulator run the engine over them.

mod engine;
mod ports;
mod simulator;
mod store;
mod transcripts;
