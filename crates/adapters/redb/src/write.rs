//! What the port writes, each job within a transaction that it shares with others: a job is refused
//! before its first change, so that a refusal undoes nobody's work.

use crate::{
    memo::Asked,
    open::check_schema,
    read::{damaged, directory_place, mark, revisions_in},
    tables::{
        BLOBS, DirectoryPlace, HEAD, LOG, META, NEEDED_BY, NEEDS, OWNER_ROW, PLACES, SCHEMA_ROW,
        VALUES, directory_key, encode_session, session_key,
    },
    trouble::Error,
};
use redb::{ReadableTable, Table, WriteTransaction};
use std::{collections::BTreeSet, path::Path, sync::Arc};
use told_domain::{
    hash::{Blob, ContentHash},
    head::HeadChange,
    key::ApiKey,
    path::CanonicalPath,
    position::Revision,
    record::Record,
    session::SessionId,
};
use told_ports::{Append, Mark, Revisions, StoreError};

/// One thing to write.
#[derive(Debug)]
pub(crate) enum Work {
    /// Records of a session.
    Append(SessionId, Box<Append>),
    /// A session goes; only where it stands here, if that is said.
    Delete(SessionId, Option<Mark>),
    /// A value of a directory.
    SetValue(CanonicalPath, ApiKey, Option<Arc<str>>),
}

/// What one job did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// The session stands here now.
    Appended(Mark),
    /// Whether there was a session to delete.
    Deleted(bool),
    /// Whether the value is another now.
    Set(bool),
}

impl Done {
    /// Whether there is anything to commit.
    pub(crate) const fn wrote(self) -> bool {
        match self {
            Self::Appended(_) => true,
            Self::Deleted(wrote) | Self::Set(wrote) => wrote,
        }
    }
}

impl Work {
    /// What becomes of the job where there is no store; `None` where it makes one.
    pub(crate) const fn without_store(&self) -> Option<Result<Done, StoreError>> {
        match self {
            Self::Append(_, append) if append.expected.is_some() => {
                Some(Err(StoreError::Conflict { found: None }))
            }
            Self::SetValue(_, _, None) => Some(Ok(Done::Set(false))),
            Self::Delete(..) => Some(Ok(Done::Deleted(false))),
            Self::Append(..) | Self::SetValue(..) => None,
        }
    }
}

/// What is wrong with an append whatever the store holds.
pub(crate) fn contradiction(session: &SessionId, append: &Append) -> Option<&'static str> {
    let before = append.expected.map_or(Revision::NONE, |mark| mark.revision);
    let follows = |(index, record): (usize, &Record)| record.revision == before.plus(index + 1);
    if append.records.is_empty() {
        Some("it has no records")
    } else if !append.records.iter().enumerate().all(follows) {
        Some("its records do not follow the expected revision")
    } else if append.summary.session != *session {
        Some("its summary names another session")
    } else if append.summary.revision != before.plus(append.records.len()) {
        Some("its summary names another revision")
    } else {
        None
    }
}

