//! `SystemContextRegistry`: which producers of context take part. It remembers that, and nothing else.

use crate::LocationServices;
use async_trait::async_trait;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError, Weak},
};
use told_domain::{
    context::Need, key::PluginKey, observation::Observation, render::Guidance, session::Location,
};

/// Observes one value of a plugin's. It is asked at each boundary, once (R-OBS-10), and never between.
#[async_trait]
pub trait Contribute: Send + Sync {
    /// What the value is now. A failure is `Unavailable`: what was told stands.
    async fn observe(&self, location: &Location) -> Observation<Arc<str>>;
}

/// One producer of context.
#[derive(Clone)]
pub struct Contribution {
    /// Its key.
    pub key: PluginKey,
    /// Whether a first boundary can do without it (R-BND-2).
    pub need: Need,
    /// Turns its value into text.
    pub guidance: Arc<dyn Guidance>,
    /// Observes its value.
    pub source: Arc<dyn Contribute>,
}

/// The key has a producer already.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key `{0}` is registered already")]
pub struct KeyTaken(pub PluginKey);

/// The producers of one Location. Cheap to clone: clones share.
#[derive(Clone, Default)]
pub struct SystemContextRegistry {
    members: Arc<Mutex<Members>>,
    /// The services that it belongs to: who registers holds them.
    location: Weak<LocationServices>,
}

#[derive(Default)]
struct Members {
    present: BTreeMap<PluginKey, Contribution>,
    /// Keys whose guard this process dropped: they are told as removed, not held (R-EPO-5).
    dropped: BTreeSet<PluginKey>,
}

/// Keeps a contribution registered, and its Location open; dropping it unregisters.
#[must_use = "dropping the registration unregisters the contribution"]
pub struct Registration {
    key: PluginKey,
    members: Weak<Mutex<Members>>,
    /// Without them the registry would go with the last session, and the contribution with it.
    _location: Option<Arc<LocationServices>>,
}

/// Who takes part at one moment.
pub(crate) struct Snapshot {
    pub(crate) present: Vec<Contribution>,
    pub(crate) dropped: BTreeSet<PluginKey>,
}

impl SystemContextRegistry {
    /// The registry of a Location's services.
    pub(crate) fn of(location: Weak<LocationServices>) -> Self {
        Self { members: Arc::default(), location }
    }

    /// Registers a producer until the guard is dropped.
    ///
    /// # Errors
    /// [`KeyTaken`] where its key has a producer.
    pub fn register(&self, contribution: Contribution) -> Result<Registration, KeyTaken> {
        let key = contribution.key.clone();
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        if members.present.contains_key(&key) {
            return Err(KeyTaken(key));
        }
        members.dropped.remove(&key);
        members.present.insert(key.clone(), contribution);
        let members = Arc::downgrade(&self.members);
        Ok(Registration { key, members, _location: self.location.upgrade() })
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        Snapshot {
            present: members.present.values().cloned().collect(),
            dropped: members.dropped.clone(),
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(members) = self.members.upgrade() {
            let mut members = members.lock().unwrap_or_else(PoisonError::into_inner);
            members.present.remove(&self.key);
            members.dropped.insert(self.key.clone());
        }
    }
}
