//! The kinds of change that a system's watching is silent about: another name of a file, a mapping, a
//! directory above that moves, a mount.

use super::{
    disk::{Disk, Entry, Notes},
    naive::within,
    plan::Edit,
};
use crate::{change::Change, fake::file_system::Mounted};
use std::collections::{BTreeMap, BTreeSet};
use told_domain::reason::UnavailableReason;

/// A file that was written through a mapping and is not closed: until then nothing tells of it.
#[derive(Clone, Debug)]
pub(super) struct Mapped {
    file: usize,
    /// What it held before each of these writes, since something last told of it.
    before: Vec<String>,
    /// Whose process was told by itself, or began anew: process and Location.
    pub(super) known: BTreeSet<(usize, String)>,
}

/// A mount.
pub(super) struct Over {
    at: String,
    mounted: Mounted,
    /// What lies under it.
    entries: BTreeMap<String, Entry>,
    refused: BTreeMap<String, UnavailableReason>,
}

impl Disk {
    /// Makes a change that watching has to make up for.
    pub(super) fn silently(&mut self, edit: &Edit) {
        match edit {
            Edit::HardLink(file, name) => self.hard_link(file, name),
            Edit::Mapped(path, byte) | Edit::Own(_, _, path, byte) => self.map(path, *byte),
            Edit::Unmapped => {
                self.unmap();
            }
            Edit::Exchange(one, other) => self.exchange(one, other),
            Edit::Away(directory, true) => self.rename(directory, &format!("{directory}~")),
            Edit::Away(directory, false) => self.rename(&format!("{directory}~"), directory),
            Edit::Mount(at, true) => self.mount(at),
            Edit::Mount(at, false) => self.unmount(at),
            _ => {}
        }
    }

    fn hard_link(&mut self, file: &str, name: &str) {
        let Some(Entry::File(number)) = self.notes.entries.get(file).cloned() else { return };
        if file != name {
            self.clear(name);
        }
        if self.files.hard_link(file, name).is_ok() {
            self.notes.entries.insert(name.to_owned(), Entry::File(number));
            self.notes.tells(number);
        }
    }

    fn map(&mut self, path: &str, byte: u8) {
        let Some(place) = self.notes.follow(path) else { return };
        let Some(Entry::File(file)) = self.notes.entries.get(&place).cloned() else { return };
        let before = self.notes.texts[file].clone();
        // What it holds stays text.
        let first = before.as_bytes().first().copied();
        if first.is_none_or(|first| !first.is_ascii() || first == byte) {
            return;
        }
        let other = self.notes.mapped.as_ref().is_some_and(|mapped| mapped.file != file);
        if other && !self.unmap() || self.files.write_mapped(path, byte).is_err() {
            return;
        }
        self.notes.texts[file] = format!("{}{}", char::from(byte), &before[1..]);
        let new = Mapped { file, before: Vec::new(), known: BTreeSet::new() };
        let mapped = self.notes.mapped.get_or_insert(new);
        mapped.before.push(before);
        mapped.known.clear();
    }

    /// Closes what is mapped. Whether nothing is.
    pub(super) fn unmap(&mut self) -> bool {
        let Some(mapped) = &self.notes.mapped else { return true };
        let is_it = |(_, entry): &(&String, &Entry)| **entry == Entry::File(mapped.file);
        let Some((path, _)) = self.notes.entries.iter().find(is_it) else { return false };
        if self.files.close_mapped(path).is_err() {
            return false;
        }
        self.notes.mapped = None;
        true
    }

    fn exchange(&mut self, one: &str, other: &str) {
        let both = [one, other];
        if both.iter().any(|path| self.is_pinned(path) || !self.notes.is_directory(path)) {
            return;
        }
        if self.files.exchange(one, other).is_ok() {
            let (first, second) = (self.notes.take(one), self.notes.take(other));
            self.notes.put(one, other, first);
            self.notes.put(other, one, second);
        }
    }

    fn rename(&mut self, from: &str, to: &str) {
        if self.is_pinned(from) || !self.notes.is_directory(from) {
            return;
        }
        if self.notes.entries.contains_key(to) {
            return;
        }
        if self.change(Change::Rename { from: from.into(), to: to.into() }) {
            let moved = self.notes.take(from);
            self.notes.put(from, to, moved);
        }
    }

