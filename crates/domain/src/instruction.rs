//! Instruction files: which candidates there are, and which of them count.

mod boundary;
mod candidate;
mod set;

pub use boundary::{BoundarySight, KnownBoundary};
pub use candidate::{Candidate, Candidates, Treatment};
pub use set::{InstructionSet, LoadedFile, UnavailableFile};
