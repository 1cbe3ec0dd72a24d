//! Files that a host provides, in front of another file system: an editor's unsaved buffer, a
//! project on another machine. What is provided counts instead of the disk, for one Location, in
//! this process's life.
//!
//! [`OverlayFileSystem`] implements told's `FileSystem` port. A Location has one of its own, so two
//! Locations never see each other's files; each is `OverlayFileSystem::new(inner)` over one shared
//! inner file system.
//!
//! **May depend on** `told-ports`, `told-domain`, async-trait and thiserror; it makes no system call.
//! **Start** with [`OverlayFileSystem`], whose documentation says what a provided path means; then
//! `provided` (the tree of what is provided), `batch` (what answers which look), `bytes` (the
//! total over both).

mod batch;
mod bytes;
mod overlay;
mod provided;

pub use overlay::OverlayFileSystem;
pub use provided::{ENTRIES, PROVIDED_BYTES, ProvideError, Provided};
