//! The port to durable memory: one log of records a session, a head beside it, and texts by hash.

use async_trait::async_trait;
use std::{collections::BTreeMap, io, sync::Arc};
use told_domain::{
    hash::{Blob, ContentHash},
    head::HeadChange,
    key::ApiKey,
    path::CanonicalPath,
    position::Revision,
    record::Record,
    session::SessionId,
    state::{Contents, State},
    time::Timestamp,
};

/// Remembers what was decided. Every operation takes effect at one moment, or not at all.
///
/// What an answered call wrote is on the medium and is seen by every later call of every process.
/// A call that is cut off (a kill, a full disk, a lost answer) has happened whole or not at all.
///
/// Clauses, each with a test of its name in the contract suite:
/// - **ST-1** `load` gives state and contents of one moment; a session that does not exist is `None`.
/// - **ST-2** `append` writes only where the session is as `expected`; otherwise it is
///   [`StoreError::Conflict`] and nothing is written.
/// - **ST-3** Records are appended all or none, with revisions that follow without a gap; any other
///   revision is refused as [`StoreError::Refused`].
/// - **ST-4** An answered append is durable: it is there after the process is killed.
/// - **ST-5** A hash that a record needs and that is neither stored nor sent is
///   [`StoreError::MissingContent`], nothing written.
/// - **ST-6** A text is stored once, however many records and sessions need it.
/// - **ST-7** `records` gives records in order, after a revision, at most `limit`.
/// - **ST-8** A head that is missing or damaged is folded anew from the log; `load` says so.
/// - **ST-9** A log with a gap or a record that does not decode is [`StoreError::DamagedLog`] with the
///   session and the record, and stays untouched; other sessions are not affected (R-EPO-7).
/// - **ST-10** `delete` removes the session's records, head and the texts that no other session or
///   value needs; a second delete answers `false` (R-SES-4).
/// - **ST-11** A session made again under a deleted one's name has another incarnation: an append
///   that expects the old one is a conflict.
/// - **ST-12** `revisions` answers from the medium as it is now, for a session and for a directory.
/// - **ST-13** `set_value` is durable, counts the directory's values revision up when something
///   changed, and `values` gives every value of exactly that directory (R-API-1).
/// - **ST-14** `sessions` lists every session, or those of one directory, sorted by name.
/// - **ST-15** Of many appends at once that expect the same moment, exactly one succeeds.
/// - **ST-16** `contents` gives each text asked for; one that is not stored is
///   [`StoreError::MissingContent`].
/// - **ST-17** Calls on different sessions do not conflict.
/// - **ST-18** A `delete` that expects a moment removes the session only where it stands there; elsewhere it
///   is [`StoreError::Conflict`] and nothing is removed. So no session goes that was used meanwhile.
#[async_trait]
pub trait Store: Send + Sync {
    /// A session's state with every text that a boundary can need ([`State::needs`]).
    async fn load(&self, session: &SessionId) -> Result<Option<Loaded>, StoreError>;

    /// Where a session and a directory's values stand now. Cheap: it is asked at every boundary.
    async fn revisions(
        &self,
        session: &SessionId,
        directory: &CanonicalPath,
    ) -> Result<Revisions, StoreError>;

    /// Appends records, with the texts they need and what they make of the head.
    async fn append(&self, session: &SessionId, append: Append) -> Result<Mark, StoreError>;

    /// The log after a revision, in order.
    async fn records(
        &self,
        session: &SessionId,
        after: Revision,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError>;

    /// Texts by hash.
    async fn contents(&self, hashes: &[ContentHash]) -> Result<Contents, StoreError>;

    /// Every session, or those whose Location is `directory`.
    async fn sessions(
        &self,
        directory: Option<&CanonicalPath>,
    ) -> Result<Vec<SessionSummary>, StoreError>;

    /// Removes a session, wherever it stands or only where it stands as `expected`. `false` where there
    /// was none.
    async fn delete(&self, session: &SessionId, expected: Option<Mark>)
    -> Result<bool, StoreError>;

    /// The values set for a directory.
    async fn values(&self, directory: &CanonicalPath) -> Result<LocationValues, StoreError>;

    /// Sets (`Some`) or removes a value of a directory.
    async fn set_value(
        &self,
        directory: &CanonicalPath,
        key: &ApiKey,
        value: Option<Arc<str>>,
    ) -> Result<(), StoreError>;
}

/// A session as loaded.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Where it stands.
    pub mark: Mark,
    /// What it is.
    pub state: State,
    /// The texts of [`State::needs`].
    pub contents: Contents,
    /// Whether the head had to be folded anew: the next append should replace it whole.
    pub head: HeadCondition,
}

