//! Making a new store: under a temporary name, whole, then linked into its place. A killed process
//! leaves at most a stray file beside it, which the next one to make a store there removes, and of two
//! that race one wins.

use crate::{
    backend::PatientFile,
    open::{Handle, with},
    tables::{
        BLOBS, HEAD, LOG, META, NEEDED_BY, NEEDS, OWNER_ROW, PLACES, SCHEMA, SCHEMA_ROW, VALUES,
    },
    trouble::{Error, failed},
};
use redb::{Database, StorageBackend, backends::FileBackend};
use std::{
    fs::{DirBuilder, File, Metadata},
    io,
    ops::Bound,
    path::Path,
    time::Duration,
};

/// Makes the store at `path` and opens it. `None` where another process was faster.
pub(crate) fn create(path: &Path) -> Result<Option<Handle>, Error> {
    let directory = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return Err(crate::trouble::no_store(path, "it is a directory").into()),
    };
    let system = |error| failed(path, error);
    make_directory(directory).map_err(system)?;
    // A name of its own, mode 0600, removed when dropped.
    let temporary = tempfile::Builder::new()
        .prefix(PREFIX)
        .suffix(SUFFIX)
        .tempfile_in(directory)
        .map_err(system)?;
    let (file, beside) = PatientFile::new(temporary.reopen().map_err(system)?)?;
    let made = with(path, file).and_then(|database| {
        fill(&database)?;
        Ok(database)
    });
    let database = made.map_err(|error| Error::from(error.told(path, 0, Some(&beside))))?;
    match temporary.persist_noclobber(path) {
        Ok(_) => {
            sync(directory).map_err(system)?;
            remove_strays(directory);
            Ok(Some(Handle::writing(database, beside)))
        }
        // Another was faster; or this process stood still so long that ours was taken for a stray.
        Err(lost)
            if matches!(
                lost.error.kind(),
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
            ) =>
        {
            Ok(None)
        }
        Err(lost) => Err(failed(path, lost.error).into()),
    }
}

/// The names of stores that are being made.
const PREFIX: &str = ".told-";
const SUFFIX: &str = ".new";
/// So many entries of the directory are looked at.
const ENTRIES_MAX: usize = 10_000;
/// A maker locks its file before the first byte. One that is empty for so long has none.
const EMPTY_FOR: Duration = Duration::from_secs(60);

/// Removes what killed processes left of stores that they made here: files that no process holds.
fn remove_strays(directory: &Path) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.take(ENTRIES_MAX).flatten() {
        let name = entry.file_name();
        let stray = name.to_str().is_some_and(|n| n.starts_with(PREFIX) && n.ends_with(SUFFIX));
        if !stray || !entry.metadata().is_ok_and(|found| may_be_abandoned(&found)) {
            continue;
        }
        match remove_unheld(&entry.path()) {
            Ok(true) => tracing::debug!("a store that was never finished is removed"),
            Ok(false) => {}
            Err(error) => tracing::debug!(%error, "an unfinished store stays"),
        }
    }
}

fn may_be_abandoned(found: &Metadata) -> bool {
    let age = found.modified().ok().and_then(|changed| changed.elapsed().ok());
    // A link or a FIFO of that name is nobody's store.
    found.is_file() && (found.len() > 0 || age.is_some_and(|age| age > EMPTY_FOR))
}

/// Removes a store that no handle has open: each holds a lock on a part of its file.
fn remove_unheld(path: &Path) -> io::Result<bool> {
    let file = File::options().read(true).write(true).open(path)?;
    let file = FileBackend::new(file).map_err(io::Error::other)?;
    let free = file.try_lock_range(Bound::Unbounded, Bound::Unbounded);
    let free = free.map_err(io::Error::other)?;
    let removed = if free { std::fs::remove_file(path) } else { Ok(()) };
    file.close()?;
    removed.map(|()| free)
}

/// The first transaction: every table, and the schema.
fn fill(database: &Database) -> Result<(), Error> {
    let transaction = database.begin_write()?;
    {
        let mut meta = transaction.open_table(META)?;
        meta.insert(SCHEMA_ROW, SCHEMA)?;
        meta.insert(OWNER_ROW, 0)?;
        transaction.open_table(PLACES)?;
        transaction.open_table(LOG)?;
        transaction.open_table(HEAD)?;
        transaction.open_table(VALUES)?;
        transaction.open_table(BLOBS)?;
        transaction.open_table(NEEDED_BY)?;
        transaction.open_table(NEEDS)?;
    }
    transaction.commit()?;
    Ok(())
}

/// Makes the directory, mode 0700, so that it is there after a power cut.
fn make_directory(directory: &Path) -> io::Result<()> {
    let missing: Vec<_> = directory.ancestors().take_while(|above| !above.exists()).collect();
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)?;
    missing.iter().filter_map(|made| made.parent()).try_for_each(sync)
}

/// Makes a directory's entries durable.
fn sync(directory: &Path) -> io::Result<()> {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}
