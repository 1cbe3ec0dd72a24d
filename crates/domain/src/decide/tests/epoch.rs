//! Epochs: R-EPO-1…6.

use crate::{
    command::Decision,
    context::{Contributed, Need},
    key::Origin,
    observation::Observation,
    position::{EpochNumber, Position},
    reason::UnavailableReason,
    render::{Guidance, Renderer},
    testing::{Session, World, key},
    told::EpochCause,
};
use std::sync::Arc;

const A: &str = "/repo/AGENTS.md";
const B: &str = "/repo/a/AGENTS.md";

fn begun(world: &World) -> Session {
    let mut session = Session::open();
    session.settle(1, &["/repo/a"]);
    session.sync_at(10, world);
    session
}

#[test]
fn r_epo_2_a_compaction_ends_the_epoch_and_the_next_baseline_restates_all() {
    let mut world = World::repo(&[(A, "1"), (B, "1")]);
    let mut session = begun(&world);
    session.sync_at(20, world.put(A, "2"));
    session.compact(30);
    assert_eq!(session.briefing().updates.len(), 1, "until then the ended one is shown");
    world.put(B, "2");
    let told = session.sync_at(40, &world);
    assert_eq!(told, vec!["epoch 2".to_owned(), format!("= {A}"), format!("= {B}")]);
    let briefing = session.briefing();
    assert_eq!(briefing.updates, []);
    assert_eq!(
        (briefing.epoch.cause, briefing.epoch.position),
        (EpochCause::Compacted, Position(30))
    );
    assert_eq!((session.belief(A), session.belief(B)), ("2".to_owned(), "2".to_owned()));
    assert_eq!(session.sync_at(40, &world), [""; 0]);
}

#[test]
fn r_epo_2_a_compaction_never_blocks_and_restates_what_is_unavailable_as_last_admitted() {
    let mut world = World::repo(&[(A, "1"), (B, "1")]);
    let mut session = begun(&world);
    session.sync_at(20, world.put(A, "2"));
    session.window(25);
    session.compact(30);
    world.fail(A, UnavailableReason::IoError).fail(B, UnavailableReason::IoError);
    let told = session.sync(&world);
    assert_eq!(told, vec!["epoch 2".to_owned(), format!("= {A}"), format!("= {B}")]);
    assert_eq!(session.belief(A), "2", "the last admitted one, in the window or not");
}

#[test]
fn r_epo_2_what_was_told_as_removed_is_not_restated() {
    let mut world = World::repo(&[(A, "1"), (B, "1")]);
    let mut session = begun(&world);
    session.sync(world.remove(A));
    session.compact(30);
    world.fail(A, UnavailableReason::IoError);
    assert_eq!(session.sync(&world), vec!["epoch 2".to_owned(), format!("= {B}")]);
}

#[test]
fn r_epo_3_a_rebase_begins_at_the_last_anchored_position() {
    let world = World::repo(&[(A, "1")]);
    let mut session = begun(&world);
    session.sync_at(50, &world);
    session.rebase();
    session.sync_at(60, &world);
    let epoch = session.briefing().epoch;
    assert_eq!((epoch.cause, epoch.position), (EpochCause::Rebased, Position(10)));
}

#[test]
fn r_epo_3_before_the_first_epoch_requests_write_nothing() {
    let mut session = Session::open();
    assert_eq!(session.rebase(), Decision::Unchanged);
    assert_eq!(session.compact(5), Decision::Unchanged);
    session.settle(7, &["/repo/a"]);
    assert_eq!(session.rebase(), Decision::Unchanged);
    assert_eq!(session.log.len(), 2);
}

#[test]
fn r_epo_3_an_epochs_number_is_never_used_twice() {
    let world = World::repo(&[(A, "1")]);
    let mut session = begun(&world);
    session.compact(20);
    session.sync(&world);
    session.revert(15);
    assert_eq!(session.briefing().epoch.number, EpochNumber(1), "R-EPO-4");
    session.compact(20);
    assert_eq!(session.sync(&world)[0], "epoch 3");
    session.revert(5);
    assert_eq!(session.sync(&world)[0], "epoch 4");
    let mut child = session.fork(0);
    assert_eq!(child.sync(&world)[0], "epoch 5");
}

fn plugin(observation: Observation<Arc<str>>) -> Contributed {
    struct Rules;
    impl Guidance for Rules {
        fn removal(&self) -> Option<String> {
            Some("The linter was switched off.".to_owned())
        }
    }
    Contributed {
        key: key("lint/rules"),
        origin: Origin::Host,
        need: Need::Optional,
        renderer: Renderer::Plugin(Arc::new(Rules)),
        observation,
    }
}

#[test]
fn r_epo_5_a_dropped_plugin_goes_with_its_own_words() {
    let mut world = World::repo(&[]);
    world.contributed = vec![plugin(Observation::Available("on".into()))];
    let mut session = begun(&world);
    world.contributed.clear();
    assert_eq!(session.sync(&world), ["- lint/rules"]);
    assert_eq!(session.last_text(), "The linter was switched off.");
}

#[test]
fn r_epo_5_a_plugin_that_was_never_registered_is_held_and_the_next_epoch_leaves_it_out() {
    let mut world = World::repo(&[(A, "1")]);
    world.contributed = vec![plugin(Observation::Available("on".into()))];
    let mut session = begun(&world);
    world.contributed.clear();
    world.not_registered = vec!["lint/rules".parse().unwrap()];
    assert_eq!(session.sync(&world), [""; 0]);
    assert_eq!(session.belief("lint/rules"), "on");
    session.window(15);
    assert_eq!(session.sync(&world), [""; 0], "what the baseline says stands");
    session.compact(20);
    assert_eq!(session.sync(&world), vec!["epoch 2".to_owned(), format!("= {A}")]);
    assert_eq!(session.belief("lint/rules"), "nothing");
}

#[test]
fn r_epo_2_an_unavailable_plugin_is_restated_by_its_own_renderer() {
    let mut world = World::repo(&[]);
    world.contributed = vec![plugin(Observation::Available("on".into()))];
    let mut session = begun(&world);
    world.contributed = vec![plugin(Observation::Unavailable(UnavailableReason::Timeout))];
    session.compact(20);
    assert_eq!(session.sync(&world), ["epoch 2", "= lint/rules"]);
    assert_eq!(session.last_text(), "on");
}

#[test]
fn r_epo_6_when_the_last_instruction_file_goes_the_text_says_so() {
    const GONE: &str = "Previously loaded instructions no longer apply.";
    let mut world = World::repo(&[(A, "1"), (B, "1")]);
    world.contributed = vec![plugin(Observation::Available("on".into()))];
    let mut session = begun(&world);
    session.sync(world.remove(A));
    assert!(!session.last_text().contains(GONE));
    world.fail(B, UnavailableReason::IoError).put(A, "2");
    session.sync(&world);
    session.sync(world.remove(A));
    assert!(!session.last_text().contains(GONE), "one is held");
    session.sync(world.remove(B));
    assert!(session.last_text().contains(GONE));
    session.sync(world.put(A, "1"));
    world.remove(A).put(B, "2");
    session.sync(&world);
    assert!(!session.last_text().contains(GONE), "another came");
}
