//! The face of `told`: what the model was told, what is new in it, what was left out and why.

use super::{
    Line, Page, Places, Screen, Shown, Tone,
    amount::{counted, grouped, size},
    fit, history, reason,
};
use told::domain::{
    briefing::{Briefing, BriefingUpdate, ChangeKind, ChangeView, SourceState, SourceView},
    position::{EpochNumber, Revision},
    told::{EpochCause, Form},
};

/// One briefing as a person sees it.
pub(crate) struct Sight<'a> {
    pub(crate) briefing: &'a Briefing,
    /// Every source, in the order of telling; nothing where only the log is known.
    pub(crate) sources: Option<&'a [SourceView]>,
    pub(crate) news: News<'a>,
    pub(crate) tense: Tense,
    pub(crate) places: Places<'a>,
}

/// What this boundary told.
#[derive(Clone, Copy, Debug)]
pub(crate) enum News<'a> {
    Nothing,
    /// A new epoch.
    Baseline,
    Update(&'a BriefingUpdate),
}

/// Whether it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tense {
    /// A sync.
    Told,
    /// A preview.
    WouldBe,
    /// A preview of a session that does not exist.
    WouldBeInNew,
    /// `show`.
    Stood(Revision),
}

/// More entries than these make a list that nobody reads; another command shows all.
const LISTED_MAX: usize = 12;

/// In less room than this a sentence stands below its name.
const SENTENCE_MIN: usize = 32;

