//! The head: a session's state as rows that a store keeps beside the log, so that opening a session
//! costs what is active and a commit writes what changed. The head is a cache; the log is the truth.

use crate::{
    key::{ApiKey, SourceKey},
    look::Look,
    path::CanonicalPath,
    position::{EpochNumber, Position, Revision},
    session::{Location, Prior, Trust},
    state::State,
    time::Timestamp,
    told::{PendingEpoch, Told},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// What one commit does to a session's head rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadChange {
    /// Some rows change: `Some` writes a row, `None` deletes it.
    Rows(BTreeMap<RowKey, Option<Vec<u8>>>),
    /// All rows are replaced by these: a new session, or a head that had to be rebuilt.
    Whole(BTreeMap<RowKey, Vec<u8>>),
}

/// The name of one head row within its session. Its text is the store's key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKey {
    /// All that exists once in a session, and is small.
    Session,
    /// The epoch: it names every part of its baseline, and stands as long as that.
    Epoch,
    /// One source.
    Entry(SourceKey),
    /// One update of the epoch, by its index.
    Update(u32),
    /// One discovered directory.
    Scope(CanonicalPath),
    /// One host-set value.
    Value(ApiKey),
}

/// Head rows that do not make a state: rebuild it from the log (R-EPO-7).
#[derive(Debug, thiserror::Error)]
#[error("the head row `{row}` is missing or does not decode")]
pub struct HeadDamaged {
    /// Which row.
    pub row: String,
}

impl HeadChange {
    /// What leads from `old` to `new`.
    #[must_use]
    pub fn between(old: &State, new: &State) -> Self {
        let mut rows = BTreeMap::new();
        rows.insert(RowKey::Session, Some(session_row(new)));
        if old.told.epoch != new.told.epoch {
            rows.insert(RowKey::Epoch, new.told.epoch.as_ref().map(encode));
        }
        changed(&mut rows, &old.told.entries, &new.told.entries, RowKey::Entry);
        changed(&mut rows, &old.told.scopes, &new.told.scopes, RowKey::Scope);
        changed(&mut rows, &old.values, &new.values, RowKey::Value);
        let indexes = old.told.updates.len().max(new.told.updates.len());
        for index in 0..indexes {
            let (before, after) = (old.told.updates.get(index), new.told.updates.get(index));
            if before != after {
                rows.insert(update_key(index), after.map(encode));
            }
        }
        Self::Rows(rows)
    }

    /// All of `state`.
    #[must_use]
    pub fn whole(state: &State) -> Self {
        let mut rows = BTreeMap::new();
        rows.insert(RowKey::Session, session_row(state));
        let told = &state.told;
        rows.extend(told.epoch.iter().map(|epoch| (RowKey::Epoch, encode(epoch))));
        rows.extend(told.entries.iter().map(|(k, v)| (RowKey::Entry(k.clone()), encode(v))));
        rows.extend(told.scopes.iter().map(|(k, v)| (RowKey::Scope(k.clone()), encode(v))));
        rows.extend(state.values.iter().map(|(k, v)| (RowKey::Value(k.clone()), encode(v))));
        rows.extend(told.updates.iter().enumerate().map(|(i, v)| (update_key(i), encode(v))));
        Self::Whole(rows)
    }
}

/// The state that a session's rows make.
///
/// # Errors
/// [`HeadDamaged`] where a row is missing, unknown or does not decode.
pub fn assemble<'a>(
    rows: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> Result<State, HeadDamaged> {
    let mut session = None;
    let mut told = Told::default();
    let mut values = BTreeMap::new();
    for (row, bytes) in rows {
        let damaged = || HeadDamaged { row: row.to_owned() };
        match row.parse().map_err(|_| damaged())? {
            RowKey::Session => session = Some(decode::<SessionRow>(row, bytes)?),
            RowKey::Epoch => told.epoch = Some(decode(row, bytes)?),
            RowKey::Entry(key) => {
                told.entries.insert(key, decode(row, bytes)?);
            }
            RowKey::Update(index) if told.updates.len() == index as usize => {
                told.updates.push(decode(row, bytes)?);
            }
            RowKey::Update(_) => return Err(damaged()),
            RowKey::Scope(directory) => {
                told.scopes.insert(directory, decode(row, bytes)?);
            }
            RowKey::Value(key) => {
                values.insert(key, decode(row, bytes)?);
            }
        }
    }
    let session = session.ok_or_else(|| HeadDamaged { row: RowKey::Session.to_string() })?;
    session.into_state(told, values)
}

