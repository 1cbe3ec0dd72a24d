//! What told's watchers on Linux share. The system watches inodes and says nothing of what happens to
//! names above them, so every step of a path is watched: each directory on the way for its names, each
//! link in the directory that holds it, the file itself for what is written through another
//! name of it, and the table of mounts. What cannot be watched so is `Direct`.
//!
//! An adapter brings a [`Source`]: how an inode is watched, and how all that happened is heard of.
//!
//! **May depend on** `told-ports`, rustix for system calls and tokio for waiting; it is no
//! watcher itself.
//! **Start** with [`Source`], then `walk` (how an entry's steps are watched), `table` (what an event means to
//! whom), `subscription` (begun by `begin`) and `mounts`.
#![cfg(target_os = "linux")]

mod begin;
mod hops;
mod mounts;
mod source;
mod subscription;
mod table;
mod trust;
mod walk;

pub use begin::Begin;
pub use hops::{Hops, Limits, kernel_number};
pub use mounts::Mounts;
pub use source::{Inode, Source, State, refused};
pub use subscription::{Direct, Live};
pub use table::{Happened, Id, Number, Part, Role, Table};
