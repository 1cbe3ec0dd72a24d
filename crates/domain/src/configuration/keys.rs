//! Sections and keys: each one known, or the nearest known one named.

use super::{
    error::{ConfigurationError, Problem},
    node::{Node, Value},
    reading::{Reading, Source},
};

/// Reads what `root` says. `names` are the keys that count, as `section.name`, in the order of the
/// manual; `read` takes the value of the key at an index. Gives that index for each key that was said,
/// with its line.
///
/// # Errors
/// [`ConfigurationError`] for the first thing that does not count.
pub fn lay_over(
    root: &Node,
    source: &Source<'_>,
    names: &[&'static str],
    mut read: impl FnMut(usize, &Reading<'_>, &Node) -> Result<(), ConfigurationError>,
) -> Result<Vec<(usize, Option<usize>)>, ConfigurationError> {
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
        if !names.iter().any(|name| name.starts_with(&prefix)) {
            let problem = unknown(&section.name, names);
            return Err(source.error(section.line, &section.name, problem));
        }
        let Value::Table(entries) = &section.node.value else {
            return Err(wrong(&section.node, &section.name));
        };
        for entry in entries {
            let name = format!("{prefix}{}", entry.name);
            let Some(at) = names.iter().position(|known| *known == name) else {
                return Err(source.error(entry.line, &name, unknown(&name, names)));
            };
            read(at, &Reading { source, key: names[at] }, &entry.node)?;
            said.push((at, entry.line));
        }
    }
    Ok(said)
}

/// Names the known key that is most like `name`: one that was likely meant, wherever it stands,
/// else the nearest of the same section.
fn unknown(name: &str, names: &[&'static str]) -> Problem {
    let by_distance = |known: &&str| distance(name, known);
    let close = |known: &&str| distance(name, known) <= (last_part(known).len() / 4).max(1);
    if let Some(nearest) = candidates(name, names).filter(close).min_by_key(by_distance) {
        return Problem::UnknownKey { nearest, close: true };
    }
    let section = name.split_once('.').map(|(section, _)| section);
    let beside =
        |known: &&str| section.is_none_or(|section| known.split('.').next() == Some(section));
    let nearest = candidates(name, names).filter(beside).min_by_key(by_distance);
    let nearest = nearest.or(names.first().copied()).unwrap_or_default();
    Problem::UnknownKey { nearest, close: false }
}

/// Sections too where a section was asked for.
fn candidates(name: &str, names: &[&'static str]) -> impl Iterator<Item = &'static str> {
    let sections = names.iter().map(|key| key.split('.').next().unwrap_or(key));
    let top = !name.contains('.');
    sections.filter(move |_| top).chain(names.iter().copied())
}

/// How many letters lie between the two, or between their last parts and one more.
fn distance(name: &str, known: &str) -> usize {
    let whole = strsim::damerau_levenshtein(name, known);
    whole.min(1 + strsim::damerau_levenshtein(last_part(name), last_part(known)))
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
