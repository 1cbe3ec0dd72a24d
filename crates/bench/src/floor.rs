//! What is compared with: the system calls and the database alone, with nothing around them.

use crate::{command::Trouble, recorder::Recorded, scene::Scene};
use redb::{Builder, ConcurrencyMode, Database, ReadableDatabase, TableDefinition};
use rustix::fs::{Mode, OFlags};
use std::{ffi::CString, fs, hint::black_box, os::unix::ffi::OsStrExt, path::Path};
use told::domain::{head::HeadChange, session::SessionId};

/// A plain loop of open, fstat, read and close over all that a boundary must look at, into one
/// buffer that is never made anew.
pub(crate) struct Looks {
    paths: Vec<CString>,
    buffer: Vec<u8>,
}

impl Looks {
    /// Every candidate, every place for a marker and for skills, and the project's own configuration.
    pub(crate) fn of(scene: &Scene) -> Result<Self, Trouble> {
        let all = scene.candidates.iter().chain(&scene.markers).chain(&scene.skills);
        let all = all.chain([&scene.configuration]);
        let paths = all.map(|path| CString::new(path.as_os_str().as_bytes()));
        Ok(Self { paths: paths.collect::<Result<_, _>>()?, buffer: vec![0; 64 * 1024] })
    }

    pub(crate) fn run(&mut self) {
        for path in &self.paths {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            let Ok(file) = rustix::fs::open(path.as_c_str(), flags, Mode::empty()) else {
                continue;
            };
            let Ok(stat) = rustix::fs::fstat(&file) else { continue };
            let size = usize::try_from(stat.st_size).unwrap_or(0).min(self.buffer.len());
            // A marker is a directory: its read fails, and is a call all the same.
            let read = rustix::io::read(&file, &mut self.buffer[..size]);
            let _ = black_box(read);
        }
    }
}

/// The bare database, on a copy of a store: the same tables and rows.
pub(crate) struct Bare {
    database: Database,
    place: Vec<u8>,
}

const PLACES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("places");
const LOG: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("log");
const HEAD: TableDefinition<'_, (u64, &str), &[u8]> = TableDefinition::new("head");
const BLOBS: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("blobs");
const NEEDED_BY: TableDefinition<'_, (&[u8; 32], u64), ()> = TableDefinition::new("needed_by");
const NEEDS: TableDefinition<'_, (u64, &[u8; 32]), ()> = TableDefinition::new("needs");

/// As the store opens its file.
const CACHE: usize = 16 * 1024 * 1024;

impl Bare {
    /// A copy of `store`, for the session of that name.
    pub(crate) fn copy_of(store: &Path, copy: &Path, session: &SessionId) -> Result<Self, Trouble> {
        fs::copy(store, copy)?;
        let mut builder = Builder::new();
        builder.set_cache_size(CACHE).set_concurrency_mode(ConcurrencyMode::MultiWriter);
        let database = builder.open(copy)?;
        let place = [b"s", session.as_str().as_bytes()].concat();
        let bare = Self { database, place };
        if bare.read()? == 0 {
            return Err(format!(
                "the store has no place for {session}: the floor is not the floor"
            )
            .into());
        }
        Ok(bare)
    }

    /// One read transaction with one row of the table that a boundary asks.
    pub(crate) fn read(&self) -> Result<usize, Trouble> {
        let transaction = self.database.begin_read()?;
        let places = transaction.open_table(PLACES)?;
        let row = places.get(self.place.as_slice())?;
        Ok(black_box(row.map_or(0, |row| row.value().len())))
    }

    /// One durable commit of rows that are ready.
    pub(crate) fn commit(&self, rows: &Rows) -> Result<(), Trouble> {
        let transaction = self.database.begin_write()?;
        {
            let mut log = transaction.open_table(LOG)?;
            for (revision, record) in &rows.records {
                log.insert((rows.owner, *revision), record.as_slice())?;
            }
            let mut blobs = transaction.open_table(BLOBS)?;
            let mut needs = transaction.open_table(NEEDS)?;
            let mut needed_by = transaction.open_table(NEEDED_BY)?;
            for (hash, text) in &rows.blobs {
                blobs.insert(hash, text.as_bytes())?;
                needs.insert((rows.owner, hash), ())?;
                needed_by.insert((hash, rows.owner), ())?;
            }
            let mut head = transaction.open_table(HEAD)?;
            for (key, row) in &rows.head {
                match row {
                    Some(row) => head.insert((rows.owner, key.as_str()), row.as_slice())?,
                    None => head.remove((rows.owner, key.as_str()))?,
                };
            }
            let mut places = transaction.open_table(PLACES)?;
            places.insert(self.place.as_slice(), rows.place.as_slice())?;
        }
        Ok(transaction.commit()?)
    }
}

/// What one commit writes, encoded.
pub(crate) struct Rows {
    owner: u64,
    records: Vec<(u64, Vec<u8>)>,
    blobs: Vec<([u8; 32], std::sync::Arc<str>)>,
    head: Vec<(String, Option<Vec<u8>>)>,
    place: Vec<u8>,
}

impl Rows {
    /// The rows of an append.
    pub(crate) fn of(Recorded { append, mark, .. }: &Recorded) -> Self {
        let records = append.records.iter().map(|record| (record.revision.0, record.encode()));
        let blobs = append.blobs.iter();
        let blobs = blobs.map(|blob| (*blob.name().sha256.as_bytes(), blob.text().clone()));
        let head = match &append.head {
            HeadChange::Rows(rows) => {
                rows.iter().map(|(key, row)| (key.to_string(), row.clone())).collect()
            }
            HeadChange::Whole(rows) => {
                rows.iter().map(|(key, row)| (key.to_string(), Some(row.clone()))).collect()
            }
        };
        let directory = append.summary.directory.as_str().len();
        let boundary = append.summary.boundary.as_str().len();
        Self {
            owner: mark.incarnation,
            records: records.collect(),
            blobs: blobs.collect(),
            head,
            place: vec![0; 40 + directory + boundary],
        }
    }
}
