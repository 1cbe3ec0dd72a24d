//! The adapter: what is provided answers, the rest goes through.

use crate::{
    batch::Batch,
    provided::{Amount, Standing, Tree, nothing},
};
use async_trait::async_trait;
use std::{
    path::{Component, Path},
    sync::{Arc, PoisonError, RwLock},
};
use told_domain::{
    look::{Looks, Seen},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
};
use told_ports::{FileSystem, ProvideError, Provided};

/// A file system with files that a host provides in front of another.
///
/// What is provided holds at exactly its path, for reads, probes and listings:
///
/// - Its canonical path is the path itself, compared by components. So a host names files by the
///   Location's real directory. What is provided below a real link stands under the link's name, and
///   is not seen at the place where the link leads.
/// - A real link that leads to a provided path reads what is provided. A probe of such a link tells
///   what is on the disk, and a link whose target exists only as provided leads nowhere.
/// - Directories above provided content exist, also where the disk has none. Below provided content,
///   and below a path that is provided as absent, there is nothing but what is provided; below an
///   unavailable one everything is unavailable.
/// - An unavailable entry makes no directory, and leaves its name in a listing as the disk has it.
///
/// Everything else goes through, in one batch. A batch sees one version of what is provided.
pub struct OverlayFileSystem {
    inner: Arc<dyn FileSystem>,
    tree: RwLock<Arc<Tree>>,
}

impl OverlayFileSystem {
    /// Nothing provided yet, in front of `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn FileSystem>) -> Self {
        Self { inner, tree: RwLock::default() }
    }

    /// Lets `path` be this, until it is provided anew or withdrawn.
    ///
    /// # Errors
    /// [`ProvideError`] where it passes a limit, or is a root.
    pub fn provide(&self, path: AbsolutePath, provided: Provided) -> Result<(), ProvideError> {
        let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut tree).provide(path, provided, Amount::default())
    }

    /// Makes all of these changes, in order, or none, where `beside` is provided elsewhere.
    pub(crate) fn change(
        &self,
        changes: impl Iterator<Item = (AbsolutePath, Option<Provided>)>,
        beside: Amount,
    ) -> Result<(), ProvideError> {
        let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Tree::clone(&tree);
        for (path, provided) in changes {
            match provided {
                Some(provided) => changed.provide(path, provided, beside)?,
                None => drop(changed.withdraw(&path)),
            }
        }
        *tree = Arc::new(changed);
        Ok(())
    }

    /// Lets `path` be what the inner file system says again. Whether it was provided.
    pub fn withdraw(&self, path: &AbsolutePath) -> bool {
        let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut tree).withdraw(path)
    }

    /// How many entries are provided.
    #[must_use]
    pub fn provided(&self) -> usize {
        self.tree().len()
    }

    /// Whether only what is provided makes `path` a directory, or would where the disk had none.
    pub(crate) fn makes(&self, path: &AbsolutePath) -> bool {
        matches!(self.tree().standing(path), Standing::Directory)
    }

    pub(crate) fn amount(&self) -> Amount {
        self.tree().amount()
    }

    fn tree(&self) -> Arc<Tree> {
        Arc::clone(&self.tree.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl FileSystem for OverlayFileSystem {
    async fn observe(&self, looks: &Looks) -> Seen {
        let tree = self.tree();
        if tree.len() == 0 {
            return self.inner.observe(looks).await;
        }
        let mut batch = Batch::new(&tree, looks);
        while let Some(asked) = batch.question() {
            batch.answer(self.inner.observe(&asked).await);
        }
        batch.seen()
    }

    async fn directory(&self, path: &Path) -> Observation<CanonicalPath> {
        let tree = self.tree();
        let standing = named(path).map(|path| (tree.standing(&path), path));
        match standing {
            Some((Standing::Entry(provided) | Standing::Below(provided), _)) => nothing(provided),
            Some((Standing::Directory, path)) => match self.inner.directory(path.as_path()).await {
                // Where the disk has it too, it may be a link.
                found @ (Observation::Available(_) | Observation::Absent(Absence::Withheld(_))) => {
                    found
                }
                Observation::Absent(Absence::NotFound) | Observation::Unavailable(_) => {
                    Observation::Available(CanonicalPath::observed(path))
                }
            },
            Some((Standing::Open, _)) | None => match self.inner.directory(path).await {
                Observation::Available(found) => match tree.standing(&found) {
                    Standing::Entry(provided) | Standing::Below(provided) => nothing(provided),
                    Standing::Directory | Standing::Open => Observation::Available(found),
                },
                missed => missed,
            },
        }
    }
}

/// The path, where its text has no `..`: behind a link only the system can tell where that leads.
pub(crate) fn named(path: &Path) -> Option<AbsolutePath> {
    let climbs = path.components().any(|component| component == Component::ParentDir);
    (!climbs).then(|| AbsolutePath::new(path).ok()).flatten()
}
