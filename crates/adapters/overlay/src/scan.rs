//! What lies below a directory: what the inner file system finds, less what is taken out, with what is
//! provided.

use crate::provided::{Standing, Tree, nothing};
use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};
use told_domain::{
    look::{Below, Containment, Scan},
    observation::{Absence, Observation},
    path::AbsolutePath,
    reason::WithheldReason,
};
use told_ports::Provided;

/// A scan that no entry of the inner file system belongs into; nothing where it is to be asked.
pub(crate) fn alone(tree: &Tree, scan: &Scan) -> Option<Observation<Below>> {
    match (tree.cover(&scan.directory), tree.standing(&scan.directory)) {
        (None, _) => None,
        (Some(Provided::Content(_) | Provided::Absent), Standing::Directory) => {
            Some(merged(tree, scan, Observation::Absent(Absence::NotFound)))
        }
        (Some(provided), _) => Some(nothing(provided)),
    }
}

/// What the inner file system is asked: what is taken out makes room for others.
pub(crate) fn question(tree: &Tree, scan: &Scan) -> Scan {
    let provided = tree.below(&scan.directory).count() as u64;
    let (max_entries, max_directories) =
        (scan.max_entries.saturating_add(provided), scan.max_directories.saturating_add(provided));
    Scan { max_entries, max_directories, ..scan.clone() }
}

pub(crate) fn merged(tree: &Tree, scan: &Scan, found: Observation<Below>) -> Observation<Below> {
    let inner = match found {
        Observation::Available(found) => found,
        Observation::Absent(Absence::NotFound) if is_made(tree, &scan.directory) => {
            if is_outside(scan) {
                let outside = WithheldReason::OutsideProject;
                return Observation::Absent(Absence::Withheld(outside));
            }
            Below::default()
        }
        missed => return missed,
    };
    let mut below = Below { paths: Vec::new(), ..inner };
    let kept = inner.paths.into_iter().filter(|path| stays(tree, &scan.directory, path));
    let mut paths: BTreeSet<PathBuf> = kept.collect();
    // What is read on the way counts, as on a disk: directories and hidden names too.
    let mut entries = paths.clone();
    for (path, provided) in tree.below(&scan.directory) {
        // What nobody knows is still named: its look says so, and what was told of it stands.
        let is_named = match provided {
            Provided::Content(_) => matches!(tree.standing(path), Standing::Entry(_)),
            Provided::Unavailable(_) => true,
            Provided::Absent => false,
        };
        let Ok(path) = path.as_path().strip_prefix(&scan.directory) else { continue };
        if !is_named {
            continue;
        }
        let on_the_way = path.ancestors().filter(|entry| {
            let directory = entry.parent();
            directory.is_some_and(|directory| is_entered(scan, &directory.join("entry")))
                && entry.components().count() <= scan.max_depth as usize
        });
        entries.extend(on_the_way.map(Path::to_path_buf));
        if !is_entered(scan, path) {
            continue;
        }
        if path.components().count() > scan.max_depth as usize {
            below.deeper = true;
        } else {
            paths.insert(path.to_path_buf());
        }
    }
    let limit = usize::try_from(scan.max_entries).unwrap_or(usize::MAX);
    let mut directories: BTreeSet<_> =
        entries.iter().flat_map(|entry| entry.ancestors().skip(1)).collect();
    directories.insert(Path::new(""));
    let most = usize::try_from(scan.max_directories).unwrap_or(usize::MAX);
    below.more |= entries.len() > limit || directories.len() > most;
    // One that holds others stands before them.
    let listed: BTreeSet<_> = directories.into_iter().take(most).collect();
    let is_listed = |path: &PathBuf| path.parent().is_some_and(|parent| listed.contains(parent));
    below.paths = paths.into_iter().filter(is_listed).take(limit).collect();
    Observation::Available(below)
}

/// Whether what is provided makes the directory exist, or nobody knows what is in it.
fn is_made(tree: &Tree, directory: &AbsolutePath) -> bool {
    let mut below = tree.below(directory);
    matches!(tree.standing(directory), Standing::Directory)
        || below.any(|(_, provided)| matches!(provided, Provided::Unavailable(_)))
}

fn is_outside(scan: &Scan) -> bool {
    match &scan.containment {
        Containment::Anywhere => false,
        Containment::Within(boundary) => !scan.directory.is_within(boundary),
    }
}

/// Whether what the inner file system has there is still so.
fn stays(tree: &Tree, directory: &AbsolutePath, path: &Path) -> bool {
    // A name that is no text's is provided by nobody.
    let Ok(path) = directory.resolve(path) else { return true };
    match tree.standing(&path) {
        Standing::Open | Standing::Entry(Provided::Content(_) | Provided::Unavailable(_)) => true,
        Standing::Below(Provided::Unavailable(_)) => true,
        Standing::Entry(Provided::Absent) | Standing::Below(_) | Standing::Directory => false,
    }
}

/// Whether a scan goes where `path` is, but for its depth.
fn is_entered(scan: &Scan, path: &Path) -> bool {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let mut names = names.peekable();
    while let Some(name) = names.next() {
        let is_directory = names.peek().is_some();
        if !scan.counts(name) || is_directory && !scan.enters(name) {
            return false;
        }
    }
    true
}
