//! What a session is and where it works.

use crate::path::CanonicalPath;
use serde::{Deserialize, Serialize, de};
use std::{fmt, str::FromStr, sync::Arc};

/// A session's name, chosen by its host (`client/id`, a subagent's `client/id/agent`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Arc<str>);

/// A name that no session can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionIdError {
    /// It is empty.
    #[error("a session's name cannot be empty")]
    Empty,
    /// It is longer than [`SessionId::BYTES_MAX`].
    #[error("a session's name has at most {max} bytes, not {0}", max = SessionId::BYTES_MAX)]
    TooLong(usize),
    /// It holds a control character.
    #[error("a session's name cannot hold control characters")]
    Control,
}

impl SessionId {
    /// The longest name, in bytes of UTF-8.
    pub const BYTES_MAX: usize = 4608;

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionId {
    type Err = SessionIdError;

    fn from_str(name: &str) -> Result<Self, SessionIdError> {
        if name.is_empty() {
            Err(SessionIdError::Empty)
        } else if name.len() > Self::BYTES_MAX {
            Err(SessionIdError::TooLong(name.len()))
        } else if name.chars().any(char::is_control) {
            Err(SessionIdError::Control)
        } else {
            Ok(Self(name.into()))
        }
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for SessionId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// Where a session works: a directory and the project around it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The directory that the session works in.
    pub directory: CanonicalPath,
    /// The nearest directory at or above it that holds a project marker; the directory itself
    /// where there is none (R-AMB-4).
    pub boundary: CanonicalPath,
}

/// Whether the project's own files are to be told (R-AMB-9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// All sources count.
    #[default]
    Trusted,
    /// The user's own files, host-set values and built-ins count; all else is withheld.
    Untrusted,
}

/// What the model was told before told took part (R-SES-8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prior {
    /// Nothing: the session is new.
    #[default]
    None,
    /// Nobody knows: the session was taken over in mid-conversation.
    Unknown,
}
