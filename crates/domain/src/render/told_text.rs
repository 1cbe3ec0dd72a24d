//! A text in parts: the parts joined by two line feeds are the text (R-AMB-6).

use crate::{
    hash::{Blob, ContentRef},
    key::{Origin, SourceKey},
};
use serde::{Deserialize, Serialize};

/// One rendered part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The source; nothing for a lead or a note.
    pub source: Option<SourceKey>,
    /// Who wrote it.
    pub origin: Origin,
    /// Its text.
    pub text: String,
}

/// A part of a stored text, by length: enough to cut the text into its parts again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartSpan {
    /// The source; nothing for a lead or a note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceKey>,
    /// Who wrote it.
    pub origin: Origin,
    /// Its length in bytes.
    pub bytes: u64,
}

/// A text with its parts and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedText {
    /// The whole text.
    pub blob: Blob,
    /// Its parts.
    pub parts: Vec<PartSpan>,
}

/// What stands between two parts.
pub(crate) const SEPARATOR: &str = "\n\n";

impl Part {
    /// A sentence of told's own.
    #[must_use]
    pub const fn note(text: String) -> Self {
        Self { source: None, origin: Origin::Builtin, text }
    }
}

impl RenderedText {
    /// Joins `parts`.
    #[must_use]
    pub fn new(parts: Vec<Part>) -> Self {
        let text = parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(SEPARATOR);
        let span = |part: Part| PartSpan {
            source: part.source,
            origin: part.origin,
            bytes: part.text.len() as u64,
        };
        Self { blob: Blob::new(text), parts: parts.into_iter().map(span).collect() }
    }

    /// The text's name.
    #[must_use]
    pub const fn name(&self) -> ContentRef {
        self.blob.name()
    }
}
