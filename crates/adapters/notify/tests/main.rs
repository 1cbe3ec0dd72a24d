//! notify on real files: the contract, and what it is known to get wrong.
#![cfg(target_os = "linux")]

mod watcher;
