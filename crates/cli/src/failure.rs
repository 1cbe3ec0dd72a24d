//! Why a command ended without doing what was asked: one sentence that says what to do.

use told::{ConnectError, Error, configuration::ConfigurationError, ports::StoreError};

/// What goes to standard error, and with which exit status.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command line asks for something impossible: exit status 2.
    #[error("{0}")]
    Usage(String),
    /// The engine refused or failed: exit status 1.
    #[error("{}{}", .0, advice(.0))]
    Engine(#[from] Error),
    /// The configuration does not count: exit status 1.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// The configuration cannot be wired: exit status 1.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Anything else that was refused: exit status 1.
    #[error("{0}")]
    Refused(String),
}

impl Failure {
    pub(crate) const fn exit_status(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Engine(_) | Self::Configuration(_) | Self::Connect(_) | Self::Refused(_) => 1,
        }
    }
}

/// What to do about it on a command line, where the engine's sentence does not say it.
const fn advice(error: &Error) -> &'static str {
    match error {
        Error::Blocked(_) => "; make it readable, or begin without it with --proceed",
        Error::UnknownSession(_) => "; `told sync` begins one, `told sessions` lists them",
        Error::UnknownDirectory { .. } => "; name another with -C",
        Error::Store(StoreError::Busy { .. }) => "; try again when that one has ended",
        Error::Store(StoreError::Full { .. }) => "; make room and try again",
        Error::Store(StoreError::ReadOnly { .. }) => "; name another with --store",
        Error::Store(StoreError::Denied { .. }) => ", or name another with --store",
        Error::Store(StoreError::NoStore { .. }) => "; move it away or name another with --store",
        _ => "",
    }
}
