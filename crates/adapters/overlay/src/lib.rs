//! Files that a host provides, in front of another file system: an editor's unsaved buffer, a
//! project on another machine. What is provided counts instead of the disk, for one Location, in
//! this process's life.
//!
//! [`Overlays`] implements told's `ProvidedFiles` port: an [`OverlayFileSystem`] a Location, over one
//! shared inner file system, so that two Locations never see each other's files. The overlay itself
//! implements the `FileSystem` port.
//!
//! **May depend on** `told-ports`, `told-domain` and async-trait; it makes no system call.
//! **Start** with [`OverlayFileSystem`], whose documentation says what a provided path means; then
//! `provided` (the tree of what is provided), `batch` (what answers which look), `bytes` (the
//! total over both), `overlays` (the Locations, and where a host's paths really lead).

mod batch;
mod bytes;
mod overlay;
mod overlays;
mod provided;
mod scan;

pub use overlay::OverlayFileSystem;
pub use overlays::Overlays;
pub use provided::{ENTRIES, PROVIDED_BYTES};
