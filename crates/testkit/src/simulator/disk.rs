//! The disk as the oracle knows it: every change is made to the fake and noted down here, and looks
//! are answered from the notes, by rules of their own.

use super::{
    plan::{DIRECTORIES, Edit, GLOBAL, Setup, TARGETS},
    silent::{Mapped, Over},
};
use crate::{
    change::Change,
    fake::file_system::{FakeFileSystem, Fault, Rule, Step},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};
use told_domain::reason::UnavailableReason;

/// The disk, and the notes of what was done to it.
pub(super) struct Disk {
    pub(super) files: Arc<FakeFileSystem>,
    pub(super) notes: Notes,
    /// What is mounted, and over what.
    pub(super) over: Option<Over>,
}

/// The disk as the oracle knows it.
#[derive(Clone, Default)]
pub(super) struct Notes {
    pub(super) entries: BTreeMap<String, Entry>,
    /// What each file holds: a file can have several names.
    pub(super) texts: Vec<String>,
    pub(super) refused: BTreeMap<String, UnavailableReason>,
    failing: BTreeMap<String, UnavailableReason>,
    /// Paths that are written with what they hold while somebody reads them.
    churning: BTreeSet<String>,
    /// What was written through a mapping and is not closed.
    pub(super) mapped: Option<Mapped>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A file, by its number.
    File(usize),
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

/// What a question for a directory must find.
pub(super) enum Directory {
    Is(String),
    IsNone,
    Failed(UnavailableReason),
}

impl Disk {
    pub(super) fn new(setup: &Setup) -> Self {
        let files = Arc::new(FakeFileSystem::new());
        let mut disk = Self { files, notes: Notes::default(), over: None };
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
        disk.edit(&Edit::Marker("/repo", setup.marked));
        disk.edit(&Edit::Marker("/repo/sub", setup.nested));
        disk
    }

    /// Makes a change, if the system lets it.
    pub(super) fn edit(&mut self, edit: &Edit) {
        self.make(edit);
        if !self.notes.churning.is_empty() {
            self.script();
        }
    }

