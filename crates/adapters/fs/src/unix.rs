//! Looks with the plain calls of every Unix: open without blocking, then ask the opened file where
//! it really is. On Linux this is what the fast way falls back to.

use crate::{
    cause::Miss,
    coherent::{ATTEMPTS, Now, Opened, Stamp, read_whole},
    step::Hook,
};
use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat},
    io::Errno,
};
use std::path::{Path, PathBuf};
use told_domain::{
    look::{Containment, EntryKind, FileBytes, Read},
    path::{AbsolutePath, CanonicalPath},
    reason::WithheldReason,
};

/// How a file is opened: a FIFO or a terminal of that name neither blocks nor takes hold of us.
pub(crate) const READING: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

/// An opened file whose reads may wait for the medium.
pub(crate) struct Waiting<'a>(pub(crate) &'a OwnedFd);

impl Opened for Waiting<'_> {
    fn stamp(&self) -> Result<Stamp, Miss> {
        Ok(stamp(&rustix::fs::fstat(self.0)?))
    }

    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    fn settle(&self, _: &Stamp) -> Result<(), Miss> {
        // Looking for a hole takes the lock that a write holds, where reads do not; a file system
        // of which that is not true makes its reads whole itself, or has no way to be asked. The
        // answer is of no interest.
        let _ = rustix::fs::seek(self.0, rustix::fs::SeekFrom::Hole(0));
        Ok(())
    }

    #[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
    fn settle(&self, _: &Stamp) -> Result<(), Miss> {
        Ok(())
    }

    fn now(&self) -> Now {
        Now::ask()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Miss> {
        Ok(rustix::io::retry_on_intr(|| rustix::io::pread(self.0, &mut *buffer, offset))?)
    }
}

/// What tells versions apart, of one answer of the system.
// The fields' types differ from platform to platform.
#[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
pub(crate) fn stamp(stat: &Stat) -> Stamp {
    let nanoseconds = |s: i64, ns: i64| i128::from(s) * 1_000_000_000 + i128::from(ns);
    Stamp {
        regular: kind(stat) == EntryKind::File,
        size: stat.st_size as u64,
        identity: (stat.st_dev as u64, stat.st_ino as u64),
        modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
    }
}

fn kind(stat: &Stat) -> EntryKind {
    kind_of(FileType::from_raw_mode(stat.st_mode))
}

pub(crate) const fn kind_of(file_type: FileType) -> EntryKind {
    match file_type {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        _ => EntryKind::Other,
    }
}

/// Opens and reads one file, wherever links lead.
pub(crate) fn read(read: &Read, allowance: u64, hook: Option<&Hook>) -> Result<FileBytes, Miss> {
    let (file, first, canonical) = open(read)?;
    let whole = read_whole(&Waiting(&file), first, read, allowance, hook)?;
    Ok(FileBytes { canonical, bytes: whole.bytes, size: whole.size })
}

/// Opens a file and proves where it is. The opened file decides, never its name: a name that was
/// resolved before the open may lead elsewhere at the open (R-OBS-7).
fn open(read: &Read) -> Result<(OwnedFd, Stamp, CanonicalPath), Miss> {
    let path = read.path.as_path();
    for _ in 0..ATTEMPTS {
        let file = match open_plain(path, READING) {
            Ok(file) => file,
            Err(errno @ (Errno::NOENT | Errno::NOTDIR)) => return Err(errno.into()),
            Err(errno) => return Err(refused(read, errno)),
        };
        let stat = rustix::fs::fstat(&file)?;
        if let Some(canonical) = locate(&file, &stat, path)? {
            let canonical = permitted(&canonical, &read.containment, kind(&stat))?;
            return Ok((file, stamp(&stat), canonical));
        }
    }
    Err(Miss::Changed)
}

pub(crate) fn open_plain(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    rustix::io::retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))
}

/// Where policy stands before an opened file is read: first where it is, then what it is.
fn permitted(
    canonical: &Path,
    containment: &Containment,
    kind: EntryKind,
) -> Result<CanonicalPath, Miss> {
    if let Containment::Within(directory) = containment
        && !canonical.starts_with(directory.as_path())
    {
        return Err(Miss::Withheld(WithheldReason::OutsideProject));
    }
    if kind != EntryKind::File {
        return Err(Miss::Withheld(WithheldReason::NotRegularFile));
    }
    as_canonical(canonical)
}

/// `path`, of which the caller has proof that no link is in it.
pub(crate) fn as_canonical(path: &Path) -> Result<CanonicalPath, Miss> {
    AbsolutePath::new(path)
        .map(CanonicalPath::observed)
        .map_err(|_| Miss::Withheld(WithheldReason::PathNotUtf8))
}

/// Why a file cannot be opened: what it is or where it is counts before the refusal, so that a
/// socket, or a link to somebody else's secret, is withheld and holds nothing up.
fn refused(read: &Read, errno: Errno) -> Miss {
    match glimpse(read.path.as_path()) {
        Ok(Some((stat, canonical))) => {
            match permitted(&canonical, &read.containment, kind(&stat)) {
                Ok(_) => errno.into(),
                Err(withheld) => withheld,
            }
        }
        Ok(None) => Miss::Changed,
        Err(miss) if miss.is_nothing() => miss,
        Err(_) => errno.into(),
    }
}

