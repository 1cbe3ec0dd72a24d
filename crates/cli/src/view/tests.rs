//! Golden pages: values in, lines out. Escapes of a terminal are written `␛`.

use super::{
    Page, Places, Screen,
    briefing::{News, Sight, Tense},
    checks::{self, Check, Verdict},
    history, sessions, sources, text,
};
use std::{path::Path, sync::Arc};
use told::Explanation;
use told::domain::{
    briefing::{
        Baseline, Briefing, BriefingEpoch, BriefingUpdate, ChangeKind, ChangeView, SourceState,
        SourceView, Totals, estimated_tokens,
    },
    hash::ContentHash,
    key::SourceKey,
    look::Held,
    path::{AbsolutePath, CanonicalPath},
    position::{EpochNumber, Position, Revision},
    reason::{UnavailableReason, Warning, WithheldReason},
    render::LogRecord,
    session::Location,
    time::Timestamp,
    told::{EpochCause, Form},
};

fn directory(path: &str) -> CanonicalPath {
    CanonicalPath::observed(AbsolutePath::new(path).unwrap())
}

fn key(text: &str) -> SourceKey {
    text.parse().unwrap()
}

fn told(text: &str, bytes: u64) -> SourceView {
    SourceView {
        sha256: Some(ContentHash::of(text)),
        bytes: Some(bytes),
        tokens: Some(estimated_tokens(bytes)),
        told_at: Some(Revision(2)),
        in_window: Some(true),
        ..SourceView::new(key(text), SourceState::Active)
    }
}

fn withheld(text: &str, reason: WithheldReason) -> SourceView {
    SourceView {
        reason: Some(reason.as_str()),
        ..SourceView::new(key(text), SourceState::Withheld)
    }
}

fn change(kind: ChangeKind, text: &str, form: Form) -> ChangeView {
    let source = key(text);
    let path = source.path().cloned();
    ChangeView { kind, path, url: None, source, form, bytes: None }
}

fn update(revision: u64, text: &str, changes: Vec<ChangeView>) -> BriefingUpdate {
    BriefingUpdate {
        revision: Revision(revision),
        position: Position(revision * 6),
        text: text.into(),
        in_window: true,
        inherited: false,
        changes,
        blocks: None,
    }
}

fn briefing(baseline: &str) -> Briefing {
    Briefing {
        session: "cli/home/u/shop/services/api".parse().unwrap(),
        revision: Revision(2),
        complete: true,
        location: Location {
            directory: directory("/home/u/shop/services/api"),
            boundary: directory("/home/u/shop"),
        },
        epoch: BriefingEpoch {
            number: EpochNumber(1),
            revision: Revision(2),
            cause: EpochCause::Initial,
            position: Position::START,
            baseline: Baseline {
                text: Some(baseline.into()),
                sha256: ContentHash::of(baseline),
                bytes: baseline.len() as u64,
                blocks: None,
            },
        },
        updates: Vec::new(),
        admitted: None,
        held: Vec::new(),
        withheld: Vec::new(),
        totals: Totals { sources: 5, bytes: 6_311, tokens: 1_578 },
    }
}

fn sources_of_shop() -> Vec<SourceView> {
    vec![
        told("file:/home/u/.config/told/AGENTS.md", 310),
        told("file:/home/u/shop/AGENTS.md", 4_200),
        told("file:/home/u/shop/services/api/AGENTS.md", 1_228),
        told("core/environment", 128),
        told("core/date", 10),
    ]
}

fn sight<'a>(
    briefing: &'a Briefing,
    sources: &'a [SourceView],
    news: News<'a>,
    tense: Tense,
) -> Sight<'a> {
    let places =
        Places { boundary: Some(&briefing.location.boundary), home: Some(Path::new("/home/u")) };
    Sight { briefing, sources: Some(sources), news, tense, places }
}

