//! Everything that can happen to a tree, done to a real one.

use rustix::{
    fs::{CWD, RenameFlags},
    mm::{MapFlags, ProtFlags},
    mount::{MountFlags, UnmountFlags},
};
use std::{
    fs::{self, File, OpenOptions, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};
use told_testkit::{
    change::{Change, Refused},
    contract::watcher::Act,
};

/// A temporary directory and what is mounted in it.
pub(crate) struct Tree {
    root: PathBuf,
    mounts: Vec<PathBuf>,
    _directory: tempfile::TempDir,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().canonicalize().expect("its real path");
        Self { root, mounts: Vec::new(), _directory: directory }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn act(&mut self, act: &Act) -> Result<(), Refused> {
        match act {
            Act::Change(change) => self.change(change),
            Act::HardLink { file, name } => fs::hard_link(file, name).map_err(|_| Refused),
            Act::Exchange(a, b) => {
                let exchange = RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(CWD, a, CWD, b, exchange).map_err(|_| Refused)
            }
            Act::Guard { path, guarded } => {
                let mode = if *guarded { 0o600 } else { 0o644 };
                fs::set_permissions(path, Permissions::from_mode(mode)).map_err(|_| Refused)
            }
            Act::MappedWrite { path, byte } => mapped_write(path, *byte).map_err(|_| Refused),
            Act::Mount(path) => {
                rustix::mount::mount("told", path, "tmpfs", MountFlags::empty(), None)
                    .map_err(|_| Refused)?;
                self.mounts.push(path.clone());
                Ok(())
            }
            Act::Unmount(path) => {
                self.mounts.retain(|mounted| mounted != path);
                // Lazily: whoever still holds a directory of it does not keep it.
                rustix::mount::unmount(path, UnmountFlags::DETACH).map_err(|_| Refused)
            }
            Act::Look(path) => fs::read(path).map(drop).map_err(|_| Refused),
        }
    }

    /// Mounts a directory over another.
    #[allow(dead_code, reason = "one of the crates that share this needs it")]
    pub(crate) fn bind(&mut self, directory: &Path, over: &Path) -> Result<(), Refused> {
        rustix::mount::mount_bind(directory, over).map_err(|_| Refused)?;
        self.mounts.push(over.to_owned());
        Ok(())
    }

    fn change(&self, change: &Change) -> Result<(), Refused> {
        let done = match change {
            Change::Write { path, bytes } => fs::write(path, bytes),
            Change::Resize { path, size } => {
                OpenOptions::new().write(true).open(path).and_then(|file| file.set_len(*size))
            }
            Change::Remove { path } => fs::remove_file(path),
            Change::MakeDirectory { path } => fs::create_dir(path),
            Change::RemoveDirectory { path } => fs::remove_dir(path),
            Change::Rename { from, to } => fs::rename(from, to),
            Change::Link { path, target } => symlink(target, path),
            Change::Fifo { .. } | Change::Socket { .. } => return Err(Refused),
        };
        done.map_err(|_| Refused)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        for mounted in self.mounts.drain(..) {
            rustix::mount::unmount(&mounted, UnmountFlags::DETACH).ok();
        }
    }
}

/// Maps a file, writes its first byte, and lets go of it.
#[allow(unsafe_code)]
fn mapped_write(path: &Path, byte: u8) -> std::io::Result<()> {
    let file: File = OpenOptions::new().read(true).write(true).open(path)?;
    if file.metadata()?.len() == 0 {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    let (read_write, shared) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
    // SAFETY: a new mapping at a place of the system's choice, of a file that has one byte or more and
    // that only this test shortens; it is written within its first byte and unmapped before it is left.
    unsafe {
        let at = rustix::mm::mmap(std::ptr::null_mut(), 1, read_write, shared, &file, 0)?;
        at.cast::<u8>().write_volatile(byte);
        rustix::mm::munmap(at, 1)?;
    }
    Ok(())
}
