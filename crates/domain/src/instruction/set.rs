//! Which candidates count, once they were looked at: name groups, exclusions, doubles.

use super::{Candidate, Candidates, ProjectExclude, Treatment};
use crate::{
    key::{Origin, SourceKey},
    look::{FileBytes, Withheld},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    place::Place,
    policy::{IncludeGlob, Policy},
    reason::{UnavailableReason, WithheldReason},
};
use std::collections::{BTreeMap, BTreeSet};

/// The instruction files that count, and what became of the other candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionSet<'a> {
    /// Files to tell, each once, broad to specific.
    pub files: Vec<LoadedFile<'a>>,
    /// Candidates that could not be looked at.
    pub unavailable: Vec<UnavailableFile>,
    /// Candidates left out, each under its own path.
    pub withheld: Vec<Withheld>,
}

/// One file to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFile<'a> {
    /// Its bytes and where it really is.
    pub file: &'a FileBytes,
    /// Its place: that of the broadest candidate that led to it (R-OBS-8).
    pub place: Place,
    /// Who wrote it.
    pub origin: Origin,
    /// The directory that it applies to, for a path-local file.
    pub scope: Option<CanonicalPath>,
    /// Every candidate that led to it.
    pub via: Vec<AbsolutePath>,
}

/// One candidate that could not be looked at. Beliefs found through its group are held (R-OBS-11).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnavailableFile {
    /// The candidate.
    pub path: AbsolutePath,
    /// Why.
    pub reason: UnavailableReason,
    /// Every path of its group: it may hide, or be hidden by, any of them (R-AMB-2).
    pub group: Vec<AbsolutePath>,
    /// The glob whose scan failed: its former matches are held (R-CFG-2).
    pub glob: Option<IncludeGlob>,
}

impl<'a> InstructionSet<'a> {
    /// Resolves each group: `sights` gives what was seen of each candidate, in the candidates' order.
    pub fn resolve(
        candidates: &Candidates,
        sights: &[Vec<Observation<Option<&'a FileBytes>>>],
        policy: &Policy,
    ) -> Self {
        let mut resolving = Resolving::new(policy, candidates.project_exclude.as_ref());
        resolving.set.withheld.extend(candidates.withheld.iter().cloned());
        for path in &candidates.over_limit {
            resolving.withhold(path, WithheldReason::Limit);
        }
        for (group, sights) in candidates.groups.iter().zip(sights) {
            resolving.add_group(group, sights);
        }
        resolving.set
    }
}

struct Resolving<'a, 'c> {
    policy: &'c Policy,
    project_exclude: Option<&'c ProjectExclude>,
    set: InstructionSet<'a>,
    /// Where each canonical path stands among the files.
    known: BTreeMap<&'a CanonicalPath, usize>,
    /// Candidates that led to a file. A global one can be an ambient one as well.
    led: BTreeSet<&'c AbsolutePath>,
}

impl<'a, 'c> Resolving<'a, 'c> {
    fn new(policy: &'c Policy, project_exclude: Option<&'c ProjectExclude>) -> Self {
        let (known, led) = (BTreeMap::new(), BTreeSet::new());
        Self { policy, project_exclude, set: InstructionSet::default(), known, led }
    }

    fn add_group(&mut self, group: &'c [Candidate], sights: &[Observation<Option<&'a FileBytes>>]) {
        let mut won = false;
        for (candidate, sight) in group.iter().zip(sights) {
            match self.verdict(candidate, sight) {
                Verdict::Nothing => {}
                Verdict::Withheld(reason) => self.withhold(&candidate.path, reason),
                Verdict::File(_) if won => {
                    self.withhold(&candidate.path, WithheldReason::Shadowed);
                }
                Verdict::File(file) => {
                    self.add(candidate, file);
                    won = true;
                }
                // What an earlier name has won, a failure behind it cannot change.
                Verdict::Failed(_) if won => {}
                Verdict::Failed(reason) => {
                    let group = group.iter().map(|candidate| candidate.path.clone()).collect();
                    let path = candidate.path.clone();
                    let failed = UnavailableFile { path, reason, group, glob: None };
                    self.set.unavailable.push(failed);
                    return;
                }
            }
        }
    }

    fn add(&mut self, candidate: &'c Candidate, file: &'a FileBytes) {
        let first_time = self.led.insert(&candidate.path);
        let files = &mut self.set.files;
        if let Some(known) = self.known.get(&file.canonical).and_then(|index| files.get_mut(*index))
        {
            if first_time {
                known.via.push(candidate.path.clone());
            }
            return;
        }
        self.known.insert(&file.canonical, files.len());
        files.push(LoadedFile {
            file,
            place: candidate.place.clone(),
            origin: candidate.origin,
            scope: candidate.scope.clone(),
            via: vec![candidate.path.clone()],
        });
    }

    fn withhold(&mut self, path: &AbsolutePath, reason: WithheldReason) {
        self.set.withheld.push(Withheld { key: SourceKey::File(path.clone()), reason });
    }

    fn verdict(
        &self,
        candidate: &Candidate,
        sight: &Observation<Option<&'a FileBytes>>,
    ) -> Verdict<'a> {
        match (candidate.treatment, sight) {
            (_, Observation::Absent(Absence::NotFound)) => Verdict::Nothing,
            // Whatever stands there, the switch is the reason that a person needs.
            (Treatment::Withhold(reason), Observation::Available(_)) => Verdict::Withheld(reason),
            (Treatment::Withhold(_), Observation::Absent(_) | Observation::Unavailable(_)) => {
                Verdict::Nothing
            }
            (Treatment::Tell, Observation::Absent(Absence::Withheld(reason))) => {
                Verdict::Withheld(*reason)
            }
            (Treatment::Tell, Observation::Unavailable(reason)) => Verdict::Failed(*reason),
            (Treatment::Tell, Observation::Available(None)) => Verdict::Nothing,
            (Treatment::Tell, Observation::Available(Some(file))) => {
                if self.excludes(candidate.origin, &file.canonical) {
                    Verdict::Withheld(WithheldReason::Excluded)
                } else {
                    Verdict::File(file)
                }
            }
        }
    }

    /// A project can leave out what is its own, and nothing of the user's.
    fn excludes(&self, origin: Origin, path: &CanonicalPath) -> bool {
        let own = self.project_exclude.filter(|_| origin == Origin::Project);
        self.policy.instructions.exclude.matches(path) || own.is_some_and(|own| own.matches(path))
    }
}

enum Verdict<'a> {
    Nothing,
    Withheld(WithheldReason),
    File(&'a FileBytes),
    Failed(UnavailableReason),
}
