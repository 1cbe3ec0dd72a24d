//! What a host gets: the exact texts to send, and what is behind them. The field names are the
//! protocol's.

use crate::{
    hash::ContentHash,
    key::{Origin, SourceKey, SourceKind},
    look::Held,
    path::{AbsolutePath, CanonicalPath},
    position::{EpochNumber, Position, Revision},
    reason::Warning,
    session::{Location, SessionId},
    told::{EpochCause, Form},
};
use serde::Serialize;
use std::sync::Arc;

/// What `sync` returns (R-BND-6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Briefing {
    /// The session.
    pub session: SessionId,
    /// The session's last record: what a host gives as `since` next time.
    pub revision: Revision,
    /// Whether everything is here, or only what is newer than `since`.
    pub complete: bool,
    /// Where the session works, as this look found it.
    pub location: Location,
    /// The epoch and its baseline.
    pub epoch: BriefingEpoch,
    /// The epoch's updates in the order told.
    pub updates: Vec<BriefingUpdate>,
    /// The record that this sync wrote: the epoch's baseline or one update.
    pub admitted: Option<Revision>,
    /// Unavailable sources; what was last admitted of them stands.
    pub held: Vec<Held>,
    /// What was left out, each with its reason.
    pub withheld: Vec<SourceView>,
    /// Sums.
    pub totals: Totals,
}

/// An epoch as a briefing shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BriefingEpoch {
    /// Its number; 0 before the first epoch.
    pub number: EpochNumber,
    /// The record that started it.
    pub revision: Revision,
    /// What made it start.
    pub cause: EpochCause,
    /// Where it stands.
    pub position: Position,
    /// What stands at the end of the system text.
    pub baseline: Baseline,
}

/// A baseline's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Baseline {
    /// The exact text; left out where the briefing is not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Arc<str>>,
    /// Its hash.
    pub sha256: ContentHash,
    /// Its length in bytes.
    pub bytes: u64,
    /// The text in parts, where the host asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<Block>>,
}

/// One update as a briefing shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BriefingUpdate {
    /// The record that holds it.
    pub revision: Revision,
    /// Where it stands.
    pub position: Position,
    /// The exact text.
    pub text: Arc<str>,
    /// Whether it is still in the transcript's window.
    pub in_window: bool,
    /// It came from the parent of a fork.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inherited: bool,
    /// What it told, in the order told.
    pub changes: Vec<ChangeView>,
    /// The text in parts, where the host asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<Block>>,
}

/// One change as a briefing shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangeView {
    /// What kind of change.
    pub kind: ChangeKind,
    /// The source.
    pub source: SourceKey,
    /// A file's path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<AbsolutePath>,
    /// A URL, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Arc<str>>,
    /// How it is told.
    pub form: Form,
    /// The size in bytes of the delivered value; nothing for a removal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// What kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// A source that was not told before.
    Added,
    /// A source whose value is another now.
    Changed,
    /// A source that no longer applies.
    Removed,
}

/// A part of a text. Parts joined by two line feeds are the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Block {
    /// The source; nothing for a lead or a note.
    pub source: Option<SourceKey>,
    /// Who wrote it.
    pub origin: Origin,
    /// The part.
    pub text: Arc<str>,
}

/// Sums over a briefing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Sources that the model believes something of.
    pub sources: u64,
    /// Bytes of the baseline and of every update of the epoch.
    pub bytes: u64,
    /// Those bytes as estimated tokens ([`estimated_tokens`]).
    pub tokens: u64,
}

/// A rough number of tokens for `bytes` of text: one for four bytes, rounded up. Tokenizers differ;
/// this is for a person's eye, never for a limit.
#[must_use]
pub const fn estimated_tokens(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

/// One source and what became of it (the protocol's *source*).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceView {
    /// Its key.
    pub source: SourceKey,
    /// What it is.
    pub kind: SourceKind,
    /// A file's path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<AbsolutePath>,
    /// A URL, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Arc<str>>,
    /// For a path-local file, the directory that it applies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<CanonicalPath>,
    /// What became of it.
    pub state: SourceState,
    /// Why it is held or withheld, in the protocol's word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// What a reader may want to know of its text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// The hash of the delivered text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<ContentHash>,
    /// The file's size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Estimated tokens of the delivered text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The record that told it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told_at: Option<Revision>,
    /// Whether that text is still in the transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_window: Option<bool>,
}

/// What became of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceState {
    /// The model was told its value.
    Active,
    /// The model was told that it no longer applies.
    Inactive,
    /// It could not be observed; what was told stands.
    Held,
    /// It is left out by policy.
    Withheld,
    /// It would be told at the next boundary.
    Pending,
}

impl SourceView {
    /// A view of `key` that says nothing but its state.
    #[must_use]
    pub fn new(key: SourceKey, state: SourceState) -> Self {
        Self {
            kind: key.kind(),
            path: key.path().cloned(),
            url: key.url().map(Arc::from),
            source: key,
            scope: None,
            state,
            reason: None,
            warnings: Vec::new(),
            sha256: None,
            bytes: None,
            tokens: None,
            told_at: None,
            in_window: None,
        }
    }
}
