//! Every key of the configuration file, as data: its name, how it is read, how it is shown.

use super::{
    Configuration, ConfigurationError, NestedProjects, Order, UpdateText, WatchMode,
    error::Problem,
    node::{Node, Value},
    reading::{Reading, Source},
};
use serde_json::{Value as Json, json};

/// One key.
pub(super) struct Key {
    /// As `section.name`.
    pub(super) name: &'static str,
    read: fn(&mut Configuration, &Reading<'_>, &Node) -> Result<(), ConfigurationError>,
    /// What counts now.
    pub(super) show: fn(&Configuration) -> Json,
}

const ORDERS: &[(&str, Order)] =
    &[("broad_to_specific", Order::BroadToSpecific), ("nearest_first", Order::NearestFirst)];
const UPDATE_TEXTS: &[(&str, UpdateText)] =
    &[("full", UpdateText::Full), ("diff", UpdateText::Diff), ("auto", UpdateText::Auto)];
const NESTED_PROJECTS: &[(&str, NestedProjects)] =
    &[("own", NestedProjects::Own), ("ignore", NestedProjects::Ignore)];

const WATCH_MODES: &[(&str, WatchMode)] = &[("auto", WatchMode::Auto), ("off", WatchMode::Off)];

const GIB: u64 = 1024 * 1024 * 1024;
const HOUR_MS: u64 = 60 * 60 * 1000;

macro_rules! key {
    ($section:ident . $name:ident, $read:ident $(($($argument:expr),*))?) => {
        Key {
            name: concat!(stringify!($section), ".", stringify!($name)),
            read: |configuration, reading, node| {
                configuration.$section.$name = reading.$read(node $($(, $argument)*)?)?;
                Ok(())
            },
            show: |configuration| json!(configuration.$section.$name),
        }
    };
}

/// In the order of the manual.
pub(super) const KEYS: &[Key] = &[
    key!(instructions.names, groups),
    key!(instructions.global, paths),
    key!(instructions.project, truth),
    key!(instructions.order, word(ORDERS)),
    key!(instructions.project_markers, names),
    key!(instructions.walk_to_home, truth),
    key!(instructions.exclude, globs),
    key!(instructions.max_bytes, number(1, GIB)),
    key!(instructions.links_outside_project, truth),
    key!(instructions.update_text, word(UPDATE_TEXTS)),
    key!(instructions.nested_projects, word(NESTED_PROJECTS)),
    key!(instructions.path_local, truth),
    key!(limits.total_bytes, number(1, 64 * GIB)),
    key!(limits.candidates, number(1, 1_000_000)),
    key!(limits.directory_entries, number(1, 10_000_000)),
    key!(limits.look_ms, number(1, HOUR_MS)),
    key!(limits.value_bytes, number(1, GIB)),
    key!(context.environment, truth),
    key!(context.date, truth),
    key!(watch.mode, word(WATCH_MODES)),
    key!(store.wait_ms, number(0, HOUR_MS)),
    key!(store.keep_days, number(0, 36_500)),
];

/// Lays what `root` says over `configuration`, and names each key that it said with its line.
pub(super) fn lay_over(
    configuration: &mut Configuration,
    root: &Node,
    source: &Source<'_>,
) -> Result<Vec<(&'static str, Option<usize>)>, ConfigurationError> {
    let mut said = Vec::new();
    let wrong = |node: &Node, key: &str| {
        let problem = Problem::Type { wanted: "a table", found: node.kind() };
        source.error(node.line, key, problem)
    };
    let Value::Table(sections) = &root.value else {
        return Err(wrong(root, "configuration"));
    };
    for section in sections {
        let prefix = format!("{}.", section.name);
        if !KEYS.iter().any(|key| key.name.starts_with(&prefix)) {
            return Err(source.error(section.line, &section.name, unknown(&section.name)));
        }
        let Value::Table(entries) = &section.node.value else {
            return Err(wrong(&section.node, &section.name));
        };
        for entry in entries {
            let name = format!("{prefix}{}", entry.name);
            let key = KEYS.iter().find(|key| key.name == name);
            let key = key.ok_or_else(|| source.error(entry.line, &name, unknown(&name)))?;
            (key.read)(configuration, &Reading { source, key: key.name }, &entry.node)?;
            said.push((key.name, entry.line));
        }
    }
    Ok(said)
}

/// Names the known key that is most like `name`: one that was likely meant, wherever it stands,
/// else the nearest of the same section.
fn unknown(name: &str) -> Problem {
    let by_distance = |known: &&str| distance(name, known);
    let close = |known: &&str| distance(name, known) <= (last_part(known).len() / 4).max(1);
    if let Some(nearest) = candidates(name).filter(close).min_by_key(by_distance) {
        return Problem::UnknownKey { nearest, close: true };
    }
    let section = name.split_once('.').map(|(section, _)| section);
    let beside = candidates(name)
        .filter(|known| section.is_none_or(|section| known.split('.').next() == Some(section)));
    let nearest = beside.min_by_key(by_distance).unwrap_or(KEYS[0].name);
    Problem::UnknownKey { nearest, close: false }
}

/// Sections too where a section was asked for.
fn candidates(name: &str) -> impl Iterator<Item = &'static str> {
    let sections = KEYS.iter().map(|key| key.name.split('.').next().unwrap_or(key.name));
    let top = !name.contains('.');
    sections.filter(move |_| top).chain(KEYS.iter().map(|key| key.name))
}

/// How many letters lie between the two, or between their last parts and one more.
fn distance(name: &str, known: &str) -> usize {
    let whole = strsim::damerau_levenshtein(name, known);
    whole.min(1 + strsim::damerau_levenshtein(last_part(name), last_part(known)))
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
