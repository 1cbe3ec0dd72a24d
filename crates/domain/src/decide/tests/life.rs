//! A session's life: R-SES and R-API.

use crate::{
    command::{Command, Decision, Refusal},
    context::{Contributed, Need},
    hash::ContentHash,
    key::{ApiKey, Origin},
    observation::Observation,
    position::Position,
    reason::UnavailableReason,
    record::Event,
    render::{HostValue, Renderer},
    session::{Prior, Trust},
    testing::{Session, World, admission, diffed, key, location, updated},
    told::EpochCause,
};

const A: &str = "/repo/AGENTS.md";
const B: &str = "/repo/a/AGENTS.md";

/// A session with a baseline at 10 and updates at 20 (`A` is 2) and 30 (`B` came), and its world.
fn lived() -> (Session, World) {
    let mut world = World::repo(&[(A, "1")]);
    let mut session = Session::open();
    session.sync_at(10, &world); // 2
    session.sync_at(20, world.put(A, "2")); // 3
    session.settle(25, &["/repo/a"]); // 4
    session.sync_at(30, world.put(B, "1")); // 5
    (session, world)
}

#[test]
fn r_ses_5_reopening_is_idempotent_in_one_directory_and_refused_in_another() {
    let mut session = Session::open();
    let open =
        |location, prior| Command::Open { location, position: None, prior, trust: Trust::Trusted };
    let there = location("/repo", "/repo");
    assert_eq!(session.run(&open(&there, Prior::Unknown)), Decision::Unchanged);
    let marked_anew = location("/repo", "/");
    assert_eq!(session.run(&open(&marked_anew, Prior::None)), Decision::Unchanged);
    let elsewhere = location("/other", "/repo");
    let refused = Decision::Refused(Refusal::OtherLocation(there.clone()));
    assert_eq!(session.run(&open(&elsewhere, Prior::None)), refused);
}

#[test]
fn an_unknown_session_is_refused_whatever_is_asked() {
    let mut session = Session::none();
    let refused = Decision::Refused(Refusal::UnknownSession);
    assert_eq!(session.compact(1), refused);
    assert_eq!(session.rebase(), refused);
    assert_eq!(session.revert(1), refused);
}

#[test]
fn r_ses_1_a_child_tells_nothing_again() {
    let (session, world) = lived();
    let (parent, mut child) = (session.briefing(), session.fork(30));
    let briefing = child.briefing();
    assert_eq!(parent.epoch.baseline, briefing.epoch.baseline);
    assert!(briefing.updates.iter().all(|update| update.inherited && update.revision.0 == 1));
    let texts = |briefing: &crate::briefing::Briefing| -> Vec<_> {
        briefing.updates.iter().map(|update| (update.position, update.text.clone())).collect()
    };
    assert_eq!(texts(&parent), texts(&briefing));
    assert_eq!(child.sync(&world), [""; 0]);
}

#[test]
fn r_ses_1_a_child_has_what_was_anchored_at_or_before_the_position() {
    let (session, world) = lived();
    let check = |position: u64, belief: [&str; 2], scopes: usize, next: &[String]| {
        let mut child = session.fork(position);
        assert_eq!([child.belief(A), child.belief(B)], belief, "at {position}");
        assert_eq!(child.state().told.scopes.len(), scopes, "at {position}");
        assert_eq!(child.sync(&world), next, "at {position}");
    };
    check(30, ["2", "1"], 1, &[]);
    check(29, ["2", "nothing"], 1, &[format!("+ {B}")]);
    check(24, ["2", "nothing"], 0, &[]);
    check(19, ["1", "nothing"], 0, &[format!("~ {A}")]);
    check(9, ["nothing", "nothing"], 0, &["epoch 2".to_owned(), format!("= {A}")]);
}

#[test]
fn r_ses_2_a_revert_takes_back_what_was_anchored_after_it() {
    let check = |to: u64, belief: [&str; 2], next: &[String]| {
        let (mut session, world) = lived();
        session.revert(to);
        assert_eq!([session.belief(A), session.belief(B)], belief, "to {to}");
        assert!(session.state().told.anchored.is_none_or(|anchored| anchored <= Position(to)));
        assert_eq!(session.sync(&world), next, "to {to}");
    };
    check(29, ["2", "nothing"], &[format!("+ {B}")]);
    check(24, ["2", "nothing"], &[]);
    check(20, ["2", "nothing"], &[]);
    check(19, ["1", "nothing"], &[format!("~ {A}")]);
    check(9, ["nothing", "nothing"], &["epoch 2".to_owned(), format!("= {A}")]);
    let (mut session, _) = lived();
    assert_eq!(session.revert(30), Decision::Unchanged);
    assert_eq!(session.revert(99), Decision::Unchanged);
}

