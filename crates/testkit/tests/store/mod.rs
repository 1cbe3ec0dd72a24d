//! The fake store keeps the contract, and meets its script.

use std::sync::Arc;
use told_domain::position::Revision;
use told_ports::{Store, StoreError};
use told_testkit::{
    contract::{
        block_on,
        store::StoreFixture,
        store_draft::{Draft, directory, id, set, text_of},
    },
    fake::{
        store::{Call, FakeStore, Fault},
        store_medium::Damage,
    },
};

struct Fixture(FakeStore);

impl StoreFixture for Fixture {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.0.restarted())
    }

    fn crashed(&self) -> Arc<dyn Store> {
        Arc::new(FakeStore::on(self.0.snapshot()))
    }

    fn damage(&self, damage: &Damage) {
        self.0.damage(damage);
    }

    fn texts(&self) -> Vec<Arc<str>> {
        self.0.texts()
    }
}

told_testkit::store_contract!(|| Fixture(FakeStore::new()));

/// A store with a session, and the session.
#[expect(clippy::unwrap_used, reason = "a test's beginning")]
async fn opened() -> (FakeStore, Draft) {
    let (store, mut draft) = (FakeStore::new(), Draft::new(id("a")));
    let open = draft.open(&directory("/repo"));
    let mark = store.append(&draft.id, open.clone()).await.unwrap();
    draft.took(&open, mark);
    (store, draft)
}

#[test]
fn a_scripted_call_meets_its_fault_and_no_other_does() {
    block_on(async {
        let (store, draft) = opened().await;
        let append = draft.append(vec![set("k", "v")]);
        for fault in [Fault::Busy, Fault::Full, Fault::ReadOnly, Fault::Failed, Fault::LostBefore] {
            store.script(Call::Append, 1, fault);
            assert!(store.append(&draft.id, append.clone()).await.is_err());
            assert_eq!(store.load(&draft.id).await.unwrap().unwrap().mark, draft.mark.unwrap());
        }
        store.script(Call::Append, 2, Fault::Busy);
        store.append(&draft.id, append.clone()).await.unwrap();
        let busy = store.append(&draft.id, append).await;
        assert!(matches!(busy, Err(StoreError::Busy { .. })));
        assert_eq!(store.commits(), 2);
        assert_eq!(store.calls()[..3], [Call::Append, Call::Append, Call::Load]);
    });
}

#[test]
fn a_lost_answer_was_written_and_a_crash_keeps_it() {
    block_on(async {
        let (store, draft) = opened().await;
        let append = draft.append(vec![set("k", "v")]);
        store.script(Call::Append, 1, Fault::LostAfter);
        let answer = store.append(&draft.id, append).await;
        assert!(matches!(answer, Err(StoreError::OutcomeUnknown(_))));
        let survivor = FakeStore::on(store.snapshot());
        let records = survivor.records(&draft.id, Revision(1), 9).await.unwrap();
        assert_eq!(records.len(), 1);
    });
}

#[test]
fn a_commit_cut_off_just_before_its_end_is_found_done_by_the_next_write() {
    block_on(async {
        let (store, draft) = opened().await;
        let append = draft.append(vec![set("k", "v")]);
        store.script(Call::Append, 1, Fault::LostUntilAWrite);
        let answer = store.append(&draft.id, append.clone()).await;
        assert!(matches!(answer, Err(StoreError::OutcomeUnknown(_))));
        let survivor = FakeStore::on(store.snapshot());
        assert_eq!(survivor.records(&draft.id, Revision(1), 9).await.unwrap(), []);
        let again = survivor.append(&draft.id, append.clone()).await;
        assert!(matches!(again, Err(StoreError::Conflict { .. })), "{again:?}");
        assert_eq!(survivor.records(&draft.id, Revision(1), 9).await.unwrap(), append.records);
    });
}

#[test]
fn an_overtaken_append_hears_where_the_winner_stands() {
    block_on(async {
        let (store, draft) = opened().await;
        let (loser, winner) =
            (draft.append(vec![set("k", "lost")]), draft.append(vec![set("k", "won")]));
        store.overtake(1, draft.id.clone(), winner);
        match store.append(&draft.id, loser).await {
            Err(StoreError::Conflict { found: Some(found) }) => {
                assert_eq!(found.revision, Revision(2));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(store.texts(), [text_of("won")]);
    });
}

#[test]
fn a_held_call_goes_on_when_it_is_released() {
    block_on(async {
        let (store, draft) = opened().await;
        let (release, released) = tokio::sync::oneshot::channel();
        store.script(Call::Load, 1, Fault::Until(released));
        let held = tokio::spawn({
            let (store, id) = (store.clone(), draft.id.clone());
            async move { store.load(&id).await.unwrap().unwrap().mark.revision }
        });
        let append = draft.append(vec![set("k", "v")]);
        store.append(&draft.id, append).await.unwrap();
        drop(release);
        assert_eq!(held.await.unwrap(), Revision(2), "it takes effect after its release");
    });
}

#[test]
fn an_append_that_contradicts_itself_is_refused() {
    block_on(async {
        let (store, mut draft) = opened().await;
        let first = draft.append(vec![set("k", "v")]);
        let mark = store.append(&draft.id, first.clone()).await.unwrap();
        let stale = draft.append(vec![set("other", "w")]);
        draft.took(&first, mark);
        let good = draft.append(vec![set("k", "w")]);

        let mut wrong_head = good.clone();
        wrong_head.head = stale.head;
        let mut wrong_summary = good.clone();
        wrong_summary.summary.last_record_at = draft.summary().opened_at;
        let mut too_much = good.clone();
        too_much.blobs.push(told_domain::hash::Blob::new("nobody's"));
        for append in [wrong_head, wrong_summary, too_much] {
            let answer = store.append(&draft.id, append).await;
            assert!(matches!(answer, Err(StoreError::Refused(_))), "{answer:?}");
        }
        store.append(&draft.id, good).await.unwrap();
    });
}
