//! The safe boundary: R-OBS-1, R-OBS-4, R-OBS-5, R-OBS-11, R-BND-2…10, R-TXT-2, R-TXT-4.

use crate::{
    command::{Command, Decision, OnUnavailable, Refusal, SecondLook},
    context::{Contributed, Need},
    key::Origin,
    observation::Observation,
    policy::UpdateText,
    position::{Position, Revision},
    reason::UnavailableReason,
    record::Event,
    render::{Guidance, Renderer},
    testing::{Session, World, key, path, short},
};
use std::sync::Arc;

const A: &str = "/repo/AGENTS.md";
const DENIED: UnavailableReason = UnavailableReason::PermissionDenied;

/// A session whose first boundary saw `world`.
fn begun(world: &World) -> Session {
    let mut session = Session::open();
    session.sync(world);
    session
}

fn held(session: &Session) -> Vec<(String, Option<u64>)> {
    let held = session.briefing().held;
    held.iter().map(|held| (short(&held.key), held.since.map(|revision| revision.0))).collect()
}

#[test]
fn r_bnd_2_a_first_boundary_is_blocked_by_every_unavailable_file() {
    let mut session = Session::open();
    let mut world = World::repo(&[]);
    world.fail(A, DENIED).fail("/repo/.git", UnavailableReason::Timeout);
    let Err(Refusal::Blocked(blocked)) = session.try_sync(None, OnUnavailable::Block, &world)
    else {
        panic!("it is not blocked");
    };
    let blocked: Vec<_> = blocked.iter().map(|b| (short(&b.source), b.reason)).collect();
    let expect = [("/repo/.git", UnavailableReason::Timeout), (A, DENIED)];
    assert_eq!(blocked, expect.map(|(key, reason)| (key.to_owned(), reason)));
    assert_eq!(session.log.len(), 1, "nothing is written");
}

#[test]
fn r_bnd_2_what_was_proceeded_without_is_told_as_an_addition_once_it_can_be_read() {
    let mut session = Session::open();
    let mut world = World::repo(&[]);
    world.fail(A, DENIED);
    let told = session.try_sync(None, OnUnavailable::Proceed, &world).unwrap();
    assert_eq!(told, ["epoch 1"]);
    assert_eq!(session.last_text(), "", "a baseline of no sources is the empty text");
    assert_eq!(held(&session), [(A.to_owned(), None)]);
    assert_eq!(session.sync(&world), [""; 0], "only a first boundary is blocked");
    assert_eq!(session.sync(world.put(A, "now")), [format!("+ {A}")]);
}

#[test]
fn r_bnd_2_what_is_optional_blocks_nothing() {
    let mut world = World::repo(&[]);
    world.contributed.push(plugin(Observation::Unavailable(UnavailableReason::Timeout)));
    assert_eq!(Session::open().sync(&world), ["epoch 1"]);
}

fn plugin(observation: Observation<Arc<str>>) -> Contributed {
    plugin_with(Arc::new(crate::render::Verbatim), observation)
}

fn plugin_with(guidance: Arc<dyn Guidance>, observation: Observation<Arc<str>>) -> Contributed {
    Contributed {
        key: key("lint/rules"),
        origin: Origin::Host,
        need: Need::Optional,
        renderer: Renderer::Plugin(guidance),
        observation,
    }
}

#[test]
fn r_bnd_3_one_update_tells_removals_then_additions_then_changes_each_in_source_order() {
    let mut world =
        World::repo(&[(A, "1"), ("/repo/a/AGENTS.md", "1"), ("/repo/a/b/AGENTS.md", "1")]);
    let mut session = Session::open();
    session.settle(1, &["/repo/a", "/repo/a/b", "/repo/c", "/repo/b"]);
    session.sync(&world);
    world.remove("/repo/a/b/AGENTS.md").remove("/repo/a/AGENTS.md");
    world.put("/repo/c/AGENTS.md", "1").put("/repo/b/AGENTS.md", "1").put(A, "2");
    assert_eq!(
        session.sync(&world),
        [
            "- /repo/a/AGENTS.md",
            "- /repo/a/b/AGENTS.md",
            "+ /repo/b/AGENTS.md",
            "+ /repo/c/AGENTS.md",
            "~ /repo/AGENTS.md",
        ]
    );
    assert_eq!(session.sync(&world), [""; 0]);
}

