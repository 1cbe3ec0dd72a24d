//! `settle` and `adopt`: what came of each path.

use super::{Line, Page, Places, Screen, Shown, Tone, briefing::list, reason};
use crate::answer::{AdoptedSources, Claimed};
use std::path::Path;
use told::{Settled, domain::path::AbsolutePath};

/// What a settlement discovered; paths are shown from `here`, as they were typed.
pub(crate) fn settled(settled: &Settled, here: &Path, places: Places<'_>, screen: Screen) -> Page {
    let mut page = Page::default();
    if settled.discovered.is_empty() {
        let text = "No new scope: what applies there is told already, or nothing does.";
        page.paragraph(Line::default(), Tone::Quiet, text, screen.width);
    } else {
        let text = "New scopes; what stands in them is told at the next sync:";
        page.paragraph(Line::default(), Tone::Heading, text, screen.width);
        for scope in &settled.discovered {
            page.line(Line::default().and(Tone::Added, "+").to(2).plain(places.file(scope)));
        }
    }
    let ignored = settled.ignored.iter().map(|ignored| {
        let path = Path::new(&*ignored.path);
        let path = path.strip_prefix(here).unwrap_or(path);
        (Shown::from(path.to_string_lossy()), reason::ignored(ignored.reason).to_owned())
    });
    list(&mut page, screen, "Ignored", Tone::Plain, &ignored.collect::<Vec<_>>());
    page
}

/// What is believed from now on, and what is not.
pub(crate) fn adopted(adopted: &AdoptedSources, places: Places<'_>, screen: Screen) -> Page {
    let mut page = Page::default();
    if adopted.adopted.is_empty() {
        page.line(Line::default().and(Tone::Quiet, "Nothing was adopted."));
    } else {
        let text = "Taken as told; nothing of it is told again while it stands:";
        page.paragraph(Line::default(), Tone::Heading, text, screen.width);
        for key in &adopted.adopted {
            page.line(Line::default().and(Tone::Added, "+").to(2).plain(places.key(key)));
        }
    }
    let refused = adopted.refused.iter().map(|refused| {
        let name = match &refused.source {
            Claimed::Path(path) => AbsolutePath::new(path)
                .map_or_else(|_| path.to_string_lossy().into(), |path| places.file(&path)),
            Claimed::Url(url) => url.to_string().into(),
        };
        (name, reason::not_adopted(refused.reason).to_owned())
    });
    list(&mut page, screen, "Refused", Tone::Caution, &refused.collect::<Vec<_>>());
    page
}
