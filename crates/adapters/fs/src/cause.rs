//! Why a look gives no value: the one table from the system's errors to causes.

use std::io;
use told_domain::{
    observation::{Absence, Observation},
    reason::{UnavailableReason, WithheldReason},
};

/// What kept one look from a value.
#[derive(Debug)]
pub(crate) enum Miss {
    /// The system refused or failed.
    Error(io::Error),
    /// It is there, and policy leaves it out.
    Withheld(WithheldReason),
    /// It changed during each attempt (R-OBS-9).
    Changed,
    /// The caller's own thread would have to wait for it: it takes a hop.
    WouldBlock,
}

impl Miss {
    /// The port's word for it.
    pub(crate) fn observation<T>(&self) -> Observation<T> {
        match self {
            Self::Error(error) => of_error(error),
            Self::Withheld(reason) => Observation::Absent(Absence::Withheld(*reason)),
            Self::Changed => Observation::Unavailable(UnavailableReason::ChangedWhileRead),
            Self::WouldBlock => Observation::Unavailable(UnavailableReason::IoError),
        }
    }

    /// Whether the system proved that the path leads nowhere.
    #[cfg(unix)]
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Self::Error(error) if matches!(
            of_error::<()>(error),
            Observation::Absent(Absence::NotFound)
        ))
    }
}

impl From<io::Error> for Miss {
    fn from(error: io::Error) -> Self {
        Self::Error(error)
    }
}

#[cfg(unix)]
impl From<rustix::io::Errno> for Miss {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::Error(errno.into())
    }
}

/// The outcome that an error of the system means (R-OBS-1): two of them prove absence.
pub(crate) fn of_error<T>(error: &io::Error) -> Observation<T> {
    #[cfg(unix)]
    if let Some(code) = error.raw_os_error() {
        return of_errno(rustix::io::Errno::from_raw_os_error(code));
    }
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::NotFound | Kind::NotADirectory => Observation::Absent(Absence::NotFound),
        Kind::PermissionDenied => Observation::Unavailable(UnavailableReason::PermissionDenied),
        Kind::InvalidFilename => Observation::Unavailable(UnavailableReason::NameTooLong),
        Kind::TimedOut => Observation::Unavailable(UnavailableReason::Timeout),
        _ => Observation::Unavailable(UnavailableReason::IoError),
    }
}

#[cfg(unix)]
fn of_errno<T>(errno: rustix::io::Errno) -> Observation<T> {
    use rustix::io::Errno;
    match errno {
        Errno::NOENT | Errno::NOTDIR => Observation::Absent(Absence::NotFound),
        Errno::ACCESS | Errno::PERM => {
            Observation::Unavailable(UnavailableReason::PermissionDenied)
        }
        Errno::LOOP => Observation::Unavailable(UnavailableReason::TooManyLinks),
        Errno::NAMETOOLONG => Observation::Unavailable(UnavailableReason::NameTooLong),
        Errno::TIMEDOUT => Observation::Unavailable(UnavailableReason::Timeout),
        // Too many open files, a bad medium, a stale handle, no memory, a NUL in the name: nobody
        // knows what is there.
        _ => Observation::Unavailable(UnavailableReason::IoError),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use UnavailableReason as Why;
    use rustix::io::Errno;

    fn outcome(errno: Errno) -> Observation<()> {
        Miss::from(errno).observation()
    }

    #[test]
    fn r_obs_1_only_a_path_that_leads_nowhere_is_absent() {
        for errno in [Errno::NOENT, Errno::NOTDIR] {
            assert_eq!(outcome(errno), Observation::Absent(Absence::NotFound), "{errno:?}");
        }
    }

    #[test]
    fn r_obs_1_every_other_errno_is_unavailable_with_its_cause() {
        let table = [
            (Errno::ACCESS, Why::PermissionDenied),
            (Errno::PERM, Why::PermissionDenied),
            (Errno::LOOP, Why::TooManyLinks),
            (Errno::NAMETOOLONG, Why::NameTooLong),
            (Errno::TIMEDOUT, Why::Timeout),
            (Errno::MFILE, Why::IoError),
            (Errno::NFILE, Why::IoError),
            (Errno::IO, Why::IoError),
            (Errno::STALE, Why::IoError),
            (Errno::NOMEM, Why::IoError),
            (Errno::NODEV, Why::IoError),
            (Errno::NXIO, Why::IoError),
            (Errno::INVAL, Why::IoError),
            (Errno::ISDIR, Why::IoError),
            (Errno::OVERFLOW, Why::IoError),
            (Errno::INTR, Why::IoError),
            (Errno::AGAIN, Why::IoError),
            (Errno::XDEV, Why::IoError),
            (Errno::NOSYS, Why::IoError),
            (Errno::CONNREFUSED, Why::IoError),
            (Errno::HOSTDOWN, Why::IoError),
        ];
        for (errno, why) in table {
            assert_eq!(outcome(errno), Observation::Unavailable(why), "{errno:?}");
        }
    }

    #[test]
    fn r_obs_1_an_error_without_a_number_goes_by_its_kind() {
        use io::ErrorKind as Kind;
        let table = [
            (Kind::NotFound, Observation::Absent(Absence::NotFound)),
            (Kind::NotADirectory, Observation::Absent(Absence::NotFound)),
            (Kind::PermissionDenied, Observation::Unavailable(Why::PermissionDenied)),
            (Kind::InvalidFilename, Observation::Unavailable(Why::NameTooLong)),
            (Kind::TimedOut, Observation::Unavailable(Why::Timeout)),
            (Kind::InvalidInput, Observation::Unavailable(Why::IoError)),
            (Kind::Other, Observation::Unavailable(Why::IoError)),
        ];
        for (kind, expected) in table {
            assert_eq!(of_error::<()>(&io::Error::from(kind)), expected, "{kind:?}");
        }
    }
}
