//! Stable names of sources. A key outlives every value the source ever had.

use crate::path::AbsolutePath;
use serde::{Deserialize, Serialize, de};
use std::{fmt, str::FromStr, sync::Arc};

/// The name of one independently observed value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKey {
    /// `core/environment`.
    Environment,
    /// `core/date`.
    Date,
    /// `core/skills`.
    Skills,
    /// `file:<path>`: canonical for what was read, the candidate's own path for what was not.
    File(AbsolutePath),
    /// `url:<redacted url>#<hash>`.
    Url(Arc<str>),
    /// `api/<key>`: set by the host.
    Api(ApiKey),
    /// `<area>/<name>`: a plugin's.
    Plugin(PluginKey),
}

/// What a source is, in the protocol's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// An instruction file.
    File,
    /// A URL.
    Url,
    /// The list of skills.
    Skills,
    /// The environment or the date.
    Builtin,
    /// A value that the host set.
    Api,
    /// A plugin's guidance.
    Plugin,
}

/// Who wrote a text: what a host may show beside a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The user's own configuration names it.
    User,
    /// The project holds it.
    Project,
    /// A server sent it.
    Url,
    /// The host set it, or a plugin in the host.
    Host,
    /// told itself.
    Builtin,
}

impl SourceKey {
    /// What kind of source it names.
    #[must_use]
    pub const fn kind(&self) -> SourceKind {
        match self {
            Self::Environment | Self::Date => SourceKind::Builtin,
            Self::Skills => SourceKind::Skills,
            Self::File(_) => SourceKind::File,
            Self::Url(_) => SourceKind::Url,
            Self::Api(_) => SourceKind::Api,
            Self::Plugin(_) => SourceKind::Plugin,
        }
    }

    /// Whether it is an instruction file or URL: those have a rank among each other (R-AMB-8).
    #[must_use]
    pub const fn is_instruction(&self) -> bool {
        matches!(self, Self::File(_) | Self::Url(_))
    }

    /// The path of a file's key.
    #[must_use]
    pub const fn path(&self) -> Option<&AbsolutePath> {
        match self {
            Self::File(path) => Some(path),
            _ => None,
        }
    }

    /// The redacted URL of a URL's key.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Url(url) => Some(url.rsplit_once('#').map_or(url, |(shown, _)| shown)),
            _ => None,
        }
    }
}

impl fmt::Display for SourceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment => f.write_str("core/environment"),
            Self::Date => f.write_str("core/date"),
            Self::Skills => f.write_str("core/skills"),
            Self::File(path) => write!(f, "file:{path}"),
            Self::Url(url) => write!(f, "url:{url}"),
            Self::Api(key) => write!(f, "api/{key}"),
            Self::Plugin(key) => key.fmt(f),
        }
    }
}

/// A text that names no source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no source key: {why}")]
pub struct KeyError {
    text: String,
    why: &'static str,
}

impl KeyError {
    fn new(text: &str, why: &'static str) -> Self {
        Self { text: text.chars().take(80).collect(), why }
    }
}

impl FromStr for SourceKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        if let Some(path) = text.strip_prefix("file:") {
            let path = AbsolutePath::new(path);
            return path
                .map(Self::File)
                .map_err(|_| KeyError::new(text, "its path is not absolute"));
        }
        if let Some(url) = text.strip_prefix("url:") {
            return Ok(Self::Url(url.into()));
        }
        match text {
            "core/environment" => Ok(Self::Environment),
            "core/date" => Ok(Self::Date),
            "core/skills" => Ok(Self::Skills),
            _ => match text.strip_prefix("api/") {
                Some(key) => key.parse().map(Self::Api),
                None => text.parse().map(Self::Plugin),
            },
        }
    }
}

/// The name of a host-set value, without its `api/` (R-API-1).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiKey(Arc<str>);

impl ApiKey {
    /// The longest key, in bytes of UTF-8.
    pub const BYTES_MAX: usize = 256;

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ApiKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        if text.is_empty() {
            Err(KeyError::new(text, "it is empty"))
        } else if text.len() > Self::BYTES_MAX {
            Err(KeyError::new(text, "it is longer than 256 bytes"))
        } else if text.chars().any(char::is_control) {
            Err(KeyError::new(text, "it holds a control character"))
        } else {
            Ok(Self(text.into()))
        }
    }
}

/// The name of a plugin's source: `<area>/<name>`, each of letters, digits, `.`, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginKey(Arc<str>);

impl PluginKey {
    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PluginKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let plain = |part: &str| {
            !part.is_empty()
                && part.len() <= 128
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b))
        };
        match text.split_once('/') {
            Some(("core" | "api", _)) => Err(KeyError::new(text, "that area is told's own")),
            Some((area, name)) if plain(area) && plain(name) => Ok(Self(text.into())),
            _ => Err(KeyError::new(text, "it is not `<area>/<name>`")),
        }
    }
}

macro_rules! as_text {
    ($($name:ident),*) => {$(
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    )*};
}
as_text!(SourceKey, ApiKey, PluginKey);

impl fmt::Display for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for PluginKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_its_text() {
        for text in [
            "core/environment",
            "core/date",
            "core/skills",
            "file:/repo/AGENTS.md",
            "url:https://example.org/rules?***#0123",
            "api/a key/with any: name",
            "lint/rules-2",
        ] {
            assert_eq!(text.parse::<SourceKey>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn no_key_passes_for_another() {
        for text in ["core/other", "api/", "file:relative", "plugin", "a/b/c", "/x", "a b/c", ""] {
            assert!(text.parse::<SourceKey>().is_err(), "{text}");
        }
    }
}
