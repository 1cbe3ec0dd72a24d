//! What each record makes of a state.

use super::*;
use crate::{
    hash::ContentHash,
    position::EpochNumber,
    session::{Prior, Trust},
    state::Belief,
    testing::{
        admission, blob, canonical, diffed, epoch_started, full, key, location, opened, record,
        removed, updated,
    },
};

const FILE: &str = "/repo/AGENTS.md";

/// The state after `events`.
fn after(events: Vec<Event>) -> State {
    let log: Vec<_> = (1..).zip(events).map(|(revision, event)| record(revision, event)).collect();
    replay(&log).unwrap().unwrap()
}

/// The state after an opening and `events`.
fn opened_then(events: Vec<Event>) -> State {
    after(std::iter::once(opened()).chain(events).collect())
}

fn told(text: &str) -> Event {
    epoch_started(1, 10, vec![admission(FILE, text)])
}

fn value(state: &State) -> Option<ContentHash> {
    match state.belief(&key(FILE)) {
        Belief::Value(admission, _) => Some(admission.value.sha256),
        Belief::Nothing | Belief::Unclear => None,
    }
}

#[test]
fn r_epo_7_a_log_that_is_none_is_an_error_that_names_the_record() {
    let check = |events: Vec<(u64, Event)>, expect: FoldError| {
        let log: Vec<_> = events.into_iter().map(|(r, event)| record(r, event)).collect();
        assert_eq!(replay(&log).unwrap_err(), expect);
    };
    let gap =
        |expected, found| FoldError::Gap { expected: Revision(expected), found: Revision(found) };
    check(vec![(2, opened())], gap(1, 2));
    check(vec![(1, opened()), (1, told("x"))], gap(2, 1));
    check(vec![(1, opened()), (3, told("x"))], gap(2, 3));
    check(vec![(1, told("x"))], FoldError::Misplaced(Revision(1)));
    check(vec![(1, opened()), (2, opened())], FoldError::Misplaced(Revision(2)));
    assert_eq!(replay(&[]).unwrap(), None);
}

#[test]
fn r_bnd_9_what_anchors() {
    let scopes = || Event::ScopesDiscovered { position: Position(20), agent: None, scopes: vec![] };
    let check = |event: Event, expect: u64| {
        let state = opened_then(vec![told("one"), event]);
        assert_eq!(state.told.anchored, Some(Position(expect)));
    };
    check(updated(20, vec![full(FILE, "two")]), 20);
    check(scopes(), 20);
    check(Event::Adopted { position: Position(20), sources: vec![] }, 20);
    check(Event::Compacted { position: Position(20) }, 20);
    check(Event::WindowMoved { from: Position(20) }, 10);
    check(Event::Rebased { position: Position(10), reason: None }, 10);
    check(Event::HoldsDeclared { held: vec![], lost: vec![] }, 10);
    assert_eq!(opened_then(vec![]).told.anchored, None);
    assert_eq!(opened_then(vec![]).default_position(), Position(0));
    let window = Event::WindowMoved { from: Position(15) };
    assert_eq!(opened_then(vec![told("one"), window]).default_position(), Position(15));
}

#[test]
fn r_epo_3_the_last_of_several_requests_names_the_cause() {
    let compacted = |at| Event::Compacted { position: Position(at) };
    let rebased = |at| Event::Rebased { position: Position(at), reason: None };
    let check = |events: Vec<Event>, cause, position| {
        let state = opened_then(std::iter::once(told("one")).chain(events).collect());
        assert_eq!(state.told.pending, Some(PendingEpoch { cause, position: Position(position) }));
    };
    check(vec![compacted(20)], EpochCause::Compacted, 20);
    check(vec![rebased(10)], EpochCause::Rebased, 10);
    check(vec![compacted(20), rebased(20)], EpochCause::Rebased, 20);
    check(vec![rebased(10), compacted(20)], EpochCause::Compacted, 20);
    let state = opened_then(vec![told("one"), compacted(20), epoch_started(2, 20, vec![])]);
    assert_eq!(state.told.pending, None);
    assert_eq!(state.told.entries.len(), 0, "an epoch tells all that is active");
}

#[test]
fn r_epo_1_an_epoch_begins_without_updates_and_leaves_the_adopted() {
    let adopted = Event::Adopted {
        position: Position(5),
        sources: vec![admission("/repo/a/AGENTS.md", "a")],
    };
    let Event::EpochStarted { number, cause, position, baseline, parts, sources, look, .. } =
        told("one")
    else {
        panic!()
    };
    let adopting = vec![key("/repo/a/AGENTS.md")];
    let started = Event::EpochStarted {
        number,
        cause,
        position,
        baseline,
        parts,
        sources,
        look,
        adopted: adopting,
    };
    let state = opened_then(vec![adopted, started]);
    assert_eq!(state.told.entries.len(), 2);
    assert!(matches!(state.belief(&key("/repo/a/AGENTS.md")), Belief::Value(..)));
    assert_eq!(state.told.updates, []);
    assert_eq!(state.epochs, EpochNumber(1));
}

