//! The values of the sources that told itself provides, and their words.

use super::Said;
use crate::{
    key::ApiKey,
    path::{CanonicalPath, on_one_line},
    time::Date,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The value of `core/environment`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The Location's directory.
    pub directory: CanonicalPath,
    /// The project boundary around it.
    pub boundary: CanonicalPath,
    /// The operating system, as the host calls it (`linux`, `macos`, `windows`).
    pub platform: String,
    /// Whether a project marker stands at the boundary.
    pub repository: bool,
}

impl Environment {
    /// The stored form.
    #[must_use]
    pub fn encode(&self) -> Arc<str> {
        // Paths and words only: JSON can hold them.
        serde_json::to_string(self).unwrap_or_default().into()
    }

    pub(crate) fn decode(value: &str) -> Option<Self> {
        serde_json::from_str(value).ok()
    }

    pub(crate) fn block(value: &str) -> String {
        let Some(environment) = Self::decode(value) else { return String::new() };
        format!(
            "Environment:\n- Working directory: {}\n- Project: {}{}\n- Platform: {}",
            environment.directory.on_one_line(),
            environment.boundary.on_one_line(),
            if environment.repository { "" } else { " (not a repository)" },
            on_one_line(&environment.platform),
        )
    }
}

/// The value of `core/date`.
#[must_use]
pub fn date_value(date: Date) -> Arc<str> {
    date.to_string().into()
}

pub(super) fn date_block(value: &str) -> String {
    format!("Today's date: {}", on_one_line(value))
}

pub(super) fn date_decodes(value: &str) -> bool {
    serde_json::from_value::<Date>(value.into()).is_ok()
}

/// A value that the host set under `api/<key>` (R-API-1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostValue {
    /// What its header says; the key where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Any JSON.
    pub value: serde_json::Value,
}

impl HostValue {
    /// The stored form. Object keys are sorted, so that equal values are equal texts.
    #[must_use]
    pub fn encode(&self) -> Arc<str> {
        // A JSON value encodes as JSON.
        serde_json::to_string(self).unwrap_or_default().into()
    }

    /// The length in bytes of the value's own JSON: what the limit counts.
    #[must_use]
    pub fn value_bytes(&self) -> u64 {
        self.value.to_string().len() as u64
    }

    pub(crate) fn decode(value: &str) -> Option<Self> {
        serde_json::from_str(value).ok()
    }

    pub(super) fn said(key: &ApiKey, value: &str) -> Said<'static> {
        let Some(host) = Self::decode(value) else { return Said::by_told(String::new()) };
        let header = on_one_line(host.title.as_deref().unwrap_or(key.as_str()));
        let text = match host.value {
            serde_json::Value::String(text) => text,
            other => format!("{other:#}"),
        };
        Said::under(format!("Context from the host: {header}"), text)
    }
}
