//! Linux' own watching behind told's `Watcher` port, as exact as inotify can be made: its queue is read when a
//! drain asks, so nothing runs between boundaries and no event is late.
//!
//! The steps of a path and who waits for them are `told-steps`; here is how the kernel watches an inode, and
//! how its queue is read.
//!
//! **May depend on** `told-ports`, `told-steps` and rustix for system calls.
//! **Start** with [`InotifyWatcher`], then `instance`.
#![cfg(target_os = "linux")]

mod instance;
mod watcher;

pub use told_steps::Limits;
pub use watcher::{InotifyWatcher, Usage};
