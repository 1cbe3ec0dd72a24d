//! Where a path really leads, and why a directory cannot be a Location.

use crate::FileSystem;
use std::collections::HashMap;
use told_domain::{observation::Observation, path::AbsolutePath, reason::UnavailableReason};

/// Why a directory cannot be a Location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoDirectory {
    /// Nobody says where it starts.
    #[error("is not an absolute path")]
    Relative,
    /// Nothing is there, or something else.
    #[error("does not exist or is no directory")]
    Missing,
    /// Nothing is there, on the disk or among what is provided.
    #[error("does not exist or is no directory, and nothing is provided below it")]
    NothingBelow,
    /// Its path, or the one that it leads to, cannot be said as text.
    #[error("has no UTF-8 path")]
    NotUtf8,
    /// Whether it is there cannot be known now.
    #[error("could not be looked at ({0})")]
    Unavailable(UnavailableReason),
}

/// Where paths really lead, their last component left as it is named. What does not exist counts below
/// what does. Every directory is asked for once.
pub struct RealPaths<'a> {
    files: &'a dyn FileSystem,
    known: HashMap<AbsolutePath, AbsolutePath>,
}

impl<'a> RealPaths<'a> {
    /// Nothing asked yet of `files`.
    #[must_use]
    pub fn new(files: &'a dyn FileSystem) -> Self {
        Self { files, known: HashMap::new() }
    }

    /// The entry as it is named in the real directory that it lies in.
    pub async fn entry(&mut self, path: &AbsolutePath) -> AbsolutePath {
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.directory(parent).await.join(name),
            (None, _) | (_, None) => path.clone(),
        }
    }

    /// The directory as the file system has it, as far down as it does.
    pub async fn directory(&mut self, directory: AbsolutePath) -> AbsolutePath {
        let mut below = Vec::new();
        let mut above = directory.clone();
        let mut real = loop {
            if let Some(real) = self.known.get(&above) {
                break real.clone();
            }
            if let Observation::Available(real) = self.files.directory(above.as_path()).await {
                break real.as_absolute().clone();
            }
            let (Some(parent), Some(name)) = (above.parent(), above.file_name()) else {
                break above;
            };
            below.push(name.to_owned());
            above = parent;
        };
        for name in below.iter().rev() {
            real = real.join(name);
        }
        self.known.insert(directory, real.clone());
        real
    }
}
