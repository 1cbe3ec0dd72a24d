//! What a line reads.

use crate::{fate::Fate, limits, walk};
use told_domain::path::AbsolutePath;

/// A path that a command line surely reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShellRead {
    /// The path as the line names it, below the directory it began in. Links are not resolved.
    pub path: AbsolutePath,
    /// What the path must be for this to be a read.
    pub kind: ReadKind,
    /// How we know.
    pub evidence: Evidence,
}

/// What a path must be for its reading to count. The text cannot tell; who looks at the path can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadKind {
    /// A file whose content is read (`cat`). Of a directory this reads nothing.
    File,
    /// A directory that is listed (`ls`). Of a file this tells its name alone.
    Directory,
    /// Both count: a file is read, a directory is gone through (`grep -r`).
    Either,
}

/// Why a read is sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Evidence {
    /// The command surely ran and tried to read the path; the line's success does not say that it
    /// could (`cat x | head`, `cat x; true`). Where the path exists, it was read.
    Run,
    /// The line could not have succeeded unless this was read.
    Success,
}

/// The paths that `command`, begun in `cwd` and ended with success, surely read, in the order of
/// reading, each once. `cwd` is a real path: where it has a link in it, `..` is taken by name.
#[must_use]
pub fn reads(command: &str, cwd: &AbsolutePath) -> Vec<ShellRead> {
    walk::line(command, cwd)
}

/// The paths found so far.
#[derive(Default)]
pub(crate) struct Found(Vec<ShellRead>);

impl Found {
    pub(crate) fn add(&mut self, path: AbsolutePath, kind: ReadKind, fate: Fate) {
        let evidence = match fate {
            Fate::Maybe => return,
            Fate::Started | Fate::Ran => Evidence::Run,
            Fate::Succeeded => Evidence::Success,
        };
        let same = |read: &&mut ShellRead| read.path == path && read.kind == kind;
        if let Some(read) = self.0.iter_mut().find(same) {
            read.evidence = read.evidence.max(evidence);
        } else if self.0.len() < limits::PATHS {
            self.0.push(ShellRead { path, kind, evidence });
        }
    }

    pub(crate) fn into_reads(self) -> Vec<ShellRead> {
        self.0
    }
}