#[test]
fn r_ses_2_a_second_revert_counts_what_the_first_left() {
    let (mut session, mut world) = lived();
    session.revert(15);
    session.sync_at(16, world.put(A, "3"));
    session.revert(25);
    assert_eq!(session.belief(A), "3", "nothing stands after 16: nothing to take back");
    session.revert(15);
    assert_eq!(session.belief(A), "1");
}

#[test]
fn r_ses_2_what_a_child_was_taken_back_from_does_not_come_again() {
    let (session, mut world) = lived();
    let mut child = session.fork(30);
    child.revert(15);
    child.sync_at(27, world.put(A, "3"));
    child.revert(26);
    assert_eq!([child.belief(A), child.belief(B)], ["1", "nothing"]);
    assert_eq!(child.state().told.scopes.len(), 0);
}

#[test]
fn r_ses_2_values_and_moves_are_not_undone() {
    let (mut session, _) = lived();
    let value = HostValue { title: None, value: "v".into() };
    session.run(&Command::SetValue { key: &"k".parse().unwrap(), value: &value });
    session.append(Event::Moved { location: location("/repo/b", "/repo") }, &[]);
    session.revert(27);
    assert_eq!(session.state().values.len(), 1);
    assert_eq!(session.state().location, location("/repo/b", "/repo"));
    assert_eq!(session.state().told.scopes.len(), 0, "what a move cleared stays cleared");
}

#[test]
fn r_ses_3_after_a_move_the_destinations_sources_are_ordinary_changes() {
    let (mut session, mut world) = lived();
    world.directory("/other/.git").put("/other/AGENTS.md", "o");
    session.append(Event::Moved { location: location("/other", "/other") }, &[]);
    assert_eq!(
        session.sync(&world),
        vec![format!("- {A}"), format!("- {B}"), "+ /other/AGENTS.md".to_owned()]
    );
}

#[test]
fn r_ses_7_what_the_window_lost_is_told_again_in_full() {
    let (mut session, mut world) = lived();
    session.window(31);
    assert_eq!(session.sync_at(40, &world), vec![format!("+ {B}"), format!("~ {A}")]);
    assert_eq!(session.sync_at(41, &world), [""; 0]);
    session.window(50);
    world.fail(A, UnavailableReason::IoError).fail(B, UnavailableReason::IoError);
    assert_eq!(session.sync_at(50, &world), vec![format!("+ {A}"), format!("+ {B}")]);
    assert_eq!([session.belief(A), session.belief(B)], ["2", "1"], "as last admitted");
    let in_window: Vec<_> = session.briefing().updates.iter().map(|u| u.in_window).collect();
    assert_eq!(in_window, [false, false, false, true], "they stay listed");
}

#[test]
fn r_ses_7_a_removal_that_the_window_lost_is_told_again() {
    for fails in [false, true] {
        let (mut session, mut world) = lived();
        session.sync_at(40, world.remove(A));
        session.window(45);
        if fails {
            world.fail(A, UnavailableReason::IoError);
        }
        assert_eq!(session.belief(A), "1", "the baseline still says so");
        assert_eq!(
            session.sync(&world),
            vec![format!("- {A}"), format!("+ {B}")],
            "fails: {fails}"
        );
        assert_eq!(session.sync(&world), [""; 0]);
    }
}

#[test]
fn r_ses_8_a_session_taken_over_is_told_all_in_its_first_update() {
    let mut session = Session::open_as(Prior::Unknown, Trust::Trusted);
    let world = World::repo(&[(A, "1")]);
    assert_eq!(session.sync_at(10, &world), vec!["epoch 1".to_owned(), format!("+ {A}")]);
    let briefing = session.briefing();
    assert_eq!(briefing.epoch.cause, EpochCause::Unknown);
    assert_eq!(briefing.epoch.baseline.text.as_deref(), Some(""));
    assert_eq!(briefing.updates[0].position, Position(10));
    let text = session.last_text();
    assert!(text.starts_with("What follows replaces all instructions given before"), "{text}");
    assert_eq!(session.sync(&world), [""; 0]);
    session.compact(20);
    assert_eq!(session.sync(&world), vec!["epoch 2".to_owned(), format!("= {A}")]);
}

