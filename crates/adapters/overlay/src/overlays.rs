//! An overlay a Location, and where the paths that a host names really lead.

use crate::{
    OverlayFileSystem,
    overlay::named,
    provided::{Amount, ENTRIES},
};
use async_trait::async_trait;
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use told_domain::{
    look::{Containment, Looks, Read},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath, on_one_line},
};
use told_ports::{
    FileSystem, NoDirectory, ProvideError, Provided, ProvidedFiles, Provision, RealPaths,
};

/// How long the disk has to say where the named paths lead, in milliseconds. What it does not say by
/// then stands under its own name.
const LOOK_MS: u64 = 2_000;

/// What hosts provide, a Location each. The rest is the inner file system's.
pub struct Overlays {
    inner: Arc<dyn FileSystem>,
    places: Mutex<HashMap<CanonicalPath, Place>>,
}

/// A Location for which something is provided.
struct Place {
    files: Arc<OverlayFileSystem>,
    /// Where what a host provided under another name stands.
    names: BTreeMap<AbsolutePath, AbsolutePath>,
}

/// A change on its way.
struct Change {
    name: AbsolutePath,
    /// The name, its directory as the disk has it.
    own: AbsolutePath,
    /// Where it counts.
    at: AbsolutePath,
    provided: Option<Provided>,
}

impl Overlays {
    /// Nothing provided yet, in front of `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn FileSystem>) -> Self {
        Self { inner, places: Mutex::default() }
    }

    fn places(&self) -> MutexGuard<'_, HashMap<CanonicalPath, Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where each path that is changed counts.
    async fn changes(
        &self,
        given: &Path,
        directory: &CanonicalPath,
        provisions: Vec<Provision>,
    ) -> Result<Vec<Change>, ProvideError> {
        let mut paths = RealPaths::new(&*self.inner);
        let mut changes = Vec::with_capacity(provisions.len());
        for Provision { path, provided } in provisions {
            // A host may name files through the same link as the directory.
            let path = path.strip_prefix(given).unwrap_or(&path);
            let name = file_path(directory, path).map_err(|why| {
                let path = on_one_line(&path.to_string_lossy());
                ProvideError::Path { path, why }
            })?;
            let own = paths.entry(&name).await;
            changes.push(Change { name, at: own.clone(), own, provided });
        }
        self.follow(&mut changes).await;
        Ok(changes)
    }

    /// Content that is provided for a link to a file counts for that file.
    async fn follow(&self, changes: &mut [Change]) {
        let content = |change: &&mut Change| matches!(change.provided, Some(Provided::Content(_)));
        let mut changes: Vec<_> = changes.iter_mut().filter(content).collect();
        let read = |change: &&mut Change| Read {
            path: change.at.clone(),
            containment: Containment::Anywhere,
            max_bytes: 0,
        };
        let reads = changes.iter().map(read).collect();
        let looks = Looks { reads, total_bytes: u64::MAX, look_ms: LOOK_MS, ..Looks::default() };
        for (change, found) in changes.iter_mut().zip(self.inner.observe(&looks).await.files) {
            if let Observation::Available(file) = found {
                change.at = file.canonical.as_absolute().clone();
            }
        }
    }

    /// The directory as the disk has it; or, with what the disk says instead, as it would have it.
    async fn location(&self, path: &Path) -> Result<CanonicalPath, Missing> {
        match self.inner.directory(path).await {
            Observation::Available(directory) => Ok(directory),
            missed => {
                let path = match named(path) {
                    Some(path) => Some(RealPaths::new(&*self.inner).directory(path).await),
                    None => None,
                };
                Err(Missing { path: path.map(CanonicalPath::observed), missed })
            }
        }
    }
}

/// The longest path, and the longest name, that file systems in use take, in bytes.
const PATH_BYTES: usize = 4_096;
const NAME_BYTES: usize = 255;

