//! What the model was told, as its transcript stands: the part of a session's state that a fork
//! copies and a revert takes back.

use crate::{
    hash::ContentRef,
    key::{Origin, SourceKey},
    look::Look,
    path::{AbsolutePath, CanonicalPath},
    place::Place,
    position::{EpochNumber, Position, Revision},
    reason::Warning,
    render::PartSpan,
    session::SessionId,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

/// What the model was told. `Reverted` and `Forked` records carry one whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The current epoch; nothing before the first boundary.
    pub epoch: Option<ContextEpoch>,
    /// A compaction or rebase that the next boundary answers with a new epoch.
    pub pending: Option<PendingEpoch>,
    /// Requests that came before `pending`, each at an earlier position: what is left of it where the
    /// later ones are taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overtaken: Vec<PendingEpoch>,
    /// Per key, what the epoch told.
    #[serde(with = "entries_as_list")]
    pub entries: BTreeMap<SourceKey, Arc<Entry>>,
    /// The epoch's updates in the order told.
    pub updates: Vec<Arc<Update>>,
    /// Directories that tool settlements made relevant, by path.
    #[serde(with = "entries_as_list")]
    pub scopes: BTreeMap<CanonicalPath, Scope>,
    /// Messages before this position are gone from the transcript (R-SES-7).
    pub window: Position,
    /// The last anchored position (R-BND-9); nothing while nothing is anchored.
    pub anchored: Option<Position>,
    /// The look behind the last admission (R-BND-10).
    pub look: Option<Look>,
}

/// One baseline and the updates after it (R-EPO-1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextEpoch {
    /// Never used twice in a session.
    pub number: EpochNumber,
    /// The record that started it.
    pub revision: Revision,
    /// What made it start.
    pub cause: EpochCause,
    /// Where it stands among the host's messages.
    pub position: Position,
    /// The baseline's text.
    pub baseline: ContentRef,
    /// The parts of that text.
    pub parts: Vec<PartSpan>,
    /// The host said that its transcript does not hold the baseline (R-SES-9).
    #[serde(default)]
    pub baseline_lost: bool,
    /// Who told it first, where it came from the parent of a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_told: Option<FirstTold>,
}

/// What made an epoch start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EpochCause {
    /// The first boundary.
    Initial,
    /// A completed compaction (R-EPO-2).
    Compacted,
    /// A model switch or the host's wish (R-EPO-3).
    Rebased,
    /// The session was taken over in mid-conversation (R-SES-8).
    Unknown,
}

/// A request that the next boundary answers with a new epoch. The last request names the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingEpoch {
    /// What the new epoch's cause will be.
    pub cause: EpochCause,
    /// Where it will start.
    pub position: Position,
}

/// Per key: what the baseline told, and what was told last. Belief under a window or under `holds`
/// follows from these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What the epoch's baseline says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Admission>,
    /// The last admission after the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Telling>,
    /// What another channel told of it in this epoch, in order (R-SES-10).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adopted: Vec<Adoption>,
    /// What the texts that the host still holds say of the key, where it said that it lost some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under_holds: Option<UnderHolds>,
}

/// One admission after the baseline: a value or a removal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Telling {
    /// What was told.
    pub content: TellingContent,
    /// The record that told it.
    pub revision: Revision,
    /// Where that text stands.
    pub position: Position,
    /// Where the earliest text after the baseline stands that the value needs: its own, or further
    /// back the first of a chain of diffs or that chain's base.
    pub rests_on: Position,
}

/// One value that another channel told. It is none of told's texts, so that the host's declarations
/// of what it holds say nothing of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adoption {
    /// What, and where.
    pub telling: Telling,
    /// How many of the epoch's updates had been told before it.
    pub after: usize,
}

/// What an admission told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TellingContent {
    /// A value, in full or as a diff.
    Value(Admission),
    /// That the source no longer applies; its place orders a repeated removal.
    Removal(Place),
}

/// What the texts at hand say of a key after the host declared which it holds (R-SES-9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnderHolds {
    /// Nothing: neither the baseline nor any update at hand names it.
    Nothing,
    /// The baseline's value.
    Baseline,
    /// This update's.
    Telling(Box<Telling>),
    /// A diff without its base stands here: no full text is left.
    Unclear(Position),
}

/// The durable fact that the model is being told a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admission {
    /// Which source.
    pub key: SourceKey,
    /// Where it stood in the order of telling.
    pub place: Place,
    /// The value, as delivered.
    pub value: ContentRef,
    /// The size in bytes of what was observed: a file's whole size, else the value's.
    pub size: u64,
    /// Who wrote it.
    pub origin: Origin,
    /// What a reader may want to know of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Every candidate path that led to the value (R-OBS-8).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<AbsolutePath>,
    /// For a path-local file, the directory that it applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<CanonicalPath>,
    /// A plugin's own sentence for its removal, to be told when nobody provides it any more (R-EPO-5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removal: Option<Arc<str>>,
}

/// One chronological update of an epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Update {
    /// The record that holds it.
    pub revision: Revision,
    /// Where it stands.
    pub position: Position,
    /// Its text.
    pub text: ContentRef,
    /// The parts of that text.
    pub parts: Vec<PartSpan>,
    /// What it told, in the order told.
    pub changes: Vec<Change>,
    /// Who told it first, where it came from the parent of a fork (R-SES-1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_told: Option<FirstTold>,
    /// The host said that its transcript does not hold it (R-SES-9).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}

/// The session and record that told a text first: what its mark names in every session that inherits
/// it, so that the bytes of a shared prefix are the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstTold {
    /// The session.
    pub session: SessionId,
    /// Its record.
    pub revision: Revision,
}

/// One line of an update.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Change {
    /// A source that was not told before.
    Added {
        /// What is told, always in full.
        admission: Admission,
    },
    /// A source whose value is another now.
    Changed {
        /// What is told.
        admission: Admission,
        /// How.
        form: Form,
    },
    /// A source that no longer applies.
    Removed {
        /// Which.
        key: SourceKey,
        /// Where it stood.
        place: Place,
    },
}

impl Change {
    /// The source that it is about.
    #[must_use]
    pub const fn key(&self) -> &SourceKey {
        match self {
            Self::Added { admission } | Self::Changed { admission, .. } => &admission.key,
            Self::Removed { key, .. } => key,
        }
    }

    /// How it is told: a removal and an addition are always whole.
    #[must_use]
    pub const fn form(&self) -> Form {
        match self {
            Self::Changed { form, .. } => *form,
            Self::Added { .. } | Self::Removed { .. } => Form::Full,
        }
    }
}

/// How a changed value is told (R-TXT-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The whole value.
    Full,
    /// A unified diff against what was believed.
    Diff,
}

/// A directory that a tool settlement made relevant (R-LOC-2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The project that it belongs to, decided at the settlement (R-LOC-9).
    pub project: CanonicalPath,
    /// The agent whose tool call it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Arc<str>>,
    /// Where the settlement stands.
    pub position: Position,
    /// The record that discovered it.
    pub revision: Revision,
}

/// JSON has no maps with keys of every kind: a list of pairs it is.
mod entries_as_list {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    pub(super) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub(super) fn deserialize<
        'de,
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    >(
        deserializer: D,
    ) -> Result<BTreeMap<K, V>, D::Error> {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}