/// The page at `width`, its lines no wider than that.
fn plain(page: impl Fn(Screen) -> Page, width: usize) -> String {
    let text = page(Screen::new(Some(width), false)).render(false);
    for line in text.lines() {
        assert!(super::Shown::from(line).width() <= width, "wider than {width}: {line}");
        assert_eq!(line, line.trim_end(), "ends in blanks");
        assert!(!line.contains(char::is_control), "steers: {line:?}");
    }
    text
}

fn coloured(page: impl Fn(Screen) -> Page) -> String {
    page(Screen::new(Some(80), true)).render(true).replace('\u{1b}', "␛")
}

fn eventful() -> (Briefing, Vec<SourceView>) {
    let mut briefing = briefing("the baseline");
    briefing.revision = Revision(7);
    briefing.admitted = Some(Revision(7));
    briefing.updates = vec![
        update(4, "first", vec![change(ChangeKind::Added, "api/branch", Form::Full)]),
        update(
            7,
            "second",
            vec![
                change(ChangeKind::Removed, "file:/home/u/shop/docs/AGENTS.md", Form::Full),
                change(ChangeKind::Added, "file:/home/u/shop/services/AGENTS.md", Form::Full),
                change(ChangeKind::Changed, "file:/home/u/shop/AGENTS.md", Form::Diff),
            ],
        ),
    ];
    briefing.held = vec![
        Held {
            key: key("file:/home/u/shop/services/api/AGENTS.md"),
            reason: UnavailableReason::PermissionDenied,
            since: Some(Revision(2)),
        },
        Held {
            key: key("file:/home/u/shop/vendor/AGENTS.md"),
            reason: UnavailableReason::Timeout,
            since: None,
        },
    ];
    briefing.withheld = vec![
        withheld("file:/home/u/shop/services/agents.md", WithheldReason::NearMiss),
        withheld("file:/home/u/shop/services/api/AGENTS.local.md", WithheldReason::OutsideProject),
        withheld("file:/home/u/shop/node_modules/left/AGENTS.md", WithheldReason::Excluded),
    ];
    let mut sources = sources_of_shop();
    sources[1].warnings = vec![Warning::Truncated, Warning::InvisibleCharacters];
    sources[2].state = SourceState::Held;
    sources[2].reason = Some("permission_denied");
    sources.insert(2, told("file:/home/u/shop/services/AGENTS.md", 922));
    sources.insert(4, SourceView { in_window: Some(false), ..told("api/branch", 12) });
    sources.push(SourceView::new(key("file:/home/u/shop/docs/AGENTS.md"), SourceState::Inactive));
    sources.extend(briefing.withheld.clone());
    (briefing, sources)
}

#[test]
fn a_first_sync() {
    let mut briefing = briefing("the baseline");
    briefing.admitted = Some(Revision(2));
    let sources = sources_of_shop();
    let page = |screen| sight(&briefing, &sources, News::Baseline, Tense::Told).page(screen);
    insta::assert_snapshot!(plain(page, 80));
}

#[test]
fn an_eventful_sync_at_several_widths_and_in_colour() {
    let (briefing, sources) = eventful();
    let page = |screen| {
        sight(&briefing, &sources, News::Update(&briefing.updates[1]), Tense::Told).page(screen)
    };
    for width in [40, 80, 110] {
        insta::assert_snapshot!(format!("eventful_{width}"), plain(page, width));
    }
    insta::assert_snapshot!("eventful_colour", coloured(page));
}

#[test]
fn an_eventful_preview_says_that_nothing_was_written() {
    let (briefing, sources) = eventful();
    let news = News::Update(&briefing.updates[1]);
    let page = plain(|screen| sight(&briefing, &sources, news, Tense::WouldBe).page(screen), 80);
    assert!(
        page.contains("\nWould be told: 1 added, 1 changed, 1 removed. Nothing was written.\n")
    );
}

