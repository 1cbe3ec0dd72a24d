//! The product as a host in Rust has it, on real files and a real store.

#![expect(clippy::unwrap_used, reason = "tests, and their helpers")]

mod life;
mod provide;
mod skills;
#[cfg(unix)]
mod swap;
#[cfg(target_os = "linux")]
mod watch;
