//! The second half of the `Store` contract: what sessions, directories and processes share.

#![expect(clippy::unwrap_used, reason = "a suite is a test, wherever it is run")]

use super::{
    store::{StoreFixture, appended, assert_holds, opened},
    store_draft::{Draft, directory, id, key, set, text_of},
};
use std::{collections::BTreeMap, sync::Arc};
use told_domain::{
    hash::{Blob, ContentHash},
    position::Revision,
};
use told_ports::{HeadCondition, Revisions, StoreError};

/// ST-10.
pub async fn st_10_delete_removes_what_nobody_else_needs(fixture: &impl StoreFixture) {
    let store = fixture.store();
    let mut a = opened(&*store, "a", "alone").await;
    let more = a.append(vec![set("x", "shared"), set("y", "of the directory"), set("y", "late")]);
    appended(&*store, &mut a, more).await;
    let b = opened(&*store, "b", "shared").await;
    let repo = directory("/repo");
    store.set_value(&repo, &key("k"), Some(text_of("of the directory"))).await.unwrap();

    assert!(store.delete(&a.id, None).await.unwrap());
    assert!(!store.delete(&a.id, None).await.unwrap(), "it is gone already");
    assert!(!store.delete(&id("never"), None).await.unwrap());
    assert!(store.load(&a.id).await.unwrap().is_none());
    assert_eq!(store.records(&a.id, Revision::NONE, 9).await.unwrap(), []);
    assert_eq!(store.sessions(None).await.unwrap(), [b.summary()]);
    assert_eq!(texts(fixture), ["of the directory", "shared"]);
    assert_holds(&*store, &b, HeadCondition::Sound).await;

    store.set_value(&repo, &key("k2"), Some(text_of("of the directory"))).await.unwrap();
    store.set_value(&repo, &key("k"), None).await.unwrap();
    assert_eq!(texts(fixture), ["of the directory", "shared"], "another key has it");
    store.set_value(&repo, &key("k2"), Some(text_of("new"))).await.unwrap();
    assert_eq!(texts(fixture), ["new", "shared"]);
    store.set_value(&repo, &key("k2"), None).await.unwrap();
    assert!(store.delete(&b.id, None).await.unwrap());
    assert_eq!(texts(fixture), [""; 0]);
    assert_eq!(fixture.crashed().sessions(None).await.unwrap(), []);
}

/// What is stored, without the filling of [`text_of`].
fn texts(fixture: &impl StoreFixture) -> Vec<String> {
    let shown = |text: &Arc<str>| text.lines().next().unwrap_or_default().to_owned();
    let mut texts: Vec<_> = fixture.texts().iter().map(shown).collect();
    texts.sort();
    texts
}

/// ST-11.
pub async fn st_11_a_session_made_again_is_another(fixture: &impl StoreFixture) {
    let store = fixture.store();
    let old = opened(&*store, "a", "one").await;
    let late = old.clone();
    let stale = late.append(vec![set("value", "late")]);
    assert!(store.delete(&old.id, None).await.unwrap());
    let new = opened(&*store, "a", "one").await;
    assert_eq!(old.mark.map(|mark| mark.revision), new.mark.map(|mark| mark.revision));
    assert_ne!(old.mark, new.mark);
    match store.append(&old.id, stale).await {
        Err(StoreError::Conflict { found }) => assert_eq!(found, new.mark),
        other => panic!("{other:?}"),
    }
    assert_holds(&*store, &new, HeadCondition::Sound).await;
    // Also where every session is gone, and the store was opened anew.
    assert!(store.delete(&new.id, None).await.unwrap());
    let third = opened(&*fixture.crashed(), "a", "one").await;
    assert_ne!(third.mark, old.mark);
    assert_ne!(third.mark, new.mark);
}

/// ST-12.
pub async fn st_12_revisions_are_those_of_the_medium(fixture: &impl StoreFixture) {
    let (writer, reader) = (fixture.store(), fixture.store());
    let (repo, elsewhere) = (directory("/repo"), directory("/elsewhere"));
    let a = id("a");
    let now = |session, values| Revisions { session, values };
    assert_eq!(reader.revisions(&a, &repo).await.unwrap(), now(None, 0));
    let mut draft = opened(&*writer, "a", "one").await;
    assert_eq!(reader.revisions(&a, &repo).await.unwrap(), now(draft.mark, 0));
    for step in 1..=5_u64 {
        let append = draft.append(vec![set("value", &step.to_string())]);
        appended(&*writer, &mut draft, append).await;
        writer.set_value(&repo, &key("k"), Some(text_of(&step.to_string()))).await.unwrap();
        assert_eq!(reader.revisions(&a, &repo).await.unwrap(), now(draft.mark, step));
        assert_eq!(writer.revisions(&a, &repo).await.unwrap(), now(draft.mark, step));
    }
    assert_eq!(reader.revisions(&a, &elsewhere).await.unwrap(), now(draft.mark, 0));
    assert_eq!(reader.revisions(&id("b"), &repo).await.unwrap(), now(None, 5));
    // Whoever appends by turns, each handle knows of its own commits and of the other's.
    let mut other = opened(&*reader, "b", "one").await;
    for step in 1..=6_usize {
        let (one, two) = if step % 2 == 0 { (&*writer, &*reader) } else { (&*reader, &*writer) };
        for (store, draft) in [(one, &mut draft), (two, &mut other)] {
            let append = draft.append(vec![set("turn", &step.to_string())]);
            appended(store, draft, append).await;
        }
        for store in [one, two] {
            assert_eq!(store.revisions(&a, &repo).await.unwrap(), now(draft.mark, 5));
            assert_eq!(store.revisions(&other.id, &repo).await.unwrap(), now(other.mark, 5));
        }
    }
    assert!(writer.delete(&a, None).await.unwrap());
    assert_eq!(reader.revisions(&a, &repo).await.unwrap(), now(None, 5));
}