#[test]
fn r_obs_1_a_failure_is_no_removal_and_an_absence_is_none_of_a_failure() {
    let mut world = World::repo(&[(A, "1")]);
    let mut session = begun(&world);
    for reason in UnavailableReason::ALL {
        assert_eq!(session.sync(world.fail(A, *reason)), [""; 0], "{reason}");
        assert_eq!(session.belief(A), "1");
    }
    assert_eq!(session.sync(world.remove(A)), [format!("- {A}")]);
    assert_eq!(session.sync(world.fail(A, DENIED)), [""; 0], "removed, then unknown");
    assert_eq!(session.belief(A), "nothing");
    assert_eq!(session.sync(world.put(A, "1")), [format!("+ {A}")]);
    assert_eq!(session.sync(world.fifo(A)), [format!("- {A}")], "what is withheld is absent");
}

#[test]
fn r_bnd_3_a_held_source_is_listed_with_the_record_that_told_it() {
    let mut world = World::repo(&[(A, "1"), ("/repo/a/AGENTS.md", "1")]);
    let mut session = Session::open();
    session.settle(1, &["/repo/a", "/repo/b"]);
    session.sync(&world); // 3
    session.sync(world.put(A, "2")); // 4
    world.fail(A, DENIED).fail("/repo/b/AGENTS.md", DENIED).put("/repo/a/AGENTS.md", "2");
    assert_eq!(session.sync(&world), ["~ /repo/a/AGENTS.md"]);
    let never_told = "/repo/b/AGENTS.md".to_owned();
    assert_eq!(held(&session), [(A.to_owned(), Some(4)), (never_told, None)]);
}

#[test]
fn r_bnd_4_values_are_compared() {
    let mut world = World::repo(&[(A, "1\n2\n")]);
    let mut session = begun(&world);
    let tells = |session: &mut Session, world: &World, expect: bool| {
        assert_eq!(!session.sync(world).is_empty(), expect);
    };
    tells(&mut session, &world, false);
    tells(&mut session, world.remove(A).put(A, "1\n2\n"), false);
    tells(&mut session, world.put(A, "1\r\n2\r\n"), false); // R-OBS-5
    tells(&mut session, world.put(A, "1\n2"), true);
    // The same bytes behind a link are another key: the canonical path names a file.
    world.link(A, "/repo/rules.md").put("/repo/rules.md", "1\n2");
    assert_eq!(session.sync(&world), ["- /repo/AGENTS.md", "+ /repo/rules.md"]);
}

#[test]
fn r_amb_3_an_order_policy_tells_nothing_again() {
    let world = World::repo(&[(A, "1"), ("/repo/a/AGENTS.md", "1")]);
    let mut session = Session::none();
    let location = crate::testing::location("/repo/a", "/repo");
    let (prior, trust) = (crate::session::Prior::None, crate::session::Trust::Trusted);
    session.run(&Command::Open { location: &location, position: None, prior, trust });
    session.sync(&world);
    session.policy.instructions.order = crate::policy::Order::NearestFirst;
    assert_eq!(session.sync(&world), [""; 0]);
}

#[test]
fn r_obs_4_an_emptied_file_is_looked_at_once_more() {
    let mut world = World::repo(&[(A, "1"), ("/repo/a/AGENTS.md", "")]);
    let mut session = Session::open();
    session.settle(1, &["/repo/a"]);
    session.sync(&world);
    let decide = |session: &Session, world: &World, second_look| {
        let context = world.context(&session.ground(), &session.policy);
        let command = Command::Sync {
            position: None,
            on_unavailable: OnUnavailable::Block,
            context: &context,
            second_look,
        };
        session.decide(&command)
    };
    assert_eq!(decide(&session, &world, SecondLook::Pending), Decision::Unchanged, "it was empty");
    world.put(A, "");
    let again = decide(&session, &world, SecondLook::Pending);
    let after = std::time::Duration::from_millis(10);
    assert_eq!(again, Decision::LookAgain { paths: vec![path(A)], after });
    let Decision::Commit { .. } = decide(&session, &world, SecondLook::Done) else { panic!() };
    assert_eq!(session.sync(&world), [format!("~ {A}")]);
    assert_eq!(decide(&session, &world, SecondLook::Pending), Decision::Unchanged);
}