/// Whether a stored head could be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadCondition {
    /// It could.
    Sound,
    /// It was missing or damaged; the state was folded from the log (R-EPO-7).
    Rebuilt,
}

/// One moment of one session. An incarnation is never used twice in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Which session of that name.
    pub incarnation: u64,
    /// Its last record.
    pub revision: Revision,
}

/// Where things stand now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisions {
    /// The session, if it exists.
    pub session: Option<Mark>,
    /// Counts changes of the directory's values; 0 where none was ever set.
    pub values: u64,
}

/// What one commit writes.
#[derive(Clone, Debug)]
pub struct Append {
    /// Where the session must stand: `None` for a session that must not exist.
    pub expected: Option<Mark>,
    /// The records, the first at the revision after `expected`.
    pub records: Vec<Record>,
    /// Texts that the records need and that may not be stored yet.
    pub blobs: Vec<Blob>,
    /// What becomes of the head rows.
    pub head: HeadChange,
    /// What `sessions` is to say of the session after this commit.
    pub summary: SessionSummary,
}

/// One line of a list of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its name.
    pub session: SessionId,
    /// Its directory.
    pub directory: CanonicalPath,
    /// The boundary around it.
    pub boundary: CanonicalPath,
    /// Its last record.
    pub revision: Revision,
    /// When its first record was written.
    pub opened_at: Timestamp,
    /// When its last record was written.
    pub last_record_at: Timestamp,
}

impl SessionSummary {
    /// What a list says of a session that stands as `state`.
    #[must_use]
    pub fn of(session: &SessionId, state: &State) -> Self {
        Self {
            session: session.clone(),
            directory: state.location.directory.clone(),
            boundary: state.location.boundary.clone(),
            revision: state.revision,
            opened_at: state.opened_at,
            last_record_at: state.last_record_at,
        }
    }
}

/// The values set for one directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocationValues {
    /// Counts changes, from 0.
    pub revision: u64,
    /// Each value's stored text.
    pub values: BTreeMap<ApiKey, Arc<str>>,
}

/// What kept the store from doing what was asked. No variant loses state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The session is not where the caller thought: observe again.
    #[error("the session has moved on")]
    Conflict {
        /// Where it is.
        found: Option<Mark>,
    },
    /// A needed text is neither stored nor sent.
    #[error("the content {0} is neither stored nor sent")]
    MissingContent(ContentHash),
    /// Nobody knows whether the commit happened: read back at the expected revision and compare.
    #[error("the outcome of the commit is unknown")]
    OutcomeUnknown(#[source] Option<Source>),
    /// Another process held the store for too long; nothing was written.
    #[error("the store {path} is held by another process (waited {waited_ms} ms)")]
    Busy {
        /// The store.
        path: String,
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },
    /// The medium is full; nothing was written.
    #[error("there is no space left for the store {path}")]
    Full {
        /// The store.
        path: String,
    },
    /// The store cannot be written here.
    #[error("the store {path} cannot be written: {cause}")]
    ReadOnly {
        /// The store.
        path: String,
        /// The system's words.
        cause: io::Error,
    },
    /// The system does not let this user reach the store; nothing was read or written.
    #[error(
        "the store {path} cannot be reached ({cause}): let this user search its directories, and \
         read and write the file"
    )]
    Denied {
        /// The store.
        path: String,
        /// The system's words.
        cause: io::Error,
    },
    /// The file is no store of told's, or an empty file; it was left as it is.
    #[error("{path} is not a told store ({why}); it was left untouched")]
    NoStore {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// A newer told made the store; it was left as it is.
    #[error("the store {path} has schema {found}, and this told knows {known}: use a newer told")]
    NewerSchema {
        /// The store.
        path: String,
        /// Its schema.
        found: u64,
        /// The newest schema known here.
        known: u64,
    },
    /// A session's log has a gap or a record that does not decode.
    #[error("the log of session `{session}` is damaged at record {record}: {why}")]
    DamagedLog {
        /// The session.
        session: SessionId,
        /// The record.
        record: Revision,
        /// What is wrong with it.
        why: String,
    },
    /// The append contradicts itself; nothing was written. A fault in the caller.
    #[error("the append is refused: {0}")]
    Refused(&'static str),
    /// The medium failed; nothing is known to be written.
    #[error("the store {path} failed: {cause}")]
    Failed {
        /// The store.
        path: String,
        /// The cause.
        #[source]
        cause: Source,
    },
}

/// An underlying error of an adapter.
pub type Source = Box<dyn std::error::Error + Send + Sync>;
