//! One batch: which of its looks are answered here, and what the inner file system is asked.

use crate::{
    bytes::{Answer, Count, answers, count},
    provided::{Standing, Tree, nothing},
    scan,
};
use std::{collections::BTreeSet, ffi::OsString};
use told_domain::{
    look::{Below, Containment, EntryKind, FileBytes, Listing, Looks, Names, Read, Seen},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    reason::WithheldReason,
};
use told_ports::Provided;

/// Batches that one batch asks of the inner file system, at most. One is the rule. Another is needed
/// only where the total limit was passed, and what is provided changed the files that it fell on.
const PASSES: usize = 3;

/// One batch on its way.
pub(crate) struct Batch<'a> {
    tree: &'a Tree,
    looks: &'a Looks,
    files: Vec<Answer>,
    /// Nothing where the inner file system is to answer.
    probes: Vec<Option<Observation<EntryKind>>>,
    listings: Vec<Option<Observation<Names>>>,
    scans: Vec<Option<Observation<Below>>>,
    passes: usize,
    asked: Asked,
}

/// What the last question was about, by index.
#[derive(Default)]
struct Asked {
    files: Vec<usize>,
    probes: Vec<usize>,
    listings: Vec<usize>,
    scans: Vec<usize>,
    total_bytes: u64,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(tree: &'a Tree, looks: &'a Looks) -> Self {
        let file = |read| file(tree, read).map_or(Answer::Open, Answer::Seen);
        Self {
            tree,
            looks,
            files: looks.reads.iter().map(file).collect(),
            probes: looks.probes.iter().map(|path| kind(tree, path)).collect(),
            listings: looks.listings.iter().map(|listing| names(tree, listing)).collect(),
            scans: looks.scans.iter().map(|scan| scan::alone(tree, scan)).collect(),
            passes: 0,
            asked: Asked::default(),
        }
    }

    /// What the inner file system is to answer; nothing once all is known.
    pub(crate) fn question(&mut self) -> Option<Looks> {
        let total_bytes = match self.passes {
            0 => self.looks.total_bytes,
            PASSES => return None,
            _ => match count(&self.files, self.looks.total_bytes, false) {
                Count::Final(_) => return None,
                Count::Ask { from, left } => {
                    // It was withheld for the sake of what then did not count. So may be later ones.
                    for answer in &mut self.files[from..] {
                        if matches!(answer, Answer::LargerThan(_)) {
                            *answer = Answer::Open;
                        }
                    }
                    left
                }
            },
        };
        self.passes += 1;
        let files = indices(&self.files, |answer| matches!(answer, Answer::Open));
        let probes = indices(&self.probes, Option::is_none);
        let listings = indices(&self.listings, Option::is_none);
        let scans = indices(&self.scans, Option::is_none);
        if files.is_empty() && probes.is_empty() && listings.is_empty() && scans.is_empty() {
            return None;
        }
        let looks = Looks {
            reads: files.iter().map(|index| self.looks.reads[*index].clone()).collect(),
            probes: probes.iter().map(|index| self.looks.probes[*index].clone()).collect(),
            listings: listings.iter().map(|index| self.listing(*index)).collect(),
            scans: scans
                .iter()
                .map(|at| scan::question(self.tree, &self.looks.scans[*at]))
                .collect(),
            total_bytes,
            look_ms: self.looks.look_ms,
        };
        self.asked = Asked { files, probes, listings, scans, total_bytes };
        Some(looks)
    }

    fn listing(&self, index: usize) -> Listing {
        let listing = &self.looks.listings[index];
        // Names that are taken out make room for others.
        let hidden = self.tree.hidden(&listing.directory).count() as u64;
        Listing { max_entries: listing.max_entries.saturating_add(hidden), ..listing.clone() }
    }

    pub(crate) fn answer(&mut self, seen: Seen) {
        let asked = std::mem::take(&mut self.asked);
        let found = answers(seen.files, asked.total_bytes);
        for (index, answer) in asked.files.into_iter().zip(found) {
            let max_bytes = self.looks.reads[index].max_bytes;
            self.files[index] = behind_link(self.tree, answer, max_bytes);
        }
        for (index, kind) in asked.probes.into_iter().zip(seen.probes) {
            self.probes[index] = Some(kind);
        }
        for (index, found) in asked.listings.into_iter().zip(seen.listings) {
            let listing = &self.looks.listings[index];
            self.listings[index] = Some(merged(self.tree, listing, found));
        }
        for (index, found) in asked.scans.into_iter().zip(seen.scans) {
            self.scans[index] = Some(scan::merged(self.tree, &self.looks.scans[index], found));
        }
    }

