//! A store file that is deleted or replaced under a process that holds it open (R-BND-5): nothing is
//! answered as written that the path no longer leads to.

use super::layout::Place;
use told_ports::{Store, StoreError};
use told_redb::RedbStore;
use told_testkit::contract::store_draft::{Draft, directory, id, set};

async fn begin(store: &RedbStore, draft: &mut Draft) {
    let opened = draft.open(&directory("/repo"));
    let mark = store.append(&draft.id, opened.clone()).await.unwrap();
    draft.took(&opened, mark);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_store_takes_its_sessions_with_it() {
    let place = Place::new();
    let store = place.open();
    let mut draft = Draft::new(id("a"));
    begin(&store, &mut draft).await;
    std::fs::remove_file(place.path()).unwrap();
    let late = draft.append(vec![set("k", "v")]);
    let refused = store.append(&draft.id, late).await;
    assert!(matches!(refused, Err(StoreError::Conflict { found: None })), "{refused:?}");
    assert!(store.load(&draft.id).await.unwrap().is_none());
    let revisions = store.revisions(&draft.id, &directory("/repo")).await.unwrap();
    assert_eq!(revisions.session, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_store_counts_as_it_is() {
    let (place, other) = (Place::new(), Place::new());
    let (store, elsewhere) = (place.open(), other.open());
    let (mut draft, mut foreign) = (Draft::new(id("a")), Draft::new(id("b")));
    begin(&store, &mut draft).await;
    begin(&elsewhere, &mut foreign).await;
    drop(elsewhere);
    std::fs::rename(other.path(), place.path()).unwrap();
    let late = draft.append(vec![set("k", "v")]);
    assert!(matches!(
        store.append(&draft.id, late).await,
        Err(StoreError::Conflict { found: None })
    ));
    let found = store.load(&foreign.id).await.unwrap().unwrap();
    assert_eq!(Some(found.mark), foreign.mark);
}
