//! Linux' own watching on real files: the contract, what it costs, and what it leaves.
#![cfg(target_os = "linux")]

mod watcher;