/// ST-13.
pub async fn st_13_values_are_durable_and_counted(fixture: &impl StoreFixture) {
    let store = fixture.store();
    let (repo, below) = (directory("/repo"), directory("/repo/below"));
    let empty = store.values(&repo).await.unwrap();
    assert_eq!((empty.revision, empty.values), (0, BTreeMap::new()));
    let (a, b) = (key("a"), key("b/with more"));
    // Key, value, and the revision after it.
    let steps = [
        (&a, None, 0),
        (&a, Some("one"), 1),
        (&a, Some("one"), 1),
        (&b, Some("one"), 2),
        (&a, Some("two"), 3),
        (&b, None, 4),
        (&b, None, 4),
    ];
    let mut expected = BTreeMap::new();
    for (key, value, revision) in steps {
        let value = value.map(text_of);
        store.set_value(&repo, key, value.clone()).await.unwrap();
        match value {
            Some(value) => expected.insert(key.clone(), value),
            None => expected.remove(key),
        };
        for store in [fixture.store(), fixture.crashed()] {
            let values = store.values(&repo).await.unwrap();
            assert_eq!((values.revision, &values.values), (revision, &expected));
            assert_eq!(store.revisions(&id("x"), &repo).await.unwrap().values, revision);
        }
    }
    store.set_value(&below, &a, Some(text_of("below"))).await.unwrap();
    assert_eq!(store.values(&repo).await.unwrap().values, expected, "of exactly that directory");
    assert_eq!(store.values(&below).await.unwrap().revision, 1);
    // The count never goes back, also where no value is left.
    store.set_value(&repo, &a, None).await.unwrap();
    let none = store.values(&repo).await.unwrap();
    assert_eq!((none.revision, none.values), (5, BTreeMap::new()));
}

/// ST-14.
pub async fn st_14_sessions_are_listed_by_name(fixture: &impl StoreFixture) {
    let store = fixture.store();
    assert_eq!(store.sessions(None).await.unwrap(), []);
    let mut all = Vec::new();
    for (name, place) in [("b", "/repo"), ("a/2", "/repo"), ("a", "/repo/below"), ("ü", "/repo")] {
        let mut draft = Draft::new(id(name));
        let open = draft.open(&directory(place));
        appended(&*store, &mut draft, open).await;
        let append = draft.append(vec![set("value", name)]);
        appended(&*store, &mut draft, append).await;
        all.push(draft.summary());
    }
    all.sort_by(|a, b| a.session.cmp(&b.session));
    let listed = fixture.store().sessions(None).await.unwrap();
    assert_eq!(listed, all);
    let here = store.sessions(Some(&directory("/repo"))).await.unwrap();
    all.retain(|summary| summary.directory == directory("/repo"));
    assert_eq!(here, all);
    assert_eq!(store.sessions(Some(&directory("/re"))).await.unwrap(), []);
}

/// ST-15.
pub async fn st_15_of_many_appends_at_once_one_succeeds(fixture: &impl StoreFixture) {
    let stores = [fixture.store(), fixture.store()];
    let mut draft = opened(&*stores[0], "a", "one").await;
    for round in 0..5 {
        let race = (0..16).map(|racer| {
            let append = draft.clone().append(vec![set("value", &format!("{round}.{racer}"))]);
            let store = Arc::clone(&stores[racer % 2]);
            tokio::spawn(async move { (append.clone(), store.append(&id("a"), append).await) })
        });
        let race: Vec<_> = race.collect();
        let mut won = Vec::new();
        let mut lost = Vec::new();
        for racer in race {
            match racer.await.unwrap() {
                (append, Ok(mark)) => won.push((append, mark)),
                (_, Err(StoreError::Conflict { found })) => lost.push(found),
                (_, Err(other)) => panic!("{other:?}"),
            }
        }
        assert_eq!((won.len(), lost.len()), (1, 15));
        let (append, mark) = won.remove(0);
        draft.took(&append, mark);
        assert!(lost.iter().all(|found| *found == draft.mark), "each hears where it stands");
        assert_holds(&*stores[0], &draft, HeadCondition::Sound).await;
    }
    // Also of those that make the session.
    let open = Draft::new(id("b")).open(&directory("/repo"));
    let race: Vec<_> = (0..16)
        .map(|racer| {
            let (store, open) = (Arc::clone(&stores[racer % 2]), open.clone());
            tokio::spawn(async move { store.append(&id("b"), open).await.is_ok() })
        })
        .collect();
    let mut won = 0;
    for racer in race {
        won += u32::from(racer.await.unwrap());
    }
    assert_eq!(won, 1);
}

