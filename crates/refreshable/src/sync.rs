//! The one lock. In this crate's unit tests the schedule checker decides who gets it.

#[cfg(not(test))]
pub(crate) use std::sync::{Mutex, MutexGuard};

#[cfg(test)]
pub(crate) use shuttle::sync::{Mutex, MutexGuard};

/// Locks, also where a caller panicked: what is guarded here is changed by single assignments, so
/// no panic leaves half of a change.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
