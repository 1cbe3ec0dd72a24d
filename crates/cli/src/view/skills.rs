//! `skills`: what can be loaded here, and what is left out.

use super::{Line, Page, Places, Screen, Tone, briefing, reason};
use told::{SkillCatalog, WithheldSkill, domain::reason::WithheldReason};

/// Every skill with its description and its file, and what became of the others.
pub(crate) fn all(found: &SkillCatalog, places: Places<'_>, screen: Screen) -> Page {
    let mut page = Page::default();
    if found.skills.is_empty() {
        page.line(Line::default().and(Tone::Quiet, "no skills here"));
    }
    for skill in &found.skills {
        page.heading(skill.name.as_str());
        let words: Vec<_> = skill.description.split_whitespace().collect();
        page.paragraph(Line::default().to(2), Tone::Plain, &words.join(" "), screen.width);
        if let Some(path) = &skill.path {
            page.line(Line::default().to(2).and(Tone::Quiet, places.file(path)));
        }
    }
    let held =
        found.held.iter().map(|(path, why)| (places.file(path), reason::sentence(why.as_str())));
    briefing::list(&mut page, screen, "Held", Tone::Caution, &held.collect::<Vec<_>>());
    let why = |left_out: &WithheldSkill| {
        let general = || match left_out.reason {
            WithheldReason::Shadowed => "a nearer skill has its name".to_owned(),
            other => reason::sentence(other.as_str()),
        };
        (places.file(&left_out.path), left_out.fault.clone().unwrap_or_else(general))
    };
    let withheld: Vec<_> = found.withheld.iter().map(why).collect();
    briefing::list(&mut page, screen, "Left out", Tone::Plain, &withheld);
    page
}
