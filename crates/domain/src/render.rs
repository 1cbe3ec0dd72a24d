//! `render`: from values to the exact texts that a model is told. Wording lives here and nowhere else;
//! a new wording changes no text that was already told, since those are stored (R-BND-4).

mod baseline;
mod briefing;
mod builtin;
mod diff;
mod log;
mod mark;
mod said;
mod told_text;
mod update;

pub use baseline::{Told as BaselineSource, baseline};
pub use briefing::{
    Blocks, Extent, MissingText, briefing, change_view, extent_since, look_of, sources,
    withheld_view,
};
pub use builtin::{Environment, HostValue, date_value};
pub use log::{LogRecord, log_needs, log_record};
pub use mark::{Marks, marked};
pub use said::Said;
pub use told_text::{Part, PartSpan, RenderedText};
pub use update::{Instructions, Lead, Line, Value, update};
pub(crate) use {diff::diff, update::form};

use crate::{
    key::SourceKey,
    path::{AbsolutePath, CanonicalPath, on_one_line},
    policy::Framing,
    skill::SkillListing,
};
use std::{fmt, sync::Arc};

/// Turns one source's value into text. Pure: the same value gives the same text.
#[derive(Clone)]
pub enum Renderer {
    /// An instruction file (R-AMB-6).
    File {
        /// Where it really is.
        path: AbsolutePath,
        /// The directory that a path-local file applies to (R-LOC-7).
        scope: Option<CanonicalPath>,
    },
    /// What a server sent, under its URL as it may be shown.
    Url(Arc<str>),
    /// `core/environment`.
    Environment,
    /// `core/date`.
    Date,
    /// `core/skills` (R-CFG-3).
    Skills,
    /// A host-set value (R-API-1).
    Api(crate::key::ApiKey),
    /// A plugin's own.
    Plugin(Arc<dyn Guidance>),
}

/// How a plugin's value becomes text. All methods are pure: no I/O, no clock, the same answer for the
/// same value.
pub trait Guidance: Send + Sync {
    /// The text of `value`. An empty text is a programming error: the source is withheld (R-TXT-3).
    fn text(&self, value: &str) -> String {
        value.to_owned()
    }

    /// The sentence for its removal; the general one where there is none (R-EPO-5).
    fn removal(&self) -> Option<String> {
        None
    }

    /// Whether this release still understands `value`. What it does not is told again in full (R-TXT-4).
    fn decodes(&self, value: &str) -> bool {
        let _ = value;
        true
    }
}

/// A value that is its own text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verbatim;

impl Guidance for Verbatim {}

impl Renderer {
    /// The source's block, unframed: what a baseline or an addition says of it (R-TXT-1).
    #[must_use]
    pub fn block(&self, value: &str) -> String {
        self.said(value).text(Framing::Plain)
    }

    /// What a baseline or an addition says of the source, whose words are whose.
    #[must_use]
    pub fn said<'v>(&self, value: &'v str) -> Said<'v> {
        match self {
            Self::File { path, scope } => {
                let path = path.on_one_line();
                let header = match scope {
                    None => format!("Instructions from: {path}"),
                    Some(scope) => {
                        let scope = scope.on_one_line();
                        format!("Instructions from: {path}\nApplies to: {scope}")
                    }
                };
                Said::under(header, value)
            }
            Self::Url(url) => {
                Said::under(format!("Instructions from: {}", on_one_line(url)), value)
            }
            Self::Environment => Said::by_told(Environment::block(value)),
            Self::Date => Said::by_told(builtin::date_block(value)),
            Self::Skills => Said::by_told(SkillListing::block(value)),
            Self::Api(key) => HostValue::said(key, value),
            Self::Plugin(guidance) => Said::alone(guidance.text(value)),
        }
    }

    /// Whether `value` gives any text (R-TXT-3), found without rendering what always has a header.
    pub(crate) fn says_something(&self, value: &str) -> bool {
        match self {
            Self::File { .. } | Self::Url(_) | Self::Date => true,
            Self::Environment | Self::Skills | Self::Api(_) | Self::Plugin(_) => {
                !self.block(value).is_empty()
            }
        }
    }

    /// Whether this release understands a stored `value` (R-TXT-4).
    #[must_use]
    pub fn decodes(&self, value: &str) -> bool {
        match self {
            Self::File { .. } | Self::Url(_) => true,
            Self::Environment => Environment::decode(value).is_some(),
            Self::Date => builtin::date_decodes(value),
            Self::Skills => SkillListing::decode(value).is_some(),
            Self::Api(_) => HostValue::decode(value).is_some(),
            Self::Plugin(guidance) => guidance.decodes(value),
        }
    }

    /// The sentence to store for the day the source goes, where it has one of its own.
    #[must_use]
    pub fn removal(&self) -> Option<String> {
        match self {
            Self::Plugin(guidance) => guidance.removal().filter(|text| !text.is_empty()),
            Self::File { .. }
            | Self::Url(_)
            | Self::Environment
            | Self::Date
            | Self::Skills
            | Self::Api(_) => None,
        }
    }

    /// The renderer of a stored value whose producer did not answer. A plugin's is its own only.
    #[must_use]
    pub fn of_stored(key: &SourceKey, scope: Option<&CanonicalPath>) -> Option<Self> {
        match key {
            SourceKey::File(path) => Some(Self::File { path: path.clone(), scope: scope.cloned() }),
            SourceKey::Environment => Some(Self::Environment),
            SourceKey::Date => Some(Self::Date),
            SourceKey::Skills => Some(Self::Skills),
            SourceKey::Api(key) => Some(Self::Api(key.clone())),
            SourceKey::Url(_) => key.url().map(|url| Self::Url(url.into())),
            SourceKey::Plugin(_) => None,
        }
    }
}

/// What a sentence calls a source, on one line.
#[must_use]
pub fn name_of(key: &SourceKey) -> String {
    match key {
        SourceKey::File(path) => format!("the instructions from {}", path.on_one_line()),
        SourceKey::Url(_) => {
            format!("the instructions from {}", on_one_line(key.url().unwrap_or_default()))
        }
        SourceKey::Environment => "the environment".to_owned(),
        SourceKey::Date => "the date".to_owned(),
        SourceKey::Skills => "the list of skills".to_owned(),
        SourceKey::Api(key) => format!("the host's context \"{}\"", on_one_line(key.as_str())),
        SourceKey::Plugin(key) => format!("the guidance \"{key}\""),
    }
}

impl fmt::Debug for Renderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, scope } => write!(f, "File({path:?}, {scope:?})"),
            Self::Url(url) => write!(f, "Url({url})"),
            Self::Environment => f.write_str("Environment"),
            Self::Date => f.write_str("Date"),
            Self::Skills => f.write_str("Skills"),
            Self::Api(key) => write!(f, "Api({key})"),
            Self::Plugin(_) => f.write_str("Plugin"),
        }
    }
}

impl PartialEq for Renderer {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { path, scope }, Self::File { path: to, scope: other }) => {
                (path, scope) == (to, other)
            }
            (Self::Environment, Self::Environment)
            | (Self::Date, Self::Date)
            | (Self::Skills, Self::Skills) => true,
            (Self::Url(url), Self::Url(other)) => url == other,
            (Self::Api(key), Self::Api(other)) => key == other,
            (Self::Plugin(one), Self::Plugin(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Renderer {}

#[cfg(test)]
mod tests;
