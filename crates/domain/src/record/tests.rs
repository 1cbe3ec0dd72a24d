//! Records as stored: every kind survives its bytes, and what is unknown is named.

use super::*;
use crate::{
    testing::{
        admission, blob, canonical, diffed, epoch_started, key, location, opened, record, removed,
        updated,
    },
    told::PendingEpoch,
};

/// One record of every kind.
pub(crate) fn every_kind() -> Vec<Event> {
    let told = || {
        let mut told = Told::default();
        told.apply(&record(1, epoch_started(1, 2, vec![admission("/repo/AGENTS.md", "one")])));
        told.apply(&record(2, updated(3, vec![diffed("/repo/AGENTS.md", "two"), removed("/x")])));
        told.apply(&record(3, Event::HoldsDeclared { held: vec![], lost: vec![Revision(2)] }));
        told.pending = Some(PendingEpoch { cause: EpochCause::Rebased, position: Position(3) });
        let earlier = PendingEpoch { cause: EpochCause::Compacted, position: Position(2) };
        told.overtaken.push(earlier);
        Box::new(told)
    };
    let api: ApiKey = "a/b".parse().unwrap();
    let scope = DiscoveredScope { directory: canonical("/repo/s"), project: canonical("/repo") };
    let position = Position(3);
    vec![
        opened(),
        epoch_started(1, 2, vec![admission("/repo/AGENTS.md", "one")]),
        updated(3, vec![Change::Added { admission: admission("/repo/a/AGENTS.md", "two") }]),
        Event::ScopesDiscovered { position, agent: Some("sub".into()), scopes: vec![scope] },
        Event::Adopted { position, sources: vec![admission("/repo/b/AGENTS.md", "three")] },
        Event::Compacted { position },
        Event::Rebased { position, reason: None },
        Event::WindowMoved { from: position },
        Event::HoldsDeclared { held: vec![Revision(2)], lost: vec![Revision(3)] },
        Event::Reverted { to: position, told: told() },
        Event::Moved { location: location("/repo/s", "/repo") },
        Event::Forked {
            parent: "host/one".parse().unwrap(),
            position,
            location: location("/repo", "/repo"),
            trust: Trust::Untrusted,
            prior: Prior::Unknown,
            told: told(),
            values: BTreeMap::from([(api.clone(), blob("value"))]),
            epochs: EpochNumber(7),
        },
        Event::ValueSet { key: api.clone(), value: blob("value") },
        Event::ValueUnset { key: api },
    ]
}

#[test]
fn every_kind_survives_its_bytes() {
    let events = every_kind();
    assert_eq!(events.len(), KINDS.len());
    for (event, kind) in events.into_iter().zip(KINDS) {
        let record = record(9, event);
        let bytes = record.encode();
        assert_eq!(Record::decode(&bytes).unwrap(), record);
        let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(
            (&json["kind"], &json["version"], &json["revision"]),
            (&kind.into(), &1.into(), &9.into())
        );
    }
}

#[test]
fn r_epo_7_an_unknown_kind_or_version_is_an_error_that_names_it() {
    let unknown = |bytes: &str, expect: &str| {
        let error = Record::decode(bytes.as_bytes()).unwrap_err();
        assert!(matches!(error, RecordError::Unknown { .. }), "{error:?}");
        assert_eq!(error.to_string(), format!("a record of kind {expect} is from a newer told"));
    };
    unknown(r#"{"kind":"dreamt","version":1}"#, "`dreamt` version 1");
    unknown(r#"{"kind":"opened","version":2,"revision":"?"}"#, "`opened` version 2");
    unknown(r#"{"kind":"opened","version":0}"#, "`opened` version 0");
}

#[test]
fn r_epo_7_bytes_that_are_no_record_are_damaged() {
    let whole = record(1, opened()).encode();
    let mut damaged = vec![
        Vec::new(),
        b"null".to_vec(),
        br#"{"kind":"opened","version":1}"#.to_vec(),
        br#"{"kind":"opened"}"#.to_vec(),
    ];
    damaged.extend((0..whole.len()).map(|length| whole[..length].to_vec()));
    for bytes in damaged {
        let error = Record::decode(&bytes).unwrap_err();
        assert!(matches!(error, RecordError::Damaged(_)), "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn a_record_names_every_text_that_it_needs() {
    let needs = |event: Event| record(1, event).references();
    let hashes = |texts: &[&str]| {
        let mut hashes: Vec<_> = texts.iter().map(|text| blob(text).sha256).collect();
        hashes.sort_unstable();
        hashes
    };
    let names = |event, texts: &[&str]| assert_eq!(needs(event), hashes(texts));
    let mut events = every_kind().into_iter();
    let mut next = |texts: &[&str]| names(events.next().unwrap(), texts);
    next(&[]);
    next(&["baseline", "one"]);
    next(&["update", "two"]);
    next(&[]);
    next(&["three"]);
    (0..4).for_each(|_| next(&[]));
    next(&["baseline", "one", "update", "two"]);
    next(&[]);
    next(&["baseline", "one", "update", "two", "value"]);
    next(&["value"]);
    next(&[]);
}

#[test]
fn keys_of_every_kind_can_be_stored() {
    for text in ["core/date", "/repo/a b\nc", "url:https://e.org/?***#0", "api/x/y z", "lint/one"] {
        let change = Change::Removed { key: key(text), place: crate::place::Place::Skills };
        let record = record(1, updated(1, vec![change]));
        assert_eq!(Record::decode(&record.encode()).unwrap(), record, "{text}");
    }
}