    /// Whether something is mounted there or below.
    fn is_pinned(&self, path: &str) -> bool {
        self.over.as_ref().is_some_and(|over| within(&over.at, path))
    }

    fn mount(&mut self, at: &str) {
        if self.over.is_some() || !self.notes.is_directory(at) {
            return;
        }
        if let Ok(mounted) = self.files.mount(at) {
            let (entries, refused) = self.notes.take(at);
            self.notes.entries.insert(at.to_owned(), Entry::Directory);
            self.over = Some(Over { at: at.to_owned(), mounted, entries, refused });
        }
    }

    fn unmount(&mut self, at: &str) {
        let Some(over) = self.over.take_if(|over| over.at == at) else { return };
        let Over { at, mounted, entries, refused } = over;
        // It stands where it was mounted: whatever would have moved it was refused.
        if self.files.unmount(&at, mounted).is_ok() {
            self.notes.take(&at);
            self.notes.put(&at, &at, (entries, refused));
        }
    }
}

type Moved = (BTreeMap<String, Entry>, BTreeMap<String, UnavailableReason>);

impl Notes {
    fn is_directory(&self, path: &str) -> bool {
        self.entries.get(path) == Some(&Entry::Directory)
    }

    /// Whether the file that `path` leads to has another name.
    pub(super) fn has_other_names(&self, path: &str) -> bool {
        let Some(place) = self.follow(path) else { return false };
        let Some(file @ Entry::File(_)) = self.entries.get(&place) else { return false };
        self.entries.values().filter(|entry| *entry == file).count() > 1
    }

    /// Something tells that this file changed.
    pub(super) fn tells(&mut self, file: usize) {
        self.mapped.take_if(|mapped| mapped.file == file);
    }

    /// The disk as one sees it who was told of nothing that was written through a mapping.
    pub(super) fn blind(&self) -> Vec<Self> {
        let Some(mapped) = &self.mapped else { return Vec::new() };
        let as_before = |text: &String| {
            let mut before = self.clone();
            before.texts[mapped.file].clone_from(text);
            before
        };
        mapped.before.iter().map(as_before).collect()
    }

    /// Whether a process may not have been told of what was mapped.
    pub(super) fn is_unknown_to(&self, process: usize, location: &str) -> bool {
        let known = |mapped: &Mapped| mapped.known.contains(&(process, location.to_owned()));
        self.mapped.as_ref().is_some_and(|mapped| !known(mapped))
    }

    /// Whether `path` leads to what is mapped.
    pub(super) fn is_mapped(&self, path: &str) -> bool {
        let place = self.follow(path);
        let entry = place.and_then(|place| self.entries.get(&place));
        self.mapped.as_ref().is_some_and(|mapped| entry == Some(&Entry::File(mapped.file)))
    }

    /// What a process says that it changed: the path that it used, the file's own, or its directory.
    pub(super) fn said(&self, path: &str, any: u8) -> String {
        let own = self.follow(path).unwrap_or_else(|| path.to_owned());
        match any % 3 {
            0 => path.to_owned(),
            1 => own,
            _ => own.rsplit_once('/').map_or(own.clone(), |(above, _)| above.to_owned()),
        }
    }

    /// Whatever a process knew of these Locations, it asks again.
    pub(super) fn forgotten_by(&mut self, process: usize, locations: &[&str]) {
        if let Some(mapped) = &mut self.mapped {
            let known = locations.iter().map(|location| (process, (*location).to_owned()));
            mapped.known.extend(known);
        }
    }

    /// Takes away a directory and all below it.
    fn take(&mut self, directory: &str) -> Moved {
        (below(&mut self.entries, directory), below(&mut self.refused, directory))
    }

    /// Puts it elsewhere.
    fn put(&mut self, from: &str, to: &str, (entries, refused): Moved) {
        let moved = |path: String| format!("{to}{}", &path[from.len()..]);
        self.entries.extend(entries.into_iter().map(|(path, entry)| (moved(path), entry)));
        self.refused.extend(refused.into_iter().map(|(path, reason)| (moved(path), reason)));
    }
}

/// Takes out what is a directory or lies below it.
fn below<T>(all: &mut BTreeMap<String, T>, directory: &str) -> BTreeMap<String, T> {
    let (below, rest) =
        std::mem::take(all).into_iter().partition(|(path, _)| within(path, directory));
    *all = rest;
    below
}
