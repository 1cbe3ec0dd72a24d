//! The port to files that a host provides: an editor's unsaved buffer, a project on another machine.

use crate::{FileSystem, NoDirectory};
use async_trait::async_trait;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use told_domain::{observation::Observation, path::CanonicalPath, reason::UnavailableReason};

/// Keeps what a host provides for a Location, in front of the disk. It is not durable: it ends with
/// the process.
///
/// Clauses, each with a test of its name in the contract suite:
/// - **PF-1** `at` gives the files of a directory for which something is provided: that counts there instead
///   of the disk, until it is provided anew or withdrawn, and all else is the disk's. For any other
///   directory it gives nothing: the disk counts.
/// - **PF-2** A change is made whole or not at all. It gives how many files the directory has provided then.
/// - **PF-3** The changes of one call are made in order: of one path the last counts.
/// - **PF-4** A path is relative to the directory, or absolute, through whatever links. Content under a
///   link counts for the file that the link leads to; absence is the link's own. What was provided under
///   a path is withdrawn under it.
/// - **PF-5** `directory` is the disk's answer, or a directory that only what is provided for it makes
///   exist. Nothing can be provided for one that neither has.
/// - **PF-6** What cannot be a file's path is refused: the directory itself or one above it, a path that
///   no file system takes.
/// - **PF-7** Files and bytes have a limit, over all directories together.
#[async_trait]
pub trait ProvidedFiles: Send + Sync {
    /// Files as the sessions of `directory` see them; nothing where they see the disk.
    fn at(&self, directory: &CanonicalPath) -> Option<Arc<dyn FileSystem>>;

    /// The directory that `path` (absolute) leads to.
    async fn directory(&self, path: &Path) -> Observation<CanonicalPath>;

    /// Changes what is provided for the directory that `directory` (absolute) leads to. Calls for one
    /// directory take effect as they come: who has two waits for the first.
    async fn provide(
        &self,
        directory: &Path,
        changes: Vec<Provision>,
    ) -> Result<usize, ProvideError>;
}

/// One change of what is provided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provision {
    /// Which path.
    pub path: PathBuf,
    /// What it is from now on; nothing to let the disk say it again.
    pub provided: Option<Provided>,
}

/// What a path is instead of what the disk says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provided {
    /// A regular file with these bytes.
    Content(Arc<[u8]>),
    /// Nothing, and nothing below it but what is provided.
    Absent,
    /// Nobody knows: what was told of it stands. So is what is below it.
    Unavailable(UnavailableReason),
}

/// Why a change of what is provided was refused. What was provided before stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProvideError {
    /// The path cannot be a file's: it is a root, no UTF-8, the directory itself or one above it, or no
    /// file system could have it.
    #[error("{} {why}", told_domain::path::on_one_line(path))]
    Path {
        /// The path, as text.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// More files than may be provided.
    #[error("{files} files would be provided, and at most {limit} are kept: withdraw some")]
    Files {
        /// The limit.
        limit: usize,
        /// How many there would be.
        files: usize,
    },
    /// More bytes than may be provided.
    #[error("{bytes} bytes would be provided, and at most {limit} are kept: withdraw some files")]
    Bytes {
        /// The limit.
        limit: usize,
        /// How many there would be.
        bytes: usize,
    },
    /// The directory cannot be a Location.
    #[error("{} {why}", told_domain::path::on_one_line(path))]
    Directory {
        /// The directory, as text.
        path: String,
        /// What is wrong with it.
        why: NoDirectory,
    },
    /// Whoever made this engine wired nothing that keeps provided files.
    #[error("this host takes no provided files")]
    Unsupported,
}
