//! Head rows as stored, one a line: a key, a tab, a value. They are a cache that anything may have
//! happened to.

use super::{Came, Target, check_step, record::WORDS};
use std::sync::Arc;
use told_domain::{
    command::{Command, Decision, Standing},
    decide::decide,
    head::{RowKey, assemble},
    policy::Policy,
    position::{Position, Revision},
    state::Contents,
    time::Timestamp,
};

pub(super) const TARGET: Target = Target {
    name: "rows",
    holds: "rows that make a state are written back to rows that make it, a row's key is written as it \
            was read, and such a state answers commands",
    words: WORDS,
    bytes_max: 16 * 1024,
    check,
};

fn check(input: &[u8]) -> Came {
    let text = String::from_utf8_lossy(input);
    let rows: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut keys = 0_u32;
    for (key, _) in &rows {
        if let Ok(read) = key.parse::<RowKey>() {
            keys += 1;
            let written = read.to_string();
            assert_eq!(written.parse::<RowKey>().ok(), Some(read), "{key}");
        }
    }
    match assemble(rows.iter().map(|(key, row)| (*key, row.as_bytes()))) {
        Err(damaged) => {
            let (kind, _) = damaged.row.split_once('/').unwrap_or((&damaged.row, ""));
            Came::refused((kind.to_owned(), keys))
        }
        Ok(state) => {
            check_step(None, &state);
            let needs = state.needs();
            let contents: Contents =
                needs.into_iter().map(|hash| (hash, Arc::from("text"))).collect();
            let standing = Standing::new(state, contents, &[]);
            assert!(standing.is_whole());
            ask(&standing);
            Came::accepted((keys, standing.state.told.updates.len()))
        }
    }
}

/// Commands that need nothing but the state: each answer can be appended.
fn ask(standing: &Standing) {
    let held = [Revision(2), Revision(u64::MAX)];
    let commands = [
        Command::Compact { position: None },
        Command::Compact { position: Some(Position(u64::MAX)) },
        Command::Rebase { reason: Some("x".into()) },
        Command::Window { from: Position(3) },
        Command::Window { from: Position(u64::MAX) },
        Command::Holds { held: &held },
        Command::Revert { to: Position(1), log: &[] },
    ];
    for command in commands {
        let now = Timestamp::from_millisecond(0);
        let decision = decide(Some(standing), &command, now, &Policy::default());
        if let Decision::Commit { records, .. } = decision {
            let mut state = standing.state.clone();
            for record in &records {
                assert!(record.revision > state.revision, "a record after the last");
                let next =
                    told_domain::fold::fold(Some(state.clone()), record).expect("it follows");
                check_step(Some(&state), &next);
                state = next;
            }
        }
    }
}
