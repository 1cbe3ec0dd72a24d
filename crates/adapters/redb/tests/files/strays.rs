//! What killed processes leave of stores that they made.

use super::layout::{PATIENT, Place, raw};
use std::{
    collections::BTreeSet,
    sync::Barrier,
    time::{Duration, SystemTime},
};
use told_ports::Store;
use told_redb::RedbStore;
use told_testkit::contract::{
    block_on,
    store_draft::{Draft, directory, id, key},
};

fn names(place: &Place) -> BTreeSet<String> {
    let entries = std::fs::read_dir(place.directory()).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn make(place: &Place, name: &str) {
    let store = RedbStore::open(place.directory().join(name), PATIENT);
    block_on(store.set_value(&directory("/repo"), &key("k"), Some("v".into()))).unwrap();
}

#[test]
fn who_makes_a_store_removes_what_nobody_holds() {
    let place = Place::new();
    let beside = |name: &str| place.directory().join(name);
    // As a kill leaves them: empty, torn, and whole.
    let empty = std::fs::File::create(beside(".told-empty.new")).unwrap();
    empty.set_modified(SystemTime::now() - Duration::from_secs(3_600)).unwrap();
    std::fs::write(beside(".told-torn.new"), "redb\u{1a}\n").unwrap();
    make(&place, "other");
    std::fs::rename(beside("other"), beside(".told-whole.new")).unwrap();
    // Somebody is making one now, and somebody begins to.
    std::fs::write(beside(".told-fresh.new"), "").unwrap();
    let held = raw().create(beside(".told-held.new")).unwrap();
    // None of ours.
    std::fs::write(beside(".told-x"), "").unwrap();
    std::fs::write(beside("told-x.new"), "").unwrap();
    std::fs::create_dir(beside(".told-directory.new")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("told-x.new", beside(".told-link.new")).unwrap();
    let mut others = names(&place);
    for stray in [".told-empty.new", ".told-torn.new", ".told-whole.new"] {
        others.remove(stray);
    }
    make(&place, "store");
    others.insert("store".into());
    assert_eq!(names(&place), others);
    // An open store is left as it is, and none is made.
    drop(held);
    make(&place, "store");
    assert_eq!(names(&place), others);
    make(&place, "third");
    others.insert("third".into());
    others.remove(".told-held.new");
    assert_eq!(names(&place), others);
}

/// Many processes make stores in one directory, some the same: each finds its own, and nothing is left.
#[test]
fn makers_do_no_harm_to_each_other() {
    const MAKERS: usize = 24;
    for round in 0..4 {
        let place = Place::new();
        std::fs::write(place.directory().join(".told-stray.new"), "redb").unwrap();
        let start = Barrier::new(MAKERS);
        std::thread::scope(|scope| {
            for maker in 0..MAKERS {
                let (place, start) = (&place, &start);
                scope.spawn(move || {
                    let path = place.directory().join(format!("store {}", maker / 3));
                    let store = RedbStore::open(path, PATIENT);
                    let session = id(&format!("s/{maker}"));
                    let open = Draft::new(session.clone()).open(&directory("/repo"));
                    start.wait();
                    block_on(async {
                        store.append(&session, open).await.unwrap();
                        assert!(store.load(&session).await.unwrap().is_some());
                    });
                });
            }
        });
        let stores: BTreeSet<_> = (0..MAKERS / 3).map(|store| format!("store {store}")).collect();
        assert_eq!(names(&place), stores, "round {round}");
        for name in stores {
            let store = RedbStore::open(place.directory().join(name), PATIENT);
            assert_eq!(block_on(store.sessions(None)).unwrap().len(), 3);
        }
    }
}