#[test]
fn nothing_new_is_calm() {
    let briefing = briefing("the baseline");
    let sources = sources_of_shop();
    let page = |screen| sight(&briefing, &sources, News::Nothing, Tense::Told).page(screen);
    insta::assert_snapshot!(plain(page, 80));
    insta::assert_snapshot!("nothing_new_colour", coloured(page));
}

#[test]
fn a_new_session_that_would_be_told_nothing() {
    let mut briefing = briefing("");
    briefing.location.directory = briefing.location.boundary.clone();
    briefing.totals = Totals::default();
    let page = |screen| sight(&briefing, &[], News::Baseline, Tense::WouldBeInNew).page(screen);
    insta::assert_snapshot!(plain(page, 80));
}

#[test]
fn an_epoch_after_a_compaction_is_told_anew() {
    let mut briefing = briefing("the baseline");
    briefing.epoch.number = EpochNumber(2);
    briefing.epoch.revision = Revision(9);
    briefing.epoch.cause = EpochCause::Compacted;
    briefing.revision = Revision(9);
    let sources = sources_of_shop();
    let page = |screen| sight(&briefing, &sources, News::Baseline, Tense::Told).page(screen);
    insta::assert_snapshot!(plain(page, 80));
}

#[test]
fn what_a_repository_holds_steers_nothing() {
    let evil = "file:/home/u/shop/\u{1b}[2J\u{1b}[31mred\r\n+ forged/AGENTS.md";
    let turned = "file:/home/u/shop/\u{202e}dm.STNEGA";
    let mut briefing = briefing("the baseline");
    briefing.location.directory = directory("/home/u/shop/\u{9b}31m\n");
    briefing.held = vec![Held { key: key(evil), reason: UnavailableReason::IoError, since: None }];
    briefing.withheld = vec![withheld(turned, WithheldReason::Limit)];
    let sources = vec![told(evil, 1), told(turned, 2), told("api/日本語のとても長い名前", 3)];
    let page = |screen| sight(&briefing, &sources, News::Nothing, Tense::Told).page(screen);
    insta::assert_snapshot!(plain(page, 80));
    let colour = page(Screen::new(Some(80), true)).render(true);
    assert!(!colour.contains("\u{1b}[2J") && !colour.contains("\u{1b}[31mred"));
}

#[test]
fn a_long_list_ends_with_how_many_more() {
    let mut briefing = briefing("the baseline");
    let one = |number| {
        withheld(&format!("file:/home/u/shop/{number}/AGENTS.md"), WithheldReason::Disabled)
    };
    briefing.withheld = (0..1_500).map(one).collect();
    let page = plain(|screen| sight(&briefing, &[], News::Nothing, Tense::Told).page(screen), 80);
    assert_eq!(page.matches("the configuration switches it off").count(), 12);
    assert!(page.contains("\n  and 1,488 more: --json lists all\n"));
}

#[test]
fn show_lists_the_texts() {
    let (mut briefing, _) = eventful();
    briefing.updates[0].in_window = false;
    let page = |screen| {
        let mut sight = sight(&briefing, &[], News::Nothing, Tense::Stood(briefing.revision));
        sight.sources = None;
        sight.page(screen)
    };
    insta::assert_snapshot!(plain(page, 80));
}

#[test]
fn sources_one_by_one_and_explained() {
    let (briefing, sources) = eventful();
    let places =
        Places { boundary: Some(&briefing.location.boundary), home: Some(Path::new("/home/u")) };
    insta::assert_snapshot!("sources", plain(|screen| sources::all(&sources, places, screen), 80));
    let held = |path: &str, told_at| SourceView {
        reason: Some("permission_denied"),
        told_at,
        ..SourceView::new(SourceKey::File(AbsolutePath::new(path).unwrap()), SourceState::Held)
    };
    let mut found = Explanation {
        applies: sources[..3].to_vec(),
        held: vec![held("/repo/AGENTS.md", Some(Revision(2))), held("/repo/x/AGENTS.md", None)],
        withheld: briefing.withheld.clone(),
    };
    let explained = |screen| sources::explained("src/\u{7}.rs", &found, places, screen);
    insta::assert_snapshot!("explained", plain(explained, 80));
    (found.applies, found.withheld) = (Vec::new(), Vec::new());
    let unread = |screen| sources::explained("x", &found, places, screen);
    assert!(
        plain(unread, 80).starts_with("No instructions that can be read apply to x.\n\nHeld\n")
    );
    found.held = Vec::new();
    let nothing = |screen| sources::explained("x", &found, places, screen);
    assert_eq!(plain(nothing, 80), "No instructions apply to x.\n");
}

