//! The file as redb uses it, with two things added: a lock is never waited for without end, and the
//! first failure is remembered, for redb itself reports only the failures after it.

use crate::memo::{HEADER, Header};
use redb::{BackendError, StorageBackend, backends::FileBackend};
use std::{
    cell::Cell,
    fs::File,
    io,
    ops::Bound,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// The file behind one handle.
#[derive(Debug)]
pub(crate) struct PatientFile {
    file: Arc<FileBackend>,
    beside: Arc<Beside>,
}

/// The file beside redb: what went wrong with it, how far its last commit came, and its header.
#[derive(Debug)]
pub(crate) struct Beside {
    file: Arc<FileBackend>,
    first: Mutex<Option<io::Error>>,
    published: AtomicBool,
    /// The header as the commit under way last wrote it.
    written: Mutex<Option<Header>>,
    identity: Identity,
    /// Lets a step fail in a test.
    #[cfg(test)]
    pub(crate) fuse: Fuse,
}

/// Which file on this machine it is, where the system tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity(Option<(u64, u64)>);

impl Identity {
    #[cfg(unix)]
    fn of(metadata: Option<&std::fs::Metadata>) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(metadata.map(|metadata| (metadata.dev(), metadata.ino())))
    }

    #[cfg(not(unix))]
    const fn of(_: Option<&std::fs::Metadata>) -> Self {
        Self(None)
    }
}

/// Lets one step fail, so many steps ahead.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct Fuse(Mutex<Option<(u32, i32)>>);

#[cfg(test)]
impl Fuse {
    pub(crate) fn set(&self, steps: u32, error: i32) {
        *self.0.lock().unwrap() = Some((steps, error));
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.lock().unwrap().is_some()
    }

    fn blows(&self) -> Option<io::Error> {
        let mut fuse = self.0.lock().unwrap();
        match &mut *fuse {
            Some((0, error)) => {
                let error = io::Error::from_raw_os_error(*error);
                *fuse = None;
                Some(error)
            }
            Some((steps, _)) => {
                *steps -= 1;
                None
            }
            None => None,
        }
    }
}

/// The error of a lock that was not free in time.
#[derive(Debug, thiserror::Error)]
#[error("another process holds the file")]
pub(crate) struct NotFree;

thread_local! {
    /// Until when this thread waits for a lock of another process; `None` for a moment only.
    static UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Tries before a thread without patience gives up: a peer holds the header for microseconds.
const GLANCES: u32 = 40;
const PAUSE_MIN: Duration = Duration::from_micros(20);
/// The longest pause between two tries of a thread that waits.
pub(crate) const PAUSE_MAX: Duration = Duration::from_millis(1);

/// Runs `work`, whose locks are waited for until `until`.
pub(crate) fn waiting_until<T>(until: Instant, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Instant>);
    impl Drop for Restore {
        fn drop(&mut self) {
            UNTIL.set(self.0);
        }
    }
    let _restore = Restore(UNTIL.replace(Some(until)));
    work()
}

impl PatientFile {
    pub(crate) fn new(file: File) -> Result<(Self, Arc<Beside>), redb::DatabaseError> {
        let identity = Identity::of(file.metadata().ok().as_ref());
        let file = Arc::new(FileBackend::new(file)?);
        let beside = Arc::new(Beside::new(Arc::clone(&file), identity));
        Ok((Self { file, beside: Arc::clone(&beside) }, beside))
    }

    fn noted<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| self.beside.note(error))
    }

    /// Does one step that changes the file.
    fn step(&self, step: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        #[cfg(test)]
        if let Some(error) = self.beside.fuse.blows() {
            return self.noted(Err(error));
        }
        self.noted(step())
    }
}

impl Beside {
    /// Whether `path` still leads to this file. One that was deleted or replaced must not be written
    /// any more: what is answered would be lost. A look that fails for another reason says nothing.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        match (self.identity, std::fs::metadata(path)) {
            (Identity(None), _) => true,
            (identity, Ok(metadata)) => identity == Identity::of(Some(&metadata)),
            (_, Err(error)) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    fn new(file: Arc<FileBackend>, identity: Identity) -> Self {
        Self {
            file,
            first: Mutex::new(None),
            identity,
            published: AtomicBool::new(false),
            written: Mutex::new(None),
            #[cfg(test)]
            fuse: Fuse::default(),
        }
    }

    /// The bytes that every commit changes, as they are now.
    pub(crate) fn header(&self) -> Option<Header> {
        let mut header = [0; HEADER];
        // Where it cannot be read, redb says why.
        self.file.read(0, &mut header).ok().map(|()| header)
    }

    fn note(&self, error: &io::Error) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            // An error of the system is its number; any other kind is kept as its words.
            *first = Some(error.raw_os_error().map_or_else(
                || io::Error::new(error.kind(), error.to_string()),
                io::Error::from_raw_os_error,
            ));
        }
    }

    /// The first failure, once.
    pub(crate) fn take(&self) -> Option<io::Error> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Says that a commit begins.
    pub(crate) fn begin_commit(&self) {
        self.published.store(false, Ordering::Release);
        *self.written() = None;
    }

    /// The header that the commit left, once it has ended well.
    pub(crate) fn committed(&self) -> Option<Header> {
        *self.written()
    }

    fn written(&self) -> MutexGuard<'_, Option<Header>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the commit came so far that nobody knows how it ended. Before that write, the
    /// previous commit is the file's.
    pub(crate) fn published(&self) -> bool {
        self.published.load(Ordering::Acquire)
    }
}

/// Where redb keeps the flags of its header, and the flag of the write that publishes a commit.
const FLAGS: usize = 9;
const PRIMARY_UNFLUSHED: u8 = 8;

fn publishes(offset: u64, data: &[u8]) -> bool {
    offset == 0 && data.get(FLAGS).is_some_and(|flags| flags & PRIMARY_UNFLUSHED != 0)
}

/// Tries until the lock is there or the thread's patience is over.
fn patiently(mut attempt: impl FnMut() -> Result<bool, BackendError>) -> Result<(), BackendError> {
    if attempt()? {
        return Ok(());
    }
    let until = UNTIL.get();
    let mut pause = PAUSE_MIN;
    let mut glances = 0;
    loop {
        match until {
            None if glances >= GLANCES => break,
            Some(until) if glances >= GLANCES => {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                std::thread::sleep(pause.min(left));
                pause = (pause * 2).min(PAUSE_MAX);
            }
            None | Some(_) => std::thread::yield_now(),
        }
        glances = glances.saturating_add(1);
        if attempt()? {
            return Ok(());
        }
    }
    Err(BackendError::Io(io::Error::new(io::ErrorKind::WouldBlock, NotFree)))
}

impl StorageBackend for PatientFile {
    fn len(&self) -> io::Result<u64> {
        self.noted(self.file.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.noted(self.file.read(offset, out))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.step(|| self.file.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.step(|| self.file.sync_data())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if publishes(offset, data) {
            self.beside.published.store(true, Ordering::Release);
        }
        if offset == 0 {
            *self.beside.written() = data.first_chunk().copied();
        }
        self.step(|| self.file.write(offset, data))
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        patiently(|| self.file.try_lock_range(start, end))
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        patiently(|| self.file.try_lock_shared_range(start, end))
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}
