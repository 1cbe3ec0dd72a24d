//! What befalls a session between boundaries, as commands: R-LOC-1, R-LOC-3, R-SES-1, R-SES-3, R-SES-7,
//! R-SES-9, R-SES-10.

use crate::{
    command::{Adoption, Claimed, Command, Decision, Refusal},
    decide::{NotAdopted, adoptable, fork, is_same_fork},
    hash::ContentHash,
    position::{Position, Revision},
    record::{DiscoveredScope, Event, Record},
    testing::{Session, World, canonical, key, location},
    time::Timestamp,
};

const A: &str = "/repo/AGENTS.md";

/// A session with a baseline at 10 and an update at 20, and its world.
fn lived() -> (Session, World) {
    let mut world = World::repo(&[(A, "1")]);
    let mut session = Session::open();
    session.sync_at(10, &world); // 2
    session.sync_at(20, world.put(A, "2")); // 3
    (session, world)
}

/// The one event that a command writes; nothing where it writes none.
fn writes(session: &mut Session, command: &Command<'_>) -> Option<Event> {
    match session.run(command) {
        Decision::Commit { records, .. } => records.into_iter().next().map(|record| record.event),
        Decision::Unchanged => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn r_loc_3_only_scopes_that_are_new_write() {
    let (mut session, _) = lived();
    let scope =
        |at: &str| DiscoveredScope { directory: canonical(at), project: canonical("/repo") };
    let mut discover = |position: Option<u64>, scopes: &[DiscoveredScope]| {
        let position = position.map(Position);
        writes(&mut session, &Command::Discover { position, agent: None, scopes })
    };
    let wrote = |position: u64, scopes: &[DiscoveredScope]| {
        let (position, scopes) = (Position(position), scopes.to_vec());
        Some(Event::ScopesDiscovered { position, agent: None, scopes })
    };
    let (a, b) = (scope("/repo/a"), scope("/repo/b"));
    assert_eq!(
        discover(Some(30), &[a.clone(), a.clone()]),
        wrote(30, std::slice::from_ref(&a)),
        "R-LOC-8"
    );
    assert_eq!(discover(Some(40), std::slice::from_ref(&a)), None);
    assert_eq!(discover(Some(5), &[a, b.clone()]), wrote(30, &[b]), "R-LOC-1: raised");
    assert_eq!(discover(None, &[]), None);
}

#[test]
fn r_ses_3_a_move_to_where_the_session_works_is_none() {
    let (mut session, _) = lived();
    let there = location("/other", "/");
    let to_there = Command::Move { location: &there };
    assert_eq!(writes(&mut session, &to_there), Some(Event::Moved { location: there.clone() }));
    assert_eq!(writes(&mut session, &to_there), None);
}

#[test]
fn r_ses_7_a_window_never_goes_back_and_may_begin_past_all_that_was_told() {
    let (mut session, _) = lived();
    let mut window =
        |from| writes(&mut session, &Command::Window { from: Position(from) }).is_some();
    assert_eq!([0, 15, 15, 10, 99].map(&mut window), [false, true, false, false, true]);
    assert_eq!(session.state().default_position(), Position(99));
}

#[test]
fn r_ses_9_a_declaration_names_what_is_lost_and_repeats_nothing() {
    let (mut session, world) = lived();
    let mut holds = |held: &[u64]| {
        let held: Vec<_> = held.iter().map(|revision| Revision(*revision)).collect();
        match writes(&mut session, &Command::Holds { held: &held }) {
            Some(Event::HoldsDeclared { lost, .. }) => Some(lost.iter().map(|r| r.0).collect()),
            Some(other) => panic!("{other:?}"),
            None => None,
        }
    };
    assert_eq!(holds(&[2, 3]), None);
    assert_eq!(holds(&[2, 77]), Some(vec![3]));
    assert_eq!(holds(&[2]), None);
    assert_eq!(holds(&[3]), Some(vec![2]));
    assert_eq!(holds(&[]), Some(vec![2, 3]));
    assert_eq!(session.sync(&world), [format!("+ {A}")]);
    let mut session = Session::open();
    assert_eq!(writes(&mut session, &Command::Holds { held: &[] }), None, "nothing was told");
}

#[test]
fn r_ses_10_what_stands_now_can_be_adopted_and_tells_nothing() {
    let (mut session, mut world) = lived();
    world.put(A, "3").put("/repo/rules.md", "r").link("/repo/a/AGENTS.md", "/repo/rules.md");
    session.settle(21, &["/repo/a"]);
    let context = world.context(&session.ground(), &session.policy);
    let adoption = |at: &str, text: Option<&str>| Adoption {
        source: Claimed::Key(key(at)),
        sha256: text.map(ContentHash::of),
    };
    let requests = [
        adoption(A, Some("2")),
        adoption("/repo/x", None),
        adoption("/repo/a/AGENTS.md", Some("r")),
        adoption("/repo/rules.md", None),
    ];
    let adopted = adoptable(&context, &requests);
    let keys: Vec<_> = adopted.sources.iter().map(|source| source.key.clone()).collect();
    assert_eq!(keys, [key("/repo/rules.md")], "by its candidate, and once");
    assert_eq!(adopted.refused, [(0, NotAdopted::OtherContent), (1, NotAdopted::UnknownSource)]);
    let requests = [adoption(A, Some("3")), adoption("/repo/rules.md", None)];
    let adopt = |position: u64| {
        let position = Some(Position(position));
        Command::Adopt { position, context: &context, sources: &requests }
    };
    let refused = Refusal::PositionRegressed { position: Position(9), anchored: Position(21) };
    assert_eq!(session.run(&adopt(9)), Decision::Refused(refused));
    assert!(writes(&mut session, &adopt(25)).is_some());
    assert_eq!([session.belief(A), session.belief("/repo/rules.md")], ["3", "r"]);
    assert_eq!(writes(&mut session, &adopt(26)), None, "it is believed already");
    assert_eq!(session.sync(&world), [""; 0]);
}

#[test]
fn r_ses_10_what_changed_after_it_was_adopted_is_told_at_the_first_boundary() {
    let mut session = Session::open();
    let mut world = World::repo(&[(A, "1")]);
    let context = world.context(&session.ground(), &session.policy);
    let sources = [Adoption { source: Claimed::Key(key(A)), sha256: None }];
    let adopt = Command::Adopt { position: None, context: &context, sources: &sources };
    assert!(writes(&mut session, &adopt).is_some());
    assert_eq!(session.sync(world.put(A, "2")), vec!["epoch 1".to_owned(), format!("~ {A}")]);
    assert_eq!(session.sync(&world), [""; 0]);
}

#[test]
fn r_ses_1_a_repeated_fork_is_the_same_until_the_child_has_a_record_of_its_own() {
    let (session, _) = lived();
    let (parent, now) = ("host/one".parse().unwrap(), Timestamp::from_millisecond(0));
    let standing = session.standing().unwrap();
    let forked =
        |position: Option<u64>| fork(&parent, &standing, &session.log, position.map(Position), now);
    let child = [forked(Some(20))];
    assert_eq!(child[0], forked(None), "without a position: all that the parent has");
    assert!(is_same_fork(&child, &parent, Position(20)));
    assert!(!is_same_fork(&child, &parent, Position(19)));
    assert!(!is_same_fork(&child, &"host/two".parse().unwrap(), Position(20)));
    let own =
        Record { revision: Revision(2), at: now, event: Event::WindowMoved { from: Position(1) } };
    assert!(!is_same_fork(&[child[0].clone(), own], &parent, Position(20)));
    assert!(!is_same_fork(&session.log[..1], &parent, Position(20)));
}
