//! What is in the store's place and is no store, or not one that can be written.

use super::{
    child::{Process, Role},
    layout::{META, Place, raw},
};
use redb::TableDefinition;
use std::{os::unix::fs::PermissionsExt, path::Path, process::Command};
use told_domain::position::Revision;
use told_ports::{Revisions, Store, StoreError};
use told_redb::{RedbOptions, RedbStore};
use told_testkit::contract::{
    block_on,
    store_draft::{Draft, directory, id, key, set},
};

/// Every call fails with an error that `expected` accepts, and changes nothing on the disk.
fn assert_refused(place: &Path, path: &Path, expected: impl Fn(&StoreError) -> bool) {
    let before = everything(place);
    let (a, repo, k) = (id("a"), directory("/repo"), key("k"));
    let open = Draft::new(a.clone()).open(&repo);
    block_on(async {
        let store = RedbStore::open(path, RedbOptions { wait_ms: 10_000 });
        let errors = [
            store.append(&a, open.clone()).await.err(),
            store.load(&a).await.err(),
            store.revisions(&a, &repo).await.err(),
            store.records(&a, Revision::NONE, 9).await.err(),
            store.contents(&[told_domain::hash::ContentHash::of("x")]).await.err(),
            store.sessions(None).await.err(),
            store.delete(&a, None).await.err(),
            store.values(&repo).await.err(),
            store.set_value(&repo, &k, Some("v".into())).await.err(),
            store.set_value(&repo, &k, None).await.err(),
            store.append(&a, open).await.err(),
        ];
        for (call, error) in errors.into_iter().enumerate() {
            let error = error.unwrap_or_else(|| panic!("call {call} on {}", path.display()));
            assert!(expected(&error), "call {call} on {}: {error:?}", path.display());
            assert!(!error.to_string().contains('\n'), "one sentence");
        }
    });
    assert_eq!(everything(place), before, "it was left untouched");
}

/// Names, sizes, modes, times and bytes of all that is in a directory.
fn everything(directory: &Path) -> Vec<String> {
    let mut all: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            let bytes =
                if metadata.is_file() { std::fs::read(entry.path()).unwrap() } else { vec![] };
            let hash = told_domain::hash::ContentHash::of(&format!("{bytes:?}"));
            let (mode, changed) = (metadata.permissions().mode(), metadata.modified().unwrap());
            format!("{:?} {} {mode:o} {changed:?} {hash}", entry.file_name(), metadata.len())
        })
        .collect();
    all.sort();
    all
}

fn is_no_store(error: &StoreError) -> bool {
    matches!(error, StoreError::NoStore { .. })
}

#[test]
fn a_file_that_is_no_store_is_left_untouched() {
    for bytes in [&b""[..], b"# Notes\n", b"redb", b"\0\0\0\0", &[0xff; 9000]] {
        let place = Place::new();
        std::fs::write(place.path(), bytes).unwrap();
        assert_refused(place.directory(), &place.path(), is_no_store);
    }
}

#[test]
fn what_is_no_file_is_no_store_and_blocks_nobody() {
    let place = Place::new();
    std::fs::create_dir(place.path()).unwrap();
    assert_refused(place.directory(), &place.path(), is_no_store);
    let pipe = place.directory().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_refused(place.directory(), &pipe, is_no_store);
    let file = place.directory().join("file");
    std::fs::write(&file, "text").unwrap();
    assert_refused(place.directory(), &file.join("store"), is_no_store);
}

#[test]
fn a_link_to_nothing_is_no_store_for_a_writer() {
    let place = Place::new();
    std::os::unix::fs::symlink(place.directory().join("nothing"), place.path()).unwrap();
    let before = everything(place.directory());
    block_on(async {
        let store = place.open();
        let open = Draft::new(id("a")).open(&directory("/repo"));
        let answer = store.append(&id("a"), open).await;
        assert!(matches!(answer, Err(StoreError::NoStore { .. })), "{answer:?}");
    });
    assert_eq!(everything(place.directory()), before);
}

const OTHER: TableDefinition<'_, u64, u64> = TableDefinition::new("other");

