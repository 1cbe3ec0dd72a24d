//! The project boundary: the nearest directory at or above the Location that holds a marker
//! (R-AMB-4).

use crate::{
    look::EntryKind,
    observation::Observation,
    path::{AbsolutePath, CanonicalPath},
    policy::FileName,
    reason::UnavailableReason,
};

/// What is known of the boundary before a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownBoundary {
    /// Nothing: only markers are looked for.
    No,
    /// A marker was seen in this directory. Directories above it need no look.
    Marked(CanonicalPath),
    /// No directory held a marker: the Location itself is the boundary.
    Unmarked,
}

/// What a look at the markers says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundarySight {
    /// The boundary, and what to know of it next time.
    Found(KnownBoundary),
    /// No marker where one was: the directories above have to be looked at.
    LookAbove,
    /// A look failed where a marker could be, so nobody knows (the first marker that failed).
    Unknown(AbsolutePath, UnavailableReason),
}

impl KnownBoundary {
    /// The boundary of `directory`, if it is known.
    #[must_use]
    pub fn of(&self, directory: &CanonicalPath) -> Option<CanonicalPath> {
        match self {
            Self::No => None,
            Self::Marked(boundary) => Some(boundary.clone()),
            Self::Unmarked => Some(directory.clone()),
        }
    }

    /// The directories to look for markers in, nearest first.
    pub(crate) fn marker_directories(&self, directory: &CanonicalPath) -> Vec<AbsolutePath> {
        match self {
            Self::Marked(boundary) if directory.is_within(boundary) => {
                directory.ancestors().take_while(|above| above.is_within(boundary)).collect()
            }
            Self::Marked(_) | Self::No | Self::Unmarked => directory.ancestors().collect(),
        }
    }

    /// Reads the answers to looks at `markers` in each of [`Self::marker_directories`].
    pub(crate) fn sight(
        &self,
        directory: &CanonicalPath,
        markers: &[FileName],
        probes: &[Observation<EntryKind>],
    ) -> BoundarySight {
        let mut failed = None;
        let directories = self.marker_directories(directory);
        for (above, seen) in directories.iter().zip(probes.chunks(markers.len().max(1))) {
            for (marker, sight) in markers.iter().zip(seen) {
                match sight {
                    // What failed nearer may be a nearer boundary: nobody knows.
                    Observation::Available(EntryKind::File | EntryKind::Directory)
                        if failed.is_none() =>
                    {
                        let found = CanonicalPath::observed(above.clone());
                        return BoundarySight::Found(Self::Marked(found));
                    }
                    Observation::Unavailable(reason) if failed.is_none() => {
                        failed = Some((above.join(marker.as_str()), *reason));
                    }
                    Observation::Available(_)
                    | Observation::Unavailable(_)
                    | Observation::Absent(_) => {}
                }
            }
        }
        match (failed, self) {
            (Some((path, reason)), _) => BoundarySight::Unknown(path, reason),
            (None, Self::Marked(_)) => BoundarySight::LookAbove,
            (None, Self::No | Self::Unmarked) => BoundarySight::Found(Self::Unmarked),
        }
    }
}
