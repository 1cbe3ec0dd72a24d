//! The real store, and beside it the last append that it was given: the floor commits the same rows.

use async_trait::async_trait;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use told::{
    domain::{
        hash::ContentHash, key::ApiKey, path::CanonicalPath, position::Revision, record::Record,
        session::SessionId, state::Contents,
    },
    ports::{Append, Loaded, LocationValues, Mark, Revisions, SessionSummary, Store, StoreError},
};
use told_redb::RedbStore;

pub(crate) struct Recorder {
    store: RedbStore,
    last: Mutex<Option<Recorded>>,
}

/// One append that was answered.
pub(crate) struct Recorded {
    pub(crate) append: Append,
    pub(crate) mark: Mark,
    pub(crate) took: Duration,
    /// What keeping it took before that, which is the measurement's own.
    pub(crate) kept: Duration,
}

impl Recorder {
    pub(crate) fn new(store: RedbStore) -> Self {
        Self { store, last: Mutex::new(None) }
    }

    /// The last append, once.
    pub(crate) fn take(&self) -> Option<Recorded> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[async_trait]
impl Store for Recorder {
    async fn load(&self, session: &SessionId) -> Result<Option<Loaded>, StoreError> {
        self.store.load(session).await
    }

    async fn revisions(
        &self,
        session: &SessionId,
        directory: &CanonicalPath,
    ) -> Result<Revisions, StoreError> {
        self.store.revisions(session, directory).await
    }

    async fn append(&self, session: &SessionId, append: Append) -> Result<Mark, StoreError> {
        let copying = Instant::now();
        let copy = append.clone();
        let begun = Instant::now();
        let mark = self.store.append(session, append).await?;
        let (took, kept) = (begun.elapsed(), begun.duration_since(copying));
        let recorded = Recorded { append: copy, mark, took, kept };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(recorded);
        Ok(mark)
    }

    async fn records(
        &self,
        session: &SessionId,
        after: Revision,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError> {
        self.store.records(session, after, limit).await
    }

    async fn contents(&self, hashes: &[ContentHash]) -> Result<Contents, StoreError> {
        self.store.contents(hashes).await
    }

    async fn sessions(
        &self,
        directory: Option<&CanonicalPath>,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        self.store.sessions(directory).await
    }

    async fn delete(
        &self,
        session: &SessionId,
        expected: Option<Mark>,
    ) -> Result<bool, StoreError> {
        self.store.delete(session, expected).await
    }

    async fn values(&self, directory: &CanonicalPath) -> Result<LocationValues, StoreError> {
        self.store.values(directory).await
    }

    async fn set_value(
        &self,
        directory: &CanonicalPath,
        key: &ApiKey,
        value: Option<Arc<str>>,
    ) -> Result<(), StoreError> {
        self.store.set_value(directory, key, value).await
    }
}