impl Sight<'_> {
    pub(crate) fn page(&self, screen: Screen) -> Page {
        let mut page = Page::default();
        self.location(&mut page, screen);
        self.headline(&mut page, screen);
        if let Some(sources) = self.sources {
            self.told(&mut page, sources, screen);
        }
        if let Tense::Stood(_) = self.tense {
            history::texts(&mut page, self.briefing, self.places, screen);
        }
        self.held(&mut page, screen);
        self.left_out(&mut page, screen);
        self.footer(&mut page, screen);
        page
    }

    fn location(&self, page: &mut Page, screen: Screen) {
        let location = &self.briefing.location;
        let directory = self.places.directory(location.directory.as_path());
        page.paragraph(Line::default(), Tone::Heading, directory.as_str(), screen.width);
        if location.directory != location.boundary {
            let project = self.places.directory(location.boundary.as_path());
            let text = format!("in the project {project}");
            page.paragraph(Line::default(), Tone::Quiet, &text, screen.width);
        }
    }

    fn headline(&self, page: &mut Page, screen: Screen) {
        let never = self.briefing.epoch.number == EpochNumber::default();
        let (tone, text) = match (self.tense, self.news) {
            (Tense::Stood(revision), _) => {
                (Tone::Plain, format!("As it stood at revision {revision}."))
            }
            (Tense::WouldBeInNew, _) => {
                (Tone::Plain, "What a new session here would be told. Nothing was written.".into())
            }
            (Tense::Told, News::Nothing) if never => (Tone::Plain, "Nothing was told yet.".into()),
            (Tense::Told, News::Nothing) => {
                (Tone::Quiet, "Nothing new. What was told still stands.".into())
            }
            (Tense::WouldBe, News::Nothing) => {
                (Tone::Quiet, "Nothing new would be told. What was told still stands.".into())
            }
            (Tense::Told, News::Baseline) => (Tone::Added, format!("Told {}.", self.cause())),
            (Tense::WouldBe, News::Baseline) => {
                (Tone::Added, format!("Would be told {}. Nothing was written.", self.cause()))
            }
            (Tense::Told, News::Update(update)) => {
                (Tone::Changed, format!("Told now: {}.", counts(&update.changes)))
            }
            (Tense::WouldBe, News::Update(update)) => {
                let counts = counts(&update.changes);
                (Tone::Changed, format!("Would be told: {counts}. Nothing was written."))
            }
        };
        page.paragraph(Line::default(), tone, &text, screen.width);
    }

    const fn cause(&self) -> &'static str {
        match self.briefing.epoch.cause {
            EpochCause::Initial => "for the first time",
            EpochCause::Compacted => "anew, after a compaction",
            EpochCause::Rebased => "anew, as asked by a rebase",
            EpochCause::Unknown => "in full, over what was told before",
        }
    }

    fn told(&self, page: &mut Page, sources: &[SourceView], screen: Screen) {
        let told = sources.iter().filter(|source| stands(source));
        let rows = told.map(|source| (self.places.source(source), source)).collect::<Vec<_>>();
        let removed = self.removed().map(|change| self.places.change(change)).collect::<Vec<_>>();
        page.gap();
        if rows.is_empty() && removed.is_empty() {
            page.heading("Told");
            page.line(Line::default().to(2).and(Tone::Quiet, "nothing: no source applies here"));
            return;
        }
        let names = rows.iter().map(|(name, _)| name).chain(&removed);
        let columns = Columns::of(names.map(Shown::width).max().unwrap_or(0), screen);
        page.line(columns.row(
            Line::default().and(Tone::Heading, "Told"),
            (Tone::Quiet, "size"),
            (Tone::Quiet, "~tokens"),
        ));
        for (name, source) in &rows {
            let (tone, mark) = self.mark(source);
            let line = Line::default().and(tone, mark).to(2).and(tone, columns.name(name));
            let bytes = source.bytes.map(size).unwrap_or_default();
            let tokens = source.tokens.map(grouped).unwrap_or_default();
            page.line(columns.row(line, (Tone::Plain, &bytes), (Tone::Plain, &tokens)));
            for (tone, note) in self.notes(source) {
                page.paragraph(Line::default().to(4), tone, note, screen.width);
            }
        }
        for name in &removed {
            let line = Line::default().and(Tone::Removed, "−").to(2);
            let line = line.and(Tone::Removed, columns.name(name));
            page.line(columns.row(line, (Tone::Removed, "removed"), (Tone::Plain, "")));
        }
        let totals = self.briefing.totals;
        page.line(columns.row(
            Line::default().to(2).and(Tone::Quiet, "all told"),
            (Tone::Quiet, &size(totals.bytes)),
            (Tone::Quiet, &grouped(totals.tokens)),
        ));
    }

    fn removed(&self) -> impl Iterator<Item = &ChangeView> {
        let changes = match self.news {
            News::Update(update) => update.changes.as_slice(),
            News::Nothing | News::Baseline => &[],
        };
        changes.iter().filter(|change| change.kind == ChangeKind::Removed)
    }

    fn change(&self, source: &SourceView) -> Option<&ChangeView> {
        match self.news {
            News::Update(update) => {
                update.changes.iter().find(|change| change.source == source.source)
            }
            News::Nothing | News::Baseline => None,
        }
    }

    fn mark(&self, source: &SourceView) -> (Tone, &'static str) {
        if self.briefing.held.iter().any(|held| held.key == source.source) {
            return (Tone::Caution, "!");
        }
        let first = matches!(self.news, News::Baseline)
            && self.tense != Tense::WouldBeInNew
            && self.briefing.epoch.cause == EpochCause::Initial;
        match self.change(source).map(|change| change.kind) {
            Some(ChangeKind::Added) => (Tone::Added, "+"),
            Some(ChangeKind::Changed) => (Tone::Changed, "~"),
            Some(ChangeKind::Removed) => (Tone::Removed, "−"),
            None if first => (Tone::Added, "+"),
            None => (Tone::Plain, " "),
        }
    }

    fn notes(&self, source: &SourceView) -> impl Iterator<Item = (Tone, &'static str)> {
        let diff = self.change(source).is_some_and(|change| change.form == Form::Diff);
        let gone = source.in_window == Some(false);
        let diff = diff.then_some((Tone::Quiet, "told as a diff"));
        let gone = gone.then_some((Tone::Quiet, "its text is no longer in the transcript"));
        let warnings = source.warnings.iter();
        let warnings = warnings.map(|warning| (Tone::Caution, reason::warning(*warning)));
        diff.into_iter().chain(gone).chain(warnings)
    }

    fn held(&self, page: &mut Page, screen: Screen) {
        let entries = self.briefing.held.iter();
        let entries = entries.map(|held| (self.places.key(&held.key), reason::held_because(held)));
        list(page, screen, "Held", Tone::Caution, &entries.collect::<Vec<_>>());
    }

    fn left_out(&self, page: &mut Page, screen: Screen) {
        let entries = self.briefing.withheld.iter().map(|source| {
            let why = source.reason.map(reason::sentence).unwrap_or_default();
            (self.places.source(source), why)
        });
        list(page, screen, "Left out", Tone::Plain, &entries.collect::<Vec<_>>());
    }

    fn footer(&self, page: &mut Page, screen: Screen) {
        let briefing = self.briefing;
        page.gap();
        let mut say = |text: &str| {
            page.paragraph(Line::default(), Tone::Quiet, text, screen.width);
        };
        if self.tense == Tense::WouldBeInNew {
            return say(
                "`told sync` tells it to a session; `told explain PATH` says what applies where.",
            );
        }
        say(&format!("session {}, revision {}", briefing.session, briefing.revision));
        let epoch = &briefing.epoch;
        if epoch.number == EpochNumber::default() {
            return say("no epoch yet: the next sync begins the first");
        }
        let cause = match epoch.cause {
            EpochCause::Initial => "by the first boundary",
            EpochCause::Compacted => "after a compaction",
            EpochCause::Rebased => "after a rebase",
            EpochCause::Unknown => "in a conversation taken over",
        };
        let updates = match briefing.updates.len() as u64 {
            0 if briefing.complete => "no update since".to_owned(),
            number if briefing.complete => format!("{} since", counted(number, "update")),
            number => format!("{} newer than `--since`", counted(number, "update")),
        };
        let (number, revision) = (epoch.number, epoch.revision);
        say(&format!("epoch {number}, begun at revision {revision} {cause}; {updates}"));
    }
}

