//! A commit that fails at each of its steps: what the caller is told is true, and the store goes on.

use crate::{RedbOptions, RedbStore};
use told_domain::position::Revision;
use told_ports::{Store, StoreError};
use told_testkit::contract::{
    block_on,
    store_draft::{Draft, directory, id, set},
};

const EIO: i32 = 5;
const ENOSPC: i32 = 28;
/// More steps than a commit has.
const STEPS: u32 = 200;

/// What came of an append whose `step`th step failed; nothing where it has fewer steps.
async fn torn(step: u32, error: i32) -> Option<Result<(), StoreError>> {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store");
    let store = RedbStore::open(&path, RedbOptions::default());
    let mut draft = Draft::new(id("a"));
    let open = draft.open(&directory("/repo"));
    let mark = store.append(&draft.id, open.clone()).await.unwrap();
    draft.took(&open, mark);

    let append = draft.append(vec![set("value", "torn"), set("other", "torn as well")]);
    let handle = store.file.current().unwrap();
    handle.beside.fuse.set(step, error);
    let answer = store.append(&draft.id, append.clone()).await;
    if handle.beside.fuse.is_set() {
        answer.unwrap();
        return None;
    }
    drop(handle);
    // Read back on the same store, as the caller of an unknown outcome does.
    let found = store.load(&draft.id).await.unwrap().unwrap();
    match &answer {
        Ok(mark) => assert_eq!(found.mark, *mark),
        Err(StoreError::OutcomeUnknown(_)) => {
            assert!([Revision(1), Revision(3)].contains(&found.mark.revision), "all or none");
        }
        Err(_) => assert_eq!(Some(found.mark), draft.mark, "step {step}: nothing was written"),
    }
    if found.mark.revision == Revision(3) {
        draft.took(&append, found.mark);
    }
    assert_eq!(Some(&found.state), draft.state.as_ref());

    let next = draft.append(vec![set("value", "after it")]);
    let mark = store.append(&draft.id, next.clone()).await.unwrap();
    draft.took(&next, mark);
    drop(store);
    let anew = RedbStore::open(&path, RedbOptions::default());
    let records = anew.records(&draft.id, Revision::NONE, usize::MAX).await.unwrap();
    assert_eq!(records, draft.records, "step {step}");
    Some(answer.map(|_| ()))
}

fn every_step(error: i32, expected: fn(&StoreError) -> bool) {
    block_on(async {
        let (mut certain, mut unknown) = (0, 0);
        for step in 0..STEPS {
            match torn(step, error).await {
                None => {
                    assert!(certain > 1 && unknown > 0, "{certain} {unknown} of {step}");
                    return;
                }
                Some(Err(StoreError::OutcomeUnknown(_))) => unknown += 1,
                Some(Err(error)) if expected(&error) => certain += 1,
                Some(Err(other)) => panic!("step {step}: {other:?}"),
                // A write that nothing depended on.
                Some(Ok(())) => {}
            }
        }
        panic!("a commit has fewer steps");
    });
}

#[test]
fn an_append_that_fails_at_any_step_is_told_as_it_is() {
    every_step(EIO, |error| matches!(error, StoreError::Failed { .. }));
}

#[test]
fn an_append_that_finds_no_room_at_any_step_is_told_as_it_is() {
    every_step(ENOSPC, |error| matches!(error, StoreError::Full { .. }));
}