fn changed<K: Ord + Clone, V: PartialEq + Serialize>(
    rows: &mut BTreeMap<RowKey, Option<Vec<u8>>>,
    old: &BTreeMap<K, V>,
    new: &BTreeMap<K, V>,
    key: impl Fn(K) -> RowKey,
) {
    for (name, value) in new {
        if old.get(name) != Some(value) {
            rows.insert(key(name.clone()), Some(encode(value)));
        }
    }
    for name in old.keys().filter(|name| !new.contains_key(name)) {
        rows.insert(key(name.clone()), None);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "an epoch holds far fewer than 2^32 updates")]
const fn update_key(index: usize) -> RowKey {
    RowKey::Update(index as u32)
}

fn encode(value: &impl Serialize) -> Vec<u8> {
    // Rows hold strings, numbers and lists only, all of which JSON can hold.
    serde_json::to_vec(value).unwrap_or_default()
}

fn decode<T: DeserializeOwned>(row: &str, bytes: &[u8]) -> Result<T, HeadDamaged> {
    serde_json::from_slice(bytes).map_err(|_| HeadDamaged { row: row.to_owned() })
}

/// The version of the rows; another one is rebuilt from the log.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct SessionRow {
    version: u32,
    revision: Revision,
    opened_at: Timestamp,
    last_record_at: Timestamp,
    location: Location,
    generation: Revision,
    looked: Revision,
    trust: Trust,
    prior: Prior,
    epochs: EpochNumber,
    reset: Revision,
    /// The record that started the epoch of the epoch's row.
    epoch: Option<Revision>,
    pending: Option<PendingEpoch>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    overtaken: Vec<PendingEpoch>,
    window: Position,
    anchored: Option<Position>,
    look: Option<Look>,
    /// How many rows of each other kind belong to this one: a lost row is noticed.
    counts: [usize; 4],
}

fn session_row(state: &State) -> Vec<u8> {
    let told = &state.told;
    encode(&SessionRow {
        version: VERSION,
        revision: state.revision,
        opened_at: state.opened_at,
        last_record_at: state.last_record_at,
        location: state.location.clone(),
        generation: state.generation,
        looked: state.looked,
        trust: state.trust,
        prior: state.prior,
        epochs: state.epochs,
        reset: state.reset,
        epoch: told.epoch.as_ref().map(|epoch| epoch.revision),
        pending: told.pending,
        overtaken: told.overtaken.clone(),
        window: told.window,
        anchored: told.anchored,
        look: told.look.clone(),
        counts: counts(told, &state.values),
    })
}

fn counts<V>(told: &Told, values: &BTreeMap<ApiKey, V>) -> [usize; 4] {
    [told.entries.len(), told.updates.len(), told.scopes.len(), values.len()]
}

impl SessionRow {
    fn into_state(
        self,
        rows: Told,
        values: BTreeMap<ApiKey, crate::hash::ContentRef>,
    ) -> Result<State, HeadDamaged> {
        let epoch = rows.epoch.as_ref().map(|epoch| epoch.revision);
        let complete = self.epoch == epoch && self.counts == counts(&rows, &values);
        if self.version != VERSION || !complete {
            return Err(HeadDamaged { row: RowKey::Session.to_string() });
        }
        Ok(State {
            revision: self.revision,
            opened_at: self.opened_at,
            last_record_at: self.last_record_at,
            location: self.location,
            generation: self.generation,
            looked: self.looked,
            trust: self.trust,
            prior: self.prior,
            epochs: self.epochs,
            reset: self.reset,
            values,
            told: Told {
                pending: self.pending,
                overtaken: self.overtaken,
                window: self.window,
                anchored: self.anchored,
                look: self.look,
                ..rows
            },
        })
    }
}

impl fmt::Display for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session => f.write_str("session"),
            Self::Epoch => f.write_str("epoch"),
            Self::Entry(key) => write!(f, "entry/{key}"),
            // Padded, so that a store that sorts text keeps the order of telling.
            Self::Update(index) => write!(f, "update/{index:010}"),
            Self::Scope(directory) => write!(f, "scope/{directory}"),
            Self::Value(key) => write!(f, "value/{key}"),
        }
    }
}

impl FromStr for RowKey {
    type Err = HeadDamaged;

    fn from_str(text: &str) -> Result<Self, HeadDamaged> {
        let damaged = || HeadDamaged { row: text.to_owned() };
        let (kind, name) = text.split_once('/').unwrap_or((text, ""));
        match kind {
            "session" if name.is_empty() => Ok(Self::Session),
            "epoch" if name.is_empty() => Ok(Self::Epoch),
            "entry" => name.parse().map(Self::Entry).map_err(|_| damaged()),
            "update" => name.parse().map(Self::Update).map_err(|_| damaged()),
            "scope" => crate::path::AbsolutePath::new(name)
                .map(|path| Self::Scope(CanonicalPath::observed(path)))
                .map_err(|_| damaged()),
            "value" => name.parse().map(Self::Value).map_err(|_| damaged()),
            _ => Err(damaged()),
        }
    }
}

#[cfg(test)]
mod tests;
