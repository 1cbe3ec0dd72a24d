//! The embedded store behind told's `Store` port: one redb file that any number of processes read
//! and write at once.
//!
//! **May depend on** the ports, the domain, redb, tempfile (a new store is made under a temporary
//! name) and tokio's channels and blocking threads.
//! **Start** with [`RedbStore`]; then `tables` (what is in the file), `read` and `write` (the port's
//! calls, each within one transaction), `writer` (the thread that commits, for many callers at
//! once), `file` and `open` (how the file is opened, and what is no store), `backend` (why nothing
//! waits without end).

mod backend;
mod create;
mod file;
mod memo;
mod open;
mod overlay;
mod read;
mod tables;
#[cfg(test)]
mod torn;
mod trouble;
mod write;
mod writer;

use crate::{
    file::StoreFile,
    trouble::{Error, shown},
    write::{Done, Work},
    writer::Writer,
};
use async_trait::async_trait;
use redb::ReadTransaction;
use std::{path::PathBuf, sync::Arc};
use told_domain::{
    hash::ContentHash, key::ApiKey, path::CanonicalPath, position::Revision, record::Record,
    session::SessionId, state::Contents,
};
use told_ports::{
    Append, Loaded, LocationValues, Mark, Revisions, SessionSummary, Store, StoreError,
};

/// A store in one file. The file is opened by the first call, and made by the first that writes.
///
/// Dropping it ends its thread after what is queued and closes the file, which can take as long as
/// a commit. Its calls need a tokio runtime.
#[derive(Debug)]
pub struct RedbStore {
    file: Arc<StoreFile>,
    writer: Writer,
}

/// How a [`RedbStore`] behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedbOptions {
    /// How long a call waits for another process that holds the store, in milliseconds.
    pub wait_ms: u64,
}

impl Default for RedbOptions {
    fn default() -> Self {
        Self { wait_ms: 5_000 }
    }
}

impl RedbStore {
    /// The store at `path`. Nothing is opened or made yet.
    #[must_use]
    pub fn open(path: impl Into<PathBuf>, options: RedbOptions) -> Self {
        let file = Arc::new(StoreFile::new(path.into(), options));
        Self { writer: Writer::new(Arc::clone(&file)), file }
    }

    /// Reads on a thread that may wait; `None` where there is no store.
    async fn read<T: Send + 'static>(
        &self,
        read: impl Fn(&ReadTransaction) -> Result<T, Error> + Send + 'static,
    ) -> Result<Option<T>, StoreError> {
        let file = Arc::clone(&self.file);
        let reading = tokio::task::spawn_blocking(move || file.read(read));
        reading.await.unwrap_or_else(|gone| {
            Err(StoreError::Failed { path: shown(self.file.path()), cause: Box::new(gone) })
        })
    }
}

#[async_trait]
impl Store for RedbStore {
    async fn load(&self, session: &SessionId) -> Result<Option<Loaded>, StoreError> {
        let session = session.clone();
        Ok(self.read(move |transaction| read::load(transaction, &session)).await?.flatten())
    }

    async fn revisions(
        &self,
        session: &SessionId,
        directory: &CanonicalPath,
    ) -> Result<Revisions, StoreError> {
        // Two rows of an open file: cheaper here than the way to another thread.
        if let Some(revisions) = self.file.revisions(session, directory) {
            return revisions;
        }
        let (session, directory) = (session.clone(), directory.clone());
        let there =
            move |transaction: &ReadTransaction| read::revisions(transaction, &session, &directory);
        Ok(self.read(there).await?.unwrap_or(Revisions { session: None, values: 0 }))
    }

    async fn append(&self, session: &SessionId, append: Append) -> Result<Mark, StoreError> {
        if let Some(why) = write::contradiction(session, &append) {
            return Err(StoreError::Refused(why));
        }
        match self.writer.write(Work::Append(session.clone(), Box::new(append))).await? {
            Done::Appended(mark) => Ok(mark),
            Done::Deleted(_) | Done::Set(_) => Err(other_answer()),
        }
    }

    async fn records(
        &self,
        session: &SessionId,
        after: Revision,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError> {
        let session = session.clone();
        let records =
            move |transaction: &ReadTransaction| read::records(transaction, &session, after, limit);
        Ok(self.read(records).await?.unwrap_or_default())
    }

    async fn contents(&self, hashes: &[ContentHash]) -> Result<Contents, StoreError> {
        let asked: Box<[ContentHash]> = hashes.into();
        let found = self.read(move |transaction| read::contents(transaction, &asked)).await?;
        match (found, hashes.first()) {
            (Some(contents), _) => Ok(contents),
            (None, Some(hash)) => Err(StoreError::MissingContent(*hash)),
            (None, None) => Ok(Contents::new()),
        }
    }

    async fn sessions(
        &self,
        directory: Option<&CanonicalPath>,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        let directory = directory.cloned();
        let sessions =
            move |transaction: &ReadTransaction| read::sessions(transaction, directory.as_ref());
        Ok(self.read(sessions).await?.unwrap_or_default())
    }

    async fn delete(
        &self,
        session: &SessionId,
        expected: Option<Mark>,
    ) -> Result<bool, StoreError> {
        match self.writer.write(Work::Delete(session.clone(), expected)).await? {
            Done::Deleted(there) => Ok(there),
            Done::Appended(_) | Done::Set(_) => Err(other_answer()),
        }
    }

    async fn values(&self, directory: &CanonicalPath) -> Result<LocationValues, StoreError> {
        let directory = directory.clone();
        let values = move |transaction: &ReadTransaction| read::values(transaction, &directory);
        Ok(self.read(values).await?.unwrap_or_default())
    }

    async fn set_value(
        &self,
        directory: &CanonicalPath,
        key: &ApiKey,
        value: Option<Arc<str>>,
    ) -> Result<(), StoreError> {
        let work = Work::SetValue(directory.clone(), key.clone(), value);
        match self.writer.write(work).await? {
            Done::Set(_) => Ok(()),
            Done::Appended(_) | Done::Deleted(_) => Err(other_answer()),
        }
    }
}

/// A job is answered in kind; were it not, nobody could tell what happened.
fn other_answer() -> StoreError {
    StoreError::OutcomeUnknown(None)
}
