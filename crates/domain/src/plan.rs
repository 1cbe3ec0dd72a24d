//! `plan`: what a boundary looks at. Pure: it says what to look for, an adapter looks, and
//! [`Plan::read`] says what the answers mean.

mod configured;
mod skills;

use crate::{
    instruction::{
        BoundarySight, Candidate, Candidates, InstructionSet, KnownBoundary, KnownMatches,
        KnownProject, Treatment,
    },
    key::SourceKey,
    look::{Containment, EntryKind, FileBytes, Listing, Looks, Read, Seen, Withheld},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    policy::{FileName, Policy},
    reason::{UnavailableReason, WithheldReason},
    session::Trust,
    skill::{KnownSkills, SkillOffers},
    state::State,
    told::Scope,
};
use skills::SkillLooks;
use std::{collections::BTreeMap, ffi::OsStr};

/// What a plan follows from.
#[derive(Clone, Copy, Debug)]
pub struct Standpoint<'a> {
    /// The Location's directory.
    pub directory: &'a CanonicalPath,
    /// What is known of its boundary. With [`KnownBoundary::No`] only markers are looked for.
    pub boundary: &'a KnownBoundary,
    /// What earlier looks taught beside it.
    pub learned: &'a Learned,
    /// Whether the project's files count.
    pub trust: Trust,
    /// What hosts offer of skills.
    pub offers: &'a SkillOffers,
    /// Directories that tool settlements made relevant.
    pub scopes: &'a BTreeMap<CanonicalPath, Scope>,
    /// How closely to look.
    pub thoroughness: Thoroughness,
}

/// What a look teaches the next plan, beside the boundary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// The project's own configuration (R-CFG-6).
    pub project: KnownProject,
    /// What globs matched (R-CFG-2).
    pub matches: KnownMatches,
    /// Which directories of skills there are, and what they hold (R-CFG-3).
    pub skills: KnownSkills,
}

impl Learned {
    /// What the last record that admitted keeps of it (R-BND-10).
    #[must_use]
    pub fn recalled(state: &State) -> Self {
        let look = state.told.look.as_ref();
        let look = look.filter(|look| look.boundary == state.location.boundary);
        let project =
            look.map(|look| KnownProject::recalled(look.boundary.clone(), look.project.clone()));
        Self { project: project.unwrap_or_default(), ..Self::default() }
    }

    /// Whether a plan with `other` would ask the same.
    #[must_use]
    pub fn plans_as(&self, other: &Self) -> bool {
        let (one, other_one) = (&self.project, &other.project);
        one.counts() == other_one.counts()
            && one.bytes() == other_one.bytes()
            && self.matches == other.matches
            && self.skills == other.skills
    }
}

/// How closely to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// What telling needs.
    Ordinary,
    /// Also the directories' listings, for near misses: when an epoch starts, in a preview, and to
    /// explain (R-AMB-2).
    NearMisses,
}

/// A batch of looks and what each is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The looks, to be answered as one batch.
    pub looks: Looks,
    known: KnownBoundary,
    directory: CanonicalPath,
    candidates: Candidates,
    /// Whether the project's configuration is looked at, and how: it comes before all candidates.
    project: Option<Treatment>,
    /// The looks for skills: they stand behind all others of their kind.
    skills: SkillLooks,
    /// How many of the probes are for markers; the rest are for what a switch leaves out.
    marker_probes: usize,
    /// For each listing, the name groups wanted in it.
    wanted: Vec<Vec<Vec<FileName>>>,
}

/// The looks for `standpoint` under `policy`.
#[must_use]
pub fn plan(standpoint: &Standpoint<'_>, policy: &Policy) -> Plan {
    let mut plan = plan_markers(standpoint.directory, standpoint.boundary, policy);
    if let Some(boundary) = standpoint.boundary.of(standpoint.directory) {
        // Another project's configuration says nothing of this one.
        let project = standpoint.learned.project.at(&boundary);
        let learned = Learned { project, ..standpoint.learned.clone() };
        let standpoint = &Standpoint { learned: &learned, ..*standpoint };
        plan.look_at_project(standpoint, &boundary, policy);
        plan.candidates = Candidates::new(standpoint, &boundary, policy);
        plan.look_at_candidates(&boundary, policy);
        plan.look_for_globs(policy);
        plan.look_for_skills(standpoint, &boundary, policy);
        match standpoint.thoroughness {
            Thoroughness::Ordinary => {}
            Thoroughness::NearMisses => plan.look_for_near_misses(policy),
        }
    }
    plan
}