    pub(crate) fn seen(self) -> Seen {
        let files = match count(&self.files, self.looks.total_bytes, true) {
            Count::Final(files) => files,
            Count::Ask { .. } => Vec::new(),
        };
        let not_found = Absence::NotFound;
        let probes = self.probes.into_iter();
        let listings = self.listings.into_iter();
        Seen {
            files,
            probes: probes.map(|kind| kind.unwrap_or(Observation::Absent(not_found))).collect(),
            listings: listings
                .map(|found| found.unwrap_or(Observation::Absent(not_found)))
                .collect(),
            scans: self
                .scans
                .into_iter()
                .map(|found| found.unwrap_or(Observation::Absent(not_found)))
                .collect(),
        }
    }
}

fn indices<T>(items: &[T], wanted: impl Fn(&T) -> bool) -> Vec<usize> {
    items.iter().enumerate().filter(|(_, item)| wanted(item)).map(|(index, _)| index).collect()
}

/// What a read finds here; nothing where the inner file system is to answer.
fn file(tree: &Tree, read: &Read) -> Option<Observation<FileBytes>> {
    let withheld = |reason| Some(Observation::Absent(Absence::Withheld(reason)));
    let outside = match &read.containment {
        Containment::Anywhere => false,
        Containment::Within(directory) => !read.path.is_within(directory),
    };
    match tree.standing(&read.path) {
        Standing::Entry(Provided::Content(_)) | Standing::Directory if outside => {
            withheld(WithheldReason::OutsideProject)
        }
        Standing::Entry(Provided::Content(bytes)) => Some(whole(&read.path, bytes, read.max_bytes)),
        Standing::Directory => withheld(WithheldReason::NotRegularFile),
        Standing::Entry(provided) | Standing::Below(provided) => Some(nothing(provided)),
        Standing::Open => None,
    }
}

fn whole(path: &AbsolutePath, bytes: &[u8], max_bytes: u64) -> Observation<FileBytes> {
    let kept = bytes.len().min(usize::try_from(max_bytes).unwrap_or(usize::MAX));
    Observation::Available(FileBytes {
        canonical: CanonicalPath::observed(path.clone()),
        bytes: bytes[..kept].to_vec(),
        size: bytes.len() as u64,
    })
}

/// A file that the inner file system found under another name, as what is provided at its place.
fn behind_link(tree: &Tree, answer: Answer, max_bytes: u64) -> Answer {
    let Answer::Seen(Observation::Available(found)) = &answer else {
        return answer;
    };
    Answer::Seen(match tree.standing(&found.canonical) {
        Standing::Open => return answer,
        Standing::Entry(Provided::Content(bytes)) => whole(&found.canonical, bytes, max_bytes),
        Standing::Entry(provided) | Standing::Below(provided) => nothing(provided),
        Standing::Directory => {
            Observation::Absent(Absence::Withheld(WithheldReason::NotRegularFile))
        }
    })
}

fn kind(tree: &Tree, path: &AbsolutePath) -> Option<Observation<EntryKind>> {
    match tree.standing(path) {
        Standing::Directory => Some(Observation::Available(EntryKind::Directory)),
        Standing::Entry(Provided::Content(_)) => Some(Observation::Available(EntryKind::File)),
        Standing::Entry(provided) | Standing::Below(provided) => Some(nothing(provided)),
        Standing::Open => None,
    }
}

/// A listing that no entry of the inner file system belongs into; nothing where it is to be asked.
fn names(tree: &Tree, listing: &Listing) -> Option<Observation<Names>> {
    match (tree.cover(&listing.directory), tree.standing(&listing.directory)) {
        (None, _) => None,
        (Some(Provided::Content(_) | Provided::Absent), Standing::Directory) => {
            let none = Names { names: Vec::new(), more: false };
            Some(merged(tree, listing, Observation::Available(none)))
        }
        (Some(provided), _) => Some(nothing(provided)),
    }
}

/// What the inner file system listed, less the names that are taken out, with those provided.
fn merged(tree: &Tree, listing: &Listing, found: Observation<Names>) -> Observation<Names> {
    let directory = &listing.directory;
    let (inner, more) = match found {
        Observation::Available(found) => (found.names, found.more),
        Observation::Absent(_) if matches!(tree.standing(directory), Standing::Directory) => {
            (Vec::new(), false)
        }
        missed => return missed,
    };
    let hidden: BTreeSet<&str> = tree.hidden(directory).collect();
    let mut names: Vec<OsString> = inner
        .into_iter()
        .filter(|name| !name.to_str().is_some_and(|name| hidden.contains(name)))
        .chain(tree.names(directory).map(OsString::from))
        .collect();
    names.sort_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
    names.dedup();
    let limit = usize::try_from(listing.max_entries).unwrap_or(usize::MAX);
    let more = more || names.len() > limit;
    names.truncate(limit);
    Observation::Available(Names { names, more })
}
