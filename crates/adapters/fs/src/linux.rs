//! Looks with Linux' own calls. `openat2` proves in one step that a file is beneath a directory
//! and that no link led to it, so its canonical path is the path asked for.
//!
//! On the caller's own thread (`Pace::Inline`) a look must not wait for any medium:
//! - names resolve with `RESOLVE_CACHED` (Linux 5.12): all from memory, or `EAGAIN`;
//! - files are opened, and attributes asked, only on a mount that was found to be a local file
//!   system (`Trust`), since opening a file of a network or user-space file system asks a server.
//!   The mount's number is never used twice (Linux 6.8); without it nothing is trusted;
//! - no mount is crossed below it (`RESOLVE_NO_XDEV`);
//! - bytes come with `RWF_NOWAIT`: from the page cache, or `EAGAIN`;
//! - a file that changed a moment ago takes the hop, since one of its writes may not be done yet
//!   (R-OBS-9), and only a look that may wait can find out.
//!
//! Whatever says no takes the hop. Letter case (R-AMB-2) is the kernel's: Linux file systems match
//! names exactly unless somebody has set one up to fold them.

use crate::{
    cause::Miss,
    coherent::{Now, Opened, Stamp, read_whole},
    desk::Pace,
    step::Hook,
    unix::{self, READING, Waiting, as_canonical, kind_of, stamp},
};
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, StatxFlags},
    io::{Errno, ReadWriteFlags},
};
use std::{
    collections::HashMap,
    io::IoSliceMut,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use told_domain::{
    look::{Containment, EntryKind, FileBytes, Read},
    path::{AbsolutePath, CanonicalPath},
    reason::WithheldReason,
};

const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);
const INLINE: ResolveFlags = ResolveFlags::CACHED.union(ResolveFlags::NO_XDEV);
const PATH_ONLY: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// `STATX_MNT_ID_UNIQUE`, which rustix has no name for yet.
const UNIQUE_MOUNT: StatxFlags = StatxFlags::from_bits_retain(0x4000);

/// The directory of which files below are opened, for one batch.
struct Anchor {
    path: AbsolutePath,
    directory: Directory,
}

enum Directory {
    Open(OwnedFd),
    Failed(Errno),
    /// Nothing is known of its file system: a look below it may wait.
    Unknown,
}

/// Answers looks one by one. A directory is opened once for all looks below it.
pub(crate) struct Desk<'a> {
    pace: Pace,
    trust: &'a Trust,
    hook: Option<&'a Hook>,
    anchors: Vec<Anchor>,
    now: Now,
}

/// Directories open at once for one batch, at most: file descriptors are the process's.
const ANCHORS: usize = 16;

impl<'a> Desk<'a> {
    pub(crate) fn new(pace: Pace, trust: &'a Trust, hook: Option<&'a Hook>) -> Self {
        Self { pace, trust, hook, anchors: Vec::new(), now: Now::ask() }
    }

    /// Opens and reads one file.
    pub(crate) fn read(&mut self, read: &Read, allowance: u64) -> Result<FileBytes, Miss> {
        let (pace, hook) = (self.pace, self.hook);
        let Some((file, canonical)) = self.open_beneath(read)? else {
            return match pace {
                Pace::Inline => Err(Miss::WouldBlock),
                Pace::Waiting => unix::read(read, allowance, hook),
            };
        };
        let stat = rustix::fs::fstat(&file)?;
        let first = stamp(&stat);
        if !first.regular {
            return Err(Miss::Withheld(WithheldReason::NotRegularFile));
        }
        let canonical = match canonical {
            Place::AsAsked => CanonicalPath::observed(read.path.clone()),
            Place::Linked(canonical) => canonical?,
        };
        let whole = match pace {
            Pace::Inline => {
                let settled_after = self.trust.settled_after;
                let cached = Cached { file: &file, settled_after, now: self.now };
                read_whole(&cached, first, read, allowance, hook)
            }
            Pace::Waiting => read_whole(&Waiting(&file), first, read, allowance, hook),
        }?;
        Ok(FileBytes { canonical, bytes: whole.bytes, size: whole.size })
    }

    /// What kind of entry a path leads to.
    pub(crate) fn probe(&mut self, path: &AbsolutePath) -> Result<EntryKind, Miss> {
        match self.pace {
            Pace::Inline => self.probe_inline(path),
            Pace::Waiting => {
                let kind = unix::probe(path)?;
                if let Ok(entry) = unix::open_plain(path.as_path(), PATH_ONLY) {
                    self.trust.learn(path, &entry);
                }
                Ok(kind)
            }
        }
    }

