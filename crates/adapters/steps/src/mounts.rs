//! The table of mounts, which no watch of a directory tells about.

use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{Mode, OFlags},
    io::Errno,
};
use std::{collections::HashSet, ffi::OsString, os::unix::ffi::OsStringExt as _, path::PathBuf};

const TABLE: &str = "/proc/self/mountinfo";

/// The table, held open: the kernel tells through the descriptor that it changed.
#[derive(Debug)]
pub struct Mounts {
    descriptor: OwnedFd,
    mounted: Vec<Mount>,
    /// How often it changed.
    changes: u64,
}

#[derive(Debug)]
struct Mount {
    at: PathBuf,
    /// What is mounted there, as the table says it: numbers, device and root.
    what: String,
}

impl Mounts {
    pub(crate) fn open() -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let descriptor = rustix::fs::open(TABLE, flags, Mode::empty())?;
        let mut mounts = Self { descriptor, mounted: Vec::new(), changes: 0 };
        mounts.changed()?;
        Ok(mounts)
    }

    /// To be polled for `PRI`.
    #[must_use]
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }

    pub(crate) const fn changes(&self) -> u64 {
        self.changes
    }

    /// Reads the table anew.
    pub(crate) fn changed(&mut self) -> Result<(), Errno> {
        let table = std::fs::read(TABLE)
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        self.mounted = table.split(|byte| *byte == b'\n').filter_map(mount).collect();
        self.changes += 1;
        Ok(())
    }

    /// What is mounted at these places.
    pub(crate) fn at(&self, places: &HashSet<PathBuf>) -> Vec<String> {
        let there = self.mounted.iter().filter(|mount| places.contains(&mount.at));
        let mut there: Vec<_> = there.map(|mount| mount.what.clone()).collect();
        // The table's own order changes when something elsewhere does.
        there.sort_unstable();
        there
    }
}

/// From a line `36 35 98:0 /root /mnt\040point rw,noatime …`.
fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let numbers: Vec<&[u8]> = fields.by_ref().take(4).collect();
    let at = PathBuf::from(OsString::from_vec(unescaped(fields.next()?)));
    let what = String::from_utf8_lossy(&numbers.join(&b' ')).into_owned();
    Some(Mount { at, what })
}

/// Blanks, line ends and backslashes stand as three octal digits.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| first == b'\\');
        let octal = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = &after[3..];
            }
            None => {
                plain.push(first);
                rest = after;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_place_with_its_blanks_and_what_is_there() {
        let line = br"36 35 98:0 /root /mnt\040a\134b rw,noatime master:1 - ext3 /dev/root rw";
        let found = mount(line).unwrap();
        assert_eq!(found.at, PathBuf::from(r"/mnt a\b"));
        assert_eq!(found.what, "36 35 98:0 /root");
        assert!(mount(b"").is_none());
    }
}
