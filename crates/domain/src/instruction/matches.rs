//! What globs matched at the last look: a boundary reads those in the same batch as it scans again
//! (R-CFG-2).

use crate::{path::AbsolutePath, policy::IncludeGlob};
use std::{collections::BTreeMap, sync::Arc};

/// By glob, written as a path, what it matched: sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownMatches(BTreeMap<AbsolutePath, Arc<[AbsolutePath]>>);

impl KnownMatches {
    /// What `glob` matched.
    #[must_use]
    pub fn of(&self, glob: &IncludeGlob) -> &[AbsolutePath] {
        self.0.get(&glob.as_path()).map_or(&[], |matches| matches)
    }

    pub(crate) fn set(&mut self, glob: &IncludeGlob, matches: Vec<AbsolutePath>) {
        if !matches.is_empty() {
            self.0.insert(glob.as_path(), matches.into());
        }
    }
}
