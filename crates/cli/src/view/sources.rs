//! `sources` and `explain`: sources one by one.

use super::{Line, Page, Places, Screen, Tone, amount, briefing, fit, reason};
use told::{
    Explanation,
    domain::briefing::{SourceState, SourceView},
};

/// Every source of a session and what became of it.
pub(crate) fn all(sources: &[SourceView], places: Places<'_>, screen: Screen) -> Page {
    let mut page = Page::default();
    if sources.is_empty() {
        page.line(Line::default().and(Tone::Quiet, "no sources: nothing was told yet"));
    }
    for source in sources {
        let (tone, word) = state(source.state);
        let name = fit::ending(places.source(source).as_str(), screen.width.saturating_sub(STATE));
        page.line(Line::default().and(tone, word).to(STATE).plain(name));
        let facts = facts(source, places);
        if !facts.is_empty() {
            page.paragraph(Line::default().to(STATE), Tone::Quiet, &facts, screen.width);
        }
        if let Some(word) = source.reason {
            let why = reason::sentence(word);
            page.paragraph(Line::default().to(STATE), Tone::Caution, &why, screen.width);
        }
        for warning in &source.warnings {
            let text = reason::warning(*warning);
            page.paragraph(Line::default().to(STATE), Tone::Caution, text, screen.width);
        }
    }
    page
}

const STATE: usize = 10;

const fn state(state: SourceState) -> (Tone, &'static str) {
    match state {
        SourceState::Active => (Tone::Added, "active"),
        SourceState::Inactive => (Tone::Quiet, "inactive"),
        SourceState::Held => (Tone::Caution, "held"),
        SourceState::Withheld => (Tone::Removed, "withheld"),
        SourceState::Pending => (Tone::Changed, "pending"),
    }
}

fn facts(source: &SourceView, places: Places<'_>) -> String {
    let mut facts = Vec::new();
    let scope = source.scope.as_ref();
    facts.extend(scope.map(|scope| format!("applies to {}", places.file(scope))));
    facts.extend(source.bytes.map(amount::size));
    facts.extend(source.tokens.map(|tokens| format!("~{} tokens", amount::grouped(tokens))));
    facts.extend(source.told_at.map(|revision| format!("told at revision {revision}")));
    match source.in_window {
        Some(true) => facts.push("in the transcript".into()),
        Some(false) => facts.push("no longer in the transcript".into()),
        None => {}
    }
    if let Some(hash) = source.sha256 {
        let hash = hash.to_string();
        facts.push(format!("sha256:{}…", hash.get(..12).unwrap_or(&hash)));
    }
    facts.join(", ")
}

/// Which instructions apply to a path, in the order of telling, and apart from them what could not be
/// looked at and what was left out.
pub(crate) fn explained(
    path: &str,
    explained: &Explanation,
    places: Places<'_>,
    screen: Screen,
) -> Page {
    let Explanation { applies, held, withheld } = explained;
    let mut page = Page::default();
    let lead = match (applies.is_empty(), held.is_empty()) {
        (true, true) => format!("No instructions apply to {path}."),
        (true, false) => format!("No instructions that can be read apply to {path}."),
        (false, _) => format!("To {path} apply, in the order of telling:"),
    };
    page.paragraph(Line::default(), Tone::Heading, &lead, screen.width);
    let number = applies.len().to_string().len();
    for (index, source) in applies.iter().enumerate() {
        let start = Line::default().up_to(2 + number, Tone::Quiet, (index + 1).to_string());
        let start = start.to(4 + number);
        let room = screen.width.saturating_sub(4 + number);
        page.line(start.plain(fit::ending(places.source(source).as_str(), room)));
        let facts = facts(source, places);
        if !facts.is_empty() {
            let start = Line::default().to(4 + number);
            page.paragraph(start, Tone::Quiet, &facts, screen.width);
        }
        for warning in &source.warnings {
            let start = Line::default().to(4 + number);
            page.paragraph(start, Tone::Caution, reason::warning(*warning), screen.width);
        }
    }
    if applies.len() > 1 {
        let text = "Where they disagree, the more specific one counts.";
        page.paragraph(Line::default(), Tone::Quiet, text, screen.width);
    }
    let because = |source: &SourceView| {
        let why = source.reason.map(reason::sentence).unwrap_or_default();
        let stands = source.told_at.map(|at| format!("; what revision {at} told still stands"));
        (places.source(source), why + &stands.unwrap_or_default())
    };
    let held: Vec<_> = held.iter().map(because).collect();
    briefing::list(&mut page, screen, "Held", Tone::Caution, &held);
    let left_out: Vec<_> = withheld.iter().map(because).collect();
    briefing::list(&mut page, screen, "Left out", Tone::Plain, &left_out);
    page
}
