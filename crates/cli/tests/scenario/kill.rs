//! A server killed at any moment, again and again (R-BND-5): what it ever returned is in the log,
//! no revision is missing, and nothing is told twice.

use super::client::{Server, texts};
use crate::binary::bench::Bench;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

const SESSION: &str = "killed/1";
const KILLS: u64 = 60;

/// A small generator: the same seed, the same story.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

struct Killing {
    bench: Bench,
    dice: Dice,
    returned: BTreeMap<u64, String>,
    position: u64,
}

impl Killing {
    /// One of two files gets one of three texts, or goes.
    fn change(&mut self) {
        let (path, name) = [("shop/AGENTS.md", "upper"), ("shop/api/AGENTS.md", "lower")]
            [usize::try_from(self.dice.below(2)).unwrap()];
        match self.dice.below(4) {
            0 => drop(fs::remove_file(self.bench.path(path))),
            // Over a page, so that a commit writes in many places.
            text => {
                self.bench.write(path, format!("<<{name} {text}>>\n{}\n", "pad ".repeat(2_000)))
            }
        }
    }

    fn ask(&mut self, server: &mut Server) {
        self.position += 1;
        let session = json!({"session": SESSION});
        match self.dice.below(12) {
            0 => server.ask("session/compact", session),
            1 => server.ask("session/rebase", session),
            2 => {
                let value = format!("<<value {}>>", self.dice.below(3));
                let set = json!({"session": SESSION, "key": "value", "value": value});
                server.ask("context/set", set)
            }
            _ => {
                let sync = json!({"session": SESSION, "position": self.position});
                server.ask("session/sync", sync)
            }
        };
    }

    /// Keeps what an answer returned. No text was another before.
    fn keep(&mut self, answer: &Value) {
        let result = &answer["result"];
        assert!(result.is_object(), "{answer}");
        if result.get("epoch").is_some() {
            for (revision, text) in texts(result) {
                let before = self.returned.insert(revision, text.clone());
                assert!(before.is_none_or(|before| before == text), "{revision} changed");
            }
        }
    }

    /// Lives for a few answers, and is killed with calls in flight: after an answer, or after so
    /// many bytes of one.
    fn live_and_die(&mut self, mut server: Server) {
        for _ in 0..self.dice.below(4) {
            self.change();
            self.ask(&mut server);
            let answer = server.answer().unwrap();
            self.keep(&answer);
        }
        self.change();
        for _ in 0..=self.dice.below(3) {
            self.ask(&mut server);
        }
        let bytes = match self.dice.below(3) {
            0 => Vec::new(),
            1 => server.take_bytes(1),
            _ => {
                let count = self.dice.below(30_000);
                server.take_bytes_of_answer(count)
            }
        };
        let written = [bytes, server.kill()].concat();
        // What came whole was returned.
        for line in written.split_inclusive(|byte| *byte == b'\n') {
            if line.ends_with(b"\n") {
                self.keep(&serde_json::from_slice(line).unwrap());
            }
        }
    }

    fn check(&self, log: &[Value]) {
        for (at, record) in log.iter().enumerate() {
            assert_eq!(record["revision"], at + 1, "no gap");
        }
        for (revision, text) in &self.returned {
            let record = &log[usize::try_from(*revision).unwrap() - 1];
            assert_eq!(record["text"], *text, "revision {revision} was returned");
        }
        nothing_is_told_twice(log);
    }
}

/// Reads the belief back from the texts alone.
fn nothing_is_told_twice(log: &[Value]) {
    let mut believed: BTreeMap<String, String> = BTreeMap::new();
    let mut gone: BTreeSet<String> = BTreeSet::new();
    for record in log {
        let Some(text) = record["text"].as_str() else { continue };
        if record["kind"] == "epoch_started" {
            believed.clear();
            gone.clear();
        }
        for told in text.split("<<").skip(1) {
            let (name, value) = told.split_once(">>").unwrap().0.split_once(' ').unwrap();
            let before = believed.insert(name.to_owned(), value.to_owned());
            assert_ne!(before.as_deref(), Some(value), "{name} twice at {}", record["revision"]);
            gone.remove(name);
        }
        for change in record["changes"].as_array().unwrap() {
            if change["kind"] == "removed" {
                let source = change["source"].as_str().unwrap();
                let name = if source.contains("/api/AGENTS.md") { "lower" } else { "upper" };
                assert!(gone.insert(name.to_owned()), "{name} removed twice");
                assert!(believed.remove(name).is_some(), "{name} was never told");
            }
        }
    }
}

#[test]
fn a_kill_at_any_moment_loses_and_doubles_nothing() {
    let mut killing = Killing {
        bench: Bench::new(),
        dice: Dice(20_261_130),
        returned: BTreeMap::new(),
        position: 0,
    };
    killing.bench.write("shop/AGENTS.md", "<<upper 1>>\n");
    let mut records = 0;
    for kill in 0..KILLS {
        let mut server = Server::start(&killing.bench);
        if kill == 0 {
            server.open(&killing.bench, SESSION);
        } else {
            let log = server.log(SESSION);
            assert!(log.len() >= records, "the log is a prefix that only grows");
            records = log.len();
            killing.check(&log);
        }
        killing.live_and_die(server);
    }
    let mut server = Server::start(&killing.bench);
    let log = server.log(SESSION);
    killing.check(&log);
    assert!(log.len() as u64 > KILLS, "{} records are too few to prove much", log.len());
    // And it still works: all that changed is told, then nothing.
    let params = json!({"session": SESSION, "position": killing.position});
    let briefing = server.get("session/sync", params.clone());
    let again = server.get("session/sync", params);
    assert_eq!((texts(&again), &again["admitted"]), (texts(&briefing), &Value::Null));
    assert_eq!(server.end(), (Vec::new(), 0));
}