#[test]
fn a_log_in_order() {
    let (briefing, _) = eventful();
    let record = |revision: u64, kind, details: serde_json::Value, changes| LogRecord {
        revision: Revision(revision),
        at: Timestamp::from_millisecond(
            1_796_000_000_000 + 1_000 * i64::try_from(revision).unwrap(),
        ),
        kind,
        position: Some(Position(revision)),
        text: Some(Arc::from("four")),
        changes,
        details: details.as_object().cloned().unwrap_or_default(),
    };
    let opened = serde_json::json!({
        "location": {"directory": "/home/u/shop", "boundary": "/home/u/shop"},
        "prior": "none", "trust": "trusted", "empty": [], "nothing": null,
    });
    let changes = Some(briefing.updates[1].changes.clone());
    let scopes = serde_json::json!({
        "agent": "a\u{1b}", "sha256": "0123",
        "scopes": [{"directory": "/home/u/shop/a"}, {"directory": "/etc"}], "withheld": [1, 2],
    });
    let records = [
        record(9, "opened", opened, None),
        record(10, "context_updated", serde_json::json!({}), changes),
        record(11, "scopes_discovered", scopes, None),
    ];
    let places =
        Places { boundary: Some(&briefing.location.boundary), home: Some(Path::new("/home/u")) };
    insta::assert_snapshot!(plain(|screen| history::log(&records, places, screen), 80));
}

#[test]
fn sessions_and_checks() {
    let places = Places { boundary: None, home: Some(Path::new("/home/u")) };
    let session = told::ports::SessionSummary {
        session: "cli/home/u/shop".parse().unwrap(),
        directory: directory("/home/u/shop"),
        boundary: directory("/home/u/shop"),
        revision: Revision(7),
        opened_at: Timestamp::from_millisecond(1_796_000_000_000),
        last_record_at: Timestamp::from_millisecond(1_796_000_001_234),
    };
    insta::assert_snapshot!(
        "sessions",
        plain(|screen| sessions::listed(std::slice::from_ref(&session), places, screen), 80)
    );
    let check = |what, verdict, found: &str| Check { what, verdict, found: found.into() };
    let checks = [
        check("store", Verdict::Ok, "/home/u/.local/share/told/store.redb opens, sessions: 3"),
        check(
            "global file",
            Verdict::Warn,
            "/home/u/\u{1b} is no regular file, so it is left out; move it away from where it is",
        ),
        check("location", Verdict::Fail, "gone"),
    ];
    insta::assert_snapshot!("checks", plain(|screen| checks::listed(&checks, screen), 80));
}

#[test]
fn text_grows_at_its_end_only() {
    let mut briefing = briefing("the baseline\n");
    let first = text::sent(&briefing);
    assert_eq!(first, "the baseline\n");
    briefing.updates.push(update(3, "one", Vec::new()));
    let second = text::sent(&briefing);
    assert_eq!(second, "the baseline\n\n\none");
    briefing.updates.push(update(4, "two\n", Vec::new()));
    let third = text::sent(&briefing);
    assert!(third.starts_with(&second) && second.starts_with(&first));

    briefing.complete = false;
    briefing.epoch.baseline.text = None;
    briefing.updates.remove(0);
    assert_eq!(second + &text::sent(&briefing), third, "what is newer goes behind");
    briefing.updates[0].in_window = false;
    assert_eq!(text::sent(&briefing), "");
}