    fn make(&mut self, edit: &Edit) {
        match edit {
            Edit::Write(path, content) => {
                // In place: through a link to what it leads to, and never into what is no file.
                let place = self.notes.follow(path);
                if let Some(place) = place
                    && matches!(self.notes.entries.get(&place), None | Some(Entry::File(_)))
                    && self.change(Change::Write { path: path.into(), bytes: (*content).into() })
                {
                    self.notes.write(place, content);
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
                    self.notes.gone(path);
                    self.notes.write(path.clone(), content);
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
            other => self.silently(other),
        }
    }

    /// Lets looks at `path` fail until [`Self::heal`].
    pub(super) fn fail(&mut self, path: &str, reason: UnavailableReason) {
        self.notes.failing.entry(path.to_owned()).or_insert(reason);
        self.script();
    }

    /// Lets every read of `path` find that the file changed meanwhile until [`Self::heal`].
    pub(super) fn churn(&mut self, path: &str) {
        self.notes.churning.insert(path.to_owned());
        self.script();
    }

    pub(super) fn heal(&mut self) {
        self.notes.failing.clear();
        self.notes.churning.clear();
        self.script();
    }

    /// Writes the script anew: what churns is written with what it holds by now.
    fn script(&self) {
        self.files.heal();
        for (path, reason) in &self.notes.failing {
            self.files.script(Rule::new(Step::Looking, Fault::Fail(*reason)).at(path).always());
        }
        for path in &self.notes.churning {
            if let Some(text) = self.notes.text(path) {
                let again = Change::Write { path: path.into(), bytes: text.into() };
                self.files
                    .script(Rule::new(Step::Stamping, Fault::Change(again)).at(path).always());
            }
        }
    }

    pub(super) fn clear(&mut self, path: &str) {
        let gone = match self.notes.entries.get(path) {
            None => return,
            Some(Entry::Directory) => Change::RemoveDirectory { path: path.into() },
            Some(Entry::File(_) | Entry::Link(_) | Entry::Fifo) => {
                Change::Remove { path: path.into() }
            }
        };
        if self.change(gone) {
            self.notes.gone(path);
        }
    }

    pub(super) fn change(&self, change: Change) -> bool {
        self.files.apply(&change).is_ok()
    }
}

impl Notes {
    /// What a look at `path` must find.
    pub(super) fn look(&self, path: &str) -> Look {
        if let Some(reason) = self.failing.get(path) {
            return Look::Failed(*reason);
        }
        let real = match self.walk(path) {
            Ok(Some(real)) => real,
            Ok(None) => return Look::Nothing,
            Err(reason) => return Look::Failed(reason),
        };
        match self.entries.get(&real) {
            Some(Entry::File(file)) => Look::File(real, self.texts[*file].clone()),
            Some(Entry::Directory | Entry::Fifo) => Look::Other(real),
            Some(Entry::Link(_)) | None => Look::Nothing,
        }
    }

    /// Walks to where `path` leads, a component at a time; nothing where something on the way is missing
    /// or is no directory.
    fn walk(&self, path: &str) -> Result<Option<String>, UnavailableReason> {
        let parts = |path: &str| -> Vec<String> {
            path.split('/').filter(|part| !part.is_empty()).rev().map(str::to_owned).collect()
        };
        let (mut at, mut left, mut links) = (String::new(), parts(path), 0);
        while let Some(part) = left.pop() {
            if !at.is_empty() && self.entries.get(&at) != Some(&Entry::Directory) {
                return Ok(None);
            }
            if let Some(reason) = self.refused.get(&at) {
                return Err(*reason);
            }
            let next = format!("{at}/{part}");
            match self.entries.get(&next) {
                Some(Entry::Link(_)) if links == 40 => return Err(UnavailableReason::TooManyLinks),
                Some(Entry::Link(target)) => {
                    links += 1;
                    at.clear();
                    left.extend(parts(target));
                }
                Some(Entry::File(_) | Entry::Directory | Entry::Fifo) | None => at = next,
            }
        }
        Ok(Some(at))
    }

    /// Whether a read of `path` finds that the file changed meanwhile.
    pub(super) fn churns(&self, path: &str) -> bool {
        self.churning.contains(path)
    }

    /// What the file that `path` leads to holds.
    fn text(&self, path: &str) -> Option<String> {
        match self.entries.get(&self.follow(path)?) {
            Some(Entry::File(file)) => Some(self.texts[*file].clone()),
            Some(Entry::Link(_) | Entry::Directory | Entry::Fifo) | None => None,
        }
    }

    /// The real path of a directory.
    pub(super) fn directory(&self, path: &str) -> Directory {
        if path == "/" {
            return Directory::Is("/".to_owned());
        }
        match self.look(path) {
            Look::Other(real) if self.entries.get(&real) == Some(&Entry::Directory) => {
                Directory::Is(real)
            }
            Look::Failed(reason) => Directory::Failed(reason),
            Look::File(..) | Look::Other(_) | Look::Nothing => Directory::IsNone,
        }
    }

    /// Whether the directory is there and can be reached.
    pub(super) fn reaches(&self, directory: &str) -> bool {
        matches!(self.directory(directory), Directory::Is(_))
    }

    /// The text at `path`, if it is a file of its own.
    pub(super) fn is_empty_file(&self, path: &str) -> bool {
        match self.entries.get(path) {
            Some(Entry::File(file)) => self.texts[*file].is_empty(),
            Some(Entry::Directory | Entry::Link(_) | Entry::Fifo) | None => false,
        }
    }

    /// Writes the file at `place`, or makes it.
    fn write(&mut self, place: String, text: &str) {
        let file = match self.entries.get(&place) {
            Some(Entry::File(file)) => *file,
            Some(Entry::Directory | Entry::Link(_) | Entry::Fifo) | None => {
                self.texts.push(String::new());
                self.texts.len() - 1
            }
        };
        self.texts[file] = text.to_owned();
        self.entries.insert(place, Entry::File(file));
        self.tells(file);
    }

    /// What was at `path` has that name no longer.
    fn gone(&mut self, path: &str) {
        if let Some(Entry::File(file)) = self.entries.remove(path) {
            self.tells(file);
        }
    }

    /// What looks do not find as it is: failing paths with their reason, and churning ones.
    pub(super) fn troubled(&self) -> BTreeMap<String, Option<UnavailableReason>> {
        let failing = self.failing.iter().map(|(path, reason)| (path.clone(), Some(*reason)));
        self.churning.iter().map(|path| (path.clone(), None)).chain(failing).collect()
    }

    pub(super) fn follow(&self, path: &str) -> Option<String> {
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
