//! What is known of the project's own configuration: observed at every boundary like a source
//! (R-CFG-6).

use crate::{
    configuration::{PROJECT_FILE, ProjectConfiguration},
    look::{EntryKind, FileBytes},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    reason::{UnavailableReason, WithheldReason},
};
use std::sync::Arc;

/// What is known of the configuration of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownProject {
    boundary: Option<CanonicalPath>,
    /// The last one that was good, where it still counts while the file is broken.
    good: Option<Arc<ProjectConfiguration>>,
    sight: ProjectSight,
}

/// What the last look at the file found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProjectSight {
    /// Nobody has looked yet.
    #[default]
    Unseen,
    /// There is none: the user's configuration counts alone.
    Missing,
    /// It counts.
    Good(Arc<[u8]>),
    /// It is broken: the last good one counts.
    Broken(Arc<[u8]>, Arc<str>),
    /// It is left out.
    Withheld(WithheldReason),
    /// Nobody knows: the last good one counts.
    Unavailable(UnavailableReason),
}

impl KnownProject {
    /// What a record's look says of the project at `boundary` (R-BND-10).
    #[must_use]
    pub fn recalled(boundary: CanonicalPath, good: Option<Arc<ProjectConfiguration>>) -> Self {
        Self { boundary: Some(boundary), good, sight: ProjectSight::Unseen }
    }

    /// The same for the project at `boundary`: another project has another configuration.
    #[must_use]
    pub fn at(&self, boundary: &CanonicalPath) -> Self {
        if self.boundary.as_ref() == Some(boundary) {
            self.clone()
        } else {
            Self::recalled(boundary.clone(), None)
        }
    }

    /// What counts, if anything does.
    #[must_use]
    pub const fn counts(&self) -> Option<&Arc<ProjectConfiguration>> {
        match self.sight {
            ProjectSight::Missing | ProjectSight::Withheld(_) => None,
            ProjectSight::Unseen
            | ProjectSight::Good(_)
            | ProjectSight::Broken(..)
            | ProjectSight::Unavailable(_) => self.good.as_ref(),
        }
    }

    /// What the last look found.
    #[must_use]
    pub const fn sight(&self) -> &ProjectSight {
        &self.sight
    }

    /// Where the file stands.
    #[must_use]
    pub fn file(&self) -> Option<AbsolutePath> {
        self.boundary.as_ref().map(|boundary| boundary.join(PROJECT_FILE))
    }

    /// Whether the file had a text, as far as anybody knows.
    pub(crate) fn says_something(&self) -> bool {
        self.bytes() > 0 || self.sight == ProjectSight::Unseen && self.good.is_some()
    }

    /// How many bytes the file had.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.sight {
            ProjectSight::Good(text) | ProjectSight::Broken(text, _) => text.len() as u64,
            ProjectSight::Unseen
            | ProjectSight::Missing
            | ProjectSight::Withheld(_)
            | ProjectSight::Unavailable(_) => 0,
        }
    }

    /// What is known after a look. The same text is not read twice.
    pub(crate) fn seen(&self, found: Observation<&FileBytes>) -> Self {
        let Some(boundary) = &self.boundary else { return self.clone() };
        let file = match found {
            Observation::Available(file) => file,
            Observation::Absent(Absence::NotFound) => return self.gone(ProjectSight::Missing),
            Observation::Absent(Absence::Withheld(reason)) => {
                return self.gone(ProjectSight::Withheld(reason));
            }
            Observation::Unavailable(reason) => {
                return Self { sight: ProjectSight::Unavailable(reason), ..self.clone() };
            }
        };
        if let ProjectSight::Good(text) | ProjectSight::Broken(text, _) = &self.sight
            && **text == *file.bytes
        {
            return self.clone();
        }
        let text: Arc<[u8]> = file.bytes.as_slice().into();
        match ProjectConfiguration::read(boundary, &file.bytes, file.size) {
            Ok(read) => {
                let same = self.good.as_ref().filter(|good| ***good == read);
                let good = Some(same.cloned().unwrap_or_else(|| Arc::new(read)));
                Self { good, sight: ProjectSight::Good(text), ..self.clone() }
            }
            Err(error) => {
                let why = error.to_string().into();
                Self { sight: ProjectSight::Broken(text, why), ..self.clone() }
            }
        }
    }

    /// What is known where it is only looked whether it exists.
    pub(crate) fn left_out(&self, found: Observation<&EntryKind>, reason: WithheldReason) -> Self {
        match found {
            Observation::Available(_) => self.gone(ProjectSight::Withheld(reason)),
            Observation::Absent(_) | Observation::Unavailable(_) => {
                self.gone(ProjectSight::Missing)
            }
        }
    }

    fn gone(&self, sight: ProjectSight) -> Self {
        Self { boundary: self.boundary.clone(), good: None, sight }
    }
}
