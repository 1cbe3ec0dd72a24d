//! What happens to a tree without a change of the path that it happens to: the kinds of change that watching
//! is silent about.

use super::{
    FakeFileSystem, Trace,
    tree::{Node, Walk},
};
use crate::change::Refused;
use std::path::{Path, PathBuf};

/// A directory under a mount. It comes back with [`FakeFileSystem::unmount`].
#[derive(Debug)]
pub struct Mounted(Node);

impl FakeFileSystem {
    /// Gives a file another name.
    ///
    /// # Errors
    /// [`Refused`] where it is no file or the name is taken.
    pub fn hard_link(&self, file: impl AsRef<Path>, name: impl AsRef<Path>) -> Result<(), Refused> {
        self.state().tree.hard_link(file.as_ref(), name.as_ref())
    }

    /// Lets two entries change places in one step.
    ///
    /// # Errors
    /// [`Refused`] where one is missing.
    pub fn exchange(&self, one: impl AsRef<Path>, other: impl AsRef<Path>) -> Result<(), Refused> {
        self.state().tree.exchange(one.as_ref(), other.as_ref())
    }

    /// Puts an empty file system over a directory.
    ///
    /// # Errors
    /// [`Refused`] where there is nothing.
    pub fn mount(&self, at: impl AsRef<Path>) -> Result<Mounted, Refused> {
        self.state().tree.mount(at.as_ref(), None).map(Mounted)
    }

    /// Takes it away again.
    ///
    /// # Errors
    /// [`Refused`] where there is nothing.
    pub fn unmount(&self, at: impl AsRef<Path>, mounted: Mounted) -> Result<(), Refused> {
        self.state().tree.mount(at.as_ref(), Some(mounted.0)).map(drop)
    }

    /// Writes a file's first byte through a mapping: nothing tells but a look.
    ///
    /// # Errors
    /// [`Refused`] where there is no file, or an empty one.
    pub fn write_mapped(&self, path: impl AsRef<Path>, byte: u8) -> Result<(), Refused> {
        self.state().tree.write_mapped(path.as_ref(), byte)
    }

    /// Closes a file that was mapped, which tells.
    ///
    /// # Errors
    /// [`Refused`] where there is no file.
    pub fn close_mapped(&self, path: impl AsRef<Path>) -> Result<(), Refused> {
        self.state().tree.close_mapped(path.as_ref())
    }

    /// Where `path` leads, as far as anything is there.
    pub(crate) fn canonical_prefix(&self, path: &Path) -> PathBuf {
        let state = self.state();
        for above in path.ancestors() {
            if let Ok(Walk::Found { canonical, .. }) = state.tree.walk(above, true) {
                return canonical;
            }
        }
        PathBuf::from("/")
    }

    /// Everything that a look along `path` depends on.
    pub(crate) fn trace(&self, path: impl AsRef<Path>) -> Trace {
        self.state().tree.trace(path.as_ref())
    }
}