/// What and where a file is that cannot be opened for reading.
#[cfg(target_os = "linux")]
fn glimpse(path: &Path) -> Result<Option<(Stat, PathBuf)>, Miss> {
    let entry = open_plain(path, OFlags::PATH | OFlags::CLOEXEC)?;
    let stat = rustix::fs::fstat(&entry)?;
    Ok(locate(&entry, &stat, path)?.map(|canonical| (stat, canonical)))
}

/// What and where a file is that cannot be opened for reading.
#[cfg(not(target_os = "linux"))]
fn glimpse(path: &Path) -> Result<Option<(Stat, PathBuf)>, Miss> {
    let stat = rustix::fs::stat(path)?;
    Ok(locate_by_name(&stat, path)?.map(|canonical| (stat, canonical)))
}

/// The canonical path of an opened file; none where it has moved since.
#[cfg(target_os = "linux")]
fn locate(file: &OwnedFd, stat: &Stat, path: &Path) -> Result<Option<PathBuf>, Miss> {
    match path_of(file) {
        Some(canonical) => Ok(is_at(stat, &canonical).then_some(canonical)),
        None => locate_by_name(stat, path),
    }
}

/// The canonical path of an opened file; none where it has moved since.
#[cfg(not(target_os = "linux"))]
fn locate(_: &OwnedFd, stat: &Stat, path: &Path) -> Result<Option<PathBuf>, Miss> {
    let canonical = locate_by_name(stat, path)?;
    if canonical.is_some() && !crate::exact::is_exact(path)? {
        return Err(Errno::NOENT.into());
    }
    Ok(canonical)
}

/// The kernel's own word for where an opened file is; none where `/proc` is not there. It is to be
/// confirmed: of a file that was replaced while open it ends in ` (deleted)`.
#[cfg(target_os = "linux")]
pub(crate) fn path_of(file: &OwnedFd) -> Option<PathBuf> {
    use std::os::{fd::AsRawFd as _, unix::ffi::OsStringExt as _};
    let link = format!("/proc/self/fd/{}", file.as_raw_fd());
    let target = rustix::fs::readlink(link, Vec::new()).ok()?;
    let path = PathBuf::from(std::ffi::OsString::from_vec(target.into_bytes()));
    path.is_absolute().then_some(path)
}

/// Whether that very file is at `canonical` now.
fn is_at(stat: &Stat, canonical: &Path) -> bool {
    rustix::fs::statat(CWD, canonical, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|there| (there.st_dev, there.st_ino) == (stat.st_dev, stat.st_ino))
}

/// Resolves the name again and takes the answer only if that very file is there.
fn locate_by_name(stat: &Stat, path: &Path) -> Result<Option<PathBuf>, Miss> {
    match path.canonicalize() {
        Ok(canonical) => Ok(is_at(stat, &canonical).then_some(canonical)),
        // It was there at the open: gone or moved since.
        Err(error) if Miss::from(std::io::Error::from(error.kind())).is_nothing() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What kind of entry a path leads to.
pub(crate) fn probe(path: &AbsolutePath) -> Result<EntryKind, Miss> {
    let stat = rustix::fs::stat(path.as_path())?;
    #[cfg(not(target_os = "linux"))]
    if !crate::exact::is_exact(path.as_path())? {
        return Err(Errno::NOENT.into());
    }
    Ok(kind(&stat))
}

/// The directory that `path` leads to.
pub(crate) fn directory(path: &Path) -> Result<CanonicalPath, Miss> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    let flags = flags | OFlags::PATH;
    for _ in 0..ATTEMPTS {
        let directory = open_plain(path, flags)?;
        let stat = rustix::fs::fstat(&directory)?;
        if let Some(canonical) = locate(&directory, &stat, path)? {
            return as_canonical(&canonical);
        }
    }
    Err(Miss::Changed)
}

#[cfg(not(target_os = "linux"))]
pub(crate) use self::plain::{Desk, Trust, directory_inline};

/// The desk of a Unix that has no way to look without waiting.
#[cfg(not(target_os = "linux"))]
mod plain {
    use super::*;
    use crate::desk::Pace;
    use std::time::Duration;

    /// Where looking cannot block: nowhere.
    pub(crate) struct Trust;

    impl Trust {
        pub(crate) fn new(_: Duration) -> Self {
            Self
        }
    }

    /// Answers looks one by one.
    pub(crate) struct Desk<'a> {
        pace: Pace,
        hook: Option<&'a Hook>,
    }

    impl<'a> Desk<'a> {
        pub(crate) fn new(pace: Pace, _: &'a Trust, hook: Option<&'a Hook>) -> Self {
            Self { pace, hook }
        }

        pub(crate) fn read(&mut self, read: &Read, allowance: u64) -> Result<FileBytes, Miss> {
            match self.pace {
                Pace::Inline => Err(Miss::WouldBlock),
                Pace::Waiting => super::read(read, allowance, self.hook),
            }
        }

        pub(crate) fn probe(&mut self, path: &AbsolutePath) -> Result<EntryKind, Miss> {
            match self.pace {
                Pace::Inline => Err(Miss::WouldBlock),
                Pace::Waiting => super::probe(path),
            }
        }
    }

    pub(crate) fn directory_inline(_: &Path) -> Result<CanonicalPath, Miss> {
        Err(Miss::WouldBlock)
    }
}
