//! Opening a store file. Nothing is opened for writing before it is known to be a store of this
//! schema: redb would initialise an empty file and repair a foreign one.

use crate::{
    backend::{Beside, PatientFile},
    memo::Memo,
    overlay::Overlay,
    tables::{META, SCHEMA, SCHEMA_ROW},
    trouble::{Error, failed, no_store, panicked, shown},
};
use redb::{
    Builder, ConcurrencyMode, Database, DatabaseError, ReadOnlyDatabase, ReadTransaction,
    ReadableDatabase, StorageBackend, TransactionError,
};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
};
use told_ports::StoreError;

/// One open store file.
#[derive(Debug)]
pub(crate) struct Handle {
    opened: Opened,
    /// The file itself.
    pub(crate) beside: Arc<Beside>,
    /// What `revisions` answered.
    pub(crate) memo: Memo,
    /// Whether later calls may use it as well.
    pub(crate) lasting: bool,
}

enum Opened {
    Reading(ReadOnlyDatabase),
    Writing(Database),
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Reading(_) => "Reading",
            Self::Writing(_) => "Writing",
        })
    }
}

impl Handle {
    /// A handle that writes.
    pub(crate) fn writing(database: Database, beside: Arc<Beside>) -> Self {
        Self { opened: Opened::Writing(database), beside, memo: Memo::new(), lasting: true }
    }

    pub(crate) fn begin_read(&self) -> Result<ReadTransaction, TransactionError> {
        match &self.opened {
            Opened::Reading(database) => database.begin_read(),
            Opened::Writing(database) => database.begin_read(),
        }
    }

    /// The database, where this handle writes.
    pub(crate) const fn database(&self) -> Option<&Database> {
        match &self.opened {
            Opened::Writing(database) => Some(database),
            Opened::Reading(_) => None,
        }
    }
}

/// Bytes of memory for pages; redb's own default is 1 GiB.
const CACHE: usize = 16 * 1024 * 1024;

/// How every told opens its store: any number of processes may write it.
pub(crate) fn builder() -> Builder {
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE).set_concurrency_mode(ConcurrencyMode::MultiWriter);
    builder
}

/// Opens an existing store for reading; `None` where there is no file. A store that needs a repair
/// is opened for writing where that is possible.
pub(crate) fn for_reading(path: &Path) -> Result<Option<Handle>, Error> {
    if !is_there(path)? {
        return Ok(None);
    }
    let (file, beside) = PatientFile::new(open_to_read(path)?)?;
    match guarded(path, || Ok(builder().open_read_only_with_backend(file)))? {
        Ok(database) => {
            let opened = Opened::Reading(database);
            let handle = Handle { opened, beside, memo: Memo::new(), lasting: true };
            check(path, &handle)?;
            Ok(Some(handle))
        }
        Err(DatabaseError::RepairAborted) => needing_repair(path).map(Some),
        Err(error) => Err(error.into()),
    }
}

/// Opens a store that was checked before.
pub(crate) fn for_writing(path: &Path) -> Result<Handle, Error> {
    let file = OpenOptions::new().read(true).write(true).open(path);
    let file = file.map_err(|error| failed(path, error))?;
    let (file, beside) = PatientFile::new(file)?;
    let database = with(path, file)?;
    Ok(Handle::writing(database, beside))
}

/// A file that a killed process left: it is looked at in memory first.
fn needing_repair(path: &Path) -> Result<Handle, Error> {
    let (file, beside) = PatientFile::new(open_to_read(path)?)?;
    let overlay = Overlay::new(file).map_err(|error| failed(path, error))?;
    let database = with(path, overlay)?;
    let looked = Handle { lasting: false, ..Handle::writing(database, beside) };
    check(path, &looked)?;
    match for_writing(path) {
        Ok(handle) => Ok(handle),
        // What is in memory is not written by others: it serves one call.
        Err(Error::Told(StoreError::ReadOnly { .. })) => Ok(looked),
        Err(error) => Err(error),
    }
}

/// Opens the database in a checked, non-empty file, or in an empty one that is ours.
pub(crate) fn with(path: &Path, file: impl StorageBackend) -> Result<Database, Error> {
    Ok(guarded(path, || Ok(builder().create_with_backend(file)))??)
}

fn open_to_read(path: &Path) -> Result<File, StoreError> {
    File::open(path).map_err(|error| unreadable(path, error))
}

/// A file that cannot even be read.
fn unreadable(path: &Path, error: io::Error) -> StoreError {
    if error.kind() == io::ErrorKind::PermissionDenied {
        return StoreError::Denied { path: shown(path), cause: error };
    }
    StoreError::Failed { path: shown(path), cause: Box::new(error) }
}

/// redb trusts what it reads from a file that was closed cleanly, and panics where it is damaged.
pub(crate) fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(panicked(path).into()))
}

const MAGIC: [u8; 9] = *b"redb\x1A\x0A\xA9\x0D\x0A";

/// Whether there is a file that redb made. Anything else in its place is no store.
fn is_there(path: &Path) -> Result<bool, StoreError> {
    // Not opened before: the opening of a FIFO waits for a writer.
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(no_store(path, "a part of its path is no directory"));
        }
        Err(error) => return Err(unreadable(path, error)),
    };
    if metadata.is_dir() {
        return Err(no_store(path, "it is a directory"));
    }
    if !metadata.is_file() {
        return Err(no_store(path, "it is no regular file"));
    }
    if metadata.len() == 0 {
        return Err(no_store(path, "it is empty"));
    }
    let mut start = Vec::with_capacity(MAGIC.len());
    open_to_read(path)?
        .take(MAGIC.len() as u64)
        .read_to_end(&mut start)
        .map_err(|error| unreadable(path, error))?;
    if start != MAGIC {
        return Err(no_store(path, "it is some other file"));
    }
    Ok(true)
}

/// Whether the file is a store, and of a schema that is known here.
fn check(path: &Path, handle: &Handle) -> Result<(), Error> {
    guarded(path, || {
        let meta = match handle.begin_read()?.open_table(META) {
            Ok(meta) => meta,
            Err(redb::TableError::Storage(error)) => return Err(error.into()),
            Err(_) => return Err(no_schema(path).into()),
        };
        let schema = meta.get(SCHEMA_ROW)?.map(|row| row.value());
        check_schema(path, schema).map_err(Error::from)
    })
}

/// Whether the schema is one that is known here.
pub(crate) fn check_schema(path: &Path, schema: Option<u64>) -> Result<(), StoreError> {
    match schema {
        Some(SCHEMA) => Ok(()),
        None | Some(0) => Err(no_schema(path)),
        Some(found) => Err(StoreError::NewerSchema { path: shown(path), found, known: SCHEMA }),
    }
}

fn no_schema(path: &Path) -> StoreError {
    no_store(path, "it has no schema row")
}
