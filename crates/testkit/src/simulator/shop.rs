//! The store as one simulated process has it: every call lets the others run, may meet trouble, and may
//! be made wrong on purpose.

use super::{
    mistaken,
    plan::Trouble,
    plant::Plant,
    ports::{FirstSeen, Journal, Saw, locked},
    process::Ground,
    schedule::{others_run, task},
};
use crate::fake::store::FakeStore;
use async_trait::async_trait;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};
use told_domain::{
    hash::ContentHash, key::ApiKey, path::CanonicalPath, position::Revision, record::Record,
    session::SessionId, state::Contents, told::Scope,
};
use told_ports::{
    Append, Loaded, LocationValues, Mark, Revisions, SessionSummary, Store, StoreError,
};

/// A process's store.
pub(super) struct Shop {
    pub(super) inner: FakeStore,
    plant: Option<Plant>,
    /// The trouble to come, and how many calls before it.
    trouble: Mutex<Option<(Trouble, usize)>>,
    /// Whether it came.
    troubled: Mutex<bool>,
    saw: Arc<Mutex<FirstSeen>>,
    journal: Journal,
    unwritten: Mutex<Vec<(SessionId, Append)>>,
    revisions: Mutex<BTreeMap<SessionId, Revisions>>,
    values: Mutex<BTreeMap<CanonicalPath, LocationValues>>,
    scopes: Mutex<BTreeMap<SessionId, BTreeMap<CanonicalPath, Scope>>>,
    stale: Mutex<BTreeSet<SessionId>>,
}

impl Shop {
    pub(super) fn new(inner: FakeStore, plant: Option<Plant>, ground: &Ground) -> Self {
        Self {
            inner,
            plant,
            trouble: Mutex::default(),
            troubled: Mutex::default(),
            saw: ground.saw.clone(),
            journal: ground.journal.clone(),
            unwritten: Mutex::default(),
            revisions: Mutex::default(),
            values: Mutex::default(),
            scopes: Mutex::default(),
            stale: Mutex::default(),
        }
    }

    /// Lets trouble come after so many calls, or no more.
    pub(super) fn expect(&self, trouble: Option<(Trouble, usize)>) -> bool {
        *locked(&self.trouble) = trouble;
        std::mem::take(&mut *locked(&self.troubled))
    }

    /// What befalls this call: an error before it, or one behind it (`true`).
    fn befalls(&self) -> Option<(StoreError, bool)> {
        let mut trouble = locked(&self.trouble);
        let (what, left) = (*trouble)?;
        if left > 0 {
            *trouble = Some((what, left - 1));
            return None;
        }
        *trouble = None;
        *locked(&self.troubled) = true;
        let path = || "sim".to_owned();
        Some(match what {
            Trouble::Busy => (StoreError::Busy { path: path(), waited_ms: 0 }, false),
            Trouble::Full => (StoreError::Full { path: path() }, false),
            Trouble::Failed => {
                (StoreError::Failed { path: path(), cause: "simulated".into() }, false)
            }
            Trouble::LostBefore => (StoreError::OutcomeUnknown(None), false),
            Trouble::LostAfter => (StoreError::OutcomeUnknown(None), true),
        })
    }

