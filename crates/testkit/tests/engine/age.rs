//! Sessions that are deleted by age, and one of them wakes.

use super::{World, open};
use std::time::Duration;
use tokio::sync::oneshot;
use told_app::{Engine, SyncRequest};
use told_domain::session::SessionId;
use told_testkit::{
    contract::block_on,
    fake::store::{Call, Fault},
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn names(engine: &Engine) -> Vec<String> {
    let listed = engine.sessions(None).await.unwrap();
    listed.into_iter().map(|listed| listed.session.to_string()).collect()
}

fn strings(deleted: &[SessionId]) -> Vec<String> {
    deleted.iter().map(ToString::to_string).collect()
}

/// Three sessions of two days ago; `b` is used by another process while `delete_older_than` is about
/// to make that call.
async fn woken_at(call: Call, nth: u64, what: Woken) {
    let world = World::new();
    for name in ["a", "b", "c"] {
        open(&world.engine, name).await;
    }
    world.clock.advance(DAY * 2);
    let (release, released) = oneshot::channel();
    world.store.script(call, nth, Fault::Until(released));
    let other = world.other();
    let calls = || world.store.calls().iter().filter(|made| **made == call).count() as u64;
    let before = calls();
    let wake = async {
        while calls() < before + nth {
            tokio::task::yield_now().await;
        }
        let b: SessionId = "b".parse().unwrap();
        match what {
            Woken::Synced => {
                let session = other.session(&b).await.unwrap();
                session.sync(SyncRequest::default()).await.unwrap();
            }
            // Of the same name, and at the same revision.
            Woken::MadeAnew => {
                other.delete(&b).await.unwrap();
                open(&other, "b").await;
            }
        }
        release.send(()).unwrap();
    };
    let (deleted, ()) = tokio::join!(world.engine.delete_older_than(DAY), wake);
    let case = format!("{call:?} {nth}");
    assert_eq!(strings(&deleted.unwrap()), ["a", "c"], "{case}");
    assert_eq!(names(&world.engine).await, ["b"], "{case}");
    let b = world.engine.session(&"b".parse().unwrap()).await.unwrap();
    let briefing = b.sync(SyncRequest::default()).await.unwrap();
    assert_eq!(briefing.epoch.number.0, 1, "{case}");
}

#[derive(Clone, Copy)]
enum Woken {
    Synced,
    MadeAnew,
}

/// ST-18: whenever it wakes, a session that was used stays.
#[test]
fn a_session_that_wakes_is_not_deleted_by_age() {
    let moments = [
        (Call::Sessions, 1),
        (Call::Revisions, 1),
        (Call::Revisions, 2),
        (Call::Revisions, 3),
        (Call::Sessions, 2),
        (Call::Delete, 1),
        (Call::Delete, 2),
    ];
    for (call, nth) in moments {
        for what in [Woken::Synced, Woken::MadeAnew] {
            block_on(woken_at(call, nth, what));
        }
    }
}

#[test]
fn what_is_not_that_old_stays_and_nothing_is_written() {
    block_on(async {
        let world = World::new();
        open(&world.engine, "a").await;
        world.clock.advance(DAY);
        let before = world.store.commits();
        assert_eq!(world.engine.delete_older_than(DAY).await.unwrap(), []);
        assert_eq!((names(&world.engine).await, world.store.commits()), (vec!["a".into()], before));
    });
}
