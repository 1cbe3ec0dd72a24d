//! Instruction files: which candidates there are, and which of them count.

mod boundary;
mod candidate;
mod configured;
mod matches;
mod project;
mod set;

pub use boundary::{BoundarySight, KnownBoundary};
pub(crate) use candidate::project_treatment;
pub use candidate::{Candidate, Candidates, Treatment};
pub use configured::{Pattern, ProjectExclude};
pub use matches::KnownMatches;
pub use project::{KnownProject, ProjectSight};
pub use set::{InstructionSet, LoadedFile, UnavailableFile};
