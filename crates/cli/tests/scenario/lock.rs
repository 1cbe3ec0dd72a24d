//! A process that holds the store and does not let go, as a stopped one does.

use super::client::Server;
use crate::binary::bench::Bench;
use rustix::{
    fs::{FlockOperation, fcntl_lock},
    process::{Pid, Signal, kill_process},
};
use serde_json::{Value, json};
use std::fs::File;

/// The whole store, held by this process with locks of the kind that a writer takes. To others it is
/// any process that was stopped in the midst of a commit. Nobody else may have it open.
struct Held(File);

impl Held {
    fn store_of(bench: &Bench) -> Self {
        let file = File::options().read(true).write(true).open(bench.store()).unwrap();
        fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        Self(file)
    }

    fn let_go(self) {
        fcntl_lock(&self.0, FlockOperation::Unlock).unwrap();
    }
}

fn impatient() -> Bench {
    let bench = Bench::new();
    bench.write(".config/told/config.toml", "[context]\ndate = false\n[store]\nwait_ms = 200\n");
    bench
}

#[test]
fn a_store_that_is_held_is_a_clear_error_after_the_wait() {
    let bench = impatient();
    let mut server = Server::start(&bench);
    server.open(&bench, "a/1");
    let briefing = server.sync("a/1");
    assert_eq!(server.end(), (Vec::new(), 0));
    bench.write("shop/AGENTS.md", "Use spaces.\n");
    let held = Held::store_of(&bench);
    let mut server = Server::start(&bench);
    for (method, params) in [
        ("session/sync", json!({"session": "a/1"})),
        ("session/compact", json!({"session": "a/1"})),
        ("session/open", json!({"session": "a/2", "directory": bench.path("shop")})),
        ("context/set", json!({"directory": bench.path("shop"), "key": "k", "value": 1})),
    ] {
        let error = server.refused(method, params, -32006);
        let (kind, retry) = (&error["data"]["kind"], &error["data"]["retry"]);
        assert_eq!((kind, retry), (&json!("store_unavailable"), &json!("later")), "{error}");
        assert!(error["message"].as_str().unwrap().contains("held by another process"), "{error}");
    }
    for line in ["sync", "sync -s a/1", "set k v"] {
        let sentence = bench.refused(line, 1);
        assert!(
            sentence.contains("held by another process") && sentence.lines().count() == 1,
            "{sentence}"
        );
    }
    held.let_go();
    let after = server.sync("a/1");
    assert_eq!(after["updates"][0]["changes"][0]["kind"], "changed", "{after}");
    assert_eq!(after["epoch"], briefing["epoch"]);
    assert_eq!(server.end(), (Vec::new(), 0));
}

#[test]
fn a_call_that_waits_holds_up_no_other() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    server.open(&bench, "a/1");
    assert_eq!(server.end(), (Vec::new(), 0));
    let held = Held::store_of(&bench);
    let mut server = Server::start(&bench);
    // It waits for the store; what needs no store is answered meanwhile.
    let waits = server.ask("session/compact", json!({"session": "a/1"}));
    let follows = server.ask("session/compact", json!({"session": "a/1"}));
    let explain = json!({"directory": bench.path("shop"), "path": "x"});
    let beside = server.ask("location/explain", explain);
    assert_eq!(server.answer().unwrap()["id"], beside);
    held.let_go();
    for id in [waits, follows] {
        let answer = server.answer().unwrap();
        assert_eq!((&answer["id"], &answer["error"]), (&json!(id), &Value::Null), "{answer}");
    }
    assert_eq!(server.end(), (Vec::new(), 0));
}

#[test]
fn a_stopped_server_between_calls_costs_the_others_nothing() {
    let bench = impatient();
    let mut stopped = Server::start(&bench);
    stopped.open(&bench, "a/1");
    stopped.sync("a/1");
    let process = Pid::from_raw(i32::try_from(stopped.id()).unwrap()).unwrap();
    kill_process(process, Signal::STOP).unwrap();
    bench.write("shop/AGENTS.md", "Use spaces.\n");
    let briefing = bench.json("sync --json -s a/1");
    assert_eq!(briefing["updates"][0]["changes"][0]["kind"], "changed", "{briefing}");
    let mut other = Server::start(&bench);
    assert_eq!(other.sync("a/1")["admitted"], Value::Null);
    kill_process(process, Signal::CONT).unwrap();
    assert_eq!(
        stopped.sync("a/1")["updates"],
        briefing["updates"],
        "it sees what the others wrote"
    );
}