    async fn read<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        self.redo().await;
        // What only reads has no outcome to be unknown.
        match self.befalls() {
            Some((StoreError::OutcomeUnknown(_), _)) | None => call.await,
            Some((error, _)) => Err(error),
        }
    }

    async fn write<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        match self.befalls() {
            None => call.await,
            Some((error, false)) => Err(error),
            Some((error, true)) => {
                drop(call.await);
                Err(error)
            }
        }
    }

    /// Notes where a call of a race first saw its session.
    fn saw(&self, mark: Option<Mark>, loaded: bool) {
        let (Some(task), Some(mark)) = (task(), mark) else { return };
        let seen = Saw { revision: mark.revision.0, only_asked: !loaded };
        let mut saw = locked(&self.saw);
        match saw.get_mut(&task) {
            // Who asked and then loads at once begins with what is loaded.
            Some(before) if before.only_asked && loaded => *before = seen,
            Some(before) => before.only_asked = false,
            None => {
                saw.insert(task, seen);
            }
        }
    }

    /// A journal that does not know what of it was done.
    async fn redo(&self) {
        let unfinished = match self.plant {
            Some(Plant::CrashIsRedone) => locked(&self.journal).take(),
            _ => None,
        };
        if let Some((session, append)) = unfinished {
            mistaken::append_behind(&self.inner, &session, append).await.ok();
        }
    }

    async fn write_what_was_promised(&self) {
        let unwritten = std::mem::take(&mut *locked(&self.unwritten));
        for (session, append) in unwritten {
            self.inner.append(&session, append).await.ok();
        }
    }

    async fn plain_append(&self, session: &SessionId, append: Append) -> Result<Mark, StoreError> {
        self.write(self.inner.append(session, append)).await
    }

    async fn wrong_append(
        &self,
        plant: Plant,
        session: &SessionId,
        append: Append,
    ) -> Result<Mark, StoreError> {
        let behind = |append| mistaken::append_behind(&self.inner, session, append);
        match plant {
            Plant::AckBeforeWrite if append.expected.is_some() => {
                others_run().await;
                let mark = append.expected.map(|mark| Mark {
                    revision: mark.revision.plus(append.records.len()),
                    ..mark
                });
                locked(&self.unwritten).push((session.clone(), append));
                mark.ok_or(StoreError::Refused("it was expected"))
            }
            Plant::RecordTwice => {
                let again = append.clone();
                let mark = self.plain_append(session, append).await?;
                if again.expected.is_some() {
                    behind(again).await.ok();
                }
                Ok(mark)
            }
            Plant::DiscoveryTwice if mistaken::discovers(&append) => {
                let again = append.clone();
                let mark = self.plain_append(session, append).await?;
                behind(again).await.ok();
                Ok(mark)
            }
            Plant::NoConflicts => {
                let again = append.clone();
                match self.plain_append(session, append).await {
                    Err(StoreError::Conflict { .. }) => behind(again).await,
                    other => other,
                }
            }
            Plant::UnknownIsTriedAgain => {
                let again = append.clone();
                match self.plain_append(session, append).await {
                    Err(StoreError::OutcomeUnknown(_)) if again.expected.is_some() => {
                        behind(again).await
                    }
                    other => other,
                }
            }
            Plant::StaleRevisions => {
                let mark = self.plain_append(session, append).await?;
                if let Some(known) = locked(&self.revisions).get_mut(session) {
                    known.session = Some(mark);
                }
                Ok(mark)
            }
            Plant::CrashIsRedone => {
                *locked(&self.journal) = Some((session.clone(), append.clone()));
                let came = self.plain_append(session, append).await;
                locked(&self.journal).take();
                came
            }
            _ => {
                if plant == Plant::MoveKeepsDiscoveries && mistaken::moves(&append) {
                    let loaded = self.inner.load(session).await?;
                    let scopes = loaded.map(|loaded| loaded.state.told.scopes);
                    locked(&self.scopes).insert(session.clone(), scopes.unwrap_or_default());
                }
                if locked(&self.stale).remove(session) {
                    return Err(StoreError::Conflict { found: None });
                }
                let (append, changed) =
                    mistaken::append(plant, &self.inner, session, append).await?;
                let mark = self.plain_append(session, append).await?;
                // What was written is not what the process thinks: it has to read it again.
                if changed {
                    locked(&self.stale).insert(session.clone());
                }
                Ok(mark)
            }
        }
    }
}

#[async_trait]
impl Store for Shop {
    async fn load(&self, session: &SessionId) -> Result<Option<Loaded>, StoreError> {
        let mut loaded = self.read(self.inner.load(session)).await?;
        self.saw(loaded.as_ref().map(|loaded| loaded.mark), true);
        if let Some(loaded) = &mut loaded {
            match self.plant {
                Some(Plant::MoveKeepsDiscoveries) => {
                    if let Some(scopes) = locked(&self.scopes).get(session) {
                        loaded.state.told.scopes.extend(scopes.clone());
                    }
                }
                Some(plant) => mistaken::load(plant, loaded),
                None => {}
            }
        }
        Ok(loaded)
    }

    async fn revisions(
        &self,
        session: &SessionId,
        directory: &CanonicalPath,
    ) -> Result<Revisions, StoreError> {
        let now = self.read(self.inner.revisions(session, directory)).await?;
        self.saw(now.session, false);
        if self.plant == Some(Plant::StaleRevisions) {
            return Ok(*locked(&self.revisions).entry(session.clone()).or_insert(now));
        }
        Ok(now)
    }

    async fn append(&self, session: &SessionId, append: Append) -> Result<Mark, StoreError> {
        let task = task().unwrap_or(usize::MAX);
        if let Some(saw) = locked(&self.saw).get_mut(&task) {
            saw.only_asked = false;
        }
        self.write_what_was_promised().await;
        match self.plant {
            Some(plant) => self.wrong_append(plant, session, append).await,
            None => self.plain_append(session, append).await,
        }
    }

    async fn records(
        &self,
        session: &SessionId,
        after: Revision,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError> {
        self.read(self.inner.records(session, after, limit)).await
    }

    async fn contents(&self, hashes: &[ContentHash]) -> Result<Contents, StoreError> {
        let mut contents = self.read(self.inner.contents(hashes)).await?;
        if self.plant == Some(Plant::SwappedContents) {
            mistaken::swap(&mut contents);
        }
        Ok(contents)
    }

    async fn sessions(
        &self,
        directory: Option<&CanonicalPath>,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        self.read(self.inner.sessions(directory)).await
    }

    async fn delete(
        &self,
        session: &SessionId,
        expected: Option<Mark>,
    ) -> Result<bool, StoreError> {
        if self.plant == Some(Plant::DeleteLeaks) {
            mistaken::keep_a_copy(&self.inner, session).await.ok();
        }
        self.write(self.inner.delete(session, expected)).await
    }

    async fn values(&self, directory: &CanonicalPath) -> Result<LocationValues, StoreError> {
        let now = self.read(self.inner.values(directory)).await?;
        if self.plant == Some(Plant::StaleValues) {
            let mut values = locked(&self.values);
            let known = values.entry(directory.clone()).or_insert_with(|| now.clone());
            return Ok(LocationValues { revision: now.revision, ..known.clone() });
        }
        Ok(now)
    }

    async fn set_value(
        &self,
        directory: &CanonicalPath,
        key: &ApiKey,
        value: Option<Arc<str>>,
    ) -> Result<(), StoreError> {
        self.write(self.inner.set_value(directory, key, value)).await
    }
}
