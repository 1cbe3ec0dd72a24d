//! What redb's and the system's errors mean to a caller of the port.

use crate::backend::{Beside, NotFree};
use std::{io, path::Path};
use told_ports::StoreError;

/// An error while the store is asked, before it is known what it means to the caller.
#[derive(Debug)]
pub(crate) enum Error {
    /// To be told as it is; the handle stays.
    Told(StoreError),
    /// Another process holds the file.
    NotFree,
    /// The medium or the file failed; the handle cannot be used again.
    Medium(redb::Error),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Told(error)
    }
}

macro_rules! from_redb {
    ($($error:ty),*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::of(error.into())
            }
        }
    )*};
}
from_redb!(
    redb::StorageError,
    redb::TableError,
    redb::TransactionError,
    redb::CommitError,
    redb::DatabaseError
);

impl From<redb::Error> for Error {
    fn from(error: redb::Error) -> Self {
        Self::of(error)
    }
}

impl Error {
    fn of(error: redb::Error) -> Self {
        match error {
            redb::Error::Io(error) if is_not_free(&error) => Self::NotFree,
            redb::Error::WouldBlock | redb::Error::DatabaseAlreadyOpen => Self::NotFree,
            error => Self::Medium(error),
        }
    }

    /// What the caller is told. `beside` knows the first failure, redb the last.
    pub(crate) fn told(self, path: &Path, waited_ms: u64, beside: Option<&Beside>) -> StoreError {
        match self {
            Self::Told(error) => error,
            Self::NotFree => StoreError::Busy { path: shown(path), waited_ms },
            Self::Medium(error) => match (beside.and_then(Beside::take), error) {
                (Some(first), _) => failed(path, first),
                (None, redb::Error::Io(error)) => failed(path, error),
                (None, redb::Error::RepairAborted) => StoreError::Failed {
                    path: shown(path),
                    cause: "it needs a repair and cannot be written".into(),
                },
                (None, error) => StoreError::Failed { path: shown(path), cause: Box::new(error) },
            },
        }
    }
}

fn is_not_free(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<NotFree>())
}

/// What the system's error means.
pub(crate) fn failed(path: &Path, error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            StoreError::Full { path: shown(path) }
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { path: shown(path), cause: error }
        }
        _ => StoreError::Failed { path: shown(path), cause: Box::new(error) },
    }
}

/// A file that is no store.
pub(crate) fn no_store(path: &Path, why: impl Into<String>) -> StoreError {
    StoreError::NoStore { path: shown(path), why: why.into() }
}

/// A store that a panic of redb gave away as damaged.
pub(crate) fn panicked(path: &Path) -> StoreError {
    StoreError::Failed { path: shown(path), cause: "its pages contradict each other".into() }
}

/// The path as it is told.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The same error once more: one failure can be the answer to many calls.
pub(crate) fn repeated(error: &StoreError) -> StoreError {
    match error {
        StoreError::Busy { path, waited_ms } => {
            StoreError::Busy { path: path.clone(), waited_ms: *waited_ms }
        }
        StoreError::Full { path } => StoreError::Full { path: path.clone() },
        StoreError::ReadOnly { path, cause } => {
            let cause = io::Error::new(cause.kind(), cause.to_string());
            StoreError::ReadOnly { path: path.clone(), cause }
        }
        StoreError::Denied { path, cause } => {
            let cause = io::Error::new(cause.kind(), cause.to_string());
            StoreError::Denied { path: path.clone(), cause }
        }
        StoreError::NoStore { path, why } => {
            StoreError::NoStore { path: path.clone(), why: why.clone() }
        }
        StoreError::NewerSchema { path, found, known } => {
            StoreError::NewerSchema { path: path.clone(), found: *found, known: *known }
        }
        StoreError::OutcomeUnknown(cause) => {
            StoreError::OutcomeUnknown(cause.as_ref().map(|cause| cause.to_string().into()))
        }
        StoreError::Failed { path, cause } => {
            StoreError::Failed { path: path.clone(), cause: cause.to_string().into() }
        }
        // The others are the answer to one job alone.
        other => StoreError::OutcomeUnknown(Some(other.to_string().into())),
    }
}