#[test]
fn r_obs_11_a_belief_found_through_an_unavailable_candidate_is_held_unless_another_finds_it() {
    let mut world = World::repo(&[("/repo/docs/rules.md", "1")]);
    world.link(A, "/repo/docs/rules.md");
    let mut session = begun(&world);
    assert_eq!(session.sync(world.fail(A, DENIED)), [""; 0]);
    assert_eq!(session.belief("/repo/docs/rules.md"), "1");
    let mut session = Session::open();
    session.settle(1, &["/repo/a"]);
    world.link(A, "/repo/docs/rules.md").link("/repo/a/AGENTS.md", "/repo/docs/rules.md");
    session.sync(&world);
    world.fail(A, DENIED).put("/repo/docs/rules.md", "2");
    assert_eq!(session.sync(&world), ["~ /repo/docs/rules.md"]);
    world.remove("/repo/a/AGENTS.md");
    // Found last through the other alone, which is gone: the failure holds nothing of it.
    assert_eq!(session.sync(&world), ["- /repo/docs/rules.md"]);
}

#[test]
fn r_amb_2_an_unavailable_name_holds_what_its_group_told() {
    let mut session = Session::open();
    session.policy.instructions.names = crate::testing::names(&[&["one", "two"]]);
    let mut world = World::repo(&[("/repo/two", "2")]);
    session.sync(&world);
    assert_eq!(session.sync(world.fail("/repo/one", DENIED)), [""; 0]);
    assert_eq!(session.sync(world.remove("/repo/two")), [""; 0], "nobody knows");
    assert_eq!(session.sync(world.remove("/repo/one")), ["- /repo/two"]);
}

#[test]
fn r_bnd_6_what_was_returned_stays_as_it_was() {
    let mut world = World::repo(&[(A, "1")]);
    let mut session = begun(&world);
    let before = session.briefing();
    session.sync_at(7, world.put(A, "2"));
    let after = session.briefing();
    assert_eq!(before.epoch, after.epoch);
    assert_eq!(after.updates[0].position, Position(7));
    assert_eq!(after.updates.len(), 1);
}

#[test]
fn r_bnd_7_records_follow_the_revision_that_the_decision_saw() {
    let session = begun(&World::repo(&[(A, "1")]));
    let world = World::repo(&[(A, "2")]);
    let context = world.context(&session.ground(), &session.policy);
    let command = Command::Sync {
        position: None,
        on_unavailable: OnUnavailable::Block,
        context: &context,
        second_look: SecondLook::Done,
    };
    // Two that began at once decide the same revision: the store takes one of them.
    let revision = |decision| match decision {
        Decision::Commit { records, .. } => records[0].revision,
        other => panic!("{other:?}"),
    };
    assert_eq!(revision(session.decide(&command)), Revision(3));
    assert_eq!(revision(session.decide(&command)), Revision(3));
}

#[test]
fn r_bnd_9_a_position_below_the_last_anchored_one_is_refused() {
    let mut world = World::repo(&[(A, "1")]);
    let mut session = Session::open();
    session.sync_at(10, &world);
    let refused = Refusal::PositionRegressed { position: Position(9), anchored: Position(10) };
    let nine = session.try_sync(Some(9), OnUnavailable::Block, &world);
    assert_eq!(nine, Err(refused.clone()));
    assert_eq!(session.compact(9), Decision::Refused(refused));
    assert_eq!(session.sync_at(30, &world), [""; 0]);
    assert_eq!(session.sync_at(20, &world), [""; 0], "an unchanged boundary anchors nothing");
    session.window(25);
    assert_eq!(session.sync_at(20, world.put(A, "2")), [format!("~ {A}")], "nor does a window");
    assert_eq!(session.belief(A), "2");
    assert_eq!(session.sync_at(20, &world), [""; 0], "it is told once");
}

