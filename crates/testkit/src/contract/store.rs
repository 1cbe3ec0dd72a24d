//! The contract of the `Store` port, one check a clause.

#![expect(clippy::unwrap_used, reason = "a suite is a test, wherever it is run")]

pub use super::store_sharing::*;

use super::store_draft::{Draft, directory, id, key, set, text_of, unset};
use crate::fake::store_medium::Damage;
use std::sync::Arc;
use told_domain::{hash::ContentHash, position::Revision, record::Record};
use told_ports::{Append, HeadCondition, Mark, Store, StoreError};

/// An empty store of its own for one clause, and what the suite must do behind its back.
pub trait StoreFixture {
    /// Another handle on the same store, as another process has.
    fn store(&self) -> Arc<dyn Store>;

    /// The store as it would be found if every process were killed now.
    fn crashed(&self) -> Arc<dyn Store>;

    /// Damages what is stored. Handles that are open must see it.
    fn damage(&self, damage: &Damage);

    /// Every copy of a text that the medium holds.
    fn texts(&self) -> Vec<Arc<str>>;
}

/// Runs the suite on stores that `make` gives: `store_contract!(make)`, where `make()` is a fresh
/// [`StoreFixture`].
#[macro_export]
macro_rules! store_contract {
    ($make:expr) => {
        $crate::store_contract! { @clauses $make;
            st_1_load_gives_state_and_contents_of_one_moment,
            st_1_a_load_beside_appends_never_mixes_two_moments,
            st_2_an_append_that_expects_another_moment_writes_nothing,
            st_3_records_are_appended_all_or_none_and_without_a_gap,
            st_4_an_answered_append_survives_a_kill,
            st_5_a_text_that_is_neither_stored_nor_sent_is_missing,
            st_6_a_text_is_stored_once,
            st_7_records_are_given_in_order_after_a_revision_up_to_a_limit,
            st_8_a_damaged_head_is_folded_anew,
            st_9_a_damaged_log_is_an_error_of_its_session_alone,
            st_10_delete_removes_what_nobody_else_needs,
            st_11_a_session_made_again_is_another,
            st_12_revisions_are_those_of_the_medium,
            st_13_values_are_durable_and_counted,
            st_14_sessions_are_listed_by_name,
            st_15_of_many_appends_at_once_one_succeeds,
            st_16_contents_are_all_there_or_missing,
            st_17_sessions_do_not_conflict,
            st_18_a_delete_that_expects_another_moment_removes_nothing,
            st_18_of_a_delete_and_an_append_at_once_one_succeeds,
        }
    };
    (@clauses $make:expr; $($clause:ident,)*) => {
        $(#[test] fn $clause() {
            let fixture = $make();
            $crate::contract::block_on($crate::contract::store::$clause(&fixture));
        })*
    };
}

pub(super) async fn appended(store: &dyn Store, draft: &mut Draft, append: Append) -> Mark {
    let expected = append.expected.map(|mark| mark.incarnation);
    let mark = store.append(&draft.id, append.clone()).await.unwrap();
    assert_eq!(mark.revision, append.summary.revision);
    assert!(expected.is_none_or(|incarnation| incarnation == mark.incarnation));
    draft.took(&append, mark);
    mark
}

/// A session with a value, set at its second record.
pub(super) async fn opened(store: &dyn Store, name: &str, value: &str) -> Draft {
    let mut draft = Draft::new(id(name));
    let open = draft.open(&directory("/repo"));
    appended(store, &mut draft, open).await;
    let value = draft.append(vec![set("value", value)]);
    appended(store, &mut draft, value).await;
    draft
}

