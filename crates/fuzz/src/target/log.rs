//! A log of records, one a line: well formed, damaged, or written by somebody else.

use super::{Came, Target, record::WORDS};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use told_domain::{
    fold::{fold, replay},
    hash::ContentHash,
    head::{HeadChange, RowKey, assemble},
    position::{Position, Revision},
    record::{Event, Record},
    render::{Blocks, Extent, briefing, log_record, look_of, sources},
    rewind::rewind,
    state::{Contents, State},
};

pub(super) const TARGET: Target = Target {
    name: "log",
    holds: "a replay is the fold step by step, changed rows are all rows, a rewind stays before its \
            position, and whatever a log names is shown or missed, never a panic",
    words: WORDS,
    bytes_max: 16 * 1024,
    check,
};

fn check(input: &[u8]) -> Came {
    let lines = input.split(|byte| *byte == b'\n');
    let found: Vec<Record> = lines.filter_map(|line| Record::decode(line).ok()).take(24).collect();
    // As it is: a gap or a record in a wrong place is an error.
    let error = replay(&found).err();
    // What of it can follow each other.
    let mut log = Vec::new();
    let mut state = None;
    for mut record in found {
        record.revision = Revision(log.len() as u64 + 1);
        match fold(state.clone(), &record) {
            Ok(next) => {
                log.push(record);
                check_step(state.as_ref(), &next);
                state = Some(next);
            }
            Err(_) => assert!(log.is_empty() || begins(&record), "{record:?}"),
        }
    }
    assert_eq!(replay(&log).expect("each was folded"), state, "a replay is the fold");
    let Some(state) = state else { return Came::refused(error.is_some()) };
    check_log(&log, &state);
    let kinds: BTreeSet<_> = log.iter().map(|record| kind(&record.event)).collect();
    Came::accepted((
        kinds,
        error.is_some(),
        state.told.epoch.is_some(),
        state.told.updates.len().min(4),
    ))
}

const fn begins(record: &Record) -> bool {
    matches!(record.event, Event::Opened { .. } | Event::Forked { .. })
}

fn kind(event: &Event) -> String {
    let json = serde_json::to_value(event).unwrap_or_default();
    json.get("kind").and_then(|kind| kind.as_str()).unwrap_or_default().to_owned()
}

/// The rows of `state`, led to from those before it.
pub(crate) fn check_step(before: Option<&State>, state: &State) {
    let whole = rows(state);
    if let Some(before) = before {
        let mut led = rows(before);
        if let HeadChange::Rows(changes) = HeadChange::between(before, state) {
            for (key, row) in changes {
                match row {
                    Some(row) => led.insert(key, row),
                    None => led.remove(&key),
                };
            }
        }
        assert_eq!(led, whole, "changed rows are all rows");
    }
    let mut texts: Vec<_> = whole.iter().map(|(key, row)| (key.to_string(), row)).collect();
    // As a store that sorts its keys as text gives them.
    texts.sort();
    let given = texts.iter().map(|(key, row)| (key.as_str(), row.as_slice()));
    assert_eq!(assemble(given).as_ref().ok(), Some(state), "rows make the state");
}

fn rows(state: &State) -> BTreeMap<RowKey, Vec<u8>> {
    match HeadChange::whole(state) {
        HeadChange::Whole(rows) => rows,
        HeadChange::Rows(_) => panic!("whole is whole"),
    }
}

fn check_log(log: &[Record], state: &State) {
    let named: BTreeSet<_> = log.iter().flat_map(Record::references).collect();
    for hash in state.needs() {
        assert!(named.contains(&hash), "a needed text that no record names");
    }
    for to in positions(log) {
        let told = rewind(log, to);
        let ends: Vec<_> = told.updates.iter().map(|update| update.position).collect();
        let inherited = log.iter().any(|record| matches!(record.event, Event::Forked { .. }));
        if !inherited {
            assert!(told.anchored.is_none_or(|anchored| anchored <= to), "a rewind ends at {to:?}");
            assert!(ends.iter().all(|end| *end <= to), "a rewind to {to:?} has {ends:?}");
        }
        if to == Position(u64::MAX)
            && !log.iter().any(|r| matches!(r.event, Event::Reverted { .. }))
        {
            assert_eq!(told, state.told, "a rewind to the end is what is told");
        }
    }
    show(log, state, &named);
}

fn positions(log: &[Record]) -> BTreeSet<Position> {
    let mut positions = BTreeSet::from([Position(0), Position(1), Position(u64::MAX)]);
    for record in log {
        let json = serde_json::to_value(&record.event).unwrap_or_default();
        let at = ["position", "to", "from"].iter().find_map(|name| json.get(name)?.as_u64());
        positions.extend(at.map(Position));
    }
    positions
}

/// All that can be asked of it, with no text, and with a short text for every hash.
fn show(log: &[Record], state: &State, named: &BTreeSet<ContentHash>) {
    let look = look_of(state);
    let views = sources(state, &look);
    for key in state.told.entries.keys() {
        let _ = state.belief(key);
    }
    assert!(
        views.len() >= state.told.entries.values().filter(|entry| entry.baseline.is_some()).count()
    );
    let id = "host/one".parse().expect("a name");
    let none = Contents::new();
    let any: Contents = named.iter().map(|hash| (*hash, Arc::from("é a\n\nb"))).collect();
    for contents in [&none, &any] {
        for blocks in [Blocks::Joined, Blocks::Apart] {
            for extent in [Extent::Complete, Extent::After(Revision(2))] {
                let shown = briefing(&id, state, contents, &look, None, extent, blocks);
                assert!(shown.is_ok() || contents.is_empty(), "all texts are there");
            }
        }
        for record in log {
            let shown = log_record(record, contents);
            assert!(shown.is_ok() || contents.is_empty(), "all texts are there");
        }
    }
}
