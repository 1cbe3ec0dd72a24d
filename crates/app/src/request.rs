//! What hosts ask, and what they get beside a briefing.

use std::path::PathBuf;
use told_domain::{
    briefing::SourceView,
    command::OnUnavailable,
    position::{Position, Revision},
    render::{Blocks, LogRecord, Marks},
    session::{Location, Prior, SessionId, Trust},
};

/// Begins a session, or finds it (R-SES-5).
#[derive(Clone, Debug)]
pub struct OpenRequest {
    /// Its name.
    pub session: SessionId,
    /// Where it is to work; absolute.
    pub directory: PathBuf,
    /// Where the host's messages end: what is anchored after it is reverted.
    pub position: Option<Position>,
    /// What the model was told before told took part.
    pub prior: Prior,
    /// Whether the project's files count.
    pub trust: Trust,
}

/// A session as `open` left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Its name.
    pub session: SessionId,
    /// Its last record.
    pub revision: Revision,
    /// Where it works.
    pub location: Location,
    /// Whether this call began it.
    pub created: bool,
}

/// One safe boundary, or a preview of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncRequest {
    /// Where the host's messages end; the last anchored position where left out (R-BND-9).
    pub position: Option<Position>,
    /// The revision of the last briefing that the host applied.
    pub since: Option<Revision>,
    /// What to do where a first boundary is incomplete (R-BND-2).
    pub on_unavailable: OnUnavailable,
    /// Whether texts come in parts as well.
    pub blocks: Blocks,
    /// Whether each text opens with a line that names session and revision (R-SES-9).
    pub marks: Marks,
}

/// A stretch of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPage {
    /// The records, in order.
    pub records: Vec<LogRecord>,
    /// Whether there are later ones.
    pub more: bool,
}

/// Which instructions apply to a path, in the order of telling, what could not be looked at, and what
/// was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Those that apply.
    pub applies: Vec<SourceView>,
    /// Those that would, and that could not be looked at, each with its reason.
    pub held: Vec<SourceView>,
    /// Those left out, each with its reason.
    pub withheld: Vec<SourceView>,
}

/// Whose value a host sets (R-API-1). A session's wins over its Location's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueScope {
    /// One session's.
    Session(SessionId),
    /// Every session's in a directory.
    Directory(PathBuf),
}
