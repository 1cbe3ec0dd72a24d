//! The tables of a store file as they are on disk, written down a second time: a store made by one
//! release is read by the next. And a place for a store, in which a test can meddle.

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};
use told_domain::{position::Revision, session::SessionId};
use told_ports::Store;
use told_redb::{RedbOptions, RedbStore};
use told_testkit::{
    contract::store::StoreFixture,
    fake::store_medium::{DAMAGED, Damage},
};

pub(crate) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
pub(crate) const PLACES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("places");
pub(crate) const LOG: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("log");
pub(crate) const HEAD: TableDefinition<'_, (u64, &str), &[u8]> = TableDefinition::new("head");
pub(crate) const BLOBS: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("blobs");

/// A directory with a store file in it.
pub(crate) struct Place {
    directory: tempfile::TempDir,
    copies: AtomicU32,
}

/// Waits long enough for a busy machine, and not for ever.
pub(crate) const PATIENT: RedbOptions = RedbOptions { wait_ms: 60_000 };

impl Place {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), copies: AtomicU32::new(0) }
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("store")
    }

    /// The store, opened anew.
    pub(crate) fn open(&self) -> RedbStore {
        RedbStore::open(self.path(), PATIENT)
    }

    /// The store's file, past told.
    pub(crate) fn database(&self) -> Database {
        raw().open(self.path()).unwrap()
    }
}

/// How told opens its files.
pub(crate) fn raw() -> redb::Builder {
    let mut builder = redb::Builder::new();
    builder.set_concurrency_mode(redb::ConcurrencyMode::MultiWriter);
    builder
}

/// What a session's rows are keyed by.
pub(crate) fn owner(database: &Database, session: &SessionId) -> u64 {
    let places = database.begin_read().unwrap().open_table(PLACES).unwrap();
    let row = places.get(format!("s{session}").as_bytes()).unwrap().unwrap();
    u64::from_le_bytes(*row.value().first_chunk().unwrap())
}

impl StoreFixture for Place {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.open())
    }

    fn crashed(&self) -> Arc<dyn Store> {
        // What is in the file at a kill is what is in it now.
        let copy = self.copies.fetch_add(1, Ordering::Relaxed);
        let copy = self.directory.path().join(format!("crashed {copy}"));
        if self.path().exists() {
            std::fs::copy(self.path(), &copy).unwrap();
        }
        Arc::new(RedbStore::open(copy, PATIENT))
    }

    fn damage(&self, damage: &Damage) {
        let database = self.database();
        let transaction = database.begin_write().unwrap();
        {
            let mut head = transaction.open_table(HEAD).unwrap();
            let mut log = transaction.open_table(LOG).unwrap();
            let owner = |session: &SessionId| owner(&database, session);
            let found = match damage {
                Damage::HeadRow(session, row) => {
                    head.insert((owner(session), row.as_str()), DAMAGED).unwrap().is_some()
                }
                Damage::HeadRowLost(session, row) => {
                    head.remove((owner(session), row.as_str())).unwrap().is_some()
                }
                Damage::HeadLost(session) => {
                    let owner = owner(session);
                    let rows = (owner, "")..(owner + 1, "");
                    head.retain_in(rows, |_, _| false).unwrap();
                    true
                }
                Damage::Record(session, Revision(at)) => {
                    log.insert((owner(session), *at), DAMAGED).unwrap().is_some()
                }
                Damage::RecordLost(session, Revision(at)) => {
                    log.remove((owner(session), *at)).unwrap().is_some()
                }
            };
            assert!(found, "there is nothing to damage: {damage:?}");
        }
        transaction.commit().unwrap();
    }

    fn texts(&self) -> Vec<Arc<str>> {
        let database = self.database();
        let blobs = database.begin_read().unwrap().open_table(BLOBS).unwrap();
        let text = |row: redb::AccessGuard<'_, &[u8]>| String::from_utf8(row.value().to_vec());
        blobs.iter().unwrap().map(|row| text(row.unwrap().1).unwrap().into()).collect()
    }
}
