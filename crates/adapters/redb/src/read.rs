//! What the port reads, each call within one transaction: one moment of the store.

use crate::{
    tables::{
        BLOBS, DirectoryPlace, HEAD, LOG, PLACES, SESSION_KEYS, VALUES, decode_mark,
        decode_summary, directory_key, session_key, session_of_key,
    },
    trouble::Error,
};
use redb::{ReadOnlyTable, ReadTransaction, ReadableTable};
use std::{ops::Bound, sync::Arc};
use told_domain::{
    fold::{FoldError, replay},
    hash::ContentHash,
    head::assemble,
    path::CanonicalPath,
    position::Revision,
    record::Record,
    session::SessionId,
    state::{Contents, State},
};
use told_ports::{
    HeadCondition, Loaded, LocationValues, Mark, Revisions, SessionSummary, StoreError,
};

type Places = ReadOnlyTable<&'static [u8], &'static [u8]>;

/// A session's log that is not one.
pub(crate) fn damaged(session: &SessionId, record: Revision, why: impl Into<String>) -> StoreError {
    StoreError::DamagedLog { session: session.clone(), record, why: why.into() }
}

pub(crate) fn revisions(
    transaction: &ReadTransaction,
    session: &SessionId,
    directory: &CanonicalPath,
) -> Result<Revisions, Error> {
    revisions_in(&transaction.open_table(PLACES)?, session, directory)
}

/// Where a session and a directory's values stand.
pub(crate) fn revisions_in(
    places: &impl ReadableTable<&'static [u8], &'static [u8]>,
    session: &SessionId,
    directory: &CanonicalPath,
) -> Result<Revisions, Error> {
    let session = mark(places, session)?;
    let values = directory_place(places, directory)?.map_or(0, |place| place.revision);
    Ok(Revisions { session, values })
}

/// Where a session stands.
pub(crate) fn mark(
    places: &impl ReadableTable<&'static [u8], &'static [u8]>,
    session: &SessionId,
) -> Result<Option<Mark>, Error> {
    let Some(row) = places.get(session_key(session).as_slice())? else { return Ok(None) };
    let mark = decode_mark(row.value());
    Ok(Some(mark.ok_or_else(|| damaged(session, Revision::NONE, "its place does not decode"))?))
}

/// Where a directory's values stand.
pub(crate) fn directory_place(
    places: &impl ReadableTable<&'static [u8], &'static [u8]>,
    directory: &CanonicalPath,
) -> Result<Option<DirectoryPlace>, Error> {
    let Some(row) = places.get(directory_key(directory).as_slice())? else { return Ok(None) };
    let place = DirectoryPlace::decode(row.value());
    Ok(Some(place.ok_or_else(|| {
        redb::Error::Corrupted(format!("the place of {directory} does not decode"))
    })?))
}

pub(crate) fn load(
    transaction: &ReadTransaction,
    session: &SessionId,
) -> Result<Option<Loaded>, Error> {
    let places: Places = transaction.open_table(PLACES)?;
    let Some(mark) = mark(&places, session)? else { return Ok(None) };
    let (state, head) = match head(transaction, mark)? {
        Some(state) => (state, HeadCondition::Sound),
        None => (folded(transaction, session, mark)?, HeadCondition::Rebuilt),
    };
    let contents = contents(transaction, &state.needs())?;
    Ok(Some(Loaded { mark, state, contents, head }))
}

/// The state that the head rows make, if they make the session's present one.
fn head(transaction: &ReadTransaction, mark: Mark) -> Result<Option<State>, Error> {
    let table = transaction.open_table(HEAD)?;
    let rows: Vec<_> = table
        .range((mark.incarnation, "")..(mark.incarnation + 1, ""))?
        .collect::<Result<_, _>>()?;
    let rows = rows.iter().map(|(key, row)| (key.value().1, row.value()));
    // A head that says another revision than the log's was left behind by something.
    Ok(assemble(rows).ok().filter(|state| state.revision == mark.revision))
}

fn folded(transaction: &ReadTransaction, session: &SessionId, mark: Mark) -> Result<State, Error> {
    let records = log(transaction, session, mark, Revision::NONE, usize::MAX)?;
    match replay(&records) {
        Ok(Some(state)) => Ok(state),
        Ok(None) => Err(damaged(session, Revision(1), "it is missing").into()),
        Err(error @ (FoldError::Gap { expected: at, .. } | FoldError::Misplaced(at))) => {
            Err(damaged(session, at, error.to_string()).into())
        }
    }
}

