//! A fork while another process deletes the parent.

use super::{World, open};
use std::sync::Arc;
use told_app::{Error, SyncRequest};
use told_domain::session::SessionId;
use told_testkit::{
    contract::block_on,
    fake::store::{Call, FakeStore, Fault},
};

/// Who is forked, and what becomes of it.
const PARENT: &str = "parent";

/// What another process does while a fork is about to make a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meanwhile {
    Deleted,
    BegunAnew,
}

/// Forks, and has something happen before the `nth` call of that kind.
fn forked(call: Call, nth: u64, what: Meanwhile) -> (Result<u64, Error>, World) {
    block_on(async {
        let world = World::new();
        let parent = open(&world.engine, PARENT).await;
        parent.sync(SyncRequest::default()).await.unwrap();
        let other = Arc::new(world.other());
        let happens = move |_: &FakeStore| {
            let act = async {
                other.delete(&PARENT.parse().unwrap()).await.unwrap();
                if what == Meanwhile::BegunAnew {
                    open(&other, PARENT).await;
                }
            };
            std::thread::scope(|scope| scope.spawn(|| block_on(act)).join().unwrap());
        };
        world.store.script(call, nth, Fault::Meanwhile(Box::new(happens)));
        let (parent, child): (SessionId, SessionId) =
            (PARENT.parse().unwrap(), "child".parse().unwrap());
        let done = world.engine.fork(&parent, &child, None).await;
        (done.map(|opened| opened.revision.0), world)
    })
}

#[test]
fn r_ses_1_a_parent_that_is_deleted_meanwhile_is_unknown_and_leaves_no_child() {
    for (call, nth) in
        [(Call::Revisions, 1), (Call::Records, 1), (Call::Revisions, 2), (Call::Append, 1)]
    {
        let (done, world) = forked(call, nth, Meanwhile::Deleted);
        assert!(matches!(done, Err(Error::UnknownSession(_))), "{call:?} {nth}: {done:?}");
        assert_eq!(block_on(world.engine.sessions(None)).unwrap().len(), 0);
    }
}

/// The child is of the parent that there is then, and holds nothing of the one before.
#[test]
fn r_ses_1_a_parent_that_is_begun_anew_meanwhile_is_forked_as_it_is() {
    for (call, nth) in [(Call::Records, 1), (Call::Revisions, 2), (Call::Append, 1)] {
        let (done, world) = forked(call, nth, Meanwhile::BegunAnew);
        assert_eq!(done.unwrap(), 1, "{call:?} {nth}");
        let child = block_on(world.engine.session(&"child".parse().unwrap())).unwrap();
        let shown = block_on(child.show(None)).unwrap();
        assert_eq!(shown.epoch.number.0, 0, "{call:?} {nth}: the new parent was told nothing");
    }
}
