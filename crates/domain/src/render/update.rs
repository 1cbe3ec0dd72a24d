//! An update: what changed, in the order removals, additions, changes (R-BND-3, R-TXT-1).

use super::{Part, RenderedText, Renderer, Said, name_of, said::FRAMED};
use crate::{
    key::{Origin, SourceKey},
    policy::Framing,
    told::Form,
};

/// One change with what its text needs.
#[derive(Clone, Debug)]
pub enum Line<'a> {
    /// A source that no longer applies.
    Removed {
        /// Its name.
        key: &'a SourceKey,
        /// Its own sentence, as stored when it was told.
        removal: Option<&'a str>,
    },
    /// A source that was not told before.
    Added(Value<'a>),
    /// A source whose value is another now: in full, or as this diff.
    Changed(Value<'a>, Option<String>),
}

/// A value to tell.
#[derive(Clone, Debug)]
pub struct Value<'a> {
    /// The source's name.
    pub key: &'a SourceKey,
    /// Who wrote it.
    pub origin: Origin,
    /// Turns it into text.
    pub renderer: Renderer,
    /// The value.
    pub value: &'a str,
}

/// What an update begins with, beyond its changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead {
    /// Nothing.
    None,
    /// That it replaces all instructions given before (R-SES-8).
    ReplacesAll,
}

/// Whether the last instruction file goes with this update (R-EPO-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// Some still apply, or none were told before.
    Remain,
    /// None is left.
    Gone,
}

const REPLACES_ALL: &str =
    "What follows replaces all instructions given before in this conversation.";
const ALL_GONE: &str = "Previously loaded instructions no longer apply.";

/// The update's text.
#[must_use]
pub fn update(
    lead: Lead,
    lines: &[Line<'_>],
    instructions: Instructions,
    framing: Framing,
) -> RenderedText {
    let mut parts = Vec::new();
    match lead {
        Lead::None => {}
        // Nothing follows: what replaces all is nothing.
        Lead::ReplacesAll if lines.is_empty() => parts.push(Part::note(ALL_GONE.to_owned())),
        Lead::ReplacesAll => {
            parts.push(Part::note(REPLACES_ALL.to_owned()));
            let told = |line: &&Line<'_>| matches!(line, Line::Added(v) if v.key.is_instruction());
            if lines.iter().filter(told).count() >= 2 {
                parts.push(Part::note(super::baseline::PRECEDENCE.to_owned()));
            }
        }
    }
    let removals = lines.iter().take_while(|line| matches!(line, Line::Removed { .. })).count();
    let (removed, told) = lines.split_at(removals);
    removed.iter().for_each(|line| push(&mut parts, line, framing));
    match instructions {
        Instructions::Remain => {}
        Instructions::Gone => parts.push(Part::note(ALL_GONE.to_owned())),
    }
    if told.iter().filter_map(said).any(|said| said.is_framed(framing)) {
        parts.push(Part::note(FRAMED.to_owned()));
    }
    told.iter().for_each(|line| push(&mut parts, line, framing));
    RenderedText::new(parts)
}

/// How a line is told.
#[must_use]
pub(crate) const fn form(line: &Line<'_>) -> Form {
    match line {
        Line::Changed(_, Some(_)) => Form::Diff,
        Line::Changed(_, None) | Line::Added(_) | Line::Removed { .. } => Form::Full,
    }
}

fn push(parts: &mut Vec<Part>, line: &Line<'_>, framing: Framing) {
    let text = said(line).map(|said| said.text(framing)).unwrap_or_default();
    match line {
        Line::Removed { key, removal } => {
            let general = || format!("{} no longer {}.", sentence_start(&name_of(key)), apply(key));
            parts.push(Part::note(removal.map_or_else(general, str::to_owned)));
        }
        Line::Added(value) => parts.push(block(value, text)),
        Line::Changed(value, None) => {
            parts.push(Part::note(lead(value.key, "What follows replaces")));
            parts.push(block(value, text));
        }
        Line::Changed(value, Some(_)) => {
            parts.push(Part::note(lead(value.key, amends(value.key))));
            parts.push(block(value, text));
        }
    }
}

/// What a line says of its source, beyond the lead.
fn said<'a>(line: &'a Line<'_>) -> Option<Said<'a>> {
    match line {
        Line::Removed { .. } => None,
        Line::Added(value) | Line::Changed(value, None) => Some(value.renderer.said(value.value)),
        Line::Changed(Value { key: SourceKey::Skills, .. }, Some(delta)) => {
            Some(Said::by_told(delta.clone()))
        }
        Line::Changed(_, Some(diff)) => Some(Said::alone(diff.as_str())),
    }
}

fn block(value: &Value<'_>, text: String) -> Part {
    Part { source: Some(value.key.clone()), origin: value.origin, text }
}

/// Names the source, says what follows does to it, and that it keeps its rank (R-TXT-1, R-AMB-8).
fn lead(key: &SourceKey, what_follows: &str) -> String {
    let name = sentence_start(&name_of(key));
    if key.is_instruction() {
        format!("{name} have changed. {what_follows} what they said before, and keeps their rank.")
    } else {
        format!("{name} has changed. {what_follows} what was said of it before.")
    }
}

/// What a change in part is: of a file a unified diff, of the list of skills what differs (R-CFG-5).
const fn amends(key: &SourceKey) -> &'static str {
    match key {
        SourceKey::Skills => "What follows amends",
        _ => "The diff that follows amends",
    }
}

fn apply(key: &SourceKey) -> &'static str {
    if key.is_instruction() { "apply" } else { "applies" }
}

/// The sentence with its first letter large. Names begin with `the`.
fn sentence_start(name: &str) -> String {
    match name.strip_prefix("the ") {
        Some(rest) => format!("The {rest}"),
        None => name.to_owned(),
    }
}