    fn probe_inline(&self, path: &AbsolutePath) -> Result<EntryKind, Miss> {
        let cached = ResolveFlags::CACHED;
        let entry = match openat2(CWD, path.as_str(), PATH_ONLY, cached) {
            Ok(entry) => entry,
            Err(errno) => return Err(inline(errno)),
        };
        let mount = self.trust.of(path).ok_or(Miss::WouldBlock)?;
        match mount_and_type(&entry) {
            Some((there, file_type)) if there == mount => Ok(kind_of(file_type)),
            _ => Err(Miss::WouldBlock),
        }
    }

    /// Opens the file beneath the directory that must contain it, or that it is in. Nothing where
    /// this way proves nothing.
    fn open_beneath(&mut self, read: &Read) -> Result<Option<(OwnedFd, Place)>, Miss> {
        let parent;
        let directory = match &read.containment {
            Containment::Within(directory) => directory.as_absolute(),
            Containment::Anywhere => match read.path.parent() {
                Some(directory) => {
                    parent = directory;
                    &parent
                }
                None => return Ok(None),
            },
        };
        let Some(name) = below(&read.path, directory) else {
            return Ok(None);
        };
        let pace = self.pace;
        let anchor = self.anchor(directory);
        let directory = match &anchor.directory {
            Directory::Open(directory) => directory,
            // What is below a directory that is not there is not there.
            Directory::Failed(errno @ (Errno::NOENT | Errno::NOTDIR)) => {
                return Err((*errno).into());
            }
            Directory::Failed(_) | Directory::Unknown => return Ok(None),
        };
        let resolve = BENEATH.union(ResolveFlags::NO_SYMLINKS);
        let resolve = if pace == Pace::Inline { resolve.union(INLINE) } else { resolve };
        match openat2(directory, name, READING, resolve) {
            Ok(file) => Ok(Some((file, Place::AsAsked))),
            Err(errno @ (Errno::NOENT | Errno::NOTDIR)) => Err(errno.into()),
            Err(Errno::LOOP) if pace == Pace::Inline => open_link(directory, &anchor.path, name),
            // A link, a refusal, a kernel without the call: the plain way tells which.
            Err(_) => Ok(None),
        }
    }

    fn anchor(&mut self, path: &AbsolutePath) -> &Anchor {
        if let Some(at) = self.anchors.iter().position(|anchor| anchor.path == *path) {
            return &self.anchors[at];
        }
        let directory = self.open_directory(path);
        if self.anchors.len() == ANCHORS {
            self.anchors.remove(0);
        }
        self.anchors.push(Anchor { path: path.clone(), directory });
        &self.anchors[self.anchors.len() - 1]
    }

    fn open_directory(&self, path: &AbsolutePath) -> Directory {
        let resolve = ResolveFlags::NO_SYMLINKS.union(ResolveFlags::NO_MAGICLINKS);
        let resolve = match self.pace {
            Pace::Waiting => resolve,
            Pace::Inline => resolve.union(ResolveFlags::CACHED),
        };
        let directory = match openat2(CWD, path.as_str(), PATH_ONLY | OFlags::DIRECTORY, resolve) {
            Ok(directory) => directory,
            Err(errno) => return Directory::Failed(errno),
        };
        match self.pace {
            Pace::Waiting => self.trust.learn(path, &directory),
            Pace::Inline => {
                let mount = self.trust.of(path);
                let there = mount.and_then(|_| mount_and_type(&directory)).map(|(mount, _)| mount);
                if mount.is_none() || mount != there {
                    return Directory::Unknown;
                }
            }
        }
        Directory::Open(directory)
    }
}

/// Where an opened file is.
enum Place {
    /// At the path asked for: no link led there.
    AsAsked,
    /// Elsewhere beneath the directory, through links.
    Linked(Result<CanonicalPath, Miss>),
}

/// Follows links that stay beneath the directory, without waiting. Its own path of the opened file
/// counts where that very file is found there again.
fn open_link(
    directory: &OwnedFd,
    directory_path: &AbsolutePath,
    name: &str,
) -> Result<Option<(OwnedFd, Place)>, Miss> {
    let file = match openat2(directory, name, READING, BENEATH.union(INLINE)) {
        Ok(file) => file,
        Err(errno) => return Err(inline(errno)),
    };
    let path = unix::path_of(&file).ok_or(Miss::WouldBlock)?;
    let real = path.strip_prefix(directory_path).map_err(|_| Miss::WouldBlock)?;
    let resolve = BENEATH.union(INLINE).union(ResolveFlags::NO_SYMLINKS);
    let there = match openat2(directory, real, PATH_ONLY, resolve) {
        Ok(there) => rustix::fs::fstat(there)?,
        Err(_) => return Err(Miss::WouldBlock),
    };
    let opened = rustix::fs::fstat(&file)?;
    if (there.st_dev, there.st_ino) != (opened.st_dev, opened.st_ino) {
        return Err(Miss::WouldBlock);
    }
    Ok(Some((file, Place::Linked(as_canonical(&path)))))
}