/// The path that is meant, if it can be a file's.
fn file_path(directory: &CanonicalPath, path: &Path) -> Result<AbsolutePath, &'static str> {
    let name = directory.resolve(path).map_err(|_| "is no UTF-8")?;
    let parts = || name.as_path().iter().map(std::ffi::OsStr::as_encoded_bytes);
    if directory.as_path().starts_with(name.as_path()) {
        Err("is the directory itself or above it, and no file")
    } else if parts().any(|part| part.contains(&0)) {
        Err("holds a NUL, which no file's name can")
    } else if name.as_str().len() >= PATH_BYTES || parts().any(|part| part.len() > NAME_BYTES) {
        Err("is longer than a file's path can be")
    } else {
        Ok(name)
    }
}

/// A directory that the disk does not have, or does not tell.
struct Missing {
    /// What it would be; nothing where only the disk could tell.
    path: Option<CanonicalPath>,
    missed: Observation<CanonicalPath>,
}

impl Missing {
    fn refused(&self, path: &Path) -> ProvideError {
        let path = on_one_line(&path.to_string_lossy());
        let why = match self.missed {
            Observation::Absent(Absence::Withheld(_)) => NoDirectory::NotUtf8,
            Observation::Unavailable(reason) => NoDirectory::Unavailable(reason),
            Observation::Available(_) | Observation::Absent(Absence::NotFound) => {
                NoDirectory::NothingBelow
            }
        };
        ProvideError::Directory { path, why }
    }
}

impl Place {
    fn new(inner: Arc<dyn FileSystem>) -> Self {
        Self { files: Arc::new(OverlayFileSystem::new(inner)), names: BTreeMap::new() }
    }

    /// Makes all of these changes, or none, where `beside` is provided for other Locations.
    fn change(&mut self, changes: Vec<Change>, beside: Amount) -> Result<(), ProvideError> {
        let mut names = self.names.clone();
        let mut moves = Vec::with_capacity(changes.len());
        for Change { name, own, at, provided } in changes {
            let before = names.remove(&name).unwrap_or(own);
            if provided.is_none() {
                moves.push((before, None));
                continue;
            }
            // It may have been provided before a link came there, or went.
            if before != at {
                moves.push((before, None));
            }
            // Whoever named it last withdraws it.
            names.retain(|_, other| *other != at);
            if name != at {
                names.insert(name, at.clone());
            }
            moves.push((at, provided));
        }
        self.files.change(moves.into_iter(), beside)?;
        self.names = names;
        Ok(())
    }
}

#[async_trait]
impl ProvidedFiles for Overlays {
    fn at(&self, directory: &CanonicalPath) -> Option<Arc<dyn FileSystem>> {
        self.places().get(directory).map(|place| place.files.clone() as _)
    }

    async fn directory(&self, path: &Path) -> Observation<CanonicalPath> {
        let missing = match self.location(path).await {
            Ok(directory) => return Observation::Available(directory),
            Err(missing) => missing,
        };
        let Some(directory) = missing.path else { return missing.missed };
        let files = self.places().get(&directory).map(|place| place.files.clone());
        match files {
            Some(files) if files.makes(&directory) => Observation::Available(directory),
            Some(_) | None => missing.missed,
        }
    }

    async fn provide(
        &self,
        directory: &Path,
        changes: Vec<Provision>,
    ) -> Result<usize, ProvideError> {
        if changes.len() > ENTRIES {
            return Err(ProvideError::Files { limit: ENTRIES, files: changes.len() });
        }
        let found = self.location(directory).await;
        let place = match &found {
            Ok(found) => found.clone(),
            Err(missing) => missing.path.clone().ok_or_else(|| missing.refused(directory))?,
        };
        let changes = self.changes(directory, &place, changes).await?;
        let mut places = self.places();
        let beside = places.iter().filter(|(other, _)| **other != place);
        let beside =
            beside.fold(Amount::default(), |sum, (_, other)| sum.and(other.files.amount()));
        let known = places.contains_key(&place);
        let here = places.entry(place.clone()).or_insert_with(|| Place::new(self.inner.clone()));
        let done = here.change(changes, beside).and_then(|()| match &found {
            Err(missing) if !known && !here.files.makes(&place) => Err(missing.refused(directory)),
            Ok(_) | Err(_) => Ok(here.files.provided()),
        });
        // Nothing is kept of a Location for which nothing is provided, or of one that is none.
        if matches!(done, Ok(0)) || (done.is_err() && !known) {
            places.remove(&place);
        }
        done
    }
}
