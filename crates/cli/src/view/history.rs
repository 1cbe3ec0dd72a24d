//! `log` and `show`: what happened, and the texts that stand.

use super::{Line, Page, Places, Screen, Tone, amount, fit, sessions::moment};
use serde_json::Value;
use told::domain::{
    briefing::{Briefing, ChangeKind, ChangeView},
    render::LogRecord,
};

/// The records of a log, in order.
pub(crate) fn log(records: &[LogRecord], places: Places<'_>, screen: Screen) -> Page {
    let mut page = Page::default();
    if records.is_empty() {
        page.line(Line::default().and(Tone::Quiet, "no records after that"));
    }
    let number = records.last().map_or(1, |record| record.revision.to_string().len());
    for record in records {
        let what = record.kind.replace('_', " ");
        let start = Line::default().up_to(number, Tone::Heading, record.revision.to_string());
        let start = start.to(number + 2).and(Tone::Quiet, moment(record.at)).plain("  ");
        page.paragraph(start, Tone::Heading, &what, screen.width);
        let details = details(record, places);
        if !details.is_empty() {
            page.paragraph(Line::default().to(number + 2), Tone::Quiet, &details, screen.width);
        }
        for change in record.changes.iter().flatten() {
            page.line(changed(change, number + 2, places, screen));
        }
    }
    page
}

fn details(record: &LogRecord, places: Places<'_>) -> String {
    let mut details = Vec::new();
    details.extend(record.position.map(|position| format!("at position {position}")));
    if let Some(text) = &record.text {
        details.push(amount::size(text.len() as u64));
    }
    details.extend(record.details.iter().filter_map(|(name, value)| detail(name, value, places)));
    details.join(", ")
}

/// One field of a record, for a person: hashes and what is empty say nothing.
fn detail(name: &str, value: &Value, places: Places<'_>) -> Option<String> {
    let words = name.replace('_', " ");
    match value {
        _ if matches!(name, "sha256" | "boundary") => None,
        Value::Null | Value::Bool(false) => None,
        Value::Bool(true) => Some(words),
        Value::String(text) => Some(format!("{words} {text}")),
        Value::Number(number) => Some(format!("{words} {number}")),
        Value::Array(list) if list.is_empty() => None,
        Value::Array(list) => {
            let all = list.iter().map(|one| directory(one, places)).collect::<Option<Vec<_>>>();
            let number = list.len() as u64;
            Some(all.map_or_else(
                || format!("{} {words}", amount::grouped(number)),
                |directories| format!("{words} {}", directories.join(" and ")),
            ))
        }
        Value::Object(_) => match directory(value, places) {
            Some(directory) => Some(format!("in {directory}")),
            None => Some(format!("{words} {value}")),
        },
    }
}

fn directory(value: &Value, places: Places<'_>) -> Option<String> {
    let directory = value.get("directory")?.as_str()?;
    Some(places.directory(directory.as_ref()).to_string())
}

/// The texts of the current epoch, each with its place.
pub(crate) fn texts(page: &mut Page, briefing: &Briefing, places: Places<'_>, screen: Screen) {
    page.gap();
    page.heading("Texts");
    let epoch = &briefing.epoch;
    let number = briefing.revision.to_string().len();
    let row = |revision: String, what: &str, bytes: u64, position: String| {
        let line = Line::default().up_to(2 + number, Tone::Heading, revision);
        line.to(4 + number)
            .plain(what)
            .plain(format!(", {} at position {position}", amount::size(bytes)))
    };
    let position = epoch.position.to_string();
    page.line(row(epoch.revision.to_string(), "baseline", epoch.baseline.bytes, position));
    for update in &briefing.updates {
        let bytes = update.text.len() as u64;
        let line = row(update.revision.to_string(), "update", bytes, update.position.to_string());
        let gone = if update.in_window { "" } else { ", no longer in the transcript" };
        page.line(line.and(Tone::Quiet, gone));
        for change in &update.changes {
            page.line(changed(change, 4 + number, places, screen));
        }
    }
}

fn changed(change: &ChangeView, column: usize, places: Places<'_>, screen: Screen) -> Line {
    let (tone, mark) = match change.kind {
        ChangeKind::Added => (Tone::Added, "+ "),
        ChangeKind::Changed => (Tone::Changed, "~ "),
        ChangeKind::Removed => (Tone::Removed, "− "),
    };
    let room = screen.width.saturating_sub(column + 2);
    let name = fit::ending(places.change(change).as_str(), room);
    Line::default().to(column).and(tone, mark).and(tone, name)
}
