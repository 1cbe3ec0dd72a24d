//! The ports as one simulated process has them: every call lets the others run, may meet trouble, and
//! may be made wrong on purpose.

use super::{
    disk::Disk,
    plan::{Edit, Trouble},
    plant::Plant,
    schedule::others_run,
};
use crate::fake::{clock::FakeClock, store::FakeStore};
use async_trait::async_trait;
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use told_domain::{
    fold::fold,
    hash::ContentHash,
    head::HeadChange,
    key::ApiKey,
    look::{Containment, Looks, Seen},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    position::Revision,
    record::Record,
    session::SessionId,
    state::Contents,
    time::{Date, Timestamp},
};
use told_ports::{
    Append, Clock, FileSystem, Loaded, LocationValues, Mark, Revisions, SessionSummary, Store,
    StoreError,
};

/// Never waits: one thread runs everything.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process's files.
pub(super) struct Files {
    pub(super) disk: Arc<Mutex<Disk>>,
    pub(super) plant: Option<Plant>,
    last: Mutex<Option<(Looks, Seen)>>,
    remembered: Mutex<BTreeMap<AbsolutePath, told_domain::look::FileBytes>>,
}

impl Files {
    pub(super) fn new(disk: Arc<Mutex<Disk>>, plant: Option<Plant>) -> Self {
        Self { disk, plant, last: Mutex::default(), remembered: Mutex::default() }
    }

    fn planted(&self, looks: &Looks, mut seen: Seen) -> Seen {
        let failed = |seen: &Observation<_>| matches!(seen, Observation::Unavailable(_));
        match self.plant {
            Some(Plant::FailedReadIsAbsent) => {
                for file in seen.files.iter_mut().filter(|file| failed(file)) {
                    *file = Observation::Absent(Absence::NotFound);
                }
            }
            Some(Plant::FailedReadIsEmpty) => {
                for (file, read) in seen.files.iter_mut().zip(&looks.reads) {
                    if failed(file) {
                        let canonical = CanonicalPath::observed(read.path.clone());
                        let empty =
                            told_domain::look::FileBytes { canonical, bytes: Vec::new(), size: 0 };
                        *file = Observation::Available(empty);
                    }
                }
            }
            Some(Plant::FailedReadIsRemembered) => {
                let mut remembered = locked(&self.remembered);
                for (file, read) in seen.files.iter_mut().zip(&looks.reads) {
                    match file {
                        Observation::Available(bytes) => {
                            remembered.insert(read.path.clone(), bytes.clone());
                        }
                        Observation::Unavailable(_) => {
                            if let Some(bytes) = remembered.get(&read.path) {
                                *file = Observation::Available(bytes.clone());
                            }
                        }
                        Observation::Absent(_) => {}
                    }
                }
            }
            Some(Plant::FailedProbeIsAbsent) => {
                for probe in &mut seen.probes {
                    if matches!(probe, Observation::Unavailable(_)) {
                        *probe = Observation::Absent(Absence::NotFound);
                    }
                }
            }
            Some(Plant::StaleCache) => {
                let now = (looks.clone(), seen.clone());
                if let Some((before, stale)) = locked(&self.last).replace(now)
                    && before == *looks
                {
                    return stale;
                }
            }
            Some(Plant::DirectoryIsFailure) => {
                use told_domain::reason::{UnavailableReason, WithheldReason};
                for file in &mut seen.files {
                    if *file
                        == Observation::Absent(Absence::Withheld(WithheldReason::NotRegularFile))
                    {
                        *file = Observation::Unavailable(UnavailableReason::IoError);
                    }
                }
            }
            _ => {}
        }
        seen
    }
}

#[async_trait]
impl FileSystem for Files {
    async fn observe(&self, looks: &Looks) -> Seen {
        others_run().await;
        let files = locked(&self.disk).files.clone();
        let mut asked = looks.clone();
        if self.plant == Some(Plant::UncheckedLinks) {
            for read in &mut asked.reads {
                read.containment = Containment::Anywhere;
            }
        }
        let seen = self.planted(looks, files.observe_now(&asked));
        others_run().await;
        seen
    }

    async fn directory(&self, path: &Path) -> Observation<CanonicalPath> {
        others_run().await;
        let files = locked(&self.disk).files.clone();
        files.directory(path).await
    }
}

