//! `told set` and `told unset`: what a host wants the model to know.

use super::{Desk, Output, json, sentence};
use crate::{
    arguments::{Json, Owner, Set, Unset},
    failure::Failure,
};
use serde_json::{Value, json};
use std::io::{IsTerminal, Read};
use told::{
    ValueScope,
    domain::{key::ApiKey, position::Revision, render::HostValue},
};

pub(crate) async fn set(desk: &Desk<'_>, asked: Set) -> Result<Output, Failure> {
    let limit = desk.loaded.configuration().limits.value_bytes;
    let text = match asked.value {
        Some(text) if text != "-" => text,
        Some(_) => from_standard_input(limit)?,
        None if std::io::stdin().is_terminal() => {
            return Err(Failure::Usage(format!(
                "give a value for `{}`, or `-` to type it on standard input",
                asked.key
            )));
        }
        None => from_standard_input(limit)?,
    };
    let value = if asked.parse {
        serde_json::from_str(&text).map_err(|error| {
            Failure::Refused(format!(
                "the value is no JSON ({error}); leave --parse out for a text"
            ))
        })?
    } else {
        Value::String(text)
    };
    let value = HostValue { title: asked.title, value };
    let scope = scope(desk, asked.owner);
    let revision = desk.engine()?.set_value(&scope, &asked.key, &value).await?;
    said(desk, "set", &asked.key, &scope, revision, asked.json)
}

pub(crate) async fn unset(desk: &Desk<'_>, asked: Unset) -> Result<Output, Failure> {
    let scope = scope(desk, asked.owner);
    let revision = desk.engine()?.unset_value(&scope, &asked.key).await?;
    said(desk, "unset", &asked.key, &scope, revision, asked.json)
}

fn scope(desk: &Desk<'_>, owner: Owner) -> ValueScope {
    match owner.session {
        Some(session) => ValueScope::Session(session),
        None => ValueScope::Directory(desk.directory.clone()),
    }
}

fn said(
    desk: &Desk<'_>,
    what: &str,
    key: &ApiKey,
    scope: &ValueScope,
    revision: Option<Revision>,
    form: Json,
) -> Result<Output, Failure> {
    if form.json {
        return json(&revision.map_or_else(|| json!({}), |now| json!({ "revision": now })));
    }
    let whose = match scope {
        ValueScope::Session(session) => format!("session {session}"),
        ValueScope::Directory(directory) => {
            format!("every session in {}", desk.places(None).directory(directory))
        }
    };
    Ok(sentence(format!("api/{key} is {what} for {whose}; the next sync tells it")))
}

/// The text without the line end that a shell puts behind it. More than could be a value is not read.
fn from_standard_input(limit: u64) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(limit.saturating_add(3)).read_to_end(&mut bytes);
    read.map_err(|error| Failure::Refused(format!("standard input cannot be read: {error}")))?;
    let mut text = String::from_utf8(bytes)
        .map_err(|_| Failure::Refused("the value on standard input is no UTF-8 text".into()))?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}