/// Whether the model is told it, or would be.
const fn stands(source: &SourceView) -> bool {
    match source.state {
        SourceState::Active | SourceState::Pending => true,
        SourceState::Held => source.sha256.is_some(),
        SourceState::Inactive | SourceState::Withheld => false,
    }
}

/// Where the columns of a table of sources end.
struct Columns {
    name: usize,
}

impl Columns {
    const SIZE: usize = 11;
    const TOKENS: usize = 9;
    const NAME_MIN: usize = 14;

    fn of(widest: usize, screen: Screen) -> Self {
        let room = screen.width.saturating_sub(2 + Self::SIZE + Self::TOKENS);
        Self { name: widest.clamp(Self::NAME_MIN, room.max(Self::NAME_MIN)) }
    }

    fn name(&self, name: &Shown) -> String {
        fit::ending(name.as_str(), self.name)
    }

    fn row(&self, line: Line, size: (Tone, &str), tokens: (Tone, &str)) -> Line {
        let size_end = 2 + self.name + Self::SIZE;
        line.up_to(size_end, size.0, size.1).up_to(size_end + Self::TOKENS, tokens.0, tokens.1)
    }
}

/// Names with a sentence each.
pub(super) fn list(
    page: &mut Page,
    screen: Screen,
    heading: &str,
    tone: Tone,
    entries: &[(Shown, String)],
) {
    if entries.is_empty() {
        return;
    }
    page.gap();
    page.heading(heading);
    let listed = &entries[..entries.len().min(LISTED_MAX)];
    let widest = listed.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let column = widest.min(screen.width * 2 / 5);
    let beside = screen.width.saturating_sub(2 + column + 2) >= SENTENCE_MIN;
    for (name, why) in listed {
        let room = if beside { column } else { screen.width.saturating_sub(2) };
        let named = Line::default().to(2).and(tone, fit::ending(name.as_str(), room));
        let start = if beside {
            named.to(2 + column + 2)
        } else {
            page.line(named);
            Line::default().to(4)
        };
        page.paragraph(start, Tone::Quiet, why, screen.width);
    }
    let more = (entries.len() - listed.len()) as u64;
    if more > 0 {
        let text = format!("and {} more: --json lists all", grouped(more));
        page.line(Line::default().to(2).and(Tone::Quiet, text));
    }
}

/// `1 added, 2 changed`.
fn counts(changes: &[ChangeView]) -> String {
    let kinds = [
        (ChangeKind::Added, "added"),
        (ChangeKind::Changed, "changed"),
        (ChangeKind::Removed, "removed"),
    ];
    let counted = kinds.map(|(kind, word)| {
        let number = changes.iter().filter(|change| change.kind == kind).count() as u64;
        (number > 0).then(|| format!("{} {word}", grouped(number)))
    });
    counted.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
