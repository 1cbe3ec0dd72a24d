//! `sessions`: who was told something, where, and when last.

use super::{Line, Page, Places, Screen, Tone, fit};
use told::{domain::time::Timestamp, ports::SessionSummary};

/// One session in two lines.
pub(crate) fn listed(sessions: &[SessionSummary], places: Places<'_>, screen: Screen) -> Page {
    let mut page = Page::default();
    if sessions.is_empty() {
        page.line(Line::default().and(Tone::Quiet, "no sessions: `told sync` begins one"));
    }
    for session in sessions {
        let name = fit::ending(session.session.as_str(), screen.width);
        page.line(Line::default().and(Tone::Heading, name));
        let text = format!(
            "in {}, revision {}, last record {}",
            places.directory(session.directory.as_path()),
            session.revision,
            moment(session.last_record_at),
        );
        page.paragraph(Line::default().to(2), Tone::Quiet, &text, screen.width);
    }
    page
}

/// To the second, in UTC.
pub(super) fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(..19).map_or_else(|| text.clone(), |second| format!("{}Z", second.replace('T', " ")))
}
