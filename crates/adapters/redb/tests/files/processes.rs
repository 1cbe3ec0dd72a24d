//! Many processes at one store: racing, killed, stopped.

use super::{
    child::{Process, RACED, Role, append, session},
    layout::{PATIENT, Place},
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Barrier},
};
use told_domain::{position::Revision, record::Event, session::SessionId};
use told_ports::{Store, StoreError};
use told_redb::{RedbOptions, RedbStore};
use told_testkit::contract::{
    block_on,
    store_draft::{Draft, directory, id, text_of},
};

#[test]
fn processes_that_race_lose_and_double_nothing() {
    let place = Place::new();
    let mut racers: Vec<_> = (0..3).map(|_| Process::start(Role::Race, &place.path())).collect();
    let writers: Vec<_> = racers.iter_mut().map(|racer| racer.says().unwrap()).collect();
    block_on(async {
        let draft = session(&place.open(), "raced").await;
        assert_eq!(draft.records.len() as u64, 1 + 3 * RACED);
        let mut written = BTreeMap::<&str, u64>::new();
        for writer in &writers {
            for record in &draft.records[1..] {
                let text = text_of(&format!("{} by {writer}", record.revision));
                if sets(&record.event, &text) {
                    *written.entry(writer).or_default() += 1;
                }
            }
        }
        assert!(writers.iter().all(|writer| written[writer.as_str()] == RACED), "{written:?}");
    });
}

fn sets(event: &Event, text: &str) -> bool {
    let hash = told_domain::hash::ContentHash::of(text);
    matches!(event, Event::ValueSet { value, .. } if value.sha256 == hash)
}

