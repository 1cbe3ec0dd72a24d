//! `doctor`: one line a check.

use super::{Line, Page, Screen, Tone};
use serde::Serialize;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    /// What was looked at.
    pub(crate) what: &'static str,
    pub(crate) verdict: Verdict,
    /// What was found; for anything but `ok`, what to do.
    pub(crate) found: String,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Ok,
    Warn,
    Fail,
}

pub(crate) fn listed(checks: &[Check], screen: Screen) -> Page {
    let mut page = Page::default();
    let widest = checks.iter().map(|check| check.what.len()).max().unwrap_or(0);
    for check in checks {
        let (tone, word) = match check.verdict {
            Verdict::Ok => (Tone::Added, "ok"),
            Verdict::Warn => (Tone::Caution, "warn"),
            Verdict::Fail => (Tone::Trouble, "fail"),
        };
        let start = Line::default().and(tone, word).to(6).plain(check.what).to(6 + widest + 2);
        page.paragraph(start, Tone::Plain, &check.found, screen.width);
    }
    page
}
