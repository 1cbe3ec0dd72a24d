//! How looks are answered: on whose thread, and with which platform's calls.

#[cfg(target_os = "linux")]
pub(crate) use crate::linux::{Desk, Trust, directory_inline};
#[cfg(not(unix))]
pub(crate) use crate::portable::{Desk, Trust, directory, directory_inline};
#[cfg(unix)]
pub(crate) use crate::unix::directory;
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) use crate::unix::{Desk, Trust, directory_inline};

/// Whose thread answers, and so whether it may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// The caller's own: it must not wait, and says `WouldBlock` instead.
    Inline,
    /// A thread that may wait.
    Waiting,
}