#[test]
fn processes_that_make_the_store_at_once_make_one() {
    let place = Place::new();
    let start = Arc::new(Barrier::new(6));
    let threads: Vec<_> = (0..6)
        .map(|number| {
            // A store of its own each: what one handle knows, the others do not.
            let (store, start) = (place.open(), Arc::clone(&start));
            std::thread::spawn(move || {
                start.wait();
                block_on(async {
                    let mut draft = Draft::new(id(&format!("made by {number}")));
                    let open = draft.open(&directory("/repo"));
                    let mark = store.append(&draft.id, open.clone()).await.unwrap();
                    draft.took(&open, mark);
                    append(&store, &mut draft, "a thread").await.unwrap();
                });
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    block_on(async {
        let sessions = place.open().sessions(None).await.unwrap();
        assert_eq!(sessions.len(), 6);
        assert!(sessions.iter().all(|session| session.revision == Revision(2)));
    });
    let names: Vec<_> = std::fs::read_dir(place.directory()).unwrap().collect();
    assert_eq!(names.len(), 1, "no temporary file is left: {names:?}");
}

#[test]
fn st_4_sixty_kills_lose_no_acknowledged_append() {
    let place = Place::new();
    // Half of the kills happen beside a process that has the store open all the time.
    let server = place.open();
    let mut acknowledged = Revision::NONE;
    let mut seed = 7_u64;
    for kill in 0..60 {
        let mut child = Process::start(Role::Write, &place.path());
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        for _ in 0..=(seed >> 33) % 4 {
            acknowledged = Revision(child.says().unwrap().parse().unwrap());
        }
        child.kill();
        // What the pipe still holds was acknowledged as well.
        while let Some(said) = child.says() {
            acknowledged = said.parse().map_or(acknowledged, Revision);
        }
        let anew = (kill % 2 == 0).then(|| place.open());
        let store = anew.as_ref().unwrap_or(&server);
        block_on(async {
            let draft = session(store, "killed").await;
            let last = draft.mark.unwrap().revision;
            assert!(last == acknowledged || last == acknowledged.next(), "{last} {acknowledged}");
            assert_eq!(draft.records.len() as u64, last.0, "no gap");
            let revisions = store.revisions(&draft.id, &directory("/repo")).await.unwrap();
            assert_eq!(revisions.session, draft.mark);
            for record in &draft.records[1..] {
                let text = text_of(&format!("{} by a child", record.revision));
                assert!(sets(&record.event, &text), "record {} is not doubled", record.revision);
            }
        });
    }
    assert!(acknowledged > Revision(60));
}

/// What a store gives up on is never done later.
#[test]
fn a_stopped_process_that_holds_the_store_makes_it_busy_and_nothing_hangs() {
    let place = Place::new();
    let mut draft = block_on(session(&place.open(), "a"));
    let mut holder = Process::start(Role::Hold, &place.path());
    assert_eq!(holder.says().unwrap(), "holding");
    holder.signal("STOP");

    let hasty = || RedbStore::open(place.path(), RedbOptions { wait_ms: 200 });
    let (opened_before, mut late) = (hasty(), draft.clone());
    block_on(async {
        for store in [&opened_before, &hasty()] {
            // Reading goes on.
            assert_eq!(store.load(&draft.id).await.unwrap().unwrap().mark, draft.mark.unwrap());
            assert_busy(append(store, &mut late, "nobody").await);
            assert_busy(store.delete(&draft.id, None).await);
            let key = "k".parse().unwrap();
            assert_busy(store.set_value(&directory("/repo"), &key, Some("v".into())).await);
            let revisions = store.revisions(&draft.id, &directory("/repo")).await.unwrap();
            assert_eq!((revisions.session, revisions.values), (draft.mark, 0));
        }
    });
    holder.signal("CONT");
    holder.kill();
    block_on(async {
        append(&opened_before, &mut draft, "somebody").await.unwrap();
        append(&place.open(), &mut draft, "somebody").await.unwrap();
        let stored = session(&place.open(), "a").await;
        assert_eq!(stored.records, draft.records, "what was given up was never done");
        let values = place.open().values(&directory("/repo")).await.unwrap();
        assert_eq!(values.revision, 0);
    });
}

fn assert_busy<T: std::fmt::Debug>(answer: Result<T, StoreError>) {
    assert!(matches!(answer, Err(StoreError::Busy { waited_ms: 200, .. })), "{answer:?}");
}

#[test]
fn a_caller_that_left_before_its_turn_is_not_served() {
    let place = Place::new();
    let draft = block_on(session(&place.open(), "a"));
    let mut holder = Process::start(Role::Hold, &place.path());
    assert_eq!(holder.says().unwrap(), "holding");
    let store = RedbStore::open(place.path(), PATIENT);
    block_on(async {
        let mut left = draft.clone();
        let mut append = Box::pin(append(&store, &mut left, "nobody"));
        // Begun, and waiting behind the holder.
        let begun = std::future::poll_fn(|context| {
            std::task::Poll::Ready(append.as_mut().poll(context).is_pending())
        });
        assert!(begun.await);
        drop(append);
    });
    holder.kill();
    block_on(async {
        // The next call is behind it in the queue.
        assert!(!store.delete(&id("never"), None).await.unwrap());
        assert_eq!(session(&store, "a").await.records, draft.records);
    });
}

/// A session's whole life beside two others, through one transaction where they meet.
#[test]
fn a_refusal_undoes_nobody_elses_work() {
    let place = Place::new();
    let store = Arc::new(place.open());
    block_on(async {
        let draft = session(&*store, "refused").await;
        let mut holder = Process::start(Role::Hold, &place.path());
        assert_eq!(holder.says().unwrap(), "holding");
        // All of them wait for the holder, and share the transaction after it.
        let tasks: Vec<_> = (0..20)
            .map(|number| {
                let (store, mut draft) = (Arc::clone(&store), draft.clone());
                tokio::spawn(async move {
                    if number % 2 == 0 {
                        let name: SessionId = id(&format!("other {number}"));
                        let open = Draft::new(name.clone()).open(&directory("/repo"));
                        store.append(&name, open).await.is_ok()
                    } else {
                        append(&*store, &mut draft, &number.to_string()).await.is_ok()
                    }
                })
            })
            .collect();
        tokio::task::yield_now().await;
        holder.kill();
        let mut done = 0;
        for task in tasks {
            done += u32::from(task.await.unwrap());
        }
        assert_eq!(done, 11, "every new session, and one of the racers");
        assert_eq!(store.sessions(None).await.unwrap().len(), 11);
    });
}
