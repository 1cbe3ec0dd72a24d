//! `SystemContextRegistry`: which producers of context take part. It remembers that, and nothing else.

use crate::ReadsOfTool;
use async_trait::async_trait;
use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Arc, Mutex, PoisonError, Weak},
};
use told_domain::{
    context::Need,
    key::PluginKey,
    observation::Observation,
    path::{AbsolutePath, PathError},
    render::Guidance,
    session::Location,
    skill::{DroppedOffers, EmbeddedSkill, SkillOffers},
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
    /// What of skills is offered, by the order of registering.
    skills: BTreeMap<u64, SkillOffer>,
    /// Offers whose last guard this process dropped.
    dropped_skills: DroppedOffers,
    /// How many readers and offers there ever were.
    numbers: u64,
}

#[derive(Clone, PartialEq, Eq)]
enum SkillOffer {
    Directory(AbsolutePath),
    Embedded(EmbeddedSkill),
}

/// What this process let go: it is told as removed, not held (R-EPO-5).
#[derive(Clone, Default)]
pub(crate) struct Dropped {
    keys: BTreeSet<PluginKey>,
    skills: DroppedOffers,
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
    Skills(u64),
}

/// Who takes part at one moment.
#[derive(Default)]
pub(crate) struct Snapshot {
    pub(crate) present: Vec<Contribution>,
    pub(crate) dropped: BTreeSet<PluginKey>,
    pub(crate) offers: SkillOffers,
}

impl Dropped {
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.skills.is_empty()
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.skills.extend(other.skills);
    }
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
        let number = members.next_number();
        members.readers.insert(number, reader);
        self.registration(Member::Reader(number))
    }

    /// Registers a directory that holds skills, until the guard is dropped (R-CFG-3). It need not exist.
    ///
    /// # Errors
    /// [`PathError`] where the path is not absolute, or no text.
    pub fn register_skills(&self, directory: &Path) -> Result<Registration, PathError> {
        let directory = AbsolutePath::new(directory)?;
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        members.dropped_skills.directories.remove(&directory);
        let number = members.offer(SkillOffer::Directory(directory));
        Ok(self.registration(Member::Skills(number)))
    }

    /// Registers a skill that is a plain value, until the guard is dropped (R-CFG-3). Of equal names the
    /// one registered first counts.
    pub fn register_skill(&self, skill: EmbeddedSkill) -> Registration {
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        members.dropped_skills.embedded.remove(skill.name());
        let number = members.offer(SkillOffer::Embedded(skill));
        self.registration(Member::Skills(number))
    }

    fn registration(&self, member: Member) -> Registration {
        let members = Arc::downgrade(&self.members);
        Registration { member, members, _owner: self.owner.upgrade() }
    }

    /// What has no guard any more.
    pub(crate) fn dropped(&self) -> Dropped {
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        Dropped { keys: members.dropped.clone(), skills: members.dropped_skills.clone() }
    }

    /// What was dropped before this registry was made.
    pub(crate) fn recall(&self, dropped: Dropped) {
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        let gone: Vec<_> =
            dropped.keys.into_iter().filter(|key| !members.present.contains_key(key)).collect();
        members.dropped.extend(gone);
        let mut skills = dropped.skills;
        let offers = members.offers();
        skills.directories.retain(|directory| !offers.directories.contains(directory));
        skills.embedded.retain(|name| offers.embedded.iter().all(|skill| skill.name() != name));
        members.dropped_skills.extend(skills);
    }

    /// What of skills is offered here.
    pub(crate) fn offers(&self) -> SkillOffers {
        self.members.lock().unwrap_or_else(PoisonError::into_inner).offers()
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
        own.offers.directories.extend(location.offers.directories);
        own.offers.embedded.extend(location.offers.embedded);
        own.offers.dropped.extend(location.offers.dropped);
        own
    }

    fn snapshot(&self) -> Snapshot {
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        Snapshot {
            present: members.present.values().cloned().collect(),
            dropped: members.dropped.clone(),
            offers: members.offers(),
        }
    }
}

impl Members {
    fn next_number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn offer(&mut self, offer: SkillOffer) -> u64 {
        let number = self.next_number();
        self.skills.insert(number, offer);
        number
    }

    /// An offer that no one else makes is told as removed.
    fn withdraw(&mut self, number: u64) {
        let Some(offer) = self.skills.remove(&number) else { return };
        let same = |other: &SkillOffer| match (&offer, other) {
            (SkillOffer::Embedded(one), SkillOffer::Embedded(other)) => one.name() == other.name(),
            (one, other) => *one == *other,
        };
        if self.skills.values().any(same) {
            return;
        }
        match offer {
            SkillOffer::Directory(directory) => {
                self.dropped_skills.directories.insert(directory);
            }
            SkillOffer::Embedded(skill) => {
                self.dropped_skills.embedded.insert(skill.name().clone());
            }
        }
    }

    fn offers(&self) -> SkillOffers {
        let mut offers =
            SkillOffers { dropped: self.dropped_skills.clone(), ..SkillOffers::default() };
        for offer in self.skills.values() {
            match offer {
                SkillOffer::Directory(directory) => offers.directories.push(directory.clone()),
                SkillOffer::Embedded(skill) => offers.embedded.push(skill.clone()),
            }
        }
        offers
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
                Member::Skills(number) => members.withdraw(*number),
            }
        }
    }
}
