//! What a host sees, as lines of a transcript.

use std::fmt::Write as _;
use told_app::Error;
use told_domain::{
    briefing::{Briefing, BriefingUpdate, ChangeKind, SourceState, SourceView},
    look::Held,
    render::LogRecord,
    told::Form,
};

/// What a briefing tells a host that has `before`: the new texts, and what stands beside them.
///
/// # Errors
/// Where a text that was told once is another now (R-BND-6): no transcript may show that.
pub(super) fn news(briefing: &Briefing, before: Option<&Briefing>) -> Result<String, String> {
    let mut out = String::new();
    let same_epoch = before.filter(|before| before.epoch.number == briefing.epoch.number);
    let mut told = briefing.admitted.map(|_| 0).unwrap_or_default();
    match same_epoch {
        Some(before) => {
            let kept = briefing.updates.iter().zip(&before.updates).all(|(now, then)| now == then);
            let baseline = briefing.epoch.baseline == before.epoch.baseline;
            if !kept || !baseline || briefing.updates.len() < before.updates.len() {
                return Err("a text that was told is another now".to_owned());
            }
            told += before.updates.len();
        }
        None => baseline(&mut out, briefing),
    }
    for update in briefing.updates.iter().skip(told) {
        self::update(&mut out, update);
    }
    if out.is_empty() {
        let _ = writeln!(out, "nothing new, revision {}", briefing.revision);
    }
    beside(&mut out, briefing);
    Ok(out)
}

/// A whole briefing.
pub(super) fn whole(briefing: &Briefing) -> String {
    let mut out = String::new();
    baseline(&mut out, briefing);
    briefing.updates.iter().for_each(|one| update(&mut out, one));
    beside(&mut out, briefing);
    out
}

/// What came since a revision, in the host's own words for it.
pub(super) fn since(briefing: &Briefing) -> String {
    if briefing.complete {
        return format!("complete\n{}", whole(briefing));
    }
    let mut out = format!("{} newer, revision {}\n", briefing.updates.len(), briefing.revision);
    briefing.updates.iter().for_each(|one| update(&mut out, one));
    beside(&mut out, briefing);
    out
}

fn baseline(out: &mut String, briefing: &Briefing) {
    let epoch = &briefing.epoch;
    let cause = format!("{:?}", epoch.cause).to_lowercase();
    let (number, position, revision) = (epoch.number, epoch.position, epoch.revision);
    let _ = writeln!(out, "epoch {number} ({cause}) at {position}, revision {revision}");
    match &epoch.baseline.text {
        Some(text) if text.is_empty() => out.push_str("(empty)\n"),
        Some(text) => quote(out, text),
        None => out.push_str("(left out)\n"),
    }
}

fn update(out: &mut String, update: &BriefingUpdate) {
    let change = |change: &told_domain::briefing::ChangeView| {
        let kind = match (change.kind, change.form) {
            (ChangeKind::Added, _) => "added",
            (ChangeKind::Changed, Form::Full) => "changed",
            (ChangeKind::Changed, Form::Diff) => "changed (diff)",
            (ChangeKind::Removed, _) => "removed",
        };
        format!("{kind} {}", one_line(&change.source.to_string()))
    };
    let changes: Vec<_> = update.changes.iter().map(change).collect();
    let (position, revision) = (update.position, update.revision);
    let _ = writeln!(out, "update at {position}, revision {revision}: {}", changes.join(", "));
    quote(out, &update.text);
}

/// The text line by line. An empty line and a carriage return show.
fn quote(out: &mut String, text: &str) {
    for line in text.split('\n') {
        let line = line.replace('\r', "\\r").replace('\u{feff}', "\\u{feff}");
        let line = line.replace('\u{202e}', "\\u{202e}");
        let _ = writeln!(out, "{}", format!("> {line}").trim_end());
    }
}

fn beside(out: &mut String, briefing: &Briefing) {
    for held in &briefing.held {
        let _ = writeln!(out, "{}", held_line(held));
    }
    for withheld in &briefing.withheld {
        let source = one_line(&withheld.source.to_string());
        let _ = writeln!(out, "withheld {source} ({})", withheld.reason.unwrap_or("?"));
    }
}

fn held_line(held: &Held) -> String {
    let since = held.since.map_or("never told".to_owned(), |since| format!("since {since}"));
    format!("held {} ({}, {since})", one_line(&held.key.to_string()), held.reason)
}

/// Every source, one a line.
pub(super) fn sources(views: &[SourceView]) -> String {
    let line = |view: &SourceView| {
        let state = match view.state {
            SourceState::Active => "active",
            SourceState::Inactive => "inactive",
            SourceState::Held => "held",
            SourceState::Withheld => "withheld",
            SourceState::Pending => "pending",
        };
        let mut line = format!("{state} {}", one_line(&view.source.to_string()));
        if let Some(reason) = view.reason {
            let _ = write!(line, " ({reason})");
        }
        if let Some(told_at) = view.told_at {
            let _ = write!(line, " told at {told_at}");
        }
        for warning in &view.warnings {
            let _ = write!(line, " [{warning}]");
        }
        line
    };
    views.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The log, one record a line.
pub(super) fn log(records: &[LogRecord]) -> String {
    let line = |record: &LogRecord| {
        let position = record.position.map(|at| format!(" at {at}")).unwrap_or_default();
        let bytes = record.text.as_ref().map(|text| format!(", {} bytes", text.len()));
        let bytes = bytes.filter(|_| record.kind != "value_set").unwrap_or_default();
        format!("{} {}{position}{bytes}", record.revision, record.kind)
    };
    records.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// An error with what a host needs of it.
pub(super) fn error(error: &Error) -> String {
    format!("error {} (again: {}): {error}", error.kind(), error.retry().as_str())
}

pub(super) fn one_line(text: &str) -> String {
    told_domain::path::on_one_line(text)
}
