//! `LocationServices`: what the sessions of one directory share, and the map that holds one a Location.

use crate::{
    SystemContextRegistry,
    cover::{Cover, Warned},
    registry::Dropped,
    urls::Urls,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};
use told_domain::path::CanonicalPath;
use told_ports::{LocationValues, Watcher};

/// What the sessions of one Location share. Closed when the last holder goes; nothing stays behind.
pub struct LocationServices {
    directory: CanonicalPath,
    registry: SystemContextRegistry,
    values: Mutex<Option<Arc<LocationValues>>>,
    /// What is known of its files without looking, where something watches.
    cover: Option<Cover>,
    urls: Urls,
    map: Weak<Map>,
}

type Map = Mutex<Locations>;

#[derive(Default)]
struct Locations {
    held: HashMap<CanonicalPath, Weak<LocationServices>>,
    /// What lost its guards in this process, in Locations that closed since: who opens one again tells it
    /// as removed (R-EPO-5).
    dropped: HashMap<CanonicalPath, Dropped>,
}

/// One `LocationServices` a Location, as long as someone holds it.
#[derive(Clone, Default)]
pub(crate) struct LocationMap {
    map: Arc<Map>,
    watcher: Option<Arc<dyn Watcher>>,
    warned: Arc<Warned>,
}

impl LocationServices {
    /// The Location's directory.
    #[must_use]
    pub const fn directory(&self) -> &CanonicalPath {
        &self.directory
    }

    /// Who takes part in this Location's context.
    #[must_use]
    pub const fn registry(&self) -> &SystemContextRegistry {
        &self.registry
    }

    pub(crate) const fn cover(&self) -> Option<&Cover> {
        self.cover.as_ref()
    }

    pub(crate) const fn urls(&self) -> &Urls {
        &self.urls
    }

    /// The Location's host-set values as last read, if they stand at `revision`.
    pub(crate) fn values_at(&self, revision: u64) -> Option<Arc<LocationValues>> {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.clone().filter(|values| values.revision == revision)
    }

    pub(crate) fn keep_values(&self, values: LocationValues) -> Arc<LocationValues> {
        let values = Arc::new(values);
        *self.values.lock().unwrap_or_else(PoisonError::into_inner) = Some(values.clone());
        values
    }
}

impl LocationMap {
    /// The services of `directory`: those that someone holds, or new ones.
    pub(crate) fn at(&self, directory: &CanonicalPath) -> Arc<LocationServices> {
        let mut map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(services) = map.held.get(directory).and_then(Weak::upgrade) {
            return services;
        }
        let services = Arc::new_cyclic(|services: &Weak<LocationServices>| LocationServices {
            directory: directory.clone(),
            registry: SystemContextRegistry::of(services.clone()),
            values: Mutex::new(None),
            cover: self.cover(),
            urls: Urls::default(),
            map: Arc::downgrade(&self.map),
        });
        services.registry.recall(map.dropped.remove(directory).unwrap_or_default());
        map.held.insert(directory.clone(), Arc::downgrade(&services));
        services
    }

    fn cover(&self) -> Option<Cover> {
        self.watcher.as_ref().map(|watcher| Cover::new(watcher.clone(), self.warned.clone()))
    }

    /// The same Locations, whose files `watcher` watches from now on.
    pub(crate) fn watching(self, watcher: Arc<dyn Watcher>) -> Self {
        Self { watcher: Some(watcher), ..self }
    }

    /// The services of `directory` that someone holds.
    pub(crate) fn held(&self, directory: &CanonicalPath) -> Option<Arc<LocationServices>> {
        let map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        map.held.get(directory).and_then(Weak::upgrade)
    }

    /// How many Locations someone holds.
    pub(crate) fn open(&self) -> usize {
        self.map.lock().unwrap_or_else(PoisonError::into_inner).held.len()
    }
}

impl Drop for LocationServices {
    fn drop(&mut self) {
        let Some(map) = self.map.upgrade() else { return };
        let dropped = self.registry.dropped();
        let mut map = map.lock().unwrap_or_else(PoisonError::into_inner);
        // Another holder may have made new services since the last of ours went.
        let successor = match map.held.get(&self.directory).map(Weak::upgrade) {
            Some(None) => {
                map.held.remove(&self.directory);
                None
            }
            Some(Some(successor)) => Some(successor),
            None => None,
        };
        match &successor {
            Some(successor) => successor.registry.recall(dropped),
            None if dropped.is_empty() => {}
            None => map.dropped.entry(self.directory.clone()).or_default().extend(dropped),
        }
        // The successor may go with us: its own end wants the lock.
        drop(map);
        drop(successor);
    }
}
