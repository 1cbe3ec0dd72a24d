//! What strangers' bytes reach first, and what shows a person what a repository holds, as plain functions.
//! Fuzz targets call them; no host needs them.

use crate::{
    serve,
    view::{
        Page, Places, Screen, Shown,
        briefing::{News, Sight, Tense},
        history, sources, tame_json, text,
    },
};
use std::{io::Read, path::Path};
use told::domain::{
    briefing::{Briefing, SourceView},
    render::LogRecord,
};

pub use serve::Heard;

/// The lines of `input` that are not blank, as the server reads them; nothing for one over `max` bytes.
///
/// # Errors
/// Whatever the input fails with.
pub fn lines(input: impl Read, max: usize) -> std::io::Result<Vec<Option<Vec<u8>>>> {
    serve::lines(input, max)
}

/// What the server makes of a line, before it does anything.
#[must_use]
pub fn heard(line: &[u8]) -> Heard {
    serve::heard(line)
}

/// `text` where it stands in a line of a page.
#[must_use]
pub fn shown(text: &str) -> String {
    Shown::from(text).to_string()
}

/// `text` where `--text` shows it on a terminal.
#[must_use]
pub fn on_terminal(text: &str) -> String {
    text::on_terminal(text)
}

/// `json` where `--json` shows it on a terminal.
#[must_use]
pub fn json(json: String) -> String {
    tame_json(json)
}

/// Every page that shows something of a session, as a terminal of so many columns gets it.
#[must_use]
pub fn pages(
    briefing: &Briefing,
    views: &[SourceView],
    log: &[LogRecord],
    columns: usize,
    colour: bool,
) -> String {
    let screen = Screen::new(Some(columns), colour);
    let boundary = Some(briefing.location.boundary.as_absolute());
    let places = Places { boundary, home: Some(Path::new("/home/u")) };
    let news = briefing.updates.last().map_or(News::Baseline, News::Update);
    let sight = |tense| Sight { briefing, sources: Some(views), news, tense, places }.page(screen);
    let pages: [Page; 5] = [
        sight(Tense::Told),
        sight(Tense::WouldBe),
        sight(Tense::Stood(briefing.revision)),
        sources::all(views, places, screen),
        history::log(log, places, screen),
    ];
    pages.iter().map(|page| page.render(colour)).collect()
}
