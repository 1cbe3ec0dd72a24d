//! The project's own configuration and the globs: looked at in the same batch as all else.

use super::{Learned, Plan, Standpoint, unanswered};
use crate::{
    configuration::{PROJECT_BYTES_MAX, PROJECT_FILE},
    instruction::{
        Candidate, InstructionSet, KnownMatches, KnownProject, Treatment, UnavailableFile,
        project_treatment,
    },
    key::SourceKey,
    look::{Below, Containment, Read, Seen, Withheld},
    observation::Observation,
    path::{AbsolutePath, CanonicalPath},
    policy::Policy,
    reason::WithheldReason,
};

impl Plan {
    /// The configuration comes first, so that no instruction file takes its bytes (R-CFG-6, R-OBS-12).
    pub(super) fn look_at_project(
        &mut self,
        standpoint: &Standpoint<'_>,
        boundary: &CanonicalPath,
        policy: &Policy,
    ) {
        let treatment = project_treatment(policy, standpoint.trust);
        let path = boundary.join(PROJECT_FILE);
        match treatment {
            Treatment::Tell => {
                let containment = Containment::Within(boundary.clone());
                self.looks.reads.push(Read { path, containment, max_bytes: PROJECT_BYTES_MAX });
                // What it takes is no instruction file's.
                let bytes = standpoint.learned.project.bytes();
                self.looks.total_bytes = self.looks.total_bytes.saturating_add(bytes);
            }
            Treatment::Withhold(_) => self.looks.probes.push(path),
        }
        self.project = Some(treatment);
    }

    /// What the look says of the project's configuration.
    pub(super) fn project_seen(&self, seen: &Seen, before: &Learned) -> KnownProject {
        let project = before.project.at(&self.root());
        match self.project {
            None => project,
            Some(Treatment::Tell) => {
                project.seen(seen.files.first().map_or(unanswered(), Observation::as_ref))
            }
            Some(Treatment::Withhold(reason)) => {
                let found = seen.probes.get(self.marker_probes);
                project.left_out(found.map_or(unanswered(), Observation::as_ref), reason)
            }
        }
    }

    pub(super) fn look_for_globs(&mut self, policy: &Policy) {
        let patterns = &self.candidates.patterns;
        self.looks.scans.extend(patterns.iter().map(|pattern| pattern.scan(policy)));
    }

    /// What each glob matches now. Where its scan failed, what it matched before stands.
    pub(super) fn matches(&self, seen: &Seen, before: &Learned) -> KnownMatches {
        let mut matches = KnownMatches::default();
        for (index, pattern) in self.candidates.patterns.iter().enumerate() {
            let glob = &pattern.glob;
            match seen.scans.get(index) {
                Some(Observation::Available(below)) => {
                    let names = below.paths.iter().filter(|path| glob.matches_below(path));
                    let named = names.filter_map(|path| glob.root().resolve(path).ok());
                    matches.set(glob, named.collect());
                }
                Some(Observation::Absent(_)) => {}
                Some(Observation::Unavailable(_)) | None => {
                    matches.set(glob, before.matches.of(glob).to_vec());
                }
            }
        }
        matches
    }

    /// Whether nobody knows if the glob that gave `candidate` still does (R-CFG-2).
    pub(super) fn is_below_failed_scan(&self, candidate: &Candidate, seen: &Seen) -> bool {
        candidate.pattern.is_some_and(|index| {
            matches!(seen.scans.get(index), Some(Observation::Unavailable(_)) | None)
        })
    }

    /// What scans that failed, stopped at a limit or found no text's path say.
    pub(super) fn judge_scans(&self, seen: &Seen, set: &mut InstructionSet<'_>) {
        for (index, pattern) in self.candidates.patterns.iter().enumerate() {
            let glob = &pattern.glob;
            let mut withhold = |path: AbsolutePath, reason| {
                set.withheld.push(Withheld { key: SourceKey::File(path), reason });
            };
            match seen.scans.get(index).map_or(unanswered(), Observation::as_ref) {
                Observation::Available(Below { paths, more, deeper }) => {
                    if *more || *deeper && pattern.is_cut_by_depth() {
                        withhold(glob.as_path(), WithheldReason::Limit);
                    }
                    let odd = |path: &&std::path::PathBuf| path.to_str().is_none();
                    for path in paths.iter().filter(odd).filter(|path| glob.matches_below(path)) {
                        let shown = glob.root().join(&path.to_string_lossy());
                        withhold(shown, WithheldReason::PathNotUtf8);
                    }
                }
                Observation::Absent(crate::observation::Absence::Withheld(reason)) => {
                    withhold(glob.as_path(), reason);
                }
                Observation::Absent(crate::observation::Absence::NotFound) => {}
                Observation::Unavailable(reason) => set.unavailable.push(UnavailableFile {
                    path: glob.as_path(),
                    reason,
                    group: Vec::new(),
                    glob: Some(glob.clone()),
                }),
            }
        }
    }
}

#[cfg(test)]
mod tests;
