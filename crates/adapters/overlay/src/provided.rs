//! What is provided: entries by path, and the directories that they imply.

use std::collections::BTreeMap;
use told_domain::{
    observation::{Absence, Observation},
    path::AbsolutePath,
};
use told_ports::{ProvideError, Provided};

/// Files that are provided, at most (R-OBS-12).
pub const ENTRIES: usize = 10_000;

/// Bytes of content that are provided, at most (R-OBS-12).
pub const PROVIDED_BYTES: usize = 64 * 1024 * 1024;

/// How much is provided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) entries: usize,
    pub(crate) bytes: usize,
}

impl Amount {
    pub(crate) const fn and(self, other: Self) -> Self {
        Self { entries: self.entries + other.entries, bytes: self.bytes + other.bytes }
    }

    fn check(self) -> Result<(), ProvideError> {
        if self.entries > ENTRIES {
            return Err(ProvideError::Files { limit: ENTRIES, files: self.entries });
        }
        if self.bytes > PROVIDED_BYTES {
            return Err(ProvideError::Bytes { limit: PROVIDED_BYTES, bytes: self.bytes });
        }
        Ok(())
    }
}

/// The entries of one overlay. A batch looks at one version of them.
#[derive(Clone, Default)]
pub(crate) struct Tree {
    entries: BTreeMap<AbsolutePath, Provided>,
    /// The directories above provided files; of each the names of what leads there, with how many
    /// files make it exist.
    directories: BTreeMap<AbsolutePath, BTreeMap<String, usize>>,
    bytes: usize,
}

/// What the tree says of one path.
pub(crate) enum Standing<'a> {
    /// The entry of exactly this path.
    Entry(&'a Provided),
    /// A directory above a provided file.
    Directory,
    /// It lies below an entry that has nothing below it.
    Below(&'a Provided),
    /// Nothing: the inner file system answers.
    Open,
}

impl Tree {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn amount(&self) -> Amount {
        Amount { entries: self.entries.len(), bytes: self.bytes }
    }

    /// Lets `path` be this, where `beside` is provided elsewhere.
    pub(crate) fn provide(
        &mut self,
        path: AbsolutePath,
        provided: Provided,
        beside: Amount,
    ) -> Result<(), ProvideError> {
        if path.parent().is_none() {
            let why = "is a root directory, and no file";
            return Err(ProvideError::Path { path: path.to_string(), why });
        }
        let before = self.entries.get(&path);
        let more = Amount { entries: usize::from(before.is_none()), bytes: size(&provided) };
        let without = Amount { bytes: self.bytes - before.map_or(0, size), ..self.amount() };
        beside.and(without).and(more).check()?;
        self.withdraw(&path);
        self.bytes += size(&provided);
        if matches!(provided, Provided::Content(_)) {
            for (directory, name) in above(&path) {
                *self.directories.entry(directory).or_default().entry(name).or_default() += 1;
            }
        }
        self.entries.insert(path, provided);
        Ok(())
    }

    /// Whether there was an entry.
    pub(crate) fn withdraw(&mut self, path: &AbsolutePath) -> bool {
        let Some(provided) = self.entries.remove(path) else {
            return false;
        };
        self.bytes -= size(&provided);
        if matches!(provided, Provided::Content(_)) {
            for (directory, name) in above(path) {
                self.release(&directory, &name);
            }
        }
        true
    }

    fn release(&mut self, directory: &AbsolutePath, name: &str) {
        let Some(names) = self.directories.get_mut(directory) else {
            return;
        };
        if let Some(count) = names.get_mut(name) {
            *count -= 1;
            if *count == 0 {
                names.remove(name);
            }
        }
        if names.is_empty() {
            self.directories.remove(directory);
        }
    }

    /// The nearest word on `path`: a directory that must exist, else its own entry, else the nearest
    /// one above.
    pub(crate) fn standing(&self, path: &AbsolutePath) -> Standing<'_> {
        match self.entries.get(path) {
            // Both can be provided; a file needs its directory.
            _ if self.directories.contains_key(path) => Standing::Directory,
            Some(provided) => Standing::Entry(provided),
            // Nothing to walk up to in the usual case.
            None if self.entries.is_empty() => Standing::Open,
            None => self.above(path),
        }
    }

    fn above(&self, path: &AbsolutePath) -> Standing<'_> {
        for directory in path.ancestors().skip(1) {
            if let Some(provided) = self.entries.get(&directory) {
                return Standing::Below(provided);
            }
        }
        Standing::Open
    }

    /// The nearest entry at or above a directory.
    pub(crate) fn cover(&self, directory: &AbsolutePath) -> Option<&Provided> {
        directory.ancestors().find_map(|path| self.entries.get(&path))
    }

    /// The names that provided files give a directory.
    pub(crate) fn names(&self, directory: &AbsolutePath) -> impl Iterator<Item = &str> {
        self.directories.get(directory).into_iter().flat_map(BTreeMap::keys).map(String::as_str)
    }

    /// The entries below a directory.
    pub(crate) fn below(
        &self,
        directory: &AbsolutePath,
    ) -> impl Iterator<Item = (&AbsolutePath, &Provided)> {
        // What lies below a directory need not stand together: `a-b` comes between `a` and `a/b`.
        self.entries.iter().filter(move |(path, _)| path.is_within(directory) && *path != directory)
    }

    /// The names that are taken out of a directory.
    pub(crate) fn hidden(&self, directory: &AbsolutePath) -> impl Iterator<Item = &str> {
        let entries = self.entries.iter().filter(|(path, provided)| {
            **provided == Provided::Absent
                && path.parent().as_ref() == Some(directory)
                && !self.directories.contains_key(*path)
        });
        entries.filter_map(|(path, _)| path.file_name())
    }
}

/// What is found where an entry is no directory, or below it.
pub(crate) const fn nothing<T>(provided: &Provided) -> Observation<T> {
    match provided {
        Provided::Content(_) | Provided::Absent => Observation::Absent(Absence::NotFound),
        Provided::Unavailable(reason) => Observation::Unavailable(*reason),
    }
}

fn size(provided: &Provided) -> usize {
    match provided {
        Provided::Content(bytes) => bytes.len(),
        Provided::Absent | Provided::Unavailable(_) => 0,
    }
}

/// Every directory above `path`, with the name in it that leads there.
fn above(path: &AbsolutePath) -> impl Iterator<Item = (AbsolutePath, String)> {
    path.ancestors().filter_map(|entry| {
        let name = entry.file_name()?.to_owned();
        Some((entry.parent()?, name))
    })
}