pub(super) async fn assert_holds(store: &dyn Store, draft: &Draft, head: HeadCondition) {
    let loaded = store.load(&draft.id).await.unwrap().unwrap();
    assert_eq!(Some(loaded.mark), draft.mark);
    assert_eq!(Some(&loaded.state), draft.state.as_ref());
    assert_eq!(loaded.head, head);
    let needs = loaded.state.needs();
    assert_eq!(loaded.contents.keys().copied().collect::<Vec<_>>(), needs, "its texts, no more");
    for (hash, text) in &loaded.contents {
        assert_eq!(*hash, ContentHash::of(text));
    }
    let records = store.records(&draft.id, Revision::NONE, usize::MAX).await.unwrap();
    assert_eq!(records, draft.records);
}

/// ST-1.
pub async fn st_1_load_gives_state_and_contents_of_one_moment(fixture: &impl StoreFixture) {
    let store = fixture.store();
    assert!(store.load(&id("a")).await.unwrap().is_none());
    let mut draft = opened(&*store, "a", "one").await;
    assert_holds(&*store, &draft, HeadCondition::Sound).await;
    let more = draft.append(vec![set("second", "two"), set("value", "three"), unset("second")]);
    appended(&*store, &mut draft, more).await;
    assert_holds(&*store, &draft, HeadCondition::Sound).await;
    assert_holds(&*fixture.store(), &draft, HeadCondition::Sound).await;
    assert!(store.load(&id("b")).await.unwrap().is_none());
}

/// ST-1.
pub async fn st_1_a_load_beside_appends_never_mixes_two_moments(fixture: &impl StoreFixture) {
    const APPENDS: usize = 20;
    let mut draft = opened(&*fixture.store(), "a", "value 2").await;
    let reader = fixture.store();
    let reading = tokio::spawn(async move {
        let mut last = Revision::NONE;
        loop {
            let loaded = reader.load(&id("a")).await.unwrap().unwrap();
            assert!(loaded.mark.revision >= last, "no moment comes before one that was seen");
            last = loaded.mark.revision;
            assert_eq!(loaded.state.revision, last);
            let value = loaded.state.values[&key("value")];
            // Each value names the record that set it.
            assert_eq!(loaded.contents[&value.sha256], text_of(&format!("value {last}")));
            if last.0 == 2 + APPENDS as u64 {
                return;
            }
        }
    });
    let writer = fixture.store();
    for at in 3..3 + APPENDS {
        let append = draft.append(vec![set("value", &format!("value {at}"))]);
        appended(&*writer, &mut draft, append).await;
    }
    reading.await.unwrap();
}

/// ST-2.
pub async fn st_2_an_append_that_expects_another_moment_writes_nothing(
    fixture: &impl StoreFixture,
) {
    let store = fixture.store();
    let mut draft = opened(&*store, "a", "one").await;
    let stale = draft.append(vec![set("value", "two")]);
    let next = draft.append(vec![set("value", "three")]);
    let mark = appended(&*store, &mut draft, next).await;

    // One record behind, a session that should not exist, and one that does not.
    let unborn = Draft::new(id("a"));
    let again = unborn.open(&directory("/repo"));
    for (name, append, found) in
        [("a", stale.clone(), Some(mark)), ("a", again, Some(mark)), ("b", stale, None)]
    {
        let append = named(append, name);
        match store.append(&id(name), append).await {
            Err(StoreError::Conflict { found: there }) => assert_eq!(there, found),
            other => panic!("{other:?}"),
        }
    }
    assert_holds(&*store, &draft, HeadCondition::Sound).await;
    assert!(store.load(&id("b")).await.unwrap().is_none());
    assert!(!fixture.texts().iter().any(|text| **text == *"two"), "nothing of it is written");
}

fn named(mut append: Append, name: &str) -> Append {
    append.summary.session = id(name);
    append
}

