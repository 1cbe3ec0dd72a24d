//! What a boundary looks at, and what it sees: one batch of file-system looks, asked and answered
//! in the same order (R-OBS-10). `plan` writes the question, the `FileSystem` port the answer.

use crate::{
    configuration::ProjectConfiguration,
    key::SourceKey,
    observation::Observation,
    path::{AbsolutePath, CanonicalPath},
    position::Revision,
    reason::{UnavailableReason, WithheldReason},
};
use serde::{Deserialize, Serialize};
use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
    sync::Arc,
};

/// One batch of looks. Reads come in order of precedence, the most specific first (R-OBS-12).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// Files to open and read.
    pub reads: Vec<Read>,
    /// Entries of which only the existence and kind count, links followed.
    pub probes: Vec<AbsolutePath>,
    /// Directories of which the entries' names count.
    pub listings: Vec<Listing>,
    /// Directories of which all that lies below counts.
    pub scans: Vec<Scan>,
    /// Bytes to read in all; what passes them is withheld unread (`limit`).
    pub total_bytes: u64,
    /// Milliseconds for the whole batch; what has not answered by then is unavailable (`timeout`).
    pub look_ms: u64,
}

/// One file to open and read in one step, so that nothing can vanish in between (R-OBS-2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    /// Where to look.
    pub path: AbsolutePath,
    /// Where the opened file must really be.
    pub containment: Containment,
    /// Reading stops here (R-OBS-6).
    pub max_bytes: u64,
}

/// Where an opened file may really be. It is checked on the opened file (R-OBS-7).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Containment {
    /// Links may lead anywhere: a global file, or the user's policy.
    Anywhere,
    /// At or below this directory, else it is withheld (`outside_project`).
    Within(CanonicalPath),
}

/// One directory to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The directory.
    pub directory: AbsolutePath,
    /// Reading entries stops here (R-OBS-12).
    pub max_entries: u64,
}

/// One directory of which all that lies below it is to be found, links not followed (R-CFG-2).
/// `.git` and `node_modules` are never entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The directory.
    pub directory: AbsolutePath,
    /// Where it must really be.
    pub containment: Containment,
    /// Entries of the directory have depth 1; what is deeper than this is not looked at.
    pub max_depth: u32,
    /// Looking stops after so many entries, directories counted (R-OBS-12).
    pub max_entries: u64,
    /// And before more directories than these are listed, the scan's own counted.
    pub max_directories: u64,
    /// Whether names that begin with a dot count.
    pub hidden: Hidden,
}

impl Scan {
    /// Whether an entry of this name counts.
    #[must_use]
    pub fn counts(&self, name: &OsStr) -> bool {
        match self.hidden {
            Hidden::Counts => true,
            Hidden::LeftOut => !name.as_encoded_bytes().starts_with(b"."),
        }
    }

    /// Whether what lies below a directory of this name counts.
    #[must_use]
    pub fn enters(&self, name: &OsStr) -> bool {
        self.counts(name) && name != ".git" && name != "node_modules"
    }
}

/// Whether names that begin with a dot count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hidden {
    /// They do.
    Counts,
    /// They do not, and such directories are not entered.
    LeftOut,
}

/// The answers, each list as long as its question and in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// What each read found.
    pub files: Vec<Observation<FileBytes>>,
    /// What each probe found.
    pub probes: Vec<Observation<EntryKind>>,
    /// What each listing found.
    pub listings: Vec<Observation<Names>>,
    /// What each scan found.
    pub scans: Vec<Observation<Below>>,
}

/// One version of a regular file (R-OBS-9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBytes {
    /// Where the opened file really is.
    pub canonical: CanonicalPath,
    /// Its first bytes, at most the read's `max_bytes`.
    pub bytes: Vec<u8>,
    /// Its whole size in bytes; more than `bytes` holds where the read stopped at the limit.
    pub size: u64,
}

/// What kind of thing an entry is, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A FIFO, socket or device.
    Other,
}

/// The names in a directory, sorted by their bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// At most the listing's `max_entries`.
    pub names: Vec<OsString>,
    /// Whether there were more.
    pub more: bool,
}

/// What lies below a directory and is no directory itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Below {
    /// Paths relative to the directory, sorted component by component by their bytes.
    pub paths: Vec<PathBuf>,
    /// Whether looking stopped at the scan's `max_entries` or `max_directories`.
    pub more: bool,
    /// Whether there are directories at `max_depth`, which were not entered.
    pub deeper: bool,
}

/// What a record that admits keeps of its look, so that a process without a later look of its own
/// can answer from it (R-BND-10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// The project boundary as it was found.
    pub boundary: CanonicalPath,
    /// The project's own configuration that counts (R-CFG-6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Arc<ProjectConfiguration>>,
    /// Sources that could not be observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
    /// What was left out, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Withheld>,
}

/// An unavailable source: what was told of it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Held {
    /// The source; an unavailable candidate is listed under its own path (R-OBS-11).
    #[serde(rename = "source")]
    pub key: SourceKey,
    /// Why.
    pub reason: UnavailableReason,
    /// The record that told what stands; nothing where it was never told.
    pub since: Option<Revision>,
}

/// Something left out by policy, under its own path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Withheld {
    /// The source.
    #[serde(rename = "source")]
    pub key: SourceKey,
    /// Why.
    pub reason: WithheldReason,
}
