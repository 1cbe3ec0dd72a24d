//! The disk as the oracle knows it: every change is made to the fake and noted down here, and looks
//! are answered from the notes, by rules of their own.

use super::plan::{DIRECTORIES, Edit, GLOBAL, TARGETS};
use crate::{
    change::Change,
    fake::file_system::{FakeFileSystem, Fault, Rule, Step},
};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};
use told_domain::reason::UnavailableReason;

/// The disk, and the notes of what was done to it.
pub(super) struct Disk {
    pub(super) files: Arc<FakeFileSystem>,
    pub(super) notes: Notes,
}

/// The disk as the oracle knows it.
#[derive(Clone, Default)]
pub(super) struct Notes {
    entries: BTreeMap<String, Entry>,
    refused: BTreeMap<String, UnavailableReason>,
    failing: BTreeMap<String, UnavailableReason>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    File(String),
    Directory,
    Link(String),
    Fifo,
}

/// What a look must find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// A file, with its real path and its text.
    File(String, String),
    /// Something that is no file.
    Other(String),
    Nothing,
    Failed(UnavailableReason),
}

impl Disk {
    pub(super) fn new(marked: bool) -> Self {
        let files = Arc::new(FakeFileSystem::new());
        let mut disk = Self { files, notes: Notes::default() };
        let above = |path: &str| path.rsplit_once('/').map(|(above, _)| above.to_owned());
        let mut directories: Vec<String> = DIRECTORIES.iter().map(|d| (*d).to_owned()).collect();
        directories.extend(TARGETS.iter().chain([&GLOBAL]).filter_map(|path| above(path)));
        directories.push("/home".to_owned());
        directories.sort();
        directories.dedup();
        for directory in directories {
            disk.files.make_directories(&directory).ok();
            disk.notes.entries.insert(directory, Entry::Directory);
        }
        for target in TARGETS {
            disk.edit(&Edit::Write(target.to_owned(), "shared"));
        }
        if marked {
            disk.edit(&Edit::Marker("/repo", true));
        }
        disk
    }

    /// Makes a change, if the system lets it.
    pub(super) fn edit(&mut self, edit: &Edit) {
        match edit {
            Edit::Write(path, content) => {
                // In place: through a link to what it leads to, and never into what is no file.
                let place = self.notes.follow(path);
                if let Some(place) = place
                    && matches!(self.notes.entries.get(&place), None | Some(Entry::File(_)))
                    && self.change(Change::Write { path: path.into(), bytes: (*content).into() })
                {
                    self.notes.entries.insert(place, Entry::File((*content).to_owned()));
                }
            }
            Edit::Replace(path, content) => {
                let other = format!("{path}~");
                let write = Change::Write { path: (&other).into(), bytes: (*content).into() };
                if matches!(self.notes.entries.get(path), Some(Entry::Directory))
                    || !self.change(write)
                {
                    return;
                }
                let from = PathBuf::from(&other);
                if self.change(Change::Rename { from, to: path.into() }) {
                    self.notes.entries.insert(path.clone(), Entry::File((*content).to_owned()));
                }
            }
            Edit::Remove(path) => self.clear(path),
            Edit::Link(path, target) => {
                self.clear(path);
                let change = Change::Link { path: path.into(), target: target.into() };
                if self.change(change) {
                    self.notes.entries.insert(path.clone(), Entry::Link(target.clone()));
                }
            }
            Edit::Directory(path) => {
                self.clear(path);
                if self.change(Change::MakeDirectory { path: path.into() }) {
                    self.notes.entries.insert(path.clone(), Entry::Directory);
                }
            }
            Edit::Fifo(path) => {
                self.clear(path);
                if self.change(Change::Fifo { path: path.into() }) {
                    self.notes.entries.insert(path.clone(), Entry::Fifo);
                }
            }
            Edit::Marker(directory, present) => {
                let path = format!("{directory}/.git");
                self.clear(&path);
                if *present && self.change(Change::MakeDirectory { path: (&path).into() }) {
                    self.notes.entries.insert(path, Entry::Directory);
                }
            }
            Edit::Refuse(directory, refused) => {
                let reason = refused.then_some(UnavailableReason::PermissionDenied);
                // A directory above may hide it: then nothing happens.
                if self.files.refuse(directory, reason).is_ok() {
                    match reason {
                        Some(reason) => self.notes.refused.insert((*directory).to_owned(), reason),
                        None => self.notes.refused.remove(*directory),
                    };
                }
            }
        }
    }

    /// Lets looks at `path` fail until [`Self::heal`].
    pub(super) fn fail(&mut self, path: &str, reason: UnavailableReason) {
        if self.notes.failing.contains_key(path) {
            return;
        }
        self.files.script(Rule::new(Step::Looking, Fault::Fail(reason)).at(path).always());
        self.notes.failing.insert(path.to_owned(), reason);
    }

    pub(super) fn heal(&mut self) {
        self.files.heal();
        self.notes.failing.clear();
    }

    fn clear(&mut self, path: &str) {
        let gone = match self.notes.entries.get(path) {
            None => return,
            Some(Entry::Directory) => Change::RemoveDirectory { path: path.into() },
            Some(Entry::File(_) | Entry::Link(_) | Entry::Fifo) => {
                Change::Remove { path: path.into() }
            }
        };
        if self.change(gone) {
            self.notes.entries.remove(path);
        }
    }

    fn change(&self, change: Change) -> bool {
        self.files.apply(&change).is_ok()
    }
}

impl Notes {
    /// What a look at `path` must find.
    pub(super) fn look(&self, path: &str) -> Look {
        if let Some(reason) = self.failing.get(path) {
            return Look::Failed(*reason);
        }
        let mut at = path.to_owned();
        for _ in 0..=40 {
            if let Some(reason) = self.barred(&at) {
                return Look::Failed(reason);
            }
            match self.entries.get(&at) {
                Some(Entry::Link(target)) => at = target.clone(),
                Some(Entry::File(text)) => return Look::File(at, text.clone()),
                Some(Entry::Directory | Entry::Fifo) => return Look::Other(at),
                None => return Look::Nothing,
            }
        }
        Look::Failed(UnavailableReason::TooManyLinks)
    }

    /// Whether the directory itself can be reached.
    pub(super) fn reaches(&self, directory: &str) -> bool {
        self.barred(directory).is_none()
    }

    /// The text at `path`, if it is a file of its own.
    pub(super) fn is_empty_file(&self, path: &str) -> bool {
        self.entries.get(path) == Some(&Entry::File(String::new()))
    }

    fn barred(&self, path: &str) -> Option<UnavailableReason> {
        let above = |directory: &str| path.starts_with(&format!("{directory}/"));
        self.refused.iter().find(|(directory, _)| above(directory)).map(|(_, reason)| *reason)
    }

    fn follow(&self, path: &str) -> Option<String> {
        let mut at = path.to_owned();
        for _ in 0..=40 {
            match self.entries.get(&at) {
                Some(Entry::Link(target)) => at = target.clone(),
                Some(Entry::File(_) | Entry::Directory | Entry::Fifo) | None => return Some(at),
            }
        }
        None
    }
}