/// ST-3.
pub async fn st_3_records_are_appended_all_or_none_and_without_a_gap(fixture: &impl StoreFixture) {
    let store = fixture.store();
    let mut draft = opened(&*store, "a", "one").await;
    let good = draft.append(vec![set("x", "1"), set("y", "2"), set("z", "3")]);
    let changed = |change: &dyn Fn(&mut Vec<Record>)| {
        let mut append = good.clone();
        change(&mut append.records);
        append
    };
    let refused = [
        changed(&|records| records.clear()),
        changed(&|records| drop(records.remove(0))),
        changed(&|records| drop(records.remove(1))),
        changed(&|records| records.swap(0, 2)),
        changed(&|records| records[2].revision = Revision(6)),
        changed(&|records| records.iter_mut().for_each(|r| r.revision = r.revision.next())),
    ];
    for append in refused {
        let answer = store.append(&draft.id, append).await;
        assert!(matches!(answer, Err(StoreError::Refused(_))), "{answer:?}");
        assert_holds(&*store, &draft, HeadCondition::Sound).await;
    }
    // The last of three lacks its text: the first two are not written either.
    let mut torn = good.clone();
    torn.blobs.retain(|blob| **blob.text() != *text_of("3"));
    let answer = store.append(&draft.id, torn).await;
    assert!(matches!(answer, Err(StoreError::MissingContent(_))), "{answer:?}");
    assert_holds(&*store, &draft, HeadCondition::Sound).await;

    appended(&*store, &mut draft, good).await;
    assert_holds(&*store, &draft, HeadCondition::Sound).await;
}

/// ST-4.
pub async fn st_4_an_answered_append_survives_a_kill(fixture: &impl StoreFixture) {
    let store = fixture.store();
    let mut draft = opened(&*store, "a", "one").await;
    assert_holds(&*fixture.crashed(), &draft, HeadCondition::Sound).await;
    for text in ["two", "three"] {
        let append = draft.append(vec![set("value", text)]);
        appended(&*store, &mut draft, append).await;
        assert_holds(&*fixture.crashed(), &draft, HeadCondition::Sound).await;
    }
    // It can be written on afterwards.
    let survivor = fixture.crashed();
    let append = draft.append(vec![set("value", "four")]);
    appended(&*survivor, &mut draft, append).await;
    assert_holds(&*survivor, &draft, HeadCondition::Sound).await;
}

/// ST-5.
pub async fn st_5_a_text_that_is_neither_stored_nor_sent_is_missing(fixture: &impl StoreFixture) {
    let store = fixture.store();
    let mut draft = opened(&*store, "a", "one").await;
    let whole = draft.append(vec![set("x", "new"), set("y", "one")]);
    let mut torn = whole.clone();
    torn.blobs.clear();
    match store.append(&draft.id, torn).await {
        Err(StoreError::MissingContent(hash)) => assert_eq!(hash, ContentHash::of(&text_of("new"))),
        other => panic!("{other:?}"),
    }
    assert_holds(&*store, &draft, HeadCondition::Sound).await;
    // What is stored need not be sent.
    let mut spare = whole;
    spare.blobs.retain(|blob| **blob.text() == *text_of("new"));
    appended(&*store, &mut draft, spare).await;
    assert_holds(&*store, &draft, HeadCondition::Sound).await;
}

/// ST-6.
pub async fn st_6_a_text_is_stored_once(fixture: &impl StoreFixture) {
    let store = fixture.store();
    let mut a = opened(&*store, "a", "same").await;
    let b = opened(&*store, "b", "same").await;
    let again = a.append(vec![set("other", "same"), set("third", "same")]);
    appended(&*store, &mut a, again).await;
    store.set_value(&directory("/repo"), &key("v"), Some(text_of("same"))).await.unwrap();
    let same = |text: &&Arc<str>| ***text == *text_of("same");
    assert_eq!(fixture.texts().iter().filter(same).count(), 1);
    assert_holds(&*store, &a, HeadCondition::Sound).await;
    assert_holds(&*store, &b, HeadCondition::Sound).await;
}

