//! The durable facts of a session, in the order they happened. The log is the truth; all else is
//! folded from it.

use crate::{
    hash::{ContentHash, ContentRef},
    key::{ApiKey, SourceKey},
    look::Look,
    path::CanonicalPath,
    position::{EpochNumber, Position, Revision},
    render::PartSpan,
    session::{Location, Prior, SessionId, Trust},
    time::Timestamp,
    told::{Admission, Change, EpochCause, Told, UnderHolds},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

/// One durable fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its place in the session's log.
    pub revision: Revision,
    /// When it was decided.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A session began.
    Opened {
        /// Where it works.
        location: Location,
        /// Where the host's messages ended.
        position: Option<Position>,
        /// What the model had been told before.
        prior: Prior,
        /// Whether the project's files count.
        trust: Trust,
    },
    /// A baseline was admitted (R-EPO-1).
    EpochStarted {
        /// The epoch's number.
        number: EpochNumber,
        /// What made it start.
        cause: EpochCause,
        /// Where it stands.
        position: Position,
        /// The baseline's text.
        baseline: ContentRef,
        /// The parts of that text.
        parts: Vec<PartSpan>,
        /// What the baseline tells, in the order told.
        sources: Vec<Admission>,
        /// Keys that another channel told, which the baseline leaves out (R-SES-10).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        adopted: Vec<SourceKey>,
        /// The look behind it.
        look: Look,
    },
    /// An update was admitted (R-BND-3).
    ContextUpdated {
        /// Where it stands.
        position: Position,
        /// Its text.
        text: ContentRef,
        /// The parts of that text.
        parts: Vec<PartSpan>,
        /// What it tells, in the order told.
        changes: Vec<Change>,
        /// The look behind it.
        look: Look,
    },
    /// A tool settlement made directories relevant (R-LOC-3).
    ScopesDiscovered {
        /// Where the settlement stands.
        position: Position,
        /// The agent whose tool call it was.
        agent: Option<Arc<str>>,
        /// The directories, each with its project.
        scopes: Vec<DiscoveredScope>,
    },
    /// The host told sources by another channel (R-SES-10).
    Adopted {
        /// Where.
        position: Position,
        /// What.
        sources: Vec<Admission>,
    },
    /// The host completed a compaction (R-EPO-2).
    Compacted {
        /// Where.
        position: Position,
    },
    /// The host wants a new epoch without a compaction (R-EPO-3).
    Rebased {
        /// The last anchored position.
        position: Position,
        /// The host's word for it.
        reason: Option<Arc<str>>,
    },
    /// The host dropped all messages before a position (R-SES-7).
    WindowMoved {
        /// The first position that is still there.
        from: Position,
    },
    /// The host said which texts its transcript holds (R-SES-9).
    HoldsDeclared {
        /// The revisions that it named.
        held: Vec<Revision>,
        /// The epoch's revisions that it did not name, the baseline's among them.
        lost: Vec<Revision>,
    },
    /// The host took its transcript back to a position (R-SES-2).
    Reverted {
        /// Where to.
        to: Position,
        /// What is left.
        told: Box<Told>,
    },
    /// The session works elsewhere from now on (R-SES-3).
    Moved {
        /// Where.
        location: Location,
    },
    /// The session began as a copy (R-SES-1).
    Forked {
        /// The session copied.
        parent: SessionId,
        /// At which position.
        position: Position,
        /// The parent's Location at that moment.
        location: Location,
        /// The parent's trust.
        trust: Trust,
        /// The parent's prior.
        prior: Prior,
        /// The parent's belief at the position.
        told: Box<Told>,
        /// The parent's host-set values.
        values: BTreeMap<ApiKey, ContentRef>,
        /// The highest epoch number that the parent ever used.
        epochs: EpochNumber,
    },
    /// The host set a value for the session (R-API-1).
    ValueSet {
        /// Under which key.
        key: ApiKey,
        /// The value.
        value: ContentRef,
    },
    /// The host took a value back.
    ValueUnset {
        /// Which.
        key: ApiKey,
    },
}

/// One directory of a discovery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveredScope {
    /// The directory.
    pub directory: CanonicalPath,
    /// The project that it belongs to.
    pub project: CanonicalPath,
}

