//! Linux' own watching behind told's `Watcher` port, as exact as inotify can be made: its queue is read when a
//! drain asks, so nothing runs between boundaries and no event is late.
//!
//! inotify watches inodes and says nothing of what happens to names above them. So every step of a path is
//! watched: each directory on the way for its names, each link in the directory that holds it, the
//! file itself for what is written through another name of it, and the table of mounts.
//! What cannot be watched so is `Direct`.
//!
//! **May depend on** `told-ports`, `told-domain`, rustix for system calls and tokio for waiting.
//! **Start** with [`InotifyWatcher`], then `walk` (how an entry's steps are watched), `table` (what an event
//! means to whom), `instance` (how the queue is read) and `mounts`.
#![cfg(target_os = "linux")]

mod instance;
mod mounts;
mod subscription;
mod table;
mod trust;
mod walk;
mod watcher;

pub use watcher::{InotifyWatcher, Limits, Usage};
