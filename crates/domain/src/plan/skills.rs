//! The directories of skills: looked through in the same batch as all else, behind it.

use super::{Learned, Plan, Standpoint, unanswered};
use crate::{
    instruction::Treatment,
    key::SourceKey,
    look::{Below, EntryKind, Read, Seen, Withheld},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    policy::Policy,
    reason::WithheldReason,
    skill::{
        FRONT_MATTER_BYTES_MAX, FormerSkills, KnownRoot, KnownSkills, RootSight, SkillOffers,
        SkillRoot, SkillSet, candidates, nameless, resolve, roots,
    },
};

/// The looks for skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SkillLooks {
    roots: Vec<RootLook>,
    offers: SkillOffers,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RootLook {
    root: SkillRoot,
    way: Way,
}

/// How a directory of skills is looked at, by the indexes of its looks.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    /// Nothing was there, or it is left out: only whether there is a directory.
    Probe(usize),
    /// All that lies below it, and what it held when it was looked through last.
    Scan { scan: usize, first_read: usize, files: Vec<AbsolutePath> },
}

impl Plan {
    /// Skills come last, so that they take no instruction file's bytes (R-OBS-12).
    pub(super) fn look_for_skills(
        &mut self,
        standpoint: &Standpoint<'_>,
        boundary: &CanonicalPath,
        policy: &Policy,
    ) {
        let known = &standpoint.learned.skills;
        for root in roots(standpoint, boundary, policy) {
            let way = match (root.treatment, known.of(&root.directory)) {
                (Treatment::Withhold(_), _) | (Treatment::Tell, Some(KnownRoot::Missing)) => {
                    self.looks.probes.push(root.directory.clone());
                    Way::Probe(self.looks.probes.len() - 1)
                }
                (Treatment::Tell, None) => self.look_through(&root, &[], policy),
                (Treatment::Tell, Some(KnownRoot::Holds(files))) => {
                    self.look_through(&root, files, policy)
                }
            };
            self.skills.roots.push(RootLook { root, way });
        }
        self.skills.offers = standpoint.offers.clone();
    }

    fn look_through(&mut self, root: &SkillRoot, files: &[AbsolutePath], policy: &Policy) -> Way {
        self.looks.scans.push(root.scan(policy));
        let first_read = self.looks.reads.len();
        self.looks.reads.extend(files.iter().map(|path| Read {
            path: path.clone(),
            containment: root.containment.clone(),
            max_bytes: FRONT_MATTER_BYTES_MAX,
        }));
        Way::Scan { scan: self.looks.scans.len() - 1, first_read, files: files.to_vec() }
    }

    /// What the answers say of skills, for a session that was told of `former` ones.
    #[must_use]
    pub fn skills(&self, seen: &Seen, former: &FormerSkills) -> SkillSet {
        let sights = self.skills.roots.iter().map(|look| look.sight(seen)).collect();
        let roots: Vec<_> = self.skills.roots.iter().map(|look| look.root.clone()).collect();
        resolve(&roots, sights, &self.skills.offers, former)
    }

    /// The directories of skills, nearest first.
    pub fn skill_roots(&self) -> impl Iterator<Item = &SkillRoot> {
        self.skills.roots.iter().map(|look| &look.root)
    }

    /// Whether it was made of these offers.
    #[must_use]
    pub fn has_offers(&self, offers: &SkillOffers) -> bool {
        self.skills.offers == *offers
    }

    pub(super) fn skills_known(&self, seen: &Seen, before: &Learned) -> KnownSkills {
        let mut known = KnownSkills::default();
        for look in &self.skills.roots {
            let directory = &look.root.directory;
            if let Some(learned) = look.known(seen, before) {
                known.set(directory, learned);
            }
        }
        known
    }
}

impl RootLook {
    fn sight<'a>(&'a self, seen: &'a Seen) -> RootSight<'a> {
        match &self.way {
            Way::Probe(at) => match (seen.probes.get(*at), self.root.treatment) {
                (
                    Some(Observation::Available(EntryKind::Directory)),
                    Treatment::Withhold(reason),
                ) => RootSight::Withheld(reason),
                (Some(Observation::Unavailable(reason)), Treatment::Tell) => {
                    RootSight::Failed(*reason)
                }
                (None, Treatment::Tell) => RootSight::Failed(unanswered_reason()),
                _ => RootSight::Nothing,
            },
            Way::Scan { scan, first_read, files } => {
                match seen.scans.get(*scan).map_or(unanswered(), Observation::as_ref) {
                    Observation::Absent(Absence::NotFound) => RootSight::Nothing,
                    Observation::Absent(Absence::Withheld(reason)) => RootSight::Withheld(reason),
                    Observation::Unavailable(reason) => RootSight::Failed(reason),
                    Observation::Available(below) => {
                        let answers = seen.files.get(*first_read..).unwrap_or_default().iter();
                        let answers = answers.map(Observation::as_ref);
                        let answers = answers.chain(std::iter::repeat(unanswered()));
                        let files = files.iter().zip(answers).collect();
                        RootSight::Looked { files, left_out: self.left_out(below) }
                    }
                }
            }
        }
    }

    fn left_out(&self, below: &Below) -> Vec<Withheld> {
        let withheld = |path, reason| Withheld { key: SourceKey::File(path), reason };
        let odd = nameless(&self.root.directory, below);
        let odd = odd.map(|path| withheld(path, WithheldReason::PathNotUtf8));
        let more = (below.more || below.deeper)
            .then(|| withheld(self.root.directory.clone(), WithheldReason::Limit));
        odd.chain(more).collect()
    }

    /// What the look teaches of this directory; nothing where it is to be looked through anew.
    fn known(&self, seen: &Seen, before: &Learned) -> Option<KnownRoot> {
        let directory = &self.root.directory;
        match &self.way {
            Way::Probe(at) => match (seen.probes.get(*at), self.root.treatment) {
                (_, Treatment::Withhold(_)) => before.skills.of(directory).cloned(),
                (Some(Observation::Available(EntryKind::Directory)), Treatment::Tell) => None,
                (_, Treatment::Tell) => Some(KnownRoot::Missing),
            },
            Way::Scan { scan, .. } => match seen.scans.get(*scan) {
                Some(Observation::Available(below)) => {
                    Some(KnownRoot::Holds(candidates(directory, below).into()))
                }
                Some(Observation::Absent(Absence::NotFound)) => Some(KnownRoot::Missing),
                Some(Observation::Absent(Absence::Withheld(_))) => {
                    Some(KnownRoot::Holds(Vec::new().into()))
                }
                Some(Observation::Unavailable(_)) | None => before.skills.of(directory).cloned(),
            },
        }
    }
}

const fn unanswered_reason() -> crate::reason::UnavailableReason {
    crate::reason::UnavailableReason::IoError
}

#[cfg(test)]
mod tests;
