//! A record as stored.

use super::{Came, Target, project::shape};
use told_domain::record::{Record, RecordError};

/// What a stored record is made of.
pub(super) const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "null",
    "true",
    "\"version\":1,",
    "\"revision\":1,",
    "\"kind\":\"opened\"",
    "\"kind\":\"reverted\"",
    "\"kind\":\"forked\"",
    "\"position\":",
    "\"sources\":[],",
    "\"held\":[1,2]",
    "\"lost\":[2]",
    "\"told\":",
    "\"since\":",
    "\"removal\":\"x\"",
    "\"at\":\"2026-01-01T00:00:00Z\"",
    "\"/repo/a/../b\"",
    "\"file:/repo/AGENTS.md\"",
    "\"api/a/b\"",
    "\"core/date\"",
    "\"url:https://h/#0\"",
    "\\u0000",
    "\\ud800",
    "\u{1b}",
    "\"form\":\"diff\"",
    "\"kind\":\"changed\"",
    "\"kind\":\"removed\"",
    "\"kind\":\"added\"",
];

pub(super) const TARGET: Target = Target {
    name: "record",
    holds: "a record that decodes is written as one line, decodes to itself, and is written alike for ever",
    words: WORDS,
    bytes_max: 8 * 1024,
    check,
};

fn check(input: &[u8]) -> Came {
    match Record::decode(input) {
        Ok(record) => {
            let written = record.encode();
            assert!(!written.contains(&b'\n'), "one line");
            let again = Record::decode(&written).expect("what was written decodes");
            assert_eq!(again, record);
            assert_eq!(again.encode(), written);
            let references = record.references();
            assert!(references.is_sorted_by(|one, other| one < other), "each once, in order");
            assert_eq!(again.references(), references);
            Came::accepted((std::mem::discriminant(&record.event), references.len()))
        }
        Err(RecordError::Unknown { version, .. }) => Came::refused((1, version == 1)),
        Err(RecordError::Damaged(error)) => {
            let said = error.to_string();
            Came::refused(shape(said.split(" at line").next().unwrap_or_default()))
        }
    }
}