/// A stored record that this version cannot read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A kind or version from a newer told. It is never skipped.
    #[error("a record of kind `{kind}` version {version} is from a newer told")]
    Unknown {
        /// The record's kind.
        kind: String,
        /// Its version.
        version: u64,
    },
    /// The bytes are no record.
    #[error("the record does not decode")]
    Damaged(#[source] serde_json::Error),
}

/// The version that this told writes, of every kind.
const VERSION: u64 = 1;

/// The kinds that this told reads.
pub const KINDS: [&str; 14] = [
    "opened",
    "epoch_started",
    "context_updated",
    "scopes_discovered",
    "adopted",
    "compacted",
    "rebased",
    "window_moved",
    "holds_declared",
    "reverted",
    "moved",
    "forked",
    "value_set",
    "value_unset",
];

#[derive(Deserialize)]
struct Head {
    kind: String,
    version: u64,
}

#[derive(Serialize)]
struct Versioned<'a> {
    version: u64,
    #[serde(flatten)]
    record: &'a Record,
}

impl Record {
    /// The record's stored form: one JSON object that names its kind and version.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        // A record holds strings, numbers and lists only, all of which JSON can hold.
        serde_json::to_vec(&Versioned { version: VERSION, record: self }).unwrap_or_default()
    }

    /// Reads a stored record.
    ///
    /// # Errors
    /// [`RecordError::Unknown`] for a kind or version of a newer told; [`RecordError::Damaged`] for
    /// anything else that is no record.
    pub fn decode(bytes: &[u8]) -> Result<Self, RecordError> {
        let head: Head = serde_json::from_slice(bytes).map_err(RecordError::Damaged)?;
        if head.version != VERSION || !KINDS.contains(&head.kind.as_str()) {
            return Err(RecordError::Unknown { kind: head.kind, version: head.version });
        }
        serde_json::from_slice(bytes).map_err(RecordError::Damaged)
    }

    /// Every stored text that the record needs.
    #[must_use]
    pub fn references(&self) -> Vec<ContentHash> {
        let mut found = References::default();
        match &self.event {
            Event::EpochStarted { baseline, sources, .. } => {
                found.one(*baseline);
                sources.iter().for_each(|admission| found.one(admission.value));
            }
            Event::ContextUpdated { text, changes, .. } => {
                found.one(*text);
                found.changes(changes);
            }
            Event::Adopted { sources, .. } => {
                sources.iter().for_each(|admission| found.one(admission.value));
            }
            Event::Reverted { told, .. } => found.told(told),
            Event::Forked { told, values, .. } => {
                found.told(told);
                values.values().for_each(|value| found.one(*value));
            }
            Event::ValueSet { value, .. } => found.one(*value),
            Event::Opened { .. }
            | Event::ScopesDiscovered { .. }
            | Event::Compacted { .. }
            | Event::Rebased { .. }
            | Event::WindowMoved { .. }
            | Event::HoldsDeclared { .. }
            | Event::Moved { .. }
            | Event::ValueUnset { .. } => {}
        }
        found.0.sort_unstable();
        found.0.dedup();
        found.0
    }
}

#[derive(Default)]
struct References(Vec<ContentHash>);

impl References {
    fn one(&mut self, name: ContentRef) {
        self.0.push(name.sha256);
    }

    fn telling(&mut self, content: &crate::told::TellingContent) {
        if let crate::told::TellingContent::Value(admission) = content {
            self.one(admission.value);
        }
    }

    fn under_holds(&mut self, belief: &UnderHolds) {
        if let UnderHolds::Telling(telling) = belief {
            self.telling(&telling.content);
        }
    }

    fn changes(&mut self, changes: &[Change]) {
        for change in changes {
            if let Change::Added { admission } | Change::Changed { admission, .. } = change {
                self.one(admission.value);
            }
        }
    }

    fn told(&mut self, told: &Told) {
        if let Some(epoch) = &told.epoch {
            self.one(epoch.baseline);
        }
        for entry in told.entries.values() {
            entry.baseline.iter().for_each(|admission| self.one(admission.value));
            entry.last.iter().for_each(|telling| self.telling(&telling.content));
            entry.under_holds.iter().for_each(|belief| self.under_holds(belief));
            entry.adopted.iter().for_each(|adoption| self.telling(&adoption.telling.content));
        }
        for update in &told.updates {
            self.one(update.text);
            self.changes(&update.changes);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