/// A process's store.
pub(super) struct Shop {
    pub(super) inner: FakeStore,
    plant: Option<Plant>,
    /// The trouble to come, and how many calls before it.
    trouble: Mutex<Option<(Trouble, usize)>>,
    /// Whether it came.
    troubled: Mutex<bool>,
    unwritten: Mutex<Vec<(SessionId, Append)>>,
    revisions: Mutex<BTreeMap<SessionId, Revisions>>,
    values: Mutex<BTreeMap<CanonicalPath, LocationValues>>,
}

impl Shop {
    pub(super) fn new(inner: FakeStore, plant: Option<Plant>) -> Self {
        Self {
            inner,
            plant,
            trouble: Mutex::default(),
            troubled: Mutex::default(),
            unwritten: Mutex::default(),
            revisions: Mutex::default(),
            values: Mutex::default(),
        }
    }

    /// Lets trouble come after so many calls, or no more.
    pub(super) fn expect(&self, trouble: Option<(Trouble, usize)>) -> bool {
        *locked(&self.trouble) = trouble;
        std::mem::take(&mut *locked(&self.troubled))
    }

    /// What befalls this call: an error before it, or one behind it (`true`).
    fn befalls(&self) -> Option<(StoreError, bool)> {
        let mut trouble = locked(&self.trouble);
        let (what, left) = (*trouble)?;
        if left > 0 {
            *trouble = Some((what, left - 1));
            return None;
        }
        *trouble = None;
        *locked(&self.troubled) = true;
        let path = || "sim".to_owned();
        Some(match what {
            Trouble::Busy => (StoreError::Busy { path: path(), waited_ms: 0 }, false),
            Trouble::Full => (StoreError::Full { path: path() }, false),
            Trouble::Failed => {
                (StoreError::Failed { path: path(), cause: "simulated".into() }, false)
            }
            Trouble::LostBefore => (StoreError::OutcomeUnknown(None), false),
            Trouble::LostAfter => (StoreError::OutcomeUnknown(None), true),
        })
    }

    async fn read<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        // What only reads has no outcome to be unknown.
        match self.befalls() {
            Some((StoreError::OutcomeUnknown(_), _)) | None => call.await,
            Some((error, _)) => Err(error),
        }
    }

    async fn write<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        match self.befalls() {
            None => call.await,
            Some((error, false)) => Err(error),
            Some((error, true)) => {
                drop(call.await);
                Err(error)
            }
        }
    }

    /// Appends `records` again behind whatever stands there now.
    async fn append_behind(&self, session: &SessionId, append: Append) -> Result<Mark, StoreError> {
        let Some(loaded) = self.inner.load(session).await? else {
            return self.inner.append(session, append).await;
        };
        let mut state = loaded.state;
        let mut records = Vec::new();
        for record in append.records {
            let record = Record { revision: state.revision.next(), ..record };
            state = match fold(Some(state), &record) {
                Ok(state) => state,
                Err(_) => return Err(StoreError::Refused("it cannot be appended")),
            };
            records.push(record);
        }
        let summary = SessionSummary {
            boundary: state.location.boundary.clone(),
            revision: state.revision,
            last_record_at: state.last_record_at,
            ..append.summary
        };
        let head = HeadChange::whole(&state);
        let expected = Some(loaded.mark);
        let append = Append { expected, records, head, summary, blobs: append.blobs };
        self.inner.append(session, append).await
    }

    async fn write_what_was_promised(&self) {
        let unwritten = std::mem::take(&mut *locked(&self.unwritten));
        for (session, append) in unwritten {
            self.inner.append(&session, append).await.ok();
        }
    }
}

#[async_trait]
impl Store for Shop {
    async fn load(&self, session: &SessionId) -> Result<Option<Loaded>, StoreError> {
        let mut loaded = self.read(self.inner.load(session)).await?;
        if let Some(loaded) = &mut loaded {
            match self.plant {
                Some(Plant::SwappedContents) => swap(&mut loaded.contents),
                Some(Plant::HeadRowLost) => {
                    loaded.state.told.entries.pop_first();
                }
                _ => {}
            }
        }
        Ok(loaded)
    }

    async fn revisions(
        &self,
        session: &SessionId,
        directory: &CanonicalPath,
    ) -> Result<Revisions, StoreError> {
        let now = self.read(self.inner.revisions(session, directory)).await?;
        if self.plant == Some(Plant::StaleRevisions) {
            return Ok(*locked(&self.revisions).entry(session.clone()).or_insert(now));
        }
        Ok(now)
    }