/// The directory that `path` leads to, where memory alone proves it.
pub(crate) fn directory_inline(path: &Path) -> Result<CanonicalPath, Miss> {
    let resolve =
        ResolveFlags::NO_SYMLINKS.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::CACHED);
    match openat2(CWD, path, PATH_ONLY.union(OFlags::DIRECTORY), resolve) {
        // Without a link on the way the name is the place, its `..` resolved by name.
        Ok(_) => as_canonical(path),
        Err(errno) => Err(inline(errno)),
    }
}

/// What an error proves on the caller's own thread: absence, or that it takes a hop.
fn inline(errno: Errno) -> Miss {
    match errno {
        Errno::NOENT | Errno::NOTDIR => errno.into(),
        _ => Miss::WouldBlock,
    }
}

fn openat2<P: rustix::path::Arg + Copy>(
    directory: impl AsFd,
    path: P,
    flags: OFlags,
    resolve: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    rustix::io::retry_on_intr(|| {
        rustix::fs::openat2(directory.as_fd(), path, flags, Mode::empty(), resolve)
    })
}

/// `path` relative to `directory`, where it is below it. Both are free of `.` and `..`, so that a
/// prefix that ends at a separator is a prefix by components.
fn below<'p>(path: &'p AbsolutePath, directory: &AbsolutePath) -> Option<&'p str> {
    let rest = path.as_str().strip_prefix(directory.as_str())?;
    let name = if directory.as_str() == "/" { rest } else { rest.strip_prefix('/')? };
    (!name.is_empty()).then_some(name)
}

/// An opened file whose reads take from the page cache, or say no.
struct Cached<'a> {
    file: &'a OwnedFd,
    settled_after: Duration,
    now: Now,
}

impl Opened for Cached<'_> {
    fn stamp(&self) -> Result<Stamp, Miss> {
        Ok(stamp(&rustix::fs::fstat(self.file)?))
    }

    fn settle(&self, stamp: &Stamp) -> Result<(), Miss> {
        if stamp.is_younger_than(self.settled_after, self.now) {
            return Err(Miss::WouldBlock);
        }
        Ok(())
    }

    fn now(&self) -> Now {
        self.now
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Miss> {
        let mut buffers = [IoSliceMut::new(buffer)];
        rustix::io::preadv2(self.file, &mut buffers, offset, ReadWriteFlags::NOWAIT)
            .map_err(|_| Miss::WouldBlock)
    }
}

/// The directories and entries known to be on a local file system, by the number of their mount.
/// Only a look that may wait learns it, since asking a dead server what it is waits as well.
pub(crate) struct Trust {
    mounts: Mutex<HashMap<AbsolutePath, u64>>,
    /// A file that changed longer ago has no write under way.
    settled_after: Duration,
}

/// Entries remembered; past it all are learnt anew.
const TRUSTED: usize = 1024;

/// ext2 to ext4, XFS, Btrfs, F2FS, tmpfs: no server stands behind them, and their bytes come from
/// the page cache or not at all.
const LOCAL: [i64; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994];

impl Trust {
    pub(crate) fn new(settled_after: Duration) -> Self {
        Self { mounts: Mutex::default(), settled_after }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AbsolutePath, u64>> {
        self.mounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, path: &AbsolutePath) -> Option<u64> {
        self.lock().get(path).copied()
    }

    fn learn(&self, path: &AbsolutePath, entry: &OwnedFd) {
        let Some((mount, _)) = mount_and_type(entry) else {
            return;
        };
        #[allow(clippy::unnecessary_cast, reason = "the field's width differs between machines")]
        let local = rustix::fs::fstatfs(entry).is_ok_and(|fs| LOCAL.contains(&(fs.f_type as i64)));
        let mut mounts = self.lock();
        if local {
            if mounts.len() >= TRUSTED {
                mounts.clear();
            }
            mounts.insert(path.clone(), mount);
        } else {
            mounts.remove(path);
        }
    }
}

/// The never reused number of the mount, and what the entry is, without asking any server.
fn mount_and_type(entry: &OwnedFd) -> Option<(u64, FileType)> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let statx = rustix::fs::statx(entry, c"", flags, StatxFlags::TYPE | UNIQUE_MOUNT).ok()?;
    let known = statx.stx_mask & UNIQUE_MOUNT.bits() != 0;
    known.then(|| (statx.stx_mnt_id, FileType::from_raw_mode(u32::from(statx.stx_mode))))
}
