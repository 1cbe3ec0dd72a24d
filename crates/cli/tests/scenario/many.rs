//! Commands and a server at once on one store.

use super::client::{Server, texts};
use crate::binary::bench::{Bench, Ran};
use serde_json::{Value, json};
use std::process::Stdio;

const SESSION: &str = "shared/1";
const PROCESSES: usize = 20;

/// Twenty `told sync` at once, and the server's own beside them.
fn all_at_once(bench: &Bench, server: &mut Server) -> Vec<Value> {
    let line = format!("sync --json -s {SESSION}");
    let children: Vec<_> = (0..PROCESSES)
        .map(|_| {
            let mut command = bench.command(&line);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut briefings: Vec<_> = (0..PROCESSES).map(|_| server.sync(SESSION)).collect();
    for child in children {
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!((ran.status, ran.err.as_str()), (0, ""));
        briefings.push(serde_json::from_str(&ran.out).unwrap());
    }
    briefings
}

/// R-BND-7: of many boundaries at once one admits, and all tell the same.
#[test]
fn many_processes_and_a_server_tell_one_story() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    server.open(&bench, SESSION);
    let mut told = 0;
    for text in ["Use tabs.\n", "Use spaces.\n", "Use both.\n"] {
        bench.write("shop/AGENTS.md", text);
        let briefings = all_at_once(&bench, &mut server);
        let admitted = briefings.iter().filter(|briefing| !briefing["admitted"].is_null()).count();
        assert_eq!(admitted, 1, "{text}");
        told += 1;
        for briefing in &briefings {
            assert_eq!(texts(briefing), texts(&briefings[0]));
            assert_eq!(texts(briefing).len(), told);
        }
    }
    let log = server.log(SESSION);
    let kinds: Vec<_> = log.iter().map(|record| record["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["opened", "epoch_started", "context_updated", "context_updated"]);
    assert_eq!(server.end(), (Vec::new(), 0));
}

/// The first of them makes the store.
#[test]
fn many_processes_make_one_store() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    let directory = bench.path("shop/api");
    for number in 0..8 {
        let open = json!({"session": format!("mine/{number}"), "directory": directory});
        server.ask("session/open", open);
    }
    let children: Vec<_> = (0..PROCESSES)
        .map(|_| {
            let mut command = bench.command("sync --json");
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    }
    for _ in 0..8 {
        assert_eq!(server.answer().unwrap()["result"]["created"], true);
    }
    let sessions = server.get("session/list", json!({}));
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 9);
    let beside: Vec<_> = std::fs::read_dir(bench.path(".local/share/told"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(beside, ["store.redb"], "nothing is left beside it");
}
