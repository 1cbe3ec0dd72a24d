//! A record as the log shows it: the protocol's *log record*, with its texts.

use super::change_view;
use crate::{
    briefing::{ChangeKind, ChangeView},
    hash::ContentHash,
    position::{Position, Revision},
    record::{Event, Record},
    render::MissingText,
    state::Contents,
    time::Timestamp,
    told::{Admission, Form},
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// One line of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogRecord {
    /// Its revision.
    pub revision: Revision,
    /// When it was decided.
    pub at: Timestamp,
    /// What kind of record.
    pub kind: &'static str,
    /// Where it stands among the host's messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// The exact text that it told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Arc<str>>,
    /// What it told, in the order told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<ChangeView>>,
    /// What else its kind says.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

/// The stored texts that a log line shows.
#[must_use]
pub fn log_needs(record: &Record) -> Option<ContentHash> {
    match &record.event {
        Event::EpochStarted { baseline, .. } => Some(baseline.sha256),
        Event::ContextUpdated { text, .. } => Some(text.sha256),
        Event::ValueSet { value, .. } => Some(value.sha256),
        _ => None,
    }
}

/// `record` as a line of the log.
///
/// # Errors
/// [`MissingText`] where `contents` lacks a text of [`log_needs`].
pub fn log_record(record: &Record, contents: &Contents) -> Result<LogRecord, MissingText> {
    let text = log_needs(record)
        .map(|hash| contents.get(&hash).cloned().ok_or(MissingText(hash)))
        .transpose()?;
    let (kind, position, details) = describe(&record.event, text.as_deref());
    let (text, changes) = match &record.event {
        Event::EpochStarted { sources, .. } => (text, Some(sources.iter().map(added).collect())),
        Event::ContextUpdated { changes, .. } => {
            (text, Some(changes.iter().map(change_view).collect()))
        }
        Event::Adopted { sources, .. } => (None, Some(sources.iter().map(added).collect())),
        _ => (None, None),
    };
    let details = match details {
        Value::Object(details) => details,
        _ => Map::new(),
    };
    let (revision, at) = (record.revision, record.at);
    Ok(LogRecord { revision, at, kind, position, text, changes, details })
}

fn describe(event: &Event, text: Option<&str>) -> (&'static str, Option<Position>, Value) {
    match event {
        Event::Opened { location, position, prior, trust } => {
            let details = json!({"location": location, "prior": prior, "trust": trust});
            ("opened", *position, details)
        }
        Event::EpochStarted { number, cause, position, baseline, look, .. } => {
            let details = json!({
                "epoch": number, "cause": cause, "sha256": baseline.sha256,
                "boundary": look.boundary, "held": look.held, "withheld": look.withheld,
            });
            ("epoch_started", Some(*position), details)
        }
        Event::ContextUpdated { position, text, look, .. } => {
            let details = json!({
                "sha256": text.sha256,
                "boundary": look.boundary, "held": look.held, "withheld": look.withheld,
            });
            ("context_updated", Some(*position), details)
        }
        Event::ScopesDiscovered { position, agent, scopes } => {
            ("scopes_discovered", Some(*position), json!({"agent": agent, "scopes": scopes}))
        }
        Event::Adopted { position, .. } => ("adopted", Some(*position), Value::Null),
        Event::Compacted { position } => ("compacted", Some(*position), Value::Null),
        Event::Rebased { position, reason } => {
            ("rebased", Some(*position), json!({"reason": reason}))
        }
        Event::WindowMoved { from } => ("window_moved", None, json!({"from": from})),
        Event::HoldsDeclared { held, lost } => {
            ("holds_declared", None, json!({"held": held, "lost": lost}))
        }
        Event::Reverted { to, .. } => ("reverted", Some(*to), Value::Null),
        Event::Moved { location } => ("moved", None, json!({"location": location})),
        Event::Forked { parent, position, location, .. } => {
            ("forked", Some(*position), json!({"parent": parent, "location": location}))
        }
        Event::ValueSet { key, .. } => {
            let value: Option<Value> = text.and_then(|text| serde_json::from_str(text).ok());
            ("value_set", None, json!({"key": key, "set": value}))
        }
        Event::ValueUnset { key } => ("value_unset", None, json!({"key": key})),
    }
}

fn added(admission: &Admission) -> ChangeView {
    ChangeView {
        kind: ChangeKind::Added,
        path: admission.key.path().cloned(),
        url: admission.key.url().map(Arc::from),
        source: admission.key.clone(),
        form: Form::Full,
        bytes: Some(admission.value.bytes),
    }
}
