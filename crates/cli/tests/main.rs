//! The binary as a person or a script runs it.

#![expect(clippy::unwrap_used, reason = "tests, and their helpers")]

mod binary;
mod scenario;