/// The looks that find the project around `directory`, and nothing else.
#[must_use]
pub fn plan_markers(directory: &CanonicalPath, known: &KnownBoundary, policy: &Policy) -> Plan {
    let mut looks = Looks {
        total_bytes: policy.limits.total_bytes,
        look_ms: policy.limits.look_ms,
        ..Looks::default()
    };
    for above in known.marker_directories(directory) {
        for marker in &policy.instructions.project_markers {
            looks.probes.push(above.join(marker.as_str()));
        }
    }
    Plan {
        marker_probes: looks.probes.len(),
        looks,
        known: known.clone(),
        directory: directory.clone(),
        project: None,
        candidates: Candidates::default(),
        skills: SkillLooks::default(),
        wanted: Vec::new(),
    }
}

impl Plan {
    /// What the answers say of the boundary.
    #[must_use]
    pub fn boundary(&self, seen: &Seen, policy: &Policy) -> BoundarySight {
        let markers = &policy.instructions.project_markers;
        let probes = &seen.probes[..self.marker_probes.min(seen.probes.len())];
        self.known.sight(&self.directory, markers, probes)
    }

    /// What the answers say of the candidates.
    #[must_use]
    pub fn read<'a>(&self, seen: &'a Seen, policy: &Policy) -> InstructionSet<'a> {
        let sights = self.sights(seen);
        let mut set = InstructionSet::resolve(&self.candidates, &sights, policy);
        set.withheld.extend(self.near_misses(seen));
        self.judge_scans(seen, &mut set);
        set
    }

    /// Whether the project's configuration is empty, and was not: editors that save in place truncate
    /// first (R-OBS-4).
    #[must_use]
    pub fn project_was_emptied(&self, seen: &Seen, before: &Learned) -> bool {
        let is_empty = |file: &Observation<FileBytes>| matches!(file, Observation::Available(file) if file.size == 0);
        self.project == Some(Treatment::Tell)
            && before.project.at(&self.root()).says_something()
            && seen.files.first().is_some_and(is_empty)
    }

    /// What the answers teach beside the boundary, who knew `before`.
    #[must_use]
    pub fn learned(&self, seen: &Seen, before: &Learned) -> Learned {
        Learned {
            project: self.project_seen(seen, before),
            matches: self.matches(seen, before),
            skills: self.skills_known(seen, before),
        }
    }

    /// The project boundary that was known, else the Location's directory.
    #[must_use]
    pub fn root(&self) -> CanonicalPath {
        self.known.of(&self.directory).unwrap_or_else(|| self.directory.clone())
    }

    /// The candidates, broad to specific.
    #[must_use]
    pub const fn candidates(&self) -> &Candidates {
        &self.candidates
    }

    /// This plan cut down to the reads of `paths`: for a second look at them alone (R-OBS-4). The
    /// indexes say where each answer belongs in the first look's.
    #[must_use]
    pub fn only(&self, paths: &[AbsolutePath]) -> (Looks, Vec<usize>) {
        let chosen: Vec<usize> = (0..self.looks.reads.len())
            .filter(|index| paths.contains(&self.looks.reads[*index].path))
            .collect();
        let reads = chosen.iter().map(|index| self.looks.reads[*index].clone()).collect();
        let Looks { total_bytes, look_ms, .. } = self.looks;
        (Looks { reads, total_bytes, look_ms, ..Looks::default() }, chosen)
    }

    fn look_at_candidates(&mut self, boundary: &CanonicalPath, policy: &Policy) {
        // Reads stand in order of precedence: the most specific first (R-OBS-12).
        for candidate in self.candidates.groups.iter().rev().flatten() {
            match candidate.treatment {
                Treatment::Tell => self.looks.reads.push(Read {
                    path: candidate.path.clone(),
                    containment: if candidate.contained {
                        Containment::Within(boundary.clone())
                    } else {
                        Containment::Anywhere
                    },
                    max_bytes: policy.instructions.max_bytes,
                }),
                Treatment::Withhold(_) => self.looks.probes.push(candidate.path.clone()),
            }
        }
    }

    fn look_for_near_misses(&mut self, policy: &Policy) {
        let mut directories: BTreeMap<AbsolutePath, Vec<Vec<FileName>>> = BTreeMap::new();
        for group in &self.candidates.groups {
            let mut names: BTreeMap<AbsolutePath, Vec<FileName>> = BTreeMap::new();
            // A glob names what there is, and misses nothing.
            let named = |c: &&Candidate| c.treatment == Treatment::Tell && c.pattern.is_none();
            for candidate in group.iter().filter(named) {
                let name = candidate.path.file_name().and_then(|name| FileName::new(name).ok());
                if let (Some(directory), Some(name)) = (candidate.path.parent(), name) {
                    names.entry(directory).or_default().push(name);
                }
            }
            for (directory, names) in names {
                directories.entry(directory).or_default().push(names);
            }
        }
        for (directory, groups) in directories {
            let max_entries = policy.limits.directory_entries;
            self.looks.listings.push(Listing { directory, max_entries });
            self.wanted.push(groups);
        }
    }

    /// What was seen of each candidate, group by group, broad to specific.
    fn sights<'a>(&self, seen: &'a Seen) -> Vec<Vec<Observation<Option<&'a FileBytes>>>> {
        let (project_read, project_probe) = match self.project {
            None => (0, 0),
            Some(Treatment::Tell) => (1, 0),
            Some(Treatment::Withhold(_)) => (0, 1),
        };
        let mut files = seen.files.iter().skip(project_read);
        let mut probes = seen.probes.iter().skip(self.marker_probes + project_probe);
        let mut sights: Vec<Vec<_>> = Vec::with_capacity(self.candidates.groups.len());
        // In the order asked: groups from the last, names from the first.
        for group in self.candidates.groups.iter().rev() {
            let sight = |candidate: &Candidate| match candidate.treatment {
                Treatment::Tell => {
                    let file = files.next().map_or(unanswered(), Observation::as_ref);
                    if self.is_below_failed_scan(candidate, seen) {
                        Observation::Absent(Absence::NotFound)
                    } else {
                        file.map(Some)
                    }
                }
                Treatment::Withhold(_) => probes.next().map_or(unanswered(), |kind| match kind {
                    Observation::Available(
                        EntryKind::File | EntryKind::Directory | EntryKind::Other,
                    ) => Observation::Available(None),
                    Observation::Absent(absence) => Observation::Absent(*absence),
                    Observation::Unavailable(reason) => Observation::Unavailable(*reason),
                }),
            };
            sights.push(group.iter().map(sight).collect());
        }
        sights.reverse();
        sights
    }

    fn near_misses(&self, seen: &Seen) -> Vec<Withheld> {
        let mut misses = Vec::new();
        for ((listing, wanted), names) in
            self.looks.listings.iter().zip(&self.wanted).zip(&seen.listings)
        {
            let Observation::Available(entries) = names else { continue };
            let exact = |entry: &OsStr| wanted.iter().flatten().any(|name| entry == name.as_str());
            for name in wanted.iter().flatten() {
                if entries.names.iter().any(|entry| entry == name.as_str()) {
                    continue;
                }
                // A name that is wanted itself is no miss.
                let others = entries.names.iter().filter(|entry| !exact(entry));
                for entry in others.filter_map(|entry| near(entry, name)) {
                    let key = SourceKey::File(listing.directory.join(entry));
                    misses.push(Withheld { key, reason: WithheldReason::NearMiss });
                }
            }
            if entries.more {
                let key = SourceKey::File(listing.directory.clone());
                misses.push(Withheld { key, reason: WithheldReason::Limit });
            }
        }
        misses
    }
}

/// A question without an answer is no absence (R-OBS-1).
const fn unanswered<T>() -> Observation<T> {
    Observation::Unavailable(UnavailableReason::IoError)
}

fn near<'a>(entry: &'a OsStr, name: &FileName) -> Option<&'a str> {
    entry.to_str().filter(|entry| entry.to_lowercase() == name.as_str().to_lowercase())
}

#[cfg(test)]
mod tests;
