//! Finds all that lies below a directory, to a limit and a depth; links are not followed (R-CFG-2).

use crate::cause::Miss;
use std::{
    collections::VecDeque,
    fs, io,
    path::{Path, PathBuf},
};
use told_domain::{
    look::{Below, Containment, Scan},
    reason::WithheldReason,
};

/// What lies below the directory. Where `is_wanted` says no, nobody waits for the rest any more.
pub(crate) fn scan(scan: &Scan, is_wanted: impl Fn() -> bool) -> Result<Below, Miss> {
    let root = contained(scan)?;
    let mut below = Below::default();
    let (mut entries, mut directories) = (0, 0);
    // Breadth first: what is near the root is found before the limit is passed.
    let mut ahead = VecDeque::from([(PathBuf::new(), 0)]);
    while let Some((directory, depth)) = ahead.pop_front() {
        if depth >= scan.max_depth {
            below.deeper = true;
            continue;
        }
        if directories >= scan.max_directories {
            below.more = true;
            break;
        }
        directories += 1;
        if !is_wanted() {
            return Err(io::Error::from(io::ErrorKind::TimedOut).into());
        }
        let listed = match fs::read_dir(root.join(&directory)) {
            Ok(listed) => listed,
            Err(error) if !directory.as_os_str().is_empty() && is_gone(&error) => continue,
            Err(error) => return Err(error.into()),
        };
        for entry in listed {
            let entry = entry?;
            if entries >= scan.max_entries {
                below.more = true;
                break;
            }
            entries += 1;
            let name = entry.file_name();
            if !scan.counts(&name) {
                continue;
            }
            let path = directory.join(&name);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    if scan.enters(&name) {
                        ahead.push_back((path, depth + 1));
                    }
                }
                Ok(_) => below.paths.push(path),
                Err(error) if is_gone(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if below.more {
            break;
        }
    }
    // Nobody moved it away meanwhile.
    if contained(scan)? != root {
        return Err(Miss::Changed);
    }
    below.paths.sort_unstable();
    Ok(below)
}

/// Where the directory really is.
fn contained(scan: &Scan) -> Result<PathBuf, Miss> {
    let root = fs::canonicalize(scan.directory.as_path())?;
    match &scan.containment {
        Containment::Within(boundary) if !root.starts_with(boundary.as_path()) => {
            Err(Miss::Withheld(WithheldReason::OutsideProject))
        }
        Containment::Within(_) | Containment::Anywhere => directory(&root).map(|()| root),
    }
}

fn directory(path: &Path) -> Result<(), Miss> {
    if fs::metadata(path)?.is_dir() {
        Ok(())
    } else {
        Err(io::Error::from(io::ErrorKind::NotADirectory).into())
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