fn commit(database: &redb::Database, schema: Option<u64>) {
    let transaction = database.begin_write().unwrap();
    transaction.open_table(OTHER).unwrap().insert(1, 1).unwrap();
    if let Some(schema) = schema {
        transaction.open_table(META).unwrap().insert("schema", schema).unwrap();
    }
    transaction.commit().unwrap();
}

#[test]
fn another_programs_database_is_left_untouched_also_where_it_needs_a_repair() {
    for builder in [raw(), redb::Builder::new()] {
        let place = Place::new();
        let database = builder.create(place.path()).unwrap();
        commit(&database, None);
        // As a kill leaves it.
        let killed = place.directory().join("killed");
        std::fs::copy(place.path(), &killed).unwrap();
        drop(database);
        assert_refused(place.directory(), &place.path(), is_no_store);
        assert_refused(place.directory(), &killed, is_no_store);
    }
}

#[test]
fn a_newer_schema_is_left_untouched() {
    let place = Place::new();
    let database = raw().create(place.path()).unwrap();
    commit(&database, Some(2));
    let killed = place.directory().join("killed");
    std::fs::copy(place.path(), &killed).unwrap();
    drop(database);
    let newer =
        |error: &StoreError| matches!(error, StoreError::NewerSchema { found: 2, known: 1, .. });
    assert_refused(place.directory(), &place.path(), newer);
    assert_refused(place.directory(), &killed, newer);
}

#[test]
fn a_schema_that_becomes_newer_while_the_store_is_open_stops_the_writer() {
    let place = Place::new();
    let draft = Draft::new(id("a"));
    block_on(async {
        let store = place.open();
        store.append(&draft.id, draft.open(&directory("/repo"))).await.unwrap();
        commit(&place.database(), Some(2));
        let open = Draft::new(id("b")).open(&directory("/repo"));
        let answer = store.append(&id("b"), open).await;
        assert!(matches!(answer, Err(StoreError::NewerSchema { .. })), "{answer:?}");
    });
}

/// A store with one session of two records.
fn filled() -> Place {
    let place = Place::new();
    block_on(async {
        let (store, mut draft) = (place.open(), Draft::new(id("a")));
        let open = draft.open(&directory("/repo"));
        let mark = store.append(&draft.id, open.clone()).await.unwrap();
        draft.took(&open, mark);
        store.append(&draft.id, draft.append(vec![set("k", "v")])).await.unwrap();
    });
    place
}

#[test]
fn reading_makes_nothing_and_writing_makes_a_private_store() {
    let place = Place::new();
    let path = place.directory().join("deep/below/store");
    block_on(async {
        let store = RedbStore::open(&path, RedbOptions::default());
        let (a, repo) = (id("a"), directory("/repo"));
        assert!(store.load(&a).await.unwrap().is_none());
        assert!(store.sessions(None).await.unwrap().is_empty());
        assert!(store.records(&a, Revision::NONE, 9).await.unwrap().is_empty());
        assert!(store.values(&repo).await.unwrap().values.is_empty());
        let nothing = Revisions { session: None, values: 0 };
        assert_eq!(store.revisions(&a, &repo).await.unwrap(), nothing);
        // What changes nothing makes nothing either.
        assert!(!store.delete(&a, None).await.unwrap());
        store.set_value(&repo, &key("k"), None).await.unwrap();
        assert_eq!(everything(place.directory()), [""; 0]);

        store.append(&a, Draft::new(a.clone()).open(&repo)).await.unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert_eq!(mode(&place.directory().join("deep")), 0o700);
    });
}