#[test]
fn r_ses_8_where_nothing_applies_the_first_update_says_that() {
    let mut session = Session::open_as(Prior::Unknown, Trust::Trusted);
    assert_eq!(session.sync(&World::repo(&[])), ["epoch 1"]);
    assert_eq!(session.last_text(), "Previously loaded instructions no longer apply.");
}

#[test]
fn r_ses_9_what_is_lost_is_told_at_the_next_boundary() {
    let check = |lost: &[u64], expect: &[String]| {
        let (mut session, world) = lived();
        session.lose(lost);
        assert_eq!(session.sync(&world), expect, "{lost:?}");
        assert_eq!([session.belief(A), session.belief(B)], ["2", "1"]);
        assert_eq!(session.sync(&world), [""; 0]);
    };
    check(&[], &[]);
    check(&[2], &[]);
    check(&[3], &[format!("~ {A}")]);
    check(&[5], &[format!("+ {B}")]);
    check(&[2, 3, 5], &[format!("+ {A}"), format!("+ {B}")]);
}

#[test]
fn r_ses_9_a_lost_removal_is_told_again_where_the_removed_text_is_at_hand() {
    let check = |lost: &[u64], expect: &[&str]| {
        let (mut session, mut world) = lived();
        session.append(updated(35, vec![diffed(B, "2")]), &["2", "update"]); // 6
        assert_eq!(session.sync_at(40, world.remove(B)), [format!("- {B}")]); // 7
        session.lose(lost);
        assert_eq!(session.sync(&world), expect, "{lost:?}");
        assert_eq!(session.belief(B), "nothing");
        assert_eq!(session.sync(&world), [""; 0]);
    };
    let again = format!("- {B}");
    check(&[7], &[&again]);
    check(&[6, 7], &[&again]);
    check(&[5, 7], &[&again]);
    check(&[5, 6, 7], &[]);
}

#[test]
fn r_ses_9_a_lost_text_comes_back_with_the_next_briefing_and_must_be_true_there() {
    let check = |lost: &[u64], change: fn(&mut World) -> &World, expect: &str| {
        let (mut session, mut world) = lived();
        session.lose(lost);
        let child = session.fork(40);
        for mut session in [session, child] {
            assert_eq!(session.sync(change(&mut world)), [expect], "{lost:?}");
            assert_eq!(session.sync(&world), [""; 0]);
        }
    };
    // The update that added it is lost, then the file goes.
    check(&[5], |world| world.remove(B), &format!("- {B}"));
    // The baseline is lost and so is the update: the file goes, and both would still name it.
    check(&[2, 3], |world| world.remove(A), &format!("- {A}"));
    // The change is lost, and the file is again as the baseline has it.
    check(&[3], |world| world.put(A, "1"), &format!("~ {A}"));
}

#[test]
fn r_ses_9_a_file_that_came_back_is_told_where_a_lost_removal_would_take_it_away() {
    let (mut session, mut world) = lived();
    assert_eq!(session.sync_at(40, world.remove(B)), [format!("- {B}")]); // 6
    session.lose(&[6]);
    assert_eq!(session.sync(world.put(B, "1")), [format!("~ {B}")]);
    assert_eq!(session.sync(&world), [""; 0]);
}

#[test]
fn r_ses_10_what_another_channel_told_is_not_told_again_until_the_next_epoch() {
    let mut session = Session::open();
    let sources = vec![admission(A, "1")];
    session.append(Event::Adopted { position: Position(5), sources }, &["1"]);
    let mut world = World::repo(&[(A, "1")]);
    assert_eq!(session.sync(&world), ["epoch 1"]);
    assert_eq!(session.belief(A), "1");
    assert_eq!(session.sync_at(10, world.put(A, "2")), [format!("~ {A}")]);
    session.revert(7);
    assert_eq!(session.belief(A), "1");
    assert_eq!(session.fork(7).belief(A), "1");
    session.compact(20);
    assert_eq!(session.sync(&world), vec!["epoch 2".to_owned(), format!("= {A}")]);
}

