//! What a look at the directories of skills found, once each was judged: which skills are listed, which
//! are left out, and which stand because nobody knows.

use super::{
    ListedSkill, Rank, SkillFault, SkillFile, SkillListing, SkillName, SkillOffers, SkillRoot,
};
use crate::{
    key::{Origin, SourceKey},
    look::{Containment, FileBytes, Withheld},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    reason::{UnavailableReason, WithheldReason},
    state::{Contents, State},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The skills that a look found, and what became of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillSet {
    /// Those that are listed, by name.
    pub found: Vec<FoundSkill>,
    /// What could not be looked at, each under its own path.
    pub held: Vec<HeldSkills>,
    /// What is left out, each under its own path.
    pub withheld: Vec<Withheld>,
    /// How a withheld `SKILL.md` breaks the format.
    pub faults: BTreeMap<AbsolutePath, SkillFault>,
    /// Empty `SKILL.md`s of skills that were told: they are looked at once more (R-OBS-4).
    pub emptied: Vec<AbsolutePath>,
    /// What was told is not understood, and something failed: it stands as it is.
    pub stands: Option<UnavailableReason>,
}

/// One listed skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSkill {
    /// What is said of it.
    pub listed: ListedSkill,
    /// Who wrote it.
    pub origin: Origin,
    /// Where its body is.
    pub place: WhereFound,
}

/// Where a listed skill's body is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhereFound {
    /// In this `SKILL.md`.
    File(AbsolutePath, Containment),
    /// Here.
    Value(Arc<str>),
    /// Nobody knows at the moment: it is listed as it was told.
    Held(UnavailableReason),
}

/// What could not be looked at, and the skills that stand because of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldSkills {
    /// The directory or the `SKILL.md`; the list itself for values of a host's.
    pub key: SourceKey,
    /// Why.
    pub reason: UnavailableReason,
    /// The skills that were told.
    pub names: Vec<SkillName>,
}

/// What a session was told last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FormerSkills {
    /// No list.
    #[default]
    None,
    /// This one. An epoch that begins leaves out what nobody offers any more (R-EPO-5).
    Told {
        /// The list.
        listing: SkillListing,
        /// Whether the next record restates everything.
        restated: bool,
    },
    /// One of another release (R-TXT-4).
    Unclear,
}

/// What was seen of one directory.
#[derive(Clone, Debug)]
pub(crate) enum RootSight<'a> {
    Nothing,
    Withheld(WithheldReason),
    Failed(UnavailableReason),
    Looked {
        files: Vec<(&'a AbsolutePath, Observation<&'a FileBytes>)>,
        /// Something below it is left out.
        left_out: Vec<Withheld>,
    },
}

impl FormerSkills {
    /// What a session believes of its skills, or was told last. Where they were found is what `last` says:
    /// the list of a later look than the record's, since a skill that moves is told to nobody.
    #[must_use]
    pub fn of(state: &State, contents: &Contents, last: Option<&SkillListing>) -> Self {
        let entry = state.told.entries.get(&SourceKey::Skills);
        let Some((admission, _)) = entry.and_then(|entry| state.told.last_admitted(entry)) else {
            return Self::None;
        };
        let value = contents.get(&admission.value.sha256);
        match value.and_then(|value| SkillListing::decode(value)) {
            Some(told) => {
                let listing = last.map_or_else(|| told.clone(), |last| told.found_as_in(last));
                Self::Told { listing, restated: state.told.pending.is_some() }
            }
            None => Self::Unclear,
        }
    }

    fn skills(&self) -> &[ListedSkill] {
        match self {
            Self::Told { listing, .. } => listing.skills(),
            Self::None | Self::Unclear => &[],
        }
    }
}

impl SkillSet {
    /// The list to tell.
    #[must_use]
    pub fn listing(&self) -> SkillListing {
        SkillListing::new(self.found.iter().map(|skill| skill.listed.clone()))
    }

    /// Who wrote the list: whoever is trusted least of those who did.
    #[must_use]
    pub fn origin(&self) -> Origin {
        let by = |origin| self.found.iter().any(|skill| skill.origin == origin);
        [Origin::Project, Origin::Host].into_iter().find(|o| by(*o)).unwrap_or(Origin::User)
    }

    /// The skill of this name.
    #[must_use]
    pub fn find(&self, name: &SkillName) -> Option<&FoundSkill> {
        self.found.iter().find(|skill| skill.listed.name == *name)
    }
}

/// Judges what was seen of `roots`, nearest first.
pub(crate) fn resolve(
    roots: &[SkillRoot],
    sights: Vec<RootSight<'_>>,
    offers: &SkillOffers,
    former: &FormerSkills,
) -> SkillSet {
    let mut resolving = Resolving::new(former);
    let mut embedded = Some(offers);
    for (root, sight) in roots.iter().zip(sights) {
        if root.rank > Rank::Embedded
            && let Some(offers) = embedded.take()
        {
            resolving.add_embedded(offers);
        }
        resolving.add_root(root, sight);
    }
    if let Some(offers) = embedded {
        resolving.add_embedded(offers);
    }
    resolving.hold_what_others_offered(roots, offers);
    resolving.finish()
}

struct Resolving<'a> {
    former: &'a FormerSkills,
    found: BTreeMap<SkillName, FoundSkill>,
    /// Where each file really is.
    real: BTreeSet<CanonicalPath>,
    set: SkillSet,
}

impl<'a> Resolving<'a> {
    const fn new(former: &'a FormerSkills) -> Self {
        let set = SkillSet {
            found: Vec::new(),
            held: Vec::new(),
            withheld: Vec::new(),
            faults: BTreeMap::new(),
            emptied: Vec::new(),
            stands: None,
        };
        Self { former, found: BTreeMap::new(), real: BTreeSet::new(), set }
    }