pub(crate) fn records(
    transaction: &ReadTransaction,
    session: &SessionId,
    after: Revision,
    limit: usize,
) -> Result<Vec<Record>, Error> {
    let places: Places = transaction.open_table(PLACES)?;
    match mark(&places, session)? {
        Some(mark) => log(transaction, session, mark, after, limit),
        None => Ok(Vec::new()),
    }
}

/// The records after a revision, each checked to stand where it belongs.
fn log(
    transaction: &ReadTransaction,
    session: &SessionId,
    mark: Mark,
    after: Revision,
    limit: usize,
) -> Result<Vec<Record>, Error> {
    let table = transaction.open_table(LOG)?;
    let owner = mark.incarnation;
    let rows = table.range::<(u64, u64)>((
        Bound::Excluded((owner, after.0)),
        Bound::Included((owner, mark.revision.0)),
    ));
    let wanted = usize::try_from(mark.revision.0.saturating_sub(after.0)).unwrap_or(usize::MAX);
    let wanted = wanted.min(limit);
    if wanted == 0 {
        return Ok(Vec::new());
    }
    let mut records = Vec::new();
    for row in rows?.take(wanted) {
        let (key, bytes) = row?;
        let expected = after.plus(records.len() + 1);
        if key.value().1 != expected.0 {
            return Err(damaged(session, expected, "it is missing").into());
        }
        let record = Record::decode(bytes.value())
            .map_err(|error| damaged(session, expected, with_cause(&error)))?;
        if record.revision != expected {
            let why = format!("it says that it is record {}", record.revision);
            return Err(damaged(session, expected, why).into());
        }
        records.push(record);
    }
    if records.len() < wanted {
        return Err(damaged(session, after.plus(records.len() + 1), "it is missing").into());
    }
    Ok(records)
}

fn with_cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

pub(crate) fn contents(
    transaction: &ReadTransaction,
    hashes: &[ContentHash],
) -> Result<Contents, Error> {
    let table = transaction.open_table(BLOBS)?;
    let text = |hash: &ContentHash| text(&table, *hash).map(|text| (*hash, text));
    hashes.iter().map(text).collect()
}

/// One text by its hash.
fn text(
    blobs: &ReadOnlyTable<&'static [u8; 32], &'static [u8]>,
    hash: ContentHash,
) -> Result<Arc<str>, Error> {
    let row = blobs.get(hash.as_bytes())?;
    let text = row.as_ref().and_then(|row| std::str::from_utf8(row.value()).ok());
    Ok(text.ok_or(StoreError::MissingContent(hash))?.into())
}

pub(crate) fn sessions(
    transaction: &ReadTransaction,
    directory: Option<&CanonicalPath>,
) -> Result<Vec<SessionSummary>, Error> {
    let places = transaction.open_table(PLACES)?;
    let mut found = Vec::new();
    for row in places.range(SESSION_KEYS)? {
        let (key, place) = row?;
        let summary =
            session_of_key(key.value()).and_then(|session| decode_summary(session, place.value()));
        match summary {
            Some(summary) if directory.is_none_or(|wanted| *wanted == summary.directory) => {
                found.push(summary);
            }
            Some(_) => {}
            // Loading that session says so; the others are listed all the same (R-EPO-7).
            None => tracing::warn!(
                session = %String::from_utf8_lossy(key.value().get(1..).unwrap_or_default()),
                "a session's place in the store does not decode; it is left out of the list"
            ),
        }
    }
    Ok(found)
}

pub(crate) fn values(
    transaction: &ReadTransaction,
    directory: &CanonicalPath,
) -> Result<LocationValues, Error> {
    let places: Places = transaction.open_table(PLACES)?;
    let Some(place) = directory_place(&places, directory)? else {
        return Ok(LocationValues::default());
    };
    let (keys, blobs) = (transaction.open_table(VALUES)?, transaction.open_table(BLOBS)?);
    let mut values = LocationValues { revision: place.revision, ..LocationValues::default() };
    for row in keys.range((place.owner, "")..(place.owner + 1, ""))? {
        let (key, hash) = row?;
        // A key that no told ever wrote is nobody's value.
        let Ok(name) = key.value().1.parse() else { continue };
        values.values.insert(name, text(&blobs, ContentHash::from_bytes(*hash.value()))?);
    }
    Ok(values)
}
