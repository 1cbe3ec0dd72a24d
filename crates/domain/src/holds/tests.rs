//! Belief where texts are gone: under a window (R-SES-7) and under holds (R-SES-9).

use crate::{
    record::Event,
    testing::{Session, admission, blob, diffed, epoch_started, full, removed, updated},
    told::Change,
};

const A: &str = "/repo/AGENTS.md";

/// A session whose baseline (revision 2, position 10) tells `A` as `base`, with an update a line:
/// revisions 3, 4, … at positions 20, 30, ….
fn told(changes: &[Change]) -> Session {
    let mut session = Session::open();
    let texts = ["base", "one", "two", "three", "baseline", "update"];
    session.append(epoch_started(1, 10, vec![admission(A, "base")]), &texts);
    for (position, change) in (20..).step_by(10).zip(changes) {
        session.append(updated(position, vec![change.clone()]), &[]);
    }
    session
}

#[test]
fn r_ses_7_the_belief_under_a_window_is_what_remaining_texts_give_in_full() {
    let check = |changes: &[Change], window: u64, expect: &str| {
        let mut session = told(changes);
        session.window(window);
        assert_eq!(session.belief(A), expect, "{changes:?} from {window}");
    };
    let updates = [full(A, "one"), full(A, "two")];
    check(&updates, 10, "two");
    check(&updates, 30, "two");
    check(&updates, 31, "base");
    check(&[removed(A)], 20, "nothing");
    check(&[removed(A)], 21, "base");
    check(&[diffed(A, "one")], 20, "one");
    check(&[diffed(A, "one")], 21, "base");
    let chain = [full(A, "one"), diffed(A, "two"), diffed(A, "three")];
    check(&chain, 20, "three");
    check(&chain, 21, "unclear");
    check(&chain, 40, "unclear");
    check(&chain, 41, "base");
    let from_baseline = [diffed(A, "one"), diffed(A, "two")];
    check(&from_baseline, 20, "two");
    // The second diff stands on the first, which is gone, though that stood on the baseline.
    check(&from_baseline, 30, "unclear");
}

#[test]
fn r_ses_9_the_belief_under_holds_is_folded_over_the_texts_at_hand() {
    let check = |changes: &[Change], lost: &[u64], expect: &str| {
        let mut session = told(changes);
        session.lose(lost);
        assert_eq!(session.belief(A), expect, "{changes:?} without {lost:?}");
    };
    check(&[], &[], "base");
    check(&[], &[2], "nothing");
    let updates = [full(A, "one"), full(A, "two")];
    check(&updates, &[], "two");
    check(&updates, &[2, 3], "two");
    check(&updates, &[4], "one");
    check(&updates, &[3, 4], "base");
    check(&updates, &[2, 3, 4], "nothing");
    let removal = [removed(A)];
    check(&removal, &[], "nothing");
    check(&removal, &[2], "nothing");
    check(&removal, &[3], "base");
    let from_baseline = [diffed(A, "one"), diffed(A, "two")];
    check(&from_baseline, &[], "two");
    check(&from_baseline, &[2], "unclear");
    check(&from_baseline, &[3], "unclear");
    check(&from_baseline, &[4], "one");
    check(&from_baseline, &[3, 4], "base");
    let chain = [full(A, "one"), diffed(A, "two")];
    check(&chain, &[2], "two");
    check(&chain, &[3], "unclear");
    check(&[diffed(A, "one"), full(A, "two")], &[2, 3], "two");
}

#[test]
fn r_ses_9_a_later_declaration_replaces_the_one_before() {
    let mut session = told(&[full(A, "one"), full(A, "two")]);
    session.lose(&[2, 3, 4]);
    assert_eq!(session.belief(A), "nothing");
    session.lose(&[4]);
    assert_eq!(session.belief(A), "one");
    session.lose(&[]);
    assert_eq!(session.belief(A), "two");
}

#[test]
fn r_ses_9_a_window_and_holds_together_leave_what_both_leave() {
    let mut session = told(&[full(A, "one"), full(A, "two")]);
    session.lose(&[4]);
    session.window(21);
    assert_eq!(session.belief(A), "base");
    session.lose(&[2, 4]);
    assert_eq!(session.belief(A), "nothing");
}

#[test]
fn r_ses_9_what_another_channel_told_is_not_among_the_lost_texts() {
    let mut session = told(&[full(A, "one")]);
    let sources = vec![admission(A, "two")];
    session.append(Event::Adopted { position: crate::position::Position(30), sources }, &[]);
    session.lose(&[2, 3]);
    assert_eq!(session.belief(A), "two");
    assert_eq!(session.fork(30).belief(A), "two");
    assert_eq!(session.fork(29).belief(A), "nothing", "the losses hold where they were declared");
}

#[test]
fn r_ses_1_a_child_inherits_what_its_parent_lost_and_where_its_window_began() {
    let mut session = told(&[full(A, "one"), diffed(A, "two")]);
    session.window(25);
    assert_eq!(session.fork(40).belief(A), "unclear");
    let mut child = session.fork(40);
    child.revert(35);
    assert_eq!(child.belief(A), "unclear", "taken back by head alone");
    child.revert(25);
    assert_eq!(child.belief(A), "base");
    let mut session = told(&[full(A, "one"), full(A, "two")]);
    session.lose(&[4]);
    assert_eq!(session.fork(40).belief(A), "one");
    assert_eq!(blob("one"), admission(A, "one").value);
}

#[test]
fn r_ses_9_what_is_held_of_one_epoch_says_nothing_of_the_texts_of_another() {
    let mut session = told(&[full(A, "one")]);
    session.lose(&[3]);
    session.compact(40);
    session.append(epoch_started(2, 40, vec![admission(A, "two")]), &[]);
    session.lose(&[]);
    assert_eq!(session.belief(A), "two");
    session.revert(30);
    assert_eq!(session.belief(A), "base", "the text that was lost in its own epoch stays lost");
}