#[test]
fn r_ses_3_a_move_clears_discoveries_and_keeps_the_belief() {
    let scope = crate::record::DiscoveredScope {
        directory: canonical("/repo/s"),
        project: canonical("/repo"),
    };
    let scopes =
        Event::ScopesDiscovered { position: Position(11), agent: None, scopes: vec![scope] };
    let moved = Event::Moved { location: location("/other", "/") };
    let before = opened_then(vec![told("one"), scopes.clone()]);
    let state = opened_then(vec![told("one"), scopes, moved]);
    assert_eq!((before.told.scopes.len(), state.told.scopes.len()), (1, 0));
    assert_eq!(value(&state), Some(blob("one").sha256));
    assert_eq!(state.location, location("/other", "/"));
    assert_eq!((before.generation, state.generation), (Revision(1), Revision(4)), "R-BND-8");
    assert_eq!(state.told.look, None, "what the old Location's look found says nothing here");
}

#[test]
fn r_loc_8_one_scope_is_tracked_once() {
    let found = |at: u64| {
        let scope = crate::record::DiscoveredScope {
            directory: canonical("/repo/s"),
            project: canonical("/repo"),
        };
        Event::ScopesDiscovered { position: Position(at), agent: None, scopes: vec![scope] }
    };
    let state = opened_then(vec![found(3), found(5)]);
    assert_eq!(state.told.scopes[&canonical("/repo/s")].position, Position(3));
}

#[test]
fn r_ses_1_a_child_begins_with_what_its_parent_told() {
    let parent = opened_then(vec![
        told("one"),
        updated(12, vec![full(FILE, "two")]),
        Event::ValueSet { key: "k".parse().unwrap(), value: blob("v") },
    ]);
    let forked = Event::Forked {
        parent: "host/one".parse().unwrap(),
        position: Position(12),
        location: location("/repo/s", "/repo"),
        trust: Trust::Untrusted,
        prior: Prior::Unknown,
        told: Box::new(parent.told.clone()),
        values: parent.values.clone(),
        epochs: EpochNumber(4),
    };
    let child = after(vec![forked]);
    assert_eq!(value(&child), value(&parent));
    let first = Revision(1);
    assert_eq!((child.revision, child.reset, child.generation), (first, first, first));
    assert_eq!(child.told.epoch.as_ref().map(|epoch| epoch.revision), Some(first));
    let [update] = &child.told.updates[..] else { panic!("one update") };
    assert_eq!((update.revision, update.first_told.is_some()), (first, true));
    assert_eq!(update.text, parent.told.updates[0].text);
    assert_eq!((child.epochs, child.values.len()), (EpochNumber(4), 1));
    assert_eq!((child.trust, child.prior), (Trust::Untrusted, Prior::Unknown));
    assert_eq!(child.location, location("/repo/s", "/repo"));
}

#[test]
fn r_api_1_values_are_set_and_taken_back() {
    let set = |text| Event::ValueSet { key: "k".parse().unwrap(), value: blob(text) };
    let state = opened_then(vec![set("one"), set("two")]);
    assert_eq!(state.values[&"k".parse().unwrap()], blob("two"));
    let state = opened_then(vec![set("one"), Event::ValueUnset { key: "k".parse().unwrap() }]);
    assert!(state.values.is_empty());
}

#[test]
fn a_briefing_is_extended_only_where_updates_were_all_that_came() {
    use crate::render::{Extent, extent_since};
    let check = |event: Event, extends: bool| {
        let state = opened_then(vec![told("one"), event]);
        let extent = extent_since(&state, Some(Revision(2)));
        let expect = if extends { Extent::After(Revision(2)) } else { Extent::Complete };
        assert_eq!(extent, expect);
    };
    check(updated(12, vec![full(FILE, "two")]), true);
    check(Event::Compacted { position: Position(12) }, true);
    check(Event::ValueUnset { key: "k".parse().unwrap() }, true);
    check(Event::WindowMoved { from: Position(12) }, false);
    check(Event::HoldsDeclared { held: vec![], lost: vec![] }, false);
    check(epoch_started(2, 12, vec![]), false);
    check(Event::Reverted { to: Position(2), told: Box::default() }, false);
    let state = opened_then(vec![told("one")]);
    assert_eq!(extent_since(&state, None), Extent::Complete);
    assert_eq!(extent_since(&state, Some(Revision(1))), Extent::Complete);
    assert_eq!(extent_since(&state, Some(Revision(3))), Extent::Complete, "not of this session");
}

#[test]
fn what_is_told_where_the_window_had_passed_is_in_the_window() {
    let window = Event::WindowMoved { from: Position(30) };
    let state = opened_then(vec![told("one"), window.clone()]);
    assert_eq!(state.told.window, Position(30));
    let state = opened_then(vec![told("one"), window, updated(20, vec![full(FILE, "two")])]);
    assert_eq!(value(&state), Some(blob("two").sha256));
    assert!(state.told.in_window(Position(20)));
}

#[test]
fn a_removal_and_a_diff_fold_to_what_they_leave() {
    let state = opened_then(vec![told("one"), updated(12, vec![removed(FILE)])]);
    assert_eq!(state.belief(&key(FILE)), Belief::Nothing);
    let state = opened_then(vec![told("one"), updated(12, vec![diffed(FILE, "two")])]);
    assert_eq!(value(&state), Some(blob("two").sha256));
    assert_eq!(state.told.entries[&key(FILE)].last.as_ref().unwrap().rests_on, Position(12));
}
