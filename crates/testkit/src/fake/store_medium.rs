//! What a [`FakeStore`](crate::fake::store::FakeStore) stores: all that survives a crash, and the checks of what goes in.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use told_domain::{
    fold::{FoldError, fold, replay},
    hash::{Blob, ContentHash},
    head::{HeadChange, assemble},
    key::ApiKey,
    path::CanonicalPath,
    position::Revision,
    record::Record,
    session::SessionId,
    state::{Contents, State},
};
use told_ports::{
    Append, HeadCondition, Loaded, LocationValues, Mark, Revisions, SessionSummary, StoreError,
};

/// All that a store holds. A clone is what a crash at that moment would leave.
#[derive(Clone, Debug, Default)]
pub struct Medium {
    incarnations: u64,
    commits: u64,
    sessions: BTreeMap<SessionId, Stored>,
    blobs: BTreeMap<ContentHash, Arc<str>>,
    values: BTreeMap<CanonicalPath, Values>,
    /// How all will stand after the next write: a commit was cut off just before its end.
    later: Option<Box<Medium>>,
}

/// What becomes of something stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// A head row holds other bytes; by its text, as `session`.
    HeadRow(SessionId, String),
    /// A head row is gone.
    HeadRowLost(SessionId, String),
    /// The whole head is gone.
    HeadLost(SessionId),
    /// A record holds other bytes.
    Record(SessionId, Revision),
    /// A record is gone.
    RecordLost(SessionId, Revision),
}

/// Bytes that are no row and no record.
pub const DAMAGED: &[u8] = b"\xffdamaged";

#[derive(Clone, Debug)]
struct Stored {
    incarnation: u64,
    summary: SessionSummary,
    log: BTreeMap<Revision, Vec<u8>>,
    head: BTreeMap<String, Vec<u8>>,
    /// What the records made when they were appended, whatever became of their bytes.
    state: State,
    needs: BTreeSet<ContentHash>,
}

#[derive(Clone, Debug, Default)]
struct Values {
    revision: u64,
    values: BTreeMap<ApiKey, ContentHash>,
}

impl Stored {
    const fn mark(&self) -> Mark {
        Mark { incarnation: self.incarnation, revision: self.summary.revision }
    }
}

impl Medium {
    /// Has an effect that is seen by nobody before the next write.
    pub(super) fn later(&mut self, effect: impl FnOnce(&mut Self)) {
        let mut later = self.clone();
        effect(&mut later);
        self.later = Some(Box::new(later));
    }

    /// What was cut off is done.
    pub(super) fn settle(&mut self) {
        if let Some(later) = self.later.take() {
            *self = *later;
        }
    }

    pub(super) const fn commits(&self) -> u64 {
        self.commits
    }

    pub(super) fn texts(&self) -> Vec<Arc<str>> {
        self.blobs.values().cloned().collect()
    }

    fn mark(&self, session: &SessionId) -> Option<Mark> {
        self.sessions.get(session).map(Stored::mark)
    }

    pub(super) fn load(&self, session: &SessionId) -> Result<Option<Loaded>, StoreError> {
        let Some(stored) = self.sessions.get(session) else { return Ok(None) };
        let (state, head) = match head(&stored.head, stored.summary.revision) {
            Some(state) => (state, HeadCondition::Sound),
            None => (self.folded(session)?, HeadCondition::Rebuilt),
        };
        let contents = self.contents(&state.needs())?;
        Ok(Some(Loaded { mark: stored.mark(), state, contents, head }))
    }

    fn folded(&self, session: &SessionId) -> Result<State, StoreError> {
        let damaged = |record, why: String| damaged(session, record, why);
        let records = self.records(session, Revision::NONE, usize::MAX)?;
        match replay(&records) {
            Ok(Some(state)) => Ok(state),
            Ok(None) => Err(damaged(Revision(1), "it is missing".to_owned())),
            Err(error @ (FoldError::Gap { expected: at, .. } | FoldError::Misplaced(at))) => {
                Err(damaged(at, error.to_string()))
            }
        }
    }

    pub(super) fn revisions(&self, session: &SessionId, directory: &CanonicalPath) -> Revisions {
        let values = self.values.get(directory).map_or(0, |values| values.revision);
        Revisions { session: self.mark(session), values }
    }

