//! Looks with the standard library alone, for a platform without calls of its own here. It opens
//! no FIFO there is to block on, and takes a file's place by its name, resolved after the open and
//! compared with what was opened.

use crate::{
    cause::Miss,
    coherent::{ATTEMPTS, Now, Opened, Stamp, read_whole},
    desk::Pace,
    exact::is_exact,
    step::Hook,
};
use std::{
    cell::RefCell,
    fs::{self, File, Metadata},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use told_domain::{
    look::{Containment, EntryKind, FileBytes, Read},
    path::{AbsolutePath, CanonicalPath},
    reason::WithheldReason,
};

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
            Pace::Waiting => read_file(read, allowance, self.hook),
        }
    }

    pub(crate) fn probe(&mut self, path: &AbsolutePath) -> Result<EntryKind, Miss> {
        match self.pace {
            Pace::Inline => Err(Miss::WouldBlock),
            Pace::Waiting => {
                let metadata = fs::metadata(path)?;
                if is_exact(path.as_path())? { Ok(kind(&metadata)) } else { Err(nothing()) }
            }
        }
    }
}

pub(crate) fn directory_inline(_: &Path) -> Result<CanonicalPath, Miss> {
    Err(Miss::WouldBlock)
}

/// The directory that `path` leads to.
pub(crate) fn directory(path: &Path) -> Result<CanonicalPath, Miss> {
    let canonical = path.canonicalize()?;
    if !fs::metadata(&canonical)?.is_dir() {
        return Err(io::Error::from(io::ErrorKind::NotADirectory).into());
    }
    as_canonical(&canonical)
}

fn nothing() -> Miss {
    io::Error::from(io::ErrorKind::NotFound).into()
}

fn as_canonical(path: &Path) -> Result<CanonicalPath, Miss> {
    AbsolutePath::new(path)
        .map(CanonicalPath::observed)
        .map_err(|_| Miss::Withheld(WithheldReason::PathNotUtf8))
}

fn kind(metadata: &Metadata) -> EntryKind {
    if metadata.is_file() {
        EntryKind::File
    } else if metadata.is_dir() {
        EntryKind::Directory
    } else {
        EntryKind::Other
    }
}

fn read_file(read: &Read, allowance: u64, hook: Option<&Hook>) -> Result<FileBytes, Miss> {
    for _ in 0..ATTEMPTS {
        let path = read.path.as_path();
        let metadata = fs::metadata(path)?;
        let place = path.canonicalize()?;
        if let Containment::Within(directory) = &read.containment
            && !place.starts_with(directory.as_path())
        {
            return Err(Miss::Withheld(WithheldReason::OutsideProject));
        }
        if !metadata.is_file() {
            return Err(Miss::Withheld(WithheldReason::NotRegularFile));
        }
        // The resolved place is opened, and resolved again after the open: a link that was put in
        // between shows as another place.
        let file = File::open(&place)?;
        let first = stamp(&file.metadata()?);
        if path.canonicalize().ok().as_deref() != Some(&*place)
            || place.canonicalize().ok().as_deref() != Some(&*place)
            || !fs::symlink_metadata(&place).is_ok_and(|there| stamp(&there) == first)
        {
            continue;
        }
        if !is_exact(path)? {
            return Err(nothing());
        }
        let canonical = as_canonical(&place)?;
        let whole = read_whole(&Seeking(RefCell::new(file)), first, read, allowance, hook)?;
        return Ok(FileBytes { canonical, bytes: whole.bytes, size: whole.size });
    }
    Err(Miss::Changed)
}

/// A file that is read at an offset by seeking there.
struct Seeking(RefCell<File>);

impl Opened for Seeking {
    fn stamp(&self) -> Result<Stamp, Miss> {
        Ok(stamp(&self.0.borrow().metadata()?))
    }

    fn settle(&self, _: &Stamp) -> Result<(), Miss> {
        Ok(())
    }

    fn now(&self) -> Now {
        Now::ask()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Miss> {
        let mut file = self.0.borrow_mut();
        file.seek(SeekFrom::Start(offset))?;
        Ok(file.read(buffer)?)
    }
}

/// What the standard library tells of a version; it has no file number on every platform.
fn stamp(metadata: &Metadata) -> Stamp {
    let nanoseconds = |time: io::Result<SystemTime>| {
        time.ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_nanos() as i128)
    };
    let modified = nanoseconds(metadata.modified());
    Stamp {
        regular: metadata.is_file(),
        size: metadata.len(),
        identity: (0, nanoseconds(metadata.created()).unsigned_abs() as u64),
        modified,
        changed: modified,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Miss;
    use told_domain::observation::{Absence, Observation};

    fn look(path: &Path, within: &Path) -> Observation<FileBytes> {
        let read = Read {
            path: AbsolutePath::new(path).unwrap(),
            containment: Containment::Within(directory(within).unwrap()),
            max_bytes: 100,
        };
        let trust = Trust::new(Duration::ZERO);
        assert!(matches!(
            Desk::new(Pace::Inline, &trust, None).read(&read, 1000),
            Err(Miss::WouldBlock)
        ));
        match Desk::new(Pace::Waiting, &trust, None).read(&read, 1000) {
            Ok(bytes) => Observation::Available(bytes),
            Err(miss) => miss.observation(),
        }
    }

    #[test]
    fn the_portable_way_reads_contains_and_tells_kinds() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let project = root.join("project");
        fs::create_dir_all(project.join("sub")).unwrap();
        fs::write(project.join("a.md"), "text").unwrap();
        fs::write(root.join("out.md"), "text").unwrap();

        let Observation::Available(found) = look(&project.join("a.md"), &project) else {
            panic!("a.md is there");
        };
        assert_eq!((found.bytes.as_slice(), found.size), (b"text".as_slice(), 4));
        assert_eq!(found.canonical.as_path(), project.join("a.md"));
        let withheld = |reason| Observation::Absent(Absence::Withheld(reason));
        assert_eq!(look(&root.join("out.md"), &project), withheld(WithheldReason::OutsideProject));
        assert_eq!(look(&project.join("sub"), &project), withheld(WithheldReason::NotRegularFile));
        assert_eq!(look(&project.join("A.md"), &project), Observation::Absent(Absence::NotFound));
        assert!(matches!(directory(&project.join("a.md")), Err(miss)
            if miss.observation::<()>() == Observation::Absent(Absence::NotFound)));
        let trust = Trust::new(Duration::ZERO);
        let mut desk = Desk::new(Pace::Waiting, &trust, None);
        let kind = desk.probe(&AbsolutePath::new(&project).unwrap()).unwrap();
        assert_eq!(kind, EntryKind::Directory);
        assert!(matches!(directory_inline(&project), Err(Miss::WouldBlock)));
    }
}
