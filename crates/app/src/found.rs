//! Through which candidates files were found: what a failed look at one of them must not take away.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
};
use told_domain::{
    context::SystemContext, key::SourceKey, path::AbsolutePath, skill::SkillListing,
};

/// Through which candidates this process last found each file of a session. A record says only through
/// which a file was found when it was told; links come and go without a record.
#[derive(Default)]
pub(crate) struct FoundThrough {
    candidates: Mutex<BTreeMap<AbsolutePath, Vec<AbsolutePath>>>,
    /// The list of skills, with where each was found.
    skills: Mutex<Option<SkillListing>>,
}

impl FoundThrough {
    /// Lets an unavailable candidate hold what was last found through it, and is not found elsewhere
    /// (R-OBS-11).
    pub(crate) fn hold(&self, context: &mut SystemContext) {
        if context.unavailable.is_empty() {
            return;
        }
        let found = self.candidates.lock().unwrap_or_else(PoisonError::into_inner);
        let here: BTreeSet<_> = context.sources.iter().filter_map(|s| s.key.path()).collect();
        let lost: Vec<_> = found.iter().filter(|(path, _)| !here.contains(path)).collect();
        for unavailable in &mut context.unavailable {
            let leads = |via: &[AbsolutePath]| via.iter().any(|c| unavailable.holds_through(c));
            let held: Vec<_> = lost.iter().filter(|(_, via)| leads(via)).collect();
            unavailable.found.extend(held.into_iter().map(|(path, _)| (*path).clone()));
        }
    }

    /// Remembers a look; what is held stays as it was.
    pub(crate) fn remember(&self, context: &SystemContext) {
        let mut found = self.candidates.lock().unwrap_or_else(PoisonError::into_inner);
        found.retain(|path, _| context.unavailable.iter().any(|u| u.found.contains(path)));
        let files = context.sources.iter().filter(|source| !source.via.is_empty());
        found.extend(files.filter_map(|s| Some((s.key.path()?.clone(), s.via.clone()))));
        let listed = context.source(&SourceKey::Skills);
        let listed = listed.and_then(|source| SkillListing::decode(&source.value));
        *self.skills.lock().unwrap_or_else(PoisonError::into_inner) = listed;
    }

    /// The list of skills that this process found last.
    pub(crate) fn skills(&self) -> Option<SkillListing> {
        self.skills.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
