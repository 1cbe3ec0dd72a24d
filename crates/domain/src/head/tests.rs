//! The head as rows: whole, changed, and damaged.

use super::*;
use crate::{
    fold::replay,
    record::{Event, Record, tests::every_kind},
    testing::{key, record},
};

/// A session in which something of every kind happened once.
fn busy() -> State {
    // A session begins once: either way, so the log leaves out the other.
    let events = every_kind()
        .into_iter()
        .filter(|e| !matches!(e, Event::Forked { .. } | Event::ValueUnset { .. }));
    let log: Vec<Record> =
        (1..).zip(events).map(|(revision, event)| record(revision, event)).collect();
    let mut state = replay(&log).unwrap().unwrap();
    state
        .told
        .scopes
        .insert(crate::testing::canonical("/repo/s"), crate::testing::scope("/repo", 3));
    state
}

fn rows(state: &State) -> BTreeMap<String, Vec<u8>> {
    let HeadChange::Whole(rows) = HeadChange::whole(state) else { panic!("whole is whole") };
    rows.into_iter().map(|(key, row)| (key.to_string(), row)).collect()
}

fn assembled(rows: &BTreeMap<String, Vec<u8>>) -> Result<State, HeadDamaged> {
    assemble(rows.iter().map(|(key, row)| (key.as_str(), row.as_slice())))
}

#[test]
fn r_epo_7_a_missing_row_is_noticed() {
    let state = busy();
    let rows = rows(&state);
    assert_eq!(assembled(&rows).unwrap(), state);
    let kinds: std::collections::BTreeSet<_> =
        rows.keys().map(|row| row.split('/').next()).collect();
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    for missing in rows.keys() {
        let mut rows = rows.clone();
        rows.remove(missing);
        assert!(assembled(&rows).is_err(), "without {missing}");
    }
}

#[test]
fn r_epo_7_a_row_that_does_not_decode_is_named() {
    let rows = rows(&busy());
    for damaged in rows.keys() {
        let mut rows = rows.clone();
        rows.insert(damaged.clone(), b"{".to_vec());
        assert_eq!(assembled(&rows).unwrap_err().row, *damaged);
    }
    for unknown in
        ["", "other", "entry/", "session/x", "update/x", "scope/relative", "update/0000000007"]
    {
        let mut rows = rows.clone();
        rows.insert(unknown.to_owned(), b"{}".to_vec());
        assert!(assembled(&rows).is_err(), "with {unknown:?}");
    }
}

#[test]
fn r_epo_7_rows_of_another_version_are_rebuilt() {
    let mut rows = rows(&busy());
    let session = String::from_utf8(rows["session"].clone()).unwrap();
    assert!(session.contains(r#""version":1"#));
    rows.insert(
        "session".to_owned(),
        session.replace(r#""version":1"#, r#""version":2"#).into_bytes(),
    );
    assert_eq!(assembled(&rows).unwrap_err().row, "session");
}

#[test]
fn a_commit_writes_the_rows_that_changed() {
    let old = busy();
    let mut new = old.clone();
    let HeadChange::Rows(rows) = HeadChange::between(&old, &new) else { panic!("rows") };
    assert_eq!(rows.into_keys().collect::<Vec<_>>(), [RowKey::Session]);
    new.told.entries.remove(&key("/x"));
    new.told.updates.clear();
    let HeadChange::Rows(rows) = HeadChange::between(&old, &new) else { panic!("rows") };
    let deleted: Vec<_> =
        rows.iter().filter(|(_, row)| row.is_none()).map(|(key, _)| key).collect();
    assert_eq!(deleted, [&RowKey::Entry(key("/x")), &RowKey::Update(0)]);
}

#[test]
fn a_rows_name_survives_its_text_and_updates_sort_in_the_order_told() {
    for row in [
        "session",
        "epoch",
        "entry/core/date",
        "entry/file:/a b",
        "entry/api/x/y",
        "scope//repo",
        "value/x/y",
        "update/0000000010",
    ] {
        assert_eq!(row.parse::<RowKey>().unwrap().to_string(), row);
    }
    assert!(RowKey::Update(9).to_string() < RowKey::Update(10).to_string());
}
