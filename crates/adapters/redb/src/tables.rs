//! The tables of a store file, and the rows that are not text. Keys are short: a session's or a
//! directory's owner number stands for its name, which is written once.

use redb::TableDefinition;
use told_domain::{
    path::{AbsolutePath, CanonicalPath},
    position::Revision,
    session::SessionId,
    time::Timestamp,
};
use told_ports::{Mark, SessionSummary};

/// `schema`, and `owner`: the last owner number given out.
pub(crate) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
/// Where each session and each directory's values stand. One table, so that the question asked at
/// every boundary opens one.
pub(crate) const PLACES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("places");
/// The records of a session, by owner and revision.
pub(crate) const LOG: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("log");
/// The head rows of a session, by owner and row.
pub(crate) const HEAD: TableDefinition<'_, (u64, &str), &[u8]> = TableDefinition::new("head");
/// The values of a directory, by owner and key: the hash of each text.
pub(crate) const VALUES: TableDefinition<'_, (u64, &str), &[u8; 32]> =
    TableDefinition::new("values");
/// Texts by hash.
pub(crate) const BLOBS: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("blobs");
/// Who needs a text, by hash: the text goes with the last of them.
pub(crate) const NEEDED_BY: TableDefinition<'_, (&[u8; 32], u64), ()> =
    TableDefinition::new("needed_by");
/// What an owner needs: the same pairs, by owner.
pub(crate) const NEEDS: TableDefinition<'_, (u64, &[u8; 32]), ()> = TableDefinition::new("needs");

/// The schema of these tables.
pub(crate) const SCHEMA: u64 = 1;
/// The row of [`META`] that holds it.
pub(crate) const SCHEMA_ROW: &str = "schema";
/// The row of [`META`] that holds the last owner number.
pub(crate) const OWNER_ROW: &str = "owner";

const SESSION: u8 = b's';
const DIRECTORY: u8 = b'd';

/// The key of a session's place.
pub(crate) fn session_key(session: &SessionId) -> Vec<u8> {
    key(SESSION, session.as_str())
}

/// The key of a directory's place.
pub(crate) fn directory_key(directory: &CanonicalPath) -> Vec<u8> {
    key(DIRECTORY, directory.as_str())
}

/// The keys of all sessions' places.
pub(crate) const SESSION_KEYS: std::ops::Range<&[u8]> = (&[SESSION] as &[u8])..(&[SESSION + 1]);

fn key(kind: u8, name: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(1 + name.len());
    key.push(kind);
    key.extend_from_slice(name.as_bytes());
    key
}

/// The session that a key of [`PLACES`] names.
pub(crate) fn session_of_key(key: &[u8]) -> Option<SessionId> {
    let name = key.strip_prefix(&[SESSION])?;
    std::str::from_utf8(name).ok()?.parse().ok()
}

/// Where a directory's values stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DirectoryPlace {
    /// What its rows are keyed by.
    pub(crate) owner: u64,
    /// Counts changes of its values.
    pub(crate) revision: u64,
}

impl DirectoryPlace {
    pub(crate) fn encode(self) -> Vec<u8> {
        [self.owner.to_le_bytes(), self.revision.to_le_bytes()].concat()
    }

    pub(crate) fn decode(row: &[u8]) -> Option<Self> {
        let mut row = Row(row);
        let place = Self { owner: row.number()?, revision: row.number()? };
        row.0.is_empty().then_some(place)
    }
}

/// A session's place: its mark first, which is all that a boundary asks for.
pub(crate) fn encode_session(incarnation: u64, summary: &SessionSummary) -> Vec<u8> {
    let (directory, boundary) = (summary.directory.as_str(), summary.boundary.as_str());
    let mut row = Vec::with_capacity(40 + directory.len() + boundary.len());
    for number in [incarnation, summary.revision.0] {
        row.extend_from_slice(&number.to_le_bytes());
    }
    for moment in [summary.opened_at, summary.last_record_at] {
        row.extend_from_slice(&moment.as_millisecond().to_le_bytes());
    }
    row.extend_from_slice(&(directory.len() as u64).to_le_bytes());
    row.extend_from_slice(directory.as_bytes());
    row.extend_from_slice(boundary.as_bytes());
    row
}

/// The mark in a session's place.
pub(crate) fn decode_mark(row: &[u8]) -> Option<Mark> {
    let mut row = Row(row);
    Some(Mark { incarnation: row.number()?, revision: Revision(row.number()?) })
}

/// The summary in a session's place.
pub(crate) fn decode_summary(session: SessionId, row: &[u8]) -> Option<SessionSummary> {
    let mut row = Row(row);
    let _incarnation = row.number()?;
    let revision = Revision(row.number()?);
    let opened_at = Timestamp::from_millisecond(row.number()?.cast_signed());
    let last_record_at = Timestamp::from_millisecond(row.number()?.cast_signed());
    let length = usize::try_from(row.number()?).ok()?;
    let (directory, boundary) = row.0.split_at_checked(length)?;
    Some(SessionSummary {
        session,
        directory: path(directory)?,
        boundary: path(boundary)?,
        revision,
        opened_at,
        last_record_at,
    })
}

fn path(bytes: &[u8]) -> Option<CanonicalPath> {
    let path = AbsolutePath::new(std::str::from_utf8(bytes).ok()?).ok()?;
    Some(CanonicalPath::observed(path))
}

struct Row<'a>(&'a [u8]);

impl Row<'_> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }
}
