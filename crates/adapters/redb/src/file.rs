//! The store file of this process: opened once, shared by all calls, opened anew after a failure.

use crate::{
    RedbOptions,
    backend::waiting_until,
    create::create,
    open::{self, Handle, guarded},
    read::revisions,
    trouble::{Error, no_store},
};
use redb::ReadTransaction;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::{Duration, Instant},
};
use told_domain::{path::CanonicalPath, session::SessionId};
use told_ports::{Revisions, StoreError};

/// The path, and what is open of it.
#[derive(Debug)]
pub(crate) struct StoreFile {
    path: PathBuf,
    options: RedbOptions,
    current: RwLock<Option<Arc<Handle>>>,
    opening: Mutex<()>,
}

/// A handle is opened anew so often in one call before its error is the caller's.
const ATTEMPTS: u32 = 3;

/// A file is opened so often before it counts as damaged.
const OPENINGS: u32 = 10;

impl StoreFile {
    pub(crate) const fn new(path: PathBuf, options: RedbOptions) -> Self {
        Self { path, options, current: RwLock::new(None), opening: Mutex::new(()) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) const fn wait_ms(&self) -> u64 {
        self.options.wait_ms
    }

    /// Until when a call that begins now waits for other processes.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + Duration::from_millis(self.options.wait_ms)
    }

    /// Reads on this thread, without waiting for anybody. `None`: nothing is open, or another
    /// process holds the file, so that the call belongs on a thread that may wait.
    pub(crate) fn revisions(
        &self,
        session: &SessionId,
        directory: &CanonicalPath,
    ) -> Option<Result<Revisions, StoreError>> {
        let handle = self.current()?;
        let header = handle.beside.header()?;
        let asked = (session.clone(), directory.clone());
        if let Some(known) = handle.memo.recall(&header, &asked) {
            return Some(Ok(known));
        }
        match self.read_with(&handle, |read| revisions(read, session, directory)) {
            Ok(answer) => {
                handle.memo.keep(&header, asked, answer);
                Some(Ok(answer))
            }
            Err(Error::Told(error)) => Some(Err(error)),
            Err(Error::NotFree | Error::Medium(_)) => None,
        }
    }

    /// Reads one moment of the store, waiting where it must; `None` where there is no store.
    pub(crate) fn read<T>(
        &self,
        read: impl Fn(&ReadTransaction) -> Result<T, Error>,
    ) -> Result<Option<T>, StoreError> {
        let until = self.deadline();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let Some(handle) = self.for_reading(until).map_err(|error| self.told(error, None))?
            else {
                return Ok(None);
            };
            match waiting_until(until, || self.read_with(&handle, &read)) {
                Ok(value) => return Ok(Some(value)),
                Err(Error::Medium(_)) if attempts < ATTEMPTS => self.forget(&handle),
                Err(error) => return Err(self.told(error, Some(&handle))),
            }
        }
    }

    fn read_with<T>(
        &self,
        handle: &Handle,
        read: impl Fn(&ReadTransaction) -> Result<T, Error>,
    ) -> Result<T, Error> {
        guarded(&self.path, || read(&handle.begin_read()?))
    }

    /// A handle that reads; `None` where there is no store.
    fn for_reading(&self, until: Instant) -> Result<Option<Arc<Handle>>, Error> {
        if let Some(handle) = self.current() {
            return Ok(Some(handle));
        }
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handle) = self.current() {
            return Ok(Some(handle));
        }
        let opened = patiently(until, || steadily(|| open::for_reading(&self.path)))?;
        Ok(opened.map(|handle| self.install(handle)))
    }

    /// Whether there is a store at all.
    pub(crate) fn is_there(&self, until: Instant) -> Result<bool, Error> {
        Ok(self.for_reading(until)?.is_some())
    }

    /// A handle that writes. The store is made where there is none.
    pub(crate) fn for_writing(&self, until: Instant) -> Result<Arc<Handle>, Error> {
        // Who loses the race to make the store uses the winner's.
        for _ in 0..ATTEMPTS {
            if let Some(handle) = self.for_reading(until)? {
                return self.upgraded(handle, until);
            }
            let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(made) = patiently(until, || create(&self.path))? {
                return Ok(self.install(made));
            }
        }
        // Nothing can be read there, and nothing made: a link to nowhere.
        Err(no_store(&self.path, "what is in its place leads nowhere").into())
    }

    fn upgraded(&self, handle: Arc<Handle>, until: Instant) -> Result<Arc<Handle>, Error> {
        if handle.lasting && handle.database().is_some() {
            return Ok(handle);
        }
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = patiently(until, || open::for_writing(&self.path))?;
        Ok(self.install(opened))
    }

    /// What is open of the file that the path leads to now.
    pub(crate) fn current(&self) -> Option<Arc<Handle>> {
        let handle = self.current.read().unwrap_or_else(PoisonError::into_inner).clone()?;
        if handle.beside.is_at(&self.path) {
            return Some(handle);
        }
        tracing::warn!("the store was deleted or replaced under this process: opening it anew");
        self.forget(&handle);
        None
    }

    fn install(&self, handle: Handle) -> Arc<Handle> {
        let handle = Arc::new(handle);
        if handle.lasting {
            let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
            *current = Some(Arc::clone(&handle));
        }
        handle
    }

    /// Lets a failed handle go: the next call opens another.
    pub(crate) fn forget(&self, failed: &Arc<Handle>) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_some_and(|handle| Arc::ptr_eq(handle, failed)) {
            *current = None;
        }
    }

    /// Lets the file go.
    pub(crate) fn close(&self) {
        self.current.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// What the caller is told of an error.
    pub(crate) fn told(&self, error: Error, handle: Option<&Handle>) -> StoreError {
        error.told(&self.path, self.wait_ms(), handle.map(|handle| &*handle.beside))
    }
}

/// A reader that opens the file while a writer makes it larger or smaller may find the header of one
/// size and the file of another. What is damaged stays so; a change is over in a moment.
fn steadily<T>(open: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    for _ in 1..OPENINGS {
        match open() {
            Err(Error::Medium(_)) => std::thread::sleep(crate::backend::PAUSE_MAX),
            result => return result,
        }
    }
    open()
}

/// Opening fails at once where another process opens the file alone: that is waited for as well.
fn patiently<T>(until: Instant, open: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    loop {
        match waiting_until(until, &open) {
            Err(Error::NotFree) if Instant::now() < until => {
                std::thread::sleep(crate::backend::PAUSE_MAX);
            }
            result => return result,
        }
    }
}
