//! Making a new store: under a temporary name, whole, then linked into its place. A killed process
//! leaves at most a stray file beside it, and of two that race one wins.

use crate::{
    backend::PatientFile,
    open::{Handle, with},
    tables::{
        BLOBS, HEAD, LOG, META, NEEDED_BY, NEEDS, OWNER_ROW, PLACES, SCHEMA, SCHEMA_ROW, VALUES,
    },
    trouble::{Error, failed},
};
use redb::Database;
use std::{
    fs::{DirBuilder, File},
    io,
    path::Path,
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
        .prefix(".told-")
        .suffix(".new")
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
            Ok(Some(Handle::writing(database, beside)))
        }
        Err(lost) if lost.error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(lost) => Err(failed(path, lost.error).into()),
    }
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
