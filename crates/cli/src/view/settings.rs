//! `config`: what counts, as TOML that a file could hold.

use super::{Line, Page, Shown, Tone, reason};
use serde_json::{Value, json};
use told::{
    configuration::{Loaded, Origin},
    domain::instruction::{KnownProject, ProjectSight},
};

/// Whether each value's origin is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origins {
    Said,
    Unsaid,
}

pub(crate) fn counted(loaded: &Loaded, project: &KnownProject, origins: Origins) -> Page {
    let mut page = Page::default();
    let comment = |text: String| Line::default().and(Tone::Quiet, text);
    if let Some((file, origin)) = loaded.file() {
        let state = if loaded.file_exists() { "" } else { ", which does not exist" };
        page.line(comment(format!("# file: {}{state}{}", file.display(), named_by(origin))));
    }
    if let Some(store) = &loaded.configuration().store.path {
        let origin = named_by(loaded.store_origin());
        page.line(comment(format!("# store: {}{origin}", store.display())));
    }
    for text in of_project(project) {
        page.line(comment(text));
    }
    let mut section = "";
    for entry in loaded.entries() {
        let (now, name) = entry.key.split_once('.').unwrap_or(("", entry.key));
        if now != section {
            section = now;
            page.gap();
            page.heading(format!("[{section}]"));
        }
        let line = Line::default().plain(format!("{name} = {}", toml(&entry.value)));
        let chosen = entry.origin != Origin::Default;
        page.line(match origins {
            Origins::Unsaid => line,
            Origins::Said => line.to(ORIGIN).and(
                if chosen { Tone::Changed } else { Tone::Quiet },
                format!("  # {}", entry.origin),
            ),
        });
    }
    page
}

/// What the project's own configuration says beside these, in comments: it counts in the project alone.
fn of_project(project: &KnownProject) -> Vec<String> {
    let Some(file) = project.file() else { return Vec::new() };
    let file = file.on_one_line();
    let because = |word: &str| vec![format!("# project: {file}: {}", reason::sentence(word))];
    match project.sight() {
        ProjectSight::Unseen | ProjectSight::Missing => Vec::new(),
        ProjectSight::Broken(_, why) => vec![format!("# project: {why}")],
        ProjectSight::Withheld(reason) => because(reason.as_str()),
        ProjectSight::Unavailable(reason) => because(reason.as_str()),
        ProjectSight::Good(_) => {
            let mut lines = vec![format!("# project: {file}, which says beside these:")];
            if let Some(counts) = project.counts() {
                let said = |name: &str, value: Value| format!("#   {name} = {}", toml(&value));
                let names = counts.names.as_ref();
                lines.extend(names.map(|names| said("instructions.names", json!(names))));
                for (name, list) in [
                    ("instructions.include", json!(counts.include)),
                    ("instructions.exclude", json!(counts.exclude)),
                ] {
                    lines.extend((list != json!([])).then(|| said(name, list)));
                }
                let skills = counts.skills.as_ref();
                lines.extend(skills.map(|skills| said("skills.directories", json!(skills))));
            }
            lines
        }
    }
}

/// Where origins stand, unless the value is longer.
const ORIGIN: usize = 36;

fn named_by(origin: &Origin) -> String {
    match origin {
        Origin::Default => String::new(),
        other => format!(" ({other})"),
    }
}

/// The value in TOML: lists, strings, numbers and truths are all that a configuration holds.
fn toml(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            format!("[{}]", list.iter().map(toml).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // What would be shown escaped is escaped as TOML has it.
            _ if Shown::from(character.encode_utf8(&mut [0; 4])).as_str().starts_with('\\') => {
                out.push_str(&format!("\\U{:08X}", u32::from(character)));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_toml() {
        for (value, text) in [
            (json!([["A.md", "B.md"], []]), r#"[["A.md", "B.md"], []]"#),
            (json!("a\"b\\c\u{1b}"), r#""a\"b\\c\U0000001B""#),
            (json!(true), "true"),
            (json!(4_194_304), "4194304"),
        ] {
            assert_eq!(toml(&value), text);
        }
    }
}