/// The tables of one write transaction, each opened once for all its jobs.
pub(crate) struct Tables<'t> {
    meta: Table<'t, &'static str, u64>,
    places: Table<'t, &'static [u8], &'static [u8]>,
    log: Table<'t, (u64, u64), &'static [u8]>,
    head: Table<'t, (u64, &'static str), &'static [u8]>,
    values: Table<'t, (u64, &'static str), &'static [u8; 32]>,
    blobs: Table<'t, &'static [u8; 32], &'static [u8]>,
    needed_by: Table<'t, (&'static [u8; 32], u64), ()>,
    needs: Table<'t, (u64, &'static [u8; 32]), ()>,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(transaction: &'t WriteTransaction, path: &Path) -> Result<Self, Error> {
        let meta = transaction.open_table(META)?;
        // A newer told may have taken the store over since it was opened.
        let schema = meta.get(SCHEMA_ROW)?.map(|row| row.value());
        check_schema(path, schema)?;
        Ok(Self {
            meta,
            places: transaction.open_table(PLACES)?,
            log: transaction.open_table(LOG)?,
            head: transaction.open_table(HEAD)?,
            values: transaction.open_table(VALUES)?,
            blobs: transaction.open_table(BLOBS)?,
            needed_by: transaction.open_table(NEEDED_BY)?,
            needs: transaction.open_table(NEEDS)?,
        })
    }

    /// Does the job. [`Error::Told`] means that it is refused and has changed nothing; any other
    /// error ends the transaction.
    pub(crate) fn apply(&mut self, work: &Work) -> Result<Done, Error> {
        match work {
            Work::Append(session, append) => self.append(session, append).map(Done::Appended),
            Work::Delete(session, expected) => self.delete(session, *expected).map(Done::Deleted),
            Work::SetValue(directory, key, value) => {
                self.set_value(directory, key, value.as_deref()).map(Done::Set)
            }
        }
    }

    /// What `revisions` answers for a session that a job appended to, as the transaction leaves it.
    pub(crate) fn after(&self, work: &Work) -> Result<Option<(Asked, Revisions)>, Error> {
        let Work::Append(session, append) = work else { return Ok(None) };
        let directory = append.summary.directory.clone();
        let answer = revisions_in(&self.places, session, &directory)?;
        Ok(Some(((session.clone(), directory), answer)))
    }

    fn append(&mut self, session: &SessionId, append: &Append) -> Result<Mark, Error> {
        let found = mark(&self.places, session)?;
        if found != append.expected {
            return Err(StoreError::Conflict { found }.into());
        }
        let needed: BTreeSet<_> = append.records.iter().flat_map(Record::references).collect();
        let new = self.not_stored(&needed, &append.blobs)?;
        if let (Some(mark), HeadChange::Rows(_)) = (found, &append.head)
            && self.log.get((mark.incarnation, mark.revision.0))?.is_none()
        {
            return Err(damaged(session, mark.revision, "it is missing").into());
        }
        let owner = match found {
            Some(mark) => mark.incarnation,
            None => self.new_owner()?,
        };
        for record in &append.records {
            self.log.insert((owner, record.revision.0), record.encode().as_slice())?;
        }
        let stored: Vec<_> = new.iter().map(|blob| blob.name().sha256).collect();
        for blob in new {
            self.store(blob)?;
            self.need_anew(owner, blob.name().sha256)?;
        }
        for hash in needed.iter().filter(|hash| !stored.contains(hash)) {
            self.need(owner, *hash)?;
        }
        self.change_head(owner, &append.head)?;
        let place = encode_session(owner, &append.summary);
        self.places.insert(session_key(session).as_slice(), place.as_slice())?;
        Ok(Mark { incarnation: owner, revision: append.summary.revision })
    }

    /// The blobs sent that are needed and not stored yet; an error where one is neither.
    fn not_stored<'b>(
        &self,
        needed: &BTreeSet<ContentHash>,
        sent: &'b [Blob],
    ) -> Result<Vec<&'b Blob>, Error> {
        let mut new = Vec::new();
        for hash in needed {
            if self.blobs.get(hash.as_bytes())?.is_none() {
                let blob = sent.iter().find(|blob| blob.name().sha256 == *hash);
                new.push(blob.ok_or(StoreError::MissingContent(*hash))?);
            }
        }
        Ok(new)
    }

    fn new_owner(&mut self) -> Result<u64, Error> {
        let last = self.meta.get(OWNER_ROW)?.map(|row| row.value());
        let last = last.ok_or_else(|| redb::Error::Corrupted("no owner row".to_owned()))?;
        self.meta.insert(OWNER_ROW, last + 1)?;
        Ok(last + 1)
    }

    fn change_head(&mut self, owner: u64, change: &HeadChange) -> Result<(), Error> {
        match change {
            HeadChange::Rows(rows) => {
                for (key, row) in rows {
                    let key = key.to_string();
                    match row {
                        Some(row) => self.head.insert((owner, key.as_str()), row.as_slice())?,
                        None => self.head.remove((owner, key.as_str()))?,
                    };
                }
            }
            HeadChange::Whole(rows) => {
                self.head.retain_in((owner, "")..(owner + 1, ""), |_, _| false)?;
                for (key, row) in rows {
                    self.head.insert((owner, key.to_string().as_str()), row.as_slice())?;
                }
            }
        }
        Ok(())
    }

    fn delete(&mut self, session: &SessionId, expected: Option<Mark>) -> Result<bool, Error> {
        let found = mark(&self.places, session)?;
        let Some(Mark { incarnation: owner, .. }) = found else {
            return Ok(false);
        };
        if expected.is_some() && expected != found {
            return Err(StoreError::Conflict { found }.into());
        }
        self.places.remove(session_key(session).as_slice())?;
        self.log.retain_in((owner, 0)..(owner + 1, 0), |_, _| false)?;
        self.head.retain_in((owner, "")..(owner + 1, ""), |_, _| false)?;
        let range = (owner, &[0; 32])..(owner + 1, &[0; 32]);
        let hashes: Result<Vec<_>, redb::StorageError> = self
            .needs
            .range::<(u64, &[u8; 32])>(range)?
            .map(|row| Ok(ContentHash::from_bytes(*row?.0.value().1)))
            .collect();
        for hash in hashes? {
            self.need_no_more(owner, hash)?;
        }
        Ok(true)
    }

    fn set_value(
        &mut self,
        directory: &CanonicalPath,
        key: &ApiKey,
        value: Option<&str>,
    ) -> Result<bool, Error> {
        let place = directory_place(&self.places, directory)?;
        let blob = value.map(Blob::new);
        let new = blob.as_ref().map(|blob| blob.name().sha256);
        let old = match place {
            Some(place) => self.values.get((place.owner, key.as_str()))?.map(|row| *row.value()),
            None => None,
        };
        let old = old.map(ContentHash::from_bytes);
        if old == new {
            return Ok(false);
        }
        let DirectoryPlace { owner, revision } = match place {
            Some(place) => place,
            None => DirectoryPlace { owner: self.new_owner()?, revision: 0 },
        };
        match &blob {
            Some(blob) => {
                let hash = blob.name().sha256;
                if self.blobs.get(hash.as_bytes())?.is_none() {
                    self.store(blob)?;
                }
                self.values.insert((owner, key.as_str()), hash.as_bytes())?;
                self.need(owner, hash)?;
            }
            None => {
                self.values.remove((owner, key.as_str()))?;
            }
        }
        if let Some(old) = old
            && !self.is_value_of(owner, old)?
        {
            self.need_no_more(owner, old)?;
        }
        let place = DirectoryPlace { owner, revision: revision + 1 };
        self.places.insert(directory_key(directory).as_slice(), place.encode().as_slice())?;
        Ok(true)
    }

    /// Whether some key of the directory still has this text.
    fn is_value_of(&self, owner: u64, hash: ContentHash) -> Result<bool, Error> {
        for row in self.values.range((owner, "")..(owner + 1, ""))? {
            if row?.1.value() == hash.as_bytes() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn store(&mut self, blob: &Blob) -> Result<(), Error> {
        self.blobs.insert(blob.name().sha256.as_bytes(), blob.text().as_bytes())?;
        Ok(())
    }

    fn need(&mut self, owner: u64, hash: ContentHash) -> Result<(), Error> {
        // Known already in most commits: a look costs less than a page written anew.
        if self.needs.get((owner, hash.as_bytes()))?.is_none() {
            self.need_anew(owner, hash)?;
        }
        Ok(())
    }

    fn need_anew(&mut self, owner: u64, hash: ContentHash) -> Result<(), Error> {
        self.needs.insert((owner, hash.as_bytes()), ())?;
        self.needed_by.insert((hash.as_bytes(), owner), ())?;
        Ok(())
    }

    fn need_no_more(&mut self, owner: u64, hash: ContentHash) -> Result<(), Error> {
        self.needs.remove((owner, hash.as_bytes()))?;
        self.needed_by.remove((hash.as_bytes(), owner))?;
        let others = (hash.as_bytes(), 0)..=(hash.as_bytes(), u64::MAX);
        let needed = self.needed_by.range::<(&[u8; 32], u64)>(others)?.next().is_some();
        if !needed {
            self.blobs.remove(hash.as_bytes())?;
        }
        Ok(())
    }
}