    async fn append(&self, session: &SessionId, append: Append) -> Result<Mark, StoreError> {
        self.write_what_was_promised().await;
        match self.plant {
            Some(Plant::AckBeforeWrite) if append.expected.is_some() => {
                others_run().await;
                let mark = append.expected.map(|mark| Mark {
                    revision: mark.revision.plus(append.records.len()),
                    ..mark
                });
                locked(&self.unwritten).push((session.clone(), append));
                mark.ok_or(StoreError::Refused("it was expected"))
            }
            Some(Plant::RecordTwice) => {
                let again = append.clone();
                let mark = self.write(self.inner.append(session, append)).await?;
                if again.expected.is_some() {
                    self.append_behind(session, again).await.ok();
                }
                Ok(mark)
            }
            Some(Plant::NoConflicts) => {
                let again = append.clone();
                match self.write(self.inner.append(session, append)).await {
                    Err(StoreError::Conflict { .. }) => self.append_behind(session, again).await,
                    other => other,
                }
            }
            Some(Plant::StaleRevisions) => {
                let mark = self.write(self.inner.append(session, append)).await?;
                if let Some(known) = locked(&self.revisions).get_mut(session) {
                    known.session = Some(mark);
                }
                Ok(mark)
            }
            _ => self.write(self.inner.append(session, append)).await,
        }
    }

    async fn records(
        &self,
        session: &SessionId,
        after: Revision,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError> {
        self.read(self.inner.records(session, after, limit)).await
    }

    async fn contents(&self, hashes: &[ContentHash]) -> Result<Contents, StoreError> {
        let mut contents = self.read(self.inner.contents(hashes)).await?;
        if self.plant == Some(Plant::SwappedContents) {
            swap(&mut contents);
        }
        Ok(contents)
    }

    async fn sessions(
        &self,
        directory: Option<&CanonicalPath>,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        self.read(self.inner.sessions(directory)).await
    }

    async fn delete(
        &self,
        session: &SessionId,
        expected: Option<Mark>,
    ) -> Result<bool, StoreError> {
        self.write(self.inner.delete(session, expected)).await
    }

    async fn values(&self, directory: &CanonicalPath) -> Result<LocationValues, StoreError> {
        let now = self.read(self.inner.values(directory)).await?;
        if self.plant == Some(Plant::StaleValues) {
            let mut values = locked(&self.values);
            let known = values.entry(directory.clone()).or_insert_with(|| now.clone());
            return Ok(LocationValues { revision: now.revision, ..known.clone() });
        }
        Ok(now)
    }

    async fn set_value(
        &self,
        directory: &CanonicalPath,
        key: &ApiKey,
        value: Option<Arc<str>>,
    ) -> Result<(), StoreError> {
        self.write(self.inner.set_value(directory, key, value)).await
    }
}

fn swap(contents: &mut Contents) {
    let hashes: Vec<_> = contents.keys().copied().collect();
    if let [one, .., other] = hashes[..]
        && let (Some(first), Some(second)) = (contents.remove(&one), contents.remove(&other))
    {
        contents.insert(one, second);
        contents.insert(other, first);
    }
}

/// A process's clock. While a boundary waits for an emptied file, an editor may fill it.
pub(super) struct Hours {
    pub(super) inner: Arc<FakeClock>,
    pub(super) disk: Arc<Mutex<Disk>>,
    pub(super) refill: Arc<Mutex<Option<Edit>>>,
    frozen: Option<Date>,
}

impl Hours {
    pub(super) fn new(
        inner: Arc<FakeClock>,
        disk: Arc<Mutex<Disk>>,
        refill: Arc<Mutex<Option<Edit>>>,
        plant: Option<Plant>,
    ) -> Self {
        let frozen = (plant == Some(Plant::FrozenDate)).then(|| inner.today());
        Self { inner, disk, refill, frozen }
    }
}

#[async_trait]
impl Clock for Hours {
    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    fn today(&self) -> Date {
        self.frozen.unwrap_or_else(|| self.inner.today())
    }

    async fn sleep(&self, duration: Duration) {
        // A look's time limit is the other user of sleeps; here nothing is slow.
        if duration >= Duration::from_millis(1_000) {
            std::future::pending::<()>().await;
        }
        if let Some(edit) = locked(&self.refill).take() {
            locked(&self.disk).edit(&edit);
        }
        self.inner.sleep(duration).await;
        others_run().await;
    }
}
