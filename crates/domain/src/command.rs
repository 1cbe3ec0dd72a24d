//! What can be asked of a session, and what a decision can be.

use crate::{
    context::SystemContext,
    hash::{Blob, ContentHash},
    key::{ApiKey, SourceKey},
    path::AbsolutePath,
    position::{Position, Revision},
    record::{DiscoveredScope, Record},
    render::HostValue,
    session::{Location, Prior, Trust},
    state::{Contents, State},
    url::SourceUrl,
};
use serde::Serialize;
use std::{sync::Arc, time::Duration};

/// What is asked.
#[derive(Clone, Debug)]
pub enum Command<'a> {
    /// Begin a session, or find it as it is (R-SES-5).
    Open {
        /// Where it is to work.
        location: &'a Location,
        /// Where the host's messages end.
        position: Option<Position>,
        /// What the model was told before.
        prior: Prior,
        /// Whether the project's files count.
        trust: Trust,
    },
    /// One safe boundary.
    Sync {
        /// Where the host's messages end.
        position: Option<Position>,
        /// What to do where a first boundary is incomplete.
        on_unavailable: OnUnavailable,
        /// What was found.
        context: &'a SystemContext,
        /// Whether emptied files were looked at twice already (R-OBS-4).
        second_look: SecondLook,
    },
    /// The host completed a compaction.
    Compact {
        /// Where.
        position: Option<Position>,
    },
    /// The host wants a new epoch.
    Rebase {
        /// The host's word for it.
        reason: Option<Arc<str>>,
    },
    /// The host takes its transcript back.
    Revert {
        /// Where to.
        to: Position,
        /// The whole log, for [`crate::rewind`].
        log: &'a [Record],
    },
    /// A tool settlement made directories relevant (R-LOC-3).
    Discover {
        /// Where the settlement stands.
        position: Option<Position>,
        /// The agent whose tool call it was.
        agent: Option<Arc<str>>,
        /// The directories.
        scopes: &'a [DiscoveredScope],
    },
    /// The session is to work elsewhere (R-SES-3).
    Move {
        /// Where.
        location: &'a Location,
    },
    /// The host dropped all messages before a position (R-SES-7).
    Window {
        /// The first position that is still there.
        from: Position,
    },
    /// The host says which texts its transcript holds (R-SES-9).
    Holds {
        /// Their revisions, the baseline's among them.
        held: &'a [Revision],
    },
    /// The host told sources by another channel (R-SES-10).
    Adopt {
        /// Where.
        position: Option<Position>,
        /// What was found.
        context: &'a SystemContext,
        /// Which.
        sources: &'a [Adoption],
    },
    /// The host sets a value for the session.
    SetValue {
        /// Under which key.
        key: &'a ApiKey,
        /// The value.
        value: &'a HostValue,
    },
    /// The host takes a value back.
    UnsetValue {
        /// Which.
        key: &'a ApiKey,
    },
}

/// A source that a host says it told by another channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adoption {
    /// The source.
    pub source: Claimed,
    /// The hash of what was told: only that value is adopted.
    pub sha256: Option<ContentHash>,
}

/// How a host names a source that it told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// By its key; a file's may name a candidate.
    Key(SourceKey),
    /// By the URL that a configuration names, or by what was shown of it.
    Url(SourceUrl),
}

/// What to do where a first boundary is incomplete (R-BND-2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnUnavailable {
    /// Refuse, and write nothing.
    #[default]
    Block,
    /// Go on without; what is missing is listed, and told once it can be read.
    Proceed,
}

/// Whether emptied files were looked at twice already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondLook {
    /// Not yet.
    Pending,
    /// They were: what stands now counts.
    Done,
}

/// A session as a decision sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What it is.
    pub state: State,
    /// The texts of [`State::needs`].
    pub contents: Contents,
}

impl Standing {
    /// `state` with what it needs of `contents` and `blobs`, and of nothing else.
    #[must_use]
    pub fn new(state: State, mut contents: Contents, blobs: &[Blob]) -> Self {
        contents.extend(blobs.iter().map(|blob| (blob.name().sha256, blob.text().clone())));
        let needs = state.needs();
        contents.retain(|hash, _| needs.binary_search(hash).is_ok());
        Self { state, contents }
    }

    /// Whether every text that a boundary can need is at hand.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.state.needs().iter().all(|hash| self.contents.contains_key(hash))
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Append these records, with these texts; then it is so.
    Commit {
        /// The records, in order.
        records: Vec<Record>,
        /// The texts that they need.
        blobs: Vec<Blob>,
    },
    /// Nothing is to be written (R-BND-10).
    Unchanged,
    /// Look at these once more after a moment, and decide again (R-OBS-4).
    LookAgain {
        /// The candidates.
        paths: Vec<AbsolutePath>,
        /// How long to wait.
        after: Duration,
    },
    /// It cannot be done; nothing is to be written.
    Refused(Refusal),
}

/// Why a command is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such session.
    UnknownSession,
    /// The session works elsewhere (R-SES-5).
    OtherLocation(Location),
    /// Required sources of a first boundary cannot be observed (R-BND-2).
    Blocked(Vec<BlockedSource>),
    /// The position lies below the last anchored one (R-BND-9).
    PositionRegressed {
        /// The position given.
        position: Position,
        /// The last anchored one.
        anchored: Position,
    },
    /// The value is over the limit (R-API-1).
    ValueTooLarge {
        /// The limit, in bytes of encoded JSON.
        limit: u64,
        /// The value's size.
        bytes: u64,
    },
}

/// A source that blocks a first boundary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockedSource {
    /// Its name.
    pub source: SourceKey,
    /// Why it cannot be observed.
    pub reason: crate::reason::UnavailableReason,
}

impl Standing {
    /// The revision that the next record will have.
    pub(crate) const fn next(&self) -> Revision {
        self.state.revision.next()
    }
}