    pub(super) fn records(
        &self,
        session: &SessionId,
        after: Revision,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError> {
        let Some(stored) = self.sessions.get(session) else { return Ok(Vec::new()) };
        let wanted = stored.summary.revision.0.saturating_sub(after.0);
        (1..=wanted).take(limit).map(|step| decoded(session, stored, after.0 + step)).collect()
    }

    pub(super) fn contents(&self, hashes: &[ContentHash]) -> Result<Contents, StoreError> {
        let text = |hash: &ContentHash| {
            let text = self.blobs.get(hash).ok_or(StoreError::MissingContent(*hash))?;
            Ok((*hash, Arc::clone(text)))
        };
        hashes.iter().map(text).collect()
    }

    pub(super) fn sessions(&self, directory: Option<&CanonicalPath>) -> Vec<SessionSummary> {
        let wanted = |summary: &&SessionSummary| {
            directory.is_none_or(|directory| *directory == summary.directory)
        };
        self.sessions.values().map(|stored| &stored.summary).filter(wanted).cloned().collect()
    }

    /// Checks everything, then writes everything.
    pub(super) fn append(
        &mut self,
        session: &SessionId,
        append: &Append,
    ) -> Result<Mark, StoreError> {
        let before = append.expected.map_or(Revision::NONE, |mark| mark.revision);
        let follows = |(index, record): (usize, &Record)| record.revision == before.plus(index + 1);
        if append.records.is_empty() {
            return Err(StoreError::Refused("it has no records"));
        }
        if !append.records.iter().enumerate().all(follows) {
            return Err(StoreError::Refused("its records do not follow the expected revision"));
        }
        let found = self.mark(session);
        if found != append.expected {
            return Err(StoreError::Conflict { found });
        }
        let needs: BTreeSet<_> = append.records.iter().flat_map(Record::references).collect();
        let sent: BTreeSet<_> = append.blobs.iter().map(|blob| blob.name().sha256).collect();
        let is_there = |hash: &&ContentHash| self.blobs.contains_key(hash) || sent.contains(hash);
        if let Some(missing) = needs.iter().find(|hash| !is_there(hash)) {
            return Err(StoreError::MissingContent(*missing));
        }
        let stored = self.sessions.get(session);
        let state = checked_state(session, stored, append, &needs)?;
        let head = checked_head(stored, &append.head, &state)?;
        if !sent.is_subset(&needs) {
            return Err(StoreError::Refused("it sends a text that no record needs"));
        }
        Ok(self.write(session, append, state, head, needs))
    }

    fn write(
        &mut self,
        session: &SessionId,
        append: &Append,
        state: State,
        head: BTreeMap<String, Vec<u8>>,
        needs: BTreeSet<ContentHash>,
    ) -> Mark {
        self.commits += 1;
        for blob in &append.blobs {
            let text = self.blobs.entry(blob.name().sha256);
            text.or_insert_with(|| Arc::clone(blob.text()));
        }
        let records = append.records.iter().map(|record| (record.revision, record.encode()));
        let summary = append.summary.clone();
        match self.sessions.get_mut(session) {
            Some(stored) => {
                stored.log.extend(records);
                stored.needs.extend(needs);
                (stored.summary, stored.head, stored.state) = (summary, head, state);
                stored.mark()
            }
            None => {
                self.incarnations += 1;
                let incarnation = self.incarnations;
                let log = records.collect();
                let stored = Stored { incarnation, summary, log, head, state, needs };
                let mark = stored.mark();
                self.sessions.insert(session.clone(), stored);
                mark
            }
        }
    }

    pub(super) fn delete(
        &mut self,
        session: &SessionId,
        expected: Option<Mark>,
    ) -> Result<bool, StoreError> {
        let found = self.sessions.get(session).map(Stored::mark);
        if found.is_none() {
            return Ok(false);
        }
        if expected.is_some() && expected != found {
            return Err(StoreError::Conflict { found });
        }
        self.sessions.remove(session);
        self.commits += 1;
        self.collect();
        Ok(true)
    }

    pub(super) fn values(&self, directory: &CanonicalPath) -> Result<LocationValues, StoreError> {
        let Some(stored) = self.values.get(directory) else {
            return Ok(LocationValues::default());
        };
        let mut values = LocationValues { revision: stored.revision, ..LocationValues::default() };
        for (key, hash) in &stored.values {
            let text = self.blobs.get(hash).ok_or(StoreError::MissingContent(*hash))?;
            values.values.insert(key.clone(), Arc::clone(text));
        }
        Ok(values)
    }

    pub(super) fn set_value(
        &mut self,
        directory: &CanonicalPath,
        key: &ApiKey,
        value: Option<Arc<str>>,
    ) {
        let blob = value.map(Blob::new);
        let new = blob.as_ref().map(|blob| blob.name().sha256);
        let old = self.values.get(directory).and_then(|values| values.values.get(key).copied());
        if old == new {
            return;
        }
        self.commits += 1;
        let values = self.values.entry(directory.clone()).or_default();
        values.revision += 1;
        match blob {
            Some(blob) => {
                values.values.insert(key.clone(), blob.name().sha256);
                self.blobs.insert(blob.name().sha256, Arc::clone(blob.text()));
            }
            None => {
                values.values.remove(key);
            }
        }
        self.collect();
    }

    /// Removes the texts that nobody needs.
    fn collect(&mut self) {
        let by_sessions = self.sessions.values().flat_map(|stored| stored.needs.iter().copied());
        let by_values = self.values.values().flat_map(|values| values.values.values().copied());
        let needed: BTreeSet<_> = by_sessions.chain(by_values).collect();
        self.blobs.retain(|hash, _| needed.contains(hash));
    }

    pub(super) fn damage(&mut self, damage: &Damage) {
        self.settle();
        let (Damage::HeadRow(session, _)
        | Damage::HeadRowLost(session, _)
        | Damage::HeadLost(session)
        | Damage::Record(session, _)
        | Damage::RecordLost(session, _)) = damage;
        let stored = self.sessions.get_mut(session).expect("the session to damage is there");
        let found = match damage {
            Damage::HeadRow(_, row) => stored.head.insert(row.clone(), DAMAGED.to_vec()).is_some(),
            Damage::HeadRowLost(_, row) => stored.head.remove(row).is_some(),
            Damage::HeadLost(_) => !std::mem::take(&mut stored.head).is_empty(),
            Damage::Record(_, at) => stored.log.insert(*at, DAMAGED.to_vec()).is_some(),
            Damage::RecordLost(_, at) => stored.log.remove(at).is_some(),
        };
        assert!(found, "there is nothing to damage: {damage:?}");
    }
}

fn damaged(session: &SessionId, record: Revision, why: String) -> StoreError {
    StoreError::DamagedLog { session: session.clone(), record, why }
}

fn decoded(session: &SessionId, stored: &Stored, revision: u64) -> Result<Record, StoreError> {
    let revision = Revision(revision);
    let damaged = |why| damaged(session, revision, why);
    let bytes = stored.log.get(&revision).ok_or_else(|| damaged("it is missing".to_owned()))?;
    Record::decode(bytes).map_err(|error| damaged(error.to_string()))
}

/// The state that the head rows make, if they make the present one.
fn head(rows: &BTreeMap<String, Vec<u8>>, revision: Revision) -> Option<State> {
    let rows = rows.iter().map(|(key, row)| (key.as_str(), row.as_slice()));
    assemble(rows).ok().filter(|state| state.revision == revision)
}

/// The state after the append, if its records, texts and summary say the same.
fn checked_state(
    session: &SessionId,
    stored: Option<&Stored>,
    append: &Append,
    needs: &BTreeSet<ContentHash>,
) -> Result<State, StoreError> {
    let before = stored.map(|stored| stored.state.clone());
    let after =
        append.records.iter().try_fold(before, |state, record| fold(state, record).map(Some));
    let Ok(Some(state)) = after else {
        return Err(StoreError::Refused("its records cannot follow the session's"));
    };
    let known = |hash: &ContentHash| {
        needs.contains(hash) || stored.is_some_and(|stored| stored.needs.contains(hash))
    };
    if !state.needs().iter().all(known) {
        return Err(StoreError::Refused("its state needs a text that no record refers to"));
    }
    if append.summary != SessionSummary::of(session, &state) {
        return Err(StoreError::Refused("its summary is not what its records make"));
    }
    Ok(state)
}

/// The head rows after the append, if they make its state.
fn checked_head(
    stored: Option<&Stored>,
    change: &HeadChange,
    state: &State,
) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
    let mut head = BTreeMap::new();
    match change {
        HeadChange::Whole(rows) => {
            head.extend(rows.iter().map(|(key, row)| (key.to_string(), row.clone())));
        }
        HeadChange::Rows(rows) => {
            head.extend(stored.into_iter().flat_map(|stored| stored.head.clone()));
            for (key, row) in rows {
                match row {
                    Some(row) => head.insert(key.to_string(), row.clone()),
                    None => head.remove(&key.to_string()),
                };
            }
        }
    }
    let rows = head.iter().map(|(key, row)| (key.as_str(), row.as_slice()));
    if assemble(rows).ok().as_ref() == Some(state) {
        Ok(head)
    } else {
        Err(StoreError::Refused("its head rows do not make the state of its records"))
    }
}
