//! One call with all that it says, and what came of it.

use super::plan::{Access, Settling};
use std::path::PathBuf;
use told_app::{
    Adopted, Error, Held, OpenRequest, Opened, Outcome, ReadKind, ResourceOrigin, Settled,
    SettledPath, SyncRequest, ToolSettlement,
};
use told_domain::{
    briefing::Briefing,
    command::Adoption,
    position::{Position, Revision},
    session::{Location, SessionId},
};

/// One call.
#[derive(Clone, Debug)]
pub(super) enum Request {
    Sync(SyncRequest),
    Preview(SyncRequest),
    Compact(Position),
    Rebase,
    Value(&'static str, Option<String>),
    Settle(ToolSettlement),
    Fork(SessionId, Option<Position>),
    Revert(Position),
    Move(PathBuf),
    Window(Position),
    Holds(Vec<Revision>),
    Adopt(Vec<Adoption>, Option<Position>),
    Delete,
    Open(OpenRequest),
}

/// What a call answered.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    Briefing(Box<Briefing>),
    Revision(Option<Revision>),
    Settled(Settled),
    Opened(Opened),
    Moved(Revision, Location),
    Held(Held),
    Adopted(Adopted),
    Deleted,
}

/// What became of a call that may not have come to its end.
pub(super) type Came = Option<Result<Answer, Error>>;

impl Answer {
    /// The session's last record, as the answer says it.
    pub(super) fn revision(&self) -> Option<u64> {
        let revision = match self {
            Self::Briefing(briefing) => briefing.revision,
            Self::Revision(revision) => (*revision)?,
            Self::Settled(settled) => settled.revision,
            Self::Opened(opened) => opened.revision,
            Self::Moved(revision, _) => *revision,
            Self::Held(held) => held.revision,
            Self::Adopted(adopted) => adopted.revision,
            Self::Deleted => return None,
        };
        Some(revision.0)
    }
}

/// A settlement as a host's tool layer describes it.
pub(super) fn settlement(settling: &Settling, position: Option<u64>) -> ToolSettlement {
    let (named, shell) = settling.in_order();
    let resource = |(path, access): &(String, Access)| SettledPath {
        path: path.into(),
        kind: match access {
            Access::Listed => ReadKind::Directory,
            Access::Read | Access::Shell | Access::Managed | Access::External => ReadKind::File,
        },
        origin: match access {
            Access::Managed => ResourceOrigin::Managed,
            Access::External => ResourceOrigin::External,
            Access::Read | Access::Listed | Access::Shell => ResourceOrigin::Local,
        },
    };
    let input = match shell.is_empty() {
        true => serde_json::Value::Null,
        false => serde_json::json!({"command": format!("cat {}", shell.join(" "))}),
    };
    ToolSettlement {
        agent: settling.agent.then(|| "scout".into()),
        tool: "tool".into(),
        input,
        output: serde_json::Value::Null,
        resources: named.into_iter().map(resource).collect(),
        outcome: if settling.failed { Outcome::Failed } else { Outcome::Succeeded },
        position: position.map(Position),
    }
}