    fn add_root(&mut self, root: &SkillRoot, sight: RootSight<'_>) {
        match sight {
            RootSight::Nothing => {}
            RootSight::Withheld(reason) => self.withhold(&root.directory, reason),
            RootSight::Failed(reason) => {
                let from_here =
                    |skill: &ListedSkill| skill.directory.as_ref() == Some(&root.directory);
                self.hold(SourceKey::File(root.directory.clone()), reason, root.origin, from_here);
            }
            RootSight::Looked { files, left_out } => {
                self.set.withheld.extend(left_out);
                for (path, file) in files {
                    self.add_file(root, path, file);
                }
            }
        }
    }

    fn add_file(&mut self, root: &SkillRoot, path: &AbsolutePath, file: Observation<&FileBytes>) {
        let file = match file {
            Observation::Available(file) => file,
            Observation::Absent(Absence::NotFound) => return,
            Observation::Absent(Absence::Withheld(reason)) => return self.withhold(path, reason),
            Observation::Unavailable(reason) => {
                let it = |skill: &ListedSkill| skill.path.as_ref() == Some(path);
                return self.hold(SourceKey::File(path.clone()), reason, root.origin, it);
            }
        };
        // One file that two directories lead to is one skill, where it is nearest (R-OBS-8).
        if !self.real.insert(file.canonical.clone()) && self.has(path) {
            return;
        }
        let directory = path.parent();
        let directory = directory.as_ref().and_then(AbsolutePath::file_name);
        let read = match SkillFile::read(&file.bytes, file.size, directory) {
            Ok(read) => read,
            Err(fault) => {
                self.set.faults.insert(path.clone(), fault);
                if file.size == 0 && self.was_told(path) {
                    self.set.emptied.push(path.clone());
                }
                return self.withhold(path, WithheldReason::InvalidSkill);
            }
        };
        let listed = ListedSkill {
            name: read.name,
            description: read.description,
            path: Some(path.clone()),
            directory: Some(root.directory.clone()),
            offered: root.rank == Rank::Offered,
        };
        let place = WhereFound::File(path.clone(), root.containment.clone());
        if !self.add(FoundSkill { listed, origin: root.origin, place }) {
            self.withhold(path, WithheldReason::Shadowed);
        }
    }

    fn add_embedded(&mut self, offers: &SkillOffers) {
        for skill in &offers.embedded {
            let listed = ListedSkill {
                name: skill.name().clone(),
                description: skill.description().clone(),
                path: None,
                directory: None,
                offered: true,
            };
            let place = WhereFound::Value(skill.body().clone());
            self.add(FoundSkill { listed, origin: Origin::Host, place });
        }
    }

    /// A process that never had an offer takes nothing away that another told (R-EPO-5).
    fn hold_what_others_offered(&mut self, roots: &[SkillRoot], offers: &SkillOffers) {
        let FormerSkills::Told { listing, restated: false } = self.former else { return };
        let mut missing: BTreeSet<Option<&AbsolutePath>> = BTreeSet::new();
        for skill in listing.skills().iter().filter(|skill| skill.offered) {
            let is_known = match &skill.directory {
                Some(directory) => {
                    offers.dropped.directories.contains(directory)
                        || roots.iter().any(|root| root.directory == *directory)
                }
                None => {
                    offers.dropped.embedded.contains(&skill.name)
                        || offers.embedded.iter().any(|offered| *offered.name() == skill.name)
                }
            };
            if !is_known {
                missing.insert(skill.directory.as_ref());
            }
        }
        for directory in missing {
            let key = directory.map_or(SourceKey::Skills, |at| SourceKey::File(at.clone()));
            let dropped = &offers.dropped.embedded;
            let from_there = |skill: &ListedSkill| {
                let gone = skill.directory.is_none() && dropped.contains(&skill.name);
                skill.offered && skill.directory.as_ref() == directory && !gone
            };
            self.hold(key, UnavailableReason::NotRegistered, Origin::Host, from_there);
        }
    }

    /// What was told of these stands; a nearer skill of the name counts before it.
    fn hold(
        &mut self,
        key: SourceKey,
        reason: UnavailableReason,
        origin: Origin,
        which: impl Fn(&ListedSkill) -> bool,
    ) {
        let mut names = Vec::new();
        for listed in self.former.skills().iter().filter(|skill| which(skill)) {
            let place = WhereFound::Held(reason);
            if self.add(FoundSkill { listed: listed.clone(), origin, place }) {
                names.push(listed.name.clone());
            }
        }
        if *self.former == FormerSkills::Unclear {
            self.set.stands = Some(reason);
        }
        self.set.held.push(HeldSkills { key, reason, names });
    }

    fn add(&mut self, skill: FoundSkill) -> bool {
        let is_new = !self.found.contains_key(&skill.listed.name);
        if is_new {
            self.found.insert(skill.listed.name.clone(), skill);
        }
        is_new
    }

    /// Whether a listed skill has the name of this file's directory.
    fn has(&self, path: &AbsolutePath) -> bool {
        let directory = path.parent();
        let name = directory.as_ref().and_then(AbsolutePath::file_name);
        name.and_then(|name| name.parse().ok())
            .is_some_and(|name: SkillName| self.found.contains_key(&name))
    }

    fn was_told(&self, path: &AbsolutePath) -> bool {
        self.former.skills().iter().any(|skill| skill.path.as_ref() == Some(path))
    }

    fn withhold(&mut self, path: &AbsolutePath, reason: WithheldReason) {
        self.set.withheld.push(Withheld { key: SourceKey::File(path.clone()), reason });
    }

    fn finish(mut self) -> SkillSet {
        self.set.found = self.found.into_values().collect();
        self.set
    }
}