/// ST-16.
pub async fn st_16_contents_are_all_there_or_missing(fixture: &impl StoreFixture) {
    let store = fixture.store();
    let never = ContentHash::of("never stored");
    assert!(store.contents(&[]).await.unwrap().is_empty());
    let answer = store.contents(&[never]).await;
    assert!(matches!(answer, Err(StoreError::MissingContent(hash)) if hash == never));
    let mut draft = opened(&*store, "a", "one").await;
    let append = draft.append(vec![set("value", "two"), set("empty", "")]);
    appended(&*store, &mut draft, append).await;
    let blobs: Vec<_> = ["one", "two", ""].map(|text| Blob::new(text_of(text))).into();
    let hashes: Vec<_> = blobs.iter().map(|blob| blob.name().sha256).collect();
    let contents = store.contents(&hashes).await.unwrap();
    assert_eq!(contents.len(), 3, "also what the state needs no more, and what is empty");
    for blob in &blobs {
        assert_eq!(contents[&blob.name().sha256], *blob.text());
    }
    let answer = store.contents(&[hashes[0], never, hashes[1]]).await;
    assert!(matches!(answer, Err(StoreError::MissingContent(hash)) if hash == never));
    assert_eq!(store.contents(&[hashes[0], hashes[0]]).await.unwrap().len(), 1);
}

/// ST-17.
pub async fn st_17_sessions_do_not_conflict(fixture: &impl StoreFixture) {
    const SESSIONS: usize = 12;
    let stores = [fixture.store(), fixture.store()];
    let sessions: Vec<_> = (0..SESSIONS)
        .map(|number| {
            let store = Arc::clone(&stores[number % 2]);
            tokio::spawn(async move {
                let mut draft = opened(&*store, &format!("s/{number}"), "one").await;
                for step in 0..10 {
                    let append = draft.append(vec![set("value", &format!("{number}.{step}"))]);
                    appended(&*store, &mut draft, append).await;
                }
                draft
            })
        })
        .collect();
    for session in sessions {
        let draft = session.await.unwrap();
        assert_holds(&*stores[0], &draft, HeadCondition::Sound).await;
    }
    assert_eq!(stores[1].sessions(None).await.unwrap().len(), SESSIONS);
}

/// ST-18.
pub async fn st_18_a_delete_that_expects_another_moment_removes_nothing(
    fixture: &impl StoreFixture,
) {
    let store = fixture.store();
    let mut draft = opened(&*store, "a", "one").await;
    let old = draft.mark;
    let append = draft.append(vec![set("value", "two")]);
    appended(&*store, &mut draft, append).await;
    let conflict = |answer| match answer {
        Err(StoreError::Conflict { found }) => found,
        other => panic!("{other:?}"),
    };
    assert_eq!(conflict(store.delete(&draft.id, old).await), draft.mark);
    assert_holds(&*store, &draft, HeadCondition::Sound).await;
    assert!(!store.delete(&id("b"), old).await.unwrap(), "there was none");
    assert!(store.delete(&draft.id, draft.mark).await.unwrap());
    assert!(!store.delete(&draft.id, draft.mark).await.unwrap());
    // One of the same name and revision is another.
    let new = opened(&*store, "a", "one").await;
    assert_eq!(conflict(store.delete(&new.id, old).await), new.mark);
    assert_holds(&*store, &new, HeadCondition::Sound).await;
    assert!(store.delete(&new.id, new.mark).await.unwrap());
    assert_eq!(texts(fixture), [""; 0]);
}

/// ST-18.
pub async fn st_18_of_a_delete_and_an_append_at_once_one_succeeds(fixture: &impl StoreFixture) {
    let stores = [fixture.store(), fixture.store()];
    for round in 0..10 {
        let name = format!("s/{round}");
        let mut draft = opened(&*stores[0], &name, "one").await;
        let append = draft.append(vec![set("value", "two")]);
        let (deletes, appends) = (Arc::clone(&stores[round % 2]), Arc::clone(&stores[1]));
        let (id, expected) = (draft.id.clone(), draft.mark);
        let delete = tokio::spawn(async move { deletes.delete(&id, expected).await });
        let appended = appends.append(&draft.id, append.clone()).await;
        match (delete.await.unwrap(), appended) {
            (Ok(true), Err(StoreError::Conflict { found: None })) => {
                assert!(stores[0].load(&draft.id).await.unwrap().is_none());
            }
            (Err(StoreError::Conflict { found }), Ok(mark)) => {
                assert_eq!(found, Some(mark));
                draft.took(&append, mark);
                assert_holds(&*stores[0], &draft, HeadCondition::Sound).await;
            }
            other => panic!("{other:?}"),
        }
    }
}