#[test]
fn r_api_1_values_are_told_like_any_source() {
    let mut session = Session::open();
    let mut tell = |value: serde_json::Value, title: Option<&str>| {
        let key: ApiKey = "ticket".parse().unwrap();
        let value = HostValue { title: title.map(str::to_owned), value };
        let decision = session.run(&Command::SetValue { key: &key, value: &value });
        let stored = session.state().values[&key].sha256;
        let mut world = World::repo(&[]);
        world.contributed = vec![host(session.blobs[&stored].clone())];
        (decision == Decision::Unchanged, session.sync(&world), session.last_text())
    };
    let text = |text: &str| text.to_owned();
    let added = (
        false,
        vec![text("epoch 1"), text("= api/ticket")],
        text("Context from the host: ticket\nFix it."),
    );
    assert_eq!(tell("Fix it.".into(), None), added);
    assert!(tell("Fix it.".into(), None).0, "an equal value writes nothing");
    let (_, changes, told) = tell(serde_json::json!({"b": 1, "a": [2]}), Some("Ticket\n7"));
    assert_eq!(changes, ["~ api/ticket"]);
    assert!(
        told.ends_with(
            "Context from the host: Ticket\\u{a}7\n{\n  \"a\": [\n    2\n  ],\n  \"b\": 1\n}"
        ),
        "{told}"
    );
    session.run(&Command::UnsetValue { key: &"ticket".parse().unwrap() });
    assert_eq!(session.sync(&World::repo(&[])), ["- api/ticket"]);
    let unset = session.run(&Command::UnsetValue { key: &"ticket".parse().unwrap() });
    assert_eq!(unset, Decision::Unchanged);
}

fn host(value: std::sync::Arc<str>) -> Contributed {
    Contributed {
        key: key("api/ticket"),
        origin: Origin::Host,
        need: Need::Optional,
        renderer: Renderer::Api("ticket".parse().unwrap()),
        observation: Observation::Available(value),
    }
}

#[test]
fn r_api_1_a_value_over_the_limit_is_refused() {
    let mut session = Session::open();
    let mut set = |length: usize, title: usize| {
        let value = HostValue { title: Some("t".repeat(title)), value: "v".repeat(length).into() };
        session.run(&Command::SetValue { key: &"k".parse().unwrap(), value: &value })
    };
    let limit = 32 * 1024;
    let refused = |bytes| Decision::Refused(Refusal::ValueTooLarge { limit: limit as u64, bytes });
    assert!(matches!(set(limit - 2, 0), Decision::Commit { .. }), "its quotes count");
    assert_eq!(set(limit - 1, 0), refused(limit as u64 + 1));
    assert_eq!(set(1, limit + 1), refused(limit as u64 + 1));
}

#[test]
fn r_api_1_equal_json_is_an_equal_value_whatever_the_order_of_its_keys() {
    let encode =
        |json: &str| HostValue { title: None, value: serde_json::from_str(json).unwrap() }.encode();
    assert_eq!(
        ContentHash::of(&encode(r#"{"a":1,"b":2}"#)),
        ContentHash::of(&encode(r#"{"b":2, "a":1}"#))
    );
}

#[test]
fn r_ses_2_a_revert_to_before_the_windows_start_takes_the_window_back() {
    let (mut session, mut world) = lived();
    session.window(40);
    world.remove(A);
    assert!(matches!(session.revert(35), Decision::Commit { .. }), "nothing else is after it");
    assert_eq!(session.sync_at(35, &world), ["- /repo/AGENTS.md"]);
    assert_eq!(session.revert(35), Decision::Unchanged);
}

#[test]
fn r_ses_7_a_boundary_before_the_windows_start_has_what_was_told_before_it() {
    let (mut session, mut world) = lived();
    session.window(40);
    world.remove(A);
    let told = session.sync_at(30, &world);
    assert_eq!(told, ["- /repo/AGENTS.md"], "B is at hand, and not told again");
    assert_eq!(session.sync_at(30, &world), [""; 0]);
}

#[test]
fn r_bnd_10_a_record_with_a_look_is_noted_and_stays_so_whatever_is_taken_back() {
    let (mut session, _) = lived();
    let last = session.state().revision;
    assert_eq!(session.state().looked, last);
    session.revert(10);
    assert_eq!(session.state().looked, last, "the boundary that it found is not taken back");
    session.append(Event::Moved { location: location("/repo/a", "/repo") }, &[]);
    assert_eq!(session.state().looked, session.state().revision);
}
