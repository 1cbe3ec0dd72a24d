//! The notify crate behind told's `Watcher` port.
//!
//! On Linux it has one inotify queue for all watches, so a file that is made in a directory of our own,
//! watched by the same watcher, arrives after all that happened before: that is how a drain knows that it has
//! heard everything. On other systems notify promises no order among watches: everything is
//! `Direct(Platform)` there, and nothing is watched.
//!
//! The steps of a path and who waits for them are `told-steps`; here is how notify watches one, and what its
//! events say.
//!
//! **May depend on** `told-ports`, `told-steps`, notify, rustix, tempfile for a directory of our own, and tokio
//! for waiting.
//! **Start** with [`NotifyWatcher`], then `hub` (the watches), `events` (what an event means) and `cookie` (how a
//! drain knows that it heard all).

#[cfg(target_os = "linux")]
mod cookie;
#[cfg(target_os = "linux")]
mod events;
#[cfg(target_os = "linux")]
mod hub;
#[cfg(target_os = "linux")]
#[path = "watcher.rs"]
mod watcher;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod watcher;

pub use watcher::NotifyWatcher;
#[cfg(target_os = "linux")]
pub use {told_steps::Limits, watcher::Usage};