#[test]
fn a_store_that_cannot_be_written_can_be_read() {
    let place = filled();
    // Also as a kill leaves it: it needs a repair, and stays as it is.
    let killed = place.directory().join("killed");
    {
        let database = place.database();
        std::fs::copy(place.path(), &killed).unwrap();
        drop(database);
    }
    std::fs::set_permissions(place.directory(), PermissionsExt::from_mode(0o555)).unwrap();
    for path in [place.path(), killed.clone()] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o444)).unwrap();
    }
    let Some(unprivileged) = unprivileged(&place.path()) else { return };
    let before = everything(place.directory());
    let new = place.directory().join("new/store");
    let expected = [(place.path(), "2"), (killed, "2"), (new, "Ok(None)")];
    for (number, (path, read)) in expected.into_iter().enumerate() {
        let mut child = Process::run(unprivileged(), Role::Look, &path);
        assert_eq!(child.says().unwrap(), read, "{number}");
        let written = child.says().unwrap();
        assert!(written.starts_with("Err(ReadOnly"), "{written}");
    }
    assert_eq!(everything(place.directory()), before);
    std::fs::set_permissions(place.directory(), PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn a_store_that_cannot_be_reached_says_what_to_do() {
    let place = filled();
    let inside = place.directory().join("inside");
    std::fs::create_dir(&inside).unwrap();
    let closed = inside.join("store");
    std::fs::copy(place.path(), &closed).unwrap();
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o400)).unwrap();
    let Some(unprivileged) = unprivileged(&closed) else { return };
    // The directory of one cannot be searched, the file of the other not be read.
    std::fs::set_permissions(place.directory(), PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::set_permissions(place.path(), PermissionsExt::from_mode(0o000)).unwrap();
    std::fs::set_permissions(&inside, PermissionsExt::from_mode(0o600)).unwrap();
    for path in [place.path(), closed] {
        let mut child = Process::run(unprivileged(), Role::Look, &path);
        for _ in ["read", "written"] {
            let said = child.says().unwrap();
            assert!(said.starts_with("Err(Denied"), "{said}");
        }
    }
    std::fs::set_permissions(&inside, PermissionsExt::from_mode(0o700)).unwrap();
    let cause = std::io::ErrorKind::PermissionDenied.into();
    let said = StoreError::Denied { path: "/x/store".into(), cause }.to_string();
    assert!(said.contains("let this user search its directories"), "{said}");
}

/// What runs this test's program as somebody whom rights bind: root is not. Nothing where root runs it
/// from where nobody else may.
fn unprivileged(file: &Path) -> Option<impl Fn() -> Command + use<>> {
    use std::os::unix::process::CommandExt;
    let program = std::env::current_exe().unwrap();
    std::fs::set_permissions(file, PermissionsExt::from_mode(0o444)).unwrap();
    let root = std::fs::OpenOptions::new().append(true).open(file).is_ok();
    let mut may = Command::new("test");
    may.arg("-x").arg(&program).uid(65534);
    if root && may.status().is_ok_and(|status| !status.success()) {
        println!("skipped: run by root from where nobody else may run it");
        return None;
    }
    Some(move || {
        let mut command = Command::new(&program);
        if root {
            command.uid(65534).gid(65534).current_dir("/");
        }
        command
    })
}

#[test]
fn a_damaged_store_is_one_clear_error_and_never_a_fresh_start() {
    let whole = std::fs::read(filled().path()).unwrap();
    let damage: [fn(&mut Vec<u8>); 5] = [
        |bytes| bytes.truncate(9),
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.truncate(bytes.len() - 1),
        |bytes| bytes[4096..].fill(0),
        |bytes| bytes[12..320].fill(0xa5),
    ];
    for (number, damage) in damage.into_iter().enumerate() {
        let place = Place::new();
        let mut bytes = whole.clone();
        damage(&mut bytes);
        std::fs::write(place.path(), bytes).unwrap();
        block_on(async {
            let store = RedbStore::open(place.path(), RedbOptions { wait_ms: 10_000 });
            let answers = [
                store.load(&id("a")).await.map(|loaded| loaded.map(|loaded| loaded.mark.revision)),
                store
                    .append(&id("b"), Draft::new(id("b")).open(&directory("/repo")))
                    .await
                    .map(|mark| Some(mark.revision)),
            ];
            for answer in answers {
                match answer {
                    // redb could still read it whole.
                    Ok(found) => assert!(found.is_some(), "damage {number} was a fresh start"),
                    Err(StoreError::Failed { .. } | StoreError::NoStore { .. }) => {}
                    Err(StoreError::DamagedLog { .. } | StoreError::MissingContent(_)) => {}
                    Err(other) => panic!("damage {number}: {other:?}"),
                }
            }
        });
    }
}
