//! `SystemContextRegistry`: which producers of context take part. It remembers that, and nothing else.

use crate::ReadsOfTool;
use async_trait::async_trait;
use std::{
    any::Any,
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

/// The producers of one Location, or of one session. Cheap to clone: clones share.
#[derive(Clone)]
pub struct SystemContextRegistry {
    members: Arc<Mutex<Members>>,
    /// The Location or session that it belongs to: who registers holds it.
    owner: Weak<dyn Any + Send + Sync>,
}

#[derive(Default)]
struct Members {
    present: BTreeMap<PluginKey, Contribution>,
    /// Keys whose guard this process dropped: they are told as removed, not held (R-EPO-5).
    dropped: BTreeSet<PluginKey>,
    /// Who knows what tools read, by the order of registering.
    readers: BTreeMap<u64, Arc<dyn ReadsOfTool>>,
    readers_ever: u64,
}

/// Keeps a member registered, and its Location or session open; dropping it unregisters.
#[must_use = "dropping the registration unregisters the member"]
pub struct Registration {
    member: Member,
    members: Weak<Mutex<Members>>,
    /// Without it the registry would go with the last session, and the member with it.
    _owner: Option<Arc<dyn Any + Send + Sync>>,
}

enum Member {
    Contribution(PluginKey),
    Reader(u64),
}

/// Who takes part at one moment.
pub(crate) struct Snapshot {
    pub(crate) present: Vec<Contribution>,
    pub(crate) dropped: BTreeSet<PluginKey>,
}

impl SystemContextRegistry {
    /// The registry of a Location's services, or of a session.
    pub(crate) fn of(owner: Weak<dyn Any + Send + Sync>) -> Self {
        Self { members: Arc::default(), owner }
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
        Ok(self.registration(Member::Contribution(key)))
    }

    /// Registers someone who knows what some tool's calls read, until the guard is dropped.
    pub fn register_reader(&self, reader: Arc<dyn ReadsOfTool>) -> Registration {
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        let number = members.readers_ever;
        members.readers_ever += 1;
        members.readers.insert(number, reader);
        self.registration(Member::Reader(number))
    }

    fn registration(&self, member: Member) -> Registration {
        let members = Arc::downgrade(&self.members);
        Registration { member, members, _owner: self.owner.upgrade() }
    }

    /// The keys whose guards were dropped.
    pub(crate) fn dropped(&self) -> BTreeSet<PluginKey> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner).dropped.clone()
    }

    /// Keys whose guards were dropped before this registry was made.
    pub(crate) fn recall(&self, dropped: BTreeSet<PluginKey>) {
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        let gone: Vec<_> =
            dropped.into_iter().filter(|key| !members.present.contains_key(key)).collect();
        members.dropped.extend(gone);
    }

    pub(crate) fn readers(&self) -> Vec<Arc<dyn ReadsOfTool>> {
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        members.readers.values().cloned().collect()
    }

    /// Who takes part for a session: its own members, and its Location's under other keys.
    pub(crate) fn snapshot_with(&self, session: &Self) -> Snapshot {
        let (mut own, location) = (session.snapshot(), self.snapshot());
        let taken: BTreeSet<_> = own.present.iter().map(|member| member.key.clone()).collect();
        own.present.extend(location.present.into_iter().filter(|m| !taken.contains(&m.key)));
        own.dropped.extend(location.dropped);
        own
    }

    fn snapshot(&self) -> Snapshot {
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
            match &self.member {
                Member::Contribution(key) => {
                    members.present.remove(key);
                    members.dropped.insert(key.clone());
                }
                Member::Reader(number) => {
                    members.readers.remove(number);
                }
            }
        }
    }
}
