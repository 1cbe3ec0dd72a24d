//! The local file system behind told's `FileSystem` port: batches of looks, each answered from one
//! open of its file, with a deadline that a dead disk cannot pass.
//!
//! A batch is first tried on the caller's own thread, with calls that provably do not wait (Linux);
//! what they cannot answer takes one hop to a thread that may.
//!
//! **May depend on** `told-ports`, `told-domain`, tokio for waiting and rustix for system calls.
//! **Start** with [`LocalFileSystem`], then `pass` (what needs no waiting), `batch` (who looks at the rest, until when), `linux` and `unix` (how
//! one look is made), `coherent` (how one version is read) and `cause` (what an error means).

mod batch;
mod cause;
mod coherent;
mod crew;
mod desk;
#[cfg(any(not(target_os = "linux"), test))]
mod exact;
#[cfg(target_os = "linux")]
mod linux;
mod list;
mod local;
mod pass;
#[cfg(any(not(unix), test))]
mod portable;
mod scan;
mod step;
#[cfg(unix)]
mod unix;

pub use local::LocalFileSystem;
pub use step::{Hook, Step};
