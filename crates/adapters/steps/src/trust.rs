//! File systems whose events can be trusted: all changes pass this kernel.

use rustix::fd::AsFd;
use told_ports::Uncovered;

/// ext2 to ext4, XFS, Btrfs, F2FS, tmpfs, ZFS, bcachefs. Behind a network or user-space file system, 9p
/// and a WSL mount among them, others change files unseen. overlayfs is not here: after a copy up it
/// may give a file a new inode that nobody watches.
const TRUSTED: [i64; 7] =
    [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994, 0x2FC1_2FC1, 0xCA45_1A4E];

/// `FS_CASEFOLD_FL`: names of this directory are found in any letter case.
const FOLDS_CASE: u32 = 0x4000_0000;

/// Whether what `entry` is on is one of them. Answered from memory: no server is asked.
pub(crate) fn file_system(entry: impl AsFd) -> Result<(), Uncovered> {
    #[allow(clippy::unnecessary_cast, reason = "the field's width differs between machines")]
    let kind = rustix::fs::fstatfs(entry).map_err(|_| Uncovered::Failed)?.f_type as i64;
    if TRUSTED.contains(&kind) { Ok(()) } else { Err(Uncovered::FileSystem) }
}

/// Whether names of this directory are found as they are written alone (R-AMB-2): an event has the name that
/// somebody used.
pub(crate) fn exact_names(directory: impl AsFd) -> Result<(), Uncovered> {
    match rustix::fs::ioctl_getflags(directory) {
        Ok(flags) if flags.bits() & FOLDS_CASE != 0 => Err(Uncovered::Ambiguous),
        // No such flags: nothing folds.
        Ok(_) | Err(_) => Ok(()),
    }
}
