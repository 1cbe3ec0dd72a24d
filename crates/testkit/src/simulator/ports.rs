//! The disk and the clock as one simulated process has them: every call lets the others run, and may be
//! made wrong on purpose. [`super::shop`] is the store.

use super::{
    disk::Disk, lookout::Lookout, mistaken_watch::Trusting, plan::Edit, plant::Plant,
    schedule::others_run,
};
use crate::fake::clock::FakeClock;
use async_trait::async_trait;
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use told_domain::{
    look::{Containment, FileBytes, Looks, Seen},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    reason::{UnavailableReason, WithheldReason},
    session::SessionId,
    time::{Date, Timestamp},
};
use told_ports::{Append, Clock, FileSystem};

/// Never waits: one thread runs everything.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// At which revision each call of a race first saw its session.
pub(super) type FirstSeen = BTreeMap<usize, Saw>;

/// What a call first saw of its session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saw {
    pub(super) revision: u64,
    /// It has done nothing since but ask where the session stands.
    pub(super) only_asked: bool,
}

/// What is about to be appended.
pub(super) type Journal = Arc<Mutex<Option<(SessionId, Append)>>>;

/// A process's files.
pub(super) struct Files {
    pub(super) disk: Arc<Mutex<Disk>>,
    pub(super) plant: Option<Plant>,
    lookout: Option<Lookout>,
    last: Mutex<Option<(Looks, Seen)>>,
    remembered: Mutex<BTreeMap<AbsolutePath, FileBytes>>,
    trusting: Trusting,
}

impl Files {
    pub(super) fn new(
        disk: Arc<Mutex<Disk>>,
        lookout: Option<Lookout>,
        plant: Option<Plant>,
    ) -> Self {
        let (last, remembered) = (Mutex::default(), Mutex::default());
        Self { disk, plant, lookout, last, remembered, trusting: Trusting::default() }
    }

    /// The process said that it changed something.
    pub(super) fn mutated(&self) {
        self.trusting.forget();
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
                        let empty = FileBytes { canonical, bytes: Vec::new(), size: 0 };
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
                for file in &mut seen.files {
                    if *file
                        == Observation::Absent(Absence::Withheld(WithheldReason::NotRegularFile))
                    {
                        *file = Observation::Unavailable(UnavailableReason::IoError);
                    }
                }
            }
            Some(Plant::CutSilently) => {
                for file in &mut seen.files {
                    if let Observation::Available(file) = file {
                        file.size = file.bytes.len() as u64;
                    }
                }
            }
            Some(Plant::NestedProjectsUnseen) => {
                for (probe, path) in seen.probes.iter_mut().zip(&looks.probes) {
                    if path.as_path() == Path::new("/repo/sub/.git") {
                        *probe = Observation::Absent(Absence::NotFound);
                    }
                }
            }
            Some(Plant::ChangingFileIsAbsent) => {
                for file in &mut seen.files {
                    if *file == Observation::Unavailable(UnavailableReason::ChangedWhileRead) {
                        *file = Observation::Absent(Absence::NotFound);
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
        let forgets = self.plant == Some(Plant::LoadForgetsEvents);
        let forgetful = self.lookout.as_ref().filter(|_| forgets);
        if let Some(lookout) = forgetful {
            lookout.look_begins();
        }
        others_run().await;
        let files = locked(&self.disk).files.clone();
        let mut asked = looks.clone();
        match self.plant {
            Some(Plant::UncheckedLinks) => {
                for read in &mut asked.reads {
                    read.containment = Containment::Anywhere;
                }
            }
            Some(Plant::NoLimitInAll) => asked.total_bytes = u64::MAX,
            _ => {}
        }
        let mut seen = self.planted(looks, files.observe_now(&asked));
        if let Some(lookout) = &self.lookout {
            let subscriptions = lookout.service().subscriptions;
            self.trusting.look(self.plant, &files, subscriptions, looks, &mut seen);
        }
        others_run().await;
        if let Some(lookout) = forgetful {
            lookout.look_ended();
        }
        seen
    }

    async fn directory(&self, path: &Path) -> Observation<CanonicalPath> {
        others_run().await;
        let files = locked(&self.disk).files.clone();
        files.directory(path).await
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