/// ST-7.
pub async fn st_7_records_are_given_in_order_after_a_revision_up_to_a_limit(
    fixture: &impl StoreFixture,
) {
    let store = fixture.store();
    let mut draft = opened(&*store, "a", "0").await;
    for step in 1..=10 {
        let append = draft.append(vec![set("value", &step.to_string())]);
        appended(&*store, &mut draft, append).await;
    }
    let all = &draft.records;
    for after in [0, 1, 5, 11, 12, 13, u64::MAX] {
        for limit in [0, 1, 3, 12, usize::MAX] {
            let records = store.records(&draft.id, Revision(after), limit).await.unwrap();
            let skipped = usize::try_from(after).unwrap_or(usize::MAX);
            let expected: Vec<_> = all.iter().skip(skipped).take(limit).cloned().collect();
            assert_eq!(records, expected, "after {after}, at most {limit}");
        }
    }
    assert_eq!(store.records(&id("b"), Revision::NONE, 9).await.unwrap(), []);
}

/// ST-8.
pub async fn st_8_a_damaged_head_is_folded_anew(fixture: &impl StoreFixture) {
    let store = fixture.store();
    let mut draft = opened(&*store, "a", "one").await;
    let other = opened(&*store, "b", "two").await;
    let at = || id("a");
    let damages = [
        Damage::HeadLost(at()),
        Damage::HeadRow(at(), "session".to_owned()),
        Damage::HeadRowLost(at(), "session".to_owned()),
        Damage::HeadRow(at(), "value/value".to_owned()),
        Damage::HeadRowLost(at(), "value/value".to_owned()),
    ];
    for damage in damages {
        fixture.damage(&damage);
        assert_holds(&*store, &draft, HeadCondition::Rebuilt).await;
        assert_holds(&*store, &other, HeadCondition::Sound).await;
        // The next append replaces it whole.
        let mut append = draft.append(vec![set("value", &format!("after {damage:?}"))]);
        append.head = draft.whole(&append);
        appended(&*store, &mut draft, append).await;
        assert_holds(&*store, &draft, HeadCondition::Sound).await;
    }
}

/// ST-9.
pub async fn st_9_a_damaged_log_is_an_error_of_its_session_alone(fixture: &impl StoreFixture) {
    let store = fixture.store();
    let sound = opened(&*store, "sound", "one").await;
    let damages: [fn(&str) -> Damage; 4] = [
        |name| Damage::Record(id(name), Revision(2)),
        |name| Damage::RecordLost(id(name), Revision(2)),
        |name| Damage::RecordLost(id(name), Revision(3)),
        |name| Damage::Record(id(name), Revision(1)),
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        let name = format!("damaged {number}");
        let mut draft = opened(&*store, &name, "two").await;
        let append = draft.append(vec![set("value", "three")]);
        appended(&*store, &mut draft, append).await;
        let damage = damage(&name);
        let (Damage::Record(_, at) | Damage::RecordLost(_, at)) = damage else { continue };
        fixture.damage(&damage);
        fixture.damage(&Damage::HeadLost(draft.id.clone()));
        // Twice: the first look mends nothing.
        for _ in 0..2 {
            let loaded = store.load(&draft.id).await.map(|loaded| loaded.is_some());
            assert_damaged(loaded, &draft, at);
            let records = store.records(&draft.id, Revision::NONE, usize::MAX).await;
            assert_damaged(records, &draft, at);
        }
        let before = store.records(&draft.id, Revision::NONE, at.0 as usize - 1).await.unwrap();
        assert_eq!(before, draft.records[..at.0 as usize - 1], "what is sound is given");
        assert_holds(&*store, &sound, HeadCondition::Sound).await;
    }
    assert_eq!(store.sessions(None).await.unwrap().len(), 5);
}

fn assert_damaged<T: std::fmt::Debug>(answer: Result<T, StoreError>, draft: &Draft, at: Revision) {
    match answer {
        Err(StoreError::DamagedLog { session, record, .. }) => {
            assert_eq!((session, record), (draft.id.clone(), at));
        }
        other => panic!("{other:?}"),
    }
}
