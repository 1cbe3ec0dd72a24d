//! Changes to a tree of files, that a fake and a real directory make alike.

use std::{ffi::OsString, path::PathBuf};

/// One change, as one system call makes it. Paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Writes a file from its start, in place; makes it where it is missing. Follows links.
    Write {
        /// The file.
        path: PathBuf,
        /// Its new content.
        bytes: Vec<u8>,
    },
    /// Sets a file's size: the rest goes, or zeros come without using any space. Follows links.
    Resize {
        /// The file.
        path: PathBuf,
        /// Its new size.
        size: u64,
    },
    /// Removes an entry that is no directory.
    Remove {
        /// The entry.
        path: PathBuf,
    },
    /// Makes a directory.
    MakeDirectory {
        /// The directory; the one above it exists.
        path: PathBuf,
    },
    /// Removes an empty directory.
    RemoveDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// Moves an entry, over another where one is there and may be replaced.
    Rename {
        /// The entry.
        from: PathBuf,
        /// Its new path.
        to: PathBuf,
    },
    /// Makes a symbolic link.
    Link {
        /// The link.
        path: PathBuf,
        /// What it holds, as it is.
        target: OsString,
    },
    /// Makes a FIFO.
    Fifo {
        /// The FIFO.
        path: PathBuf,
    },
    /// Makes a socket.
    Socket {
        /// The socket.
        path: PathBuf,
    },
}

/// The system refused a change; the tree is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;
