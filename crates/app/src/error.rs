//! What a caller is told when something cannot be done: the protocol's errors, as one type.

use std::path::PathBuf;
use told_domain::{
    command::{BlockedSource, Refusal},
    context::DuplicateKey,
    fold::FoldError,
    path::AbsolutePath,
    position::{Position, Revision},
    reason::Retry,
    render::MissingText,
    session::{Location, SessionId},
    skill::SkillName,
};
use told_ports::{NoDirectory, ProvideError, StoreError};

/// Why a call was refused or failed. None loses durable state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Required sources of a first boundary cannot be observed; nothing was written (R-BND-2).
    #[error("the first boundary is incomplete: {}", list(.0))]
    Blocked(Vec<BlockedSource>),
    /// There is no such session.
    #[error("there is no session `{0}`: open it first")]
    UnknownSession(SessionId),
    /// The session works elsewhere (R-SES-5).
    #[error(
        "session `{session}` works in {}: open it there, or move it",
        location.directory.on_one_line()
    )]
    SessionExists {
        /// The session.
        session: SessionId,
        /// Where it works.
        location: Location,
    },
    /// There is a session of the name that a fork's child is to have (R-SES-1).
    #[error("there is a session `{0}` already: the child must have another name")]
    ChildExists(SessionId),
    /// The position lies below the last anchored one; nothing was written (R-BND-9).
    #[error(
        "position {position} lies before {anchored}, where the model was last told something: \
         give a later one, or revert"
    )]
    PositionRegressed {
        /// The position given.
        position: Position,
        /// The last anchored one.
        anchored: Position,
    },
    /// The session moved since the call began (R-BND-8).
    #[error("session `{0}` moved to another directory since the call began: call again")]
    LocationChanged(SessionId),
    /// A value over the limit (R-API-1).
    #[error("the value has {bytes} bytes of JSON, and at most {limit} are allowed")]
    ValueTooLarge {
        /// The limit.
        limit: u64,
        /// The size.
        bytes: u64,
    },
    /// A directory that cannot be a Location.
    #[error("{} {why}", told_domain::path::on_one_line(&path.to_string_lossy()))]
    UnknownDirectory {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        why: NoDirectory,
    },
    /// What a host provides is not taken.
    #[error(transparent)]
    Provide(#[from] ProvideError),
    /// A revision that the session never had.
    #[error("session `{session}` has no revision {revision}: its last is {last}")]
    UnknownRevision {
        /// The session.
        session: SessionId,
        /// The revision asked for.
        revision: Revision,
        /// Its last.
        last: Revision,
    },
    /// No skill of this name is listed here.
    #[error("there is no skill `{}` here", told_domain::path::on_one_line(.name))]
    UnknownSkill {
        /// The name asked for.
        name: String,
    },
    /// The skill's file cannot be loaded.
    #[error("the skill `{name}` cannot be loaded from {}: {why}", path_or_host(.path.as_ref()))]
    SkillNotLoaded {
        /// Its name.
        name: SkillName,
        /// Its `SKILL.md`, where it has one.
        path: Option<AbsolutePath>,
        /// Why, in a sentence.
        why: String,
        /// Why, in the protocol's word.
        reason: &'static str,
        /// Whether the same call is worth trying again.
        retry: Retry,
    },
    /// Two contributions have one key: a fault in the host.
    #[error(transparent)]
    DuplicateKey(#[from] DuplicateKey),
    /// Others wrote to the session in every one of many rounds.
    #[error("session `{session}` was changed by others {rounds} times during one call: call again")]
    Contended {
        /// The session.
        session: SessionId,
        /// How many rounds were tried.
        rounds: usize,
    },
    /// The session's log does not fold, or lacks a text.
    #[error("the log of session `{session}` is damaged at record {record}: {why}")]
    Damaged {
        /// The session.
        session: SessionId,
        /// The record.
        record: Revision,
        /// What is wrong.
        why: String,
    },
    /// The store could not do what was asked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Error {
    /// The protocol's name for it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Blocked(_) => "blocked",
            Self::UnknownSession(_) => "unknown_session",
            Self::SessionExists { .. } | Self::ChildExists(_) => "session_exists",
            Self::PositionRegressed { .. } => "position_regressed",
            Self::LocationChanged(_) => "location_changed",
            Self::ValueTooLarge { .. } => "value_too_large",
            Self::UnknownDirectory { .. } => "unknown_directory",
            Self::UnknownRevision { .. } => "unknown_revision",
            Self::UnknownSkill { .. } => "unknown_skill",
            Self::SkillNotLoaded { .. } => "skill_not_loaded",
            Self::DuplicateKey(_) | Self::Provide(ProvideError::Unsupported) => "unsupported",
            Self::Provide(ProvideError::Files { .. } | ProvideError::Bytes { .. }) => {
                "value_too_large"
            }
            Self::Provide(ProvideError::Directory { .. }) => "unknown_directory",
            Self::Provide(_) => "invalid_path",
            Self::Damaged { .. } => "store_damaged",
            Self::Contended { .. } => "store_unavailable",
            Self::Store(
                StoreError::DamagedLog { .. }
                | StoreError::NoStore { .. }
                | StoreError::MissingContent(_),
            ) => "store_damaged",
            Self::Store(_) => "store_unavailable",
        }
    }

    /// Whether the same call is worth trying again.
    #[must_use]
    pub const fn retry(&self) -> Retry {
        match self {
            Self::LocationChanged(_) | Self::Contended { .. } => Retry::Now,
            Self::Blocked(_)
            | Self::UnknownDirectory { why: NoDirectory::Unavailable(_), .. }
            | Self::Provide(ProvideError::Directory { why: NoDirectory::Unavailable(_), .. }) => {
                Retry::Later
            }
            Self::SkillNotLoaded { retry, .. } => *retry,
            Self::Store(error) => match error {
                StoreError::Conflict { .. } | StoreError::OutcomeUnknown(_) => Retry::Now,
                StoreError::Busy { .. }
                | StoreError::Full { .. }
                | StoreError::ReadOnly { .. }
                | StoreError::Denied { .. }
                | StoreError::Failed { .. } => Retry::Later,
                _ => Retry::No,
            },
            Self::UnknownSession(_)
            | Self::SessionExists { .. }
            | Self::ChildExists(_)
            | Self::PositionRegressed { .. }
            | Self::ValueTooLarge { .. }
            | Self::UnknownDirectory { .. }
            | Self::UnknownRevision { .. }
            | Self::UnknownSkill { .. }
            | Self::DuplicateKey(_)
            | Self::Provide(_)
            | Self::Damaged { .. } => Retry::No,
        }
    }

    pub(crate) fn refused(session: &SessionId, refusal: Refusal) -> Self {
        match refusal {
            Refusal::UnknownSession => Self::UnknownSession(session.clone()),
            Refusal::OtherLocation(location) => {
                Self::SessionExists { session: session.clone(), location }
            }
            Refusal::Blocked(sources) => Self::Blocked(sources),
            Refusal::PositionRegressed { position, anchored } => {
                Self::PositionRegressed { position, anchored }
            }
            Refusal::ValueTooLarge { limit, bytes } => Self::ValueTooLarge { limit, bytes },
        }
    }

    pub(crate) fn unfolded(session: &SessionId, error: FoldError) -> Self {
        let record = match error {
            FoldError::Gap { expected, .. } => expected,
            FoldError::Misplaced(record) => record,
        };
        Self::Damaged { session: session.clone(), record, why: error.to_string() }
    }

    pub(crate) fn missing(session: &SessionId, record: Revision, error: MissingText) -> Self {
        Self::Damaged { session: session.clone(), record, why: error.to_string() }
    }
}

fn path_or_host(path: Option<&AbsolutePath>) -> String {
    path.map_or_else(|| "a host".to_owned(), AbsolutePath::on_one_line)
}

fn list(sources: &[BlockedSource]) -> String {
    let one = |blocked: &BlockedSource| {
        let source = told_domain::path::on_one_line(&blocked.source.to_string());
        format!("{source} ({})", blocked.reason)
    };
    sources.iter().map(one).collect::<Vec<_>>().join(", ")
}