#[test]
fn r_bnd_10_a_record_that_admits_holds_its_look() {
    let mut world = World::repo(&[(A, "1")]);
    world.link("/repo/a/AGENTS.md", "/out");
    world.put("/out", "x");
    let mut session = Session::open();
    session.settle(1, &["/repo/a"]);
    session.sync(&world);
    let briefing = session.briefing();
    let [withheld] = &briefing.withheld[..] else { panic!("{briefing:?}") };
    assert_eq!(short(&withheld.source), "/repo/a/AGENTS.md");
    world.directory("/.git").remove("/repo/.git").put(A, "2");
    session.sync(&world);
    assert_eq!(session.state().location.boundary, crate::testing::canonical("/"));
}

#[test]
fn r_txt_2_a_change_is_told_as_a_diff_where_the_policy_wants_it() {
    let long = |last: &str| format!("{}{last}\n", "a line of some length\n".repeat(300));
    let check = |policy, old: &str, new: &str, expect: &str| {
        let mut session = Session::open();
        session.policy.instructions.update_text = policy;
        session.sync(&World::repo(&[(A, old)]));
        let told = session.sync(&World::repo(&[(A, new)]));
        assert_eq!(told, [format!("{expect} {A}")], "{policy:?}");
        assert_eq!(session.belief(A), new);
    };
    check(UpdateText::Full, &long("1"), &long("2"), "~");
    check(UpdateText::Diff, &long("1"), &long("2"), "d");
    check(UpdateText::Diff, "1\n", "2\n", "~");
    check(UpdateText::Auto, &long("1"), &long("2"), "d");
    check(UpdateText::Auto, &long("1"), "2\n", "~");
    let short = |last: &str| format!("{}{last}\n", "a line of some length\n".repeat(100));
    check(UpdateText::Auto, &short("1"), &short("2"), "~");
}

#[test]
fn r_ses_7_a_diff_stands_only_on_what_was_told_last() {
    let text = |last: &str| format!("{}{last}\n", "a line of some length\n".repeat(30));
    let mut session = Session::open();
    session.policy.instructions.update_text = UpdateText::Diff;
    session.sync_at(10, &World::repo(&[(A, &text("1"))]));
    assert_eq!(session.sync_at(20, &World::repo(&[(A, &text("2"))])), [format!("d {A}")]);
    assert_eq!(session.sync_at(30, &World::repo(&[(A, &text("3"))])), [format!("d {A}")]);
    session.window(25);
    assert_eq!(session.belief(A), "unclear");
    assert_eq!(session.sync_at(40, &World::repo(&[(A, &text("3"))])), [format!("~ {A}")]);
    session.window(45);
    // The transcript says what the baseline says, but that was told first, not last.
    assert_eq!(session.sync_at(50, &World::repo(&[(A, &text("4"))])), [format!("~ {A}")]);
}

#[test]
fn r_txt_4_a_value_that_no_longer_decodes_is_told_again_in_full() {
    struct Numbers;
    impl Guidance for Numbers {
        fn decodes(&self, value: &str) -> bool {
            value.parse::<u32>().is_ok()
        }
    }
    let mut world = World::repo(&[]);
    let mut tell = |session: &mut Session, value: &str| {
        world.contributed =
            vec![plugin_with(Arc::new(Numbers), Observation::Available(value.into()))];
        session.sync(&world)
    };
    let mut session = Session::open();
    tell(&mut session, "one");
    assert_eq!(tell(&mut session, "1"), ["~ lint/rules"]);
}

#[test]
fn r_bnd_3_a_record_names_what_was_held_as_it_stands_after_it() {
    let mut world = World::repo(&[(A, "1")]);
    let mut session = begun(&world); // 2
    session.compact(5); // 3
    assert_eq!(session.sync(world.fail(A, DENIED)), vec!["epoch 2".to_owned(), format!("= {A}")]);
    assert_eq!(held(&session), [(A.to_owned(), Some(4))], "the new baseline told it");
    let Event::EpochStarted { position, .. } = &session.log[3].event else { panic!() };
    assert_eq!(*position, Position(5));
}
