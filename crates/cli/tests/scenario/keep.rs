//! `store.keep_days` and `delete --older-than`: sessions that nobody uses any more.

use super::client::Server;
use crate::binary::bench::Bench;
use async_trait::async_trait;
use serde_json::json;
use std::{sync::Arc, time::Duration};
use told::{
    Engine, OpenRequest, Ports,
    domain::{
        policy::Policy,
        session::{Prior, Trust},
        time::{Date, Timestamp},
    },
    ports::Clock,
};
use told_fs::LocalFileSystem;
use told_redb::{RedbOptions, RedbStore};

const KEEP: &str = "[context]\ndate = false\n[store]\nkeep_days = 30\n";

/// So many days ago.
struct Ago(i64);

#[async_trait]
impl Clock for Ago {
    fn now(&self) -> Timestamp {
        let now = told_clock::SystemClock::new().now().as_millisecond();
        Timestamp::from_millisecond(now - self.0 * 24 * 60 * 60 * 1000)
    }

    fn today(&self) -> Date {
        told_clock::SystemClock::new().today()
    }

    async fn sleep(&self, _: Duration) {}
}

/// Begins sessions of a year, a month and three weeks ago.
fn begin_old_sessions(bench: &Bench) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for (session, days) in [("year", 365), ("month", 31), ("weeks", 21)] {
        let ports = Ports {
            files: Arc::new(LocalFileSystem::new()),
            store: Arc::new(RedbStore::open(bench.store(), RedbOptions { wait_ms: 10_000 })),
            clock: Arc::new(Ago(days)),
        };
        let engine = Engine::new(ports, Policy::default(), "linux");
        let request = OpenRequest {
            session: session.parse().unwrap(),
            directory: bench.path("shop/api"),
            position: None,
            prior: Prior::None,
            trust: Trust::Trusted,
        };
        runtime.block_on(engine.open(request)).unwrap();
    }
}

fn sessions(listed: &serde_json::Value) -> Vec<&str> {
    let sessions = listed["sessions"].as_array().unwrap().iter();
    let mut sessions: Vec<_> =
        sessions.map(|session| session["session"].as_str().unwrap()).collect();
    sessions.sort_unstable();
    sessions
}

#[test]
fn a_session_that_begins_ends_those_that_nobody_used_for_keep_days() {
    let bench = Bench::new();
    begin_old_sessions(&bench);
    let listed = |bench: &Bench| sessions(&bench.json("sessions --json")).join(" ");
    bench.out("open -s new");
    assert_eq!(listed(&bench), "month new weeks year", "0 keeps them");
    bench.write(".config/told/config.toml", KEEP);
    bench.out("open -s new");
    assert_eq!(listed(&bench), "month new weeks year", "it was open already");
    bench.out("sync -s other");
    assert_eq!(listed(&bench), "new other weeks");
    assert_eq!(bench.json("delete --older-than 2w --json"), json!({ "deleted": ["weeks"] }));
}

#[test]
fn a_server_ends_them_when_it_starts_and_when_a_session_begins() {
    let bench = Bench::new();
    begin_old_sessions(&bench);
    let mut server = Server::start(&bench);
    assert_eq!(sessions(&server.get("session/list", json!({}))).len(), 3);
    let config = json!({ "store": { "keep_days": 300 } });
    server.get("initialize", json!({ "config": config }));
    assert_eq!(sessions(&server.get("session/list", json!({}))), ["month", "weeks"]);
    assert_eq!(server.end(), (Vec::new(), 0));
    bench.write(".config/told/config.toml", KEEP);
    let mut server = Server::start(&bench);
    assert_eq!(sessions(&server.get("session/list", json!({}))), ["weeks"]);
    assert_eq!(server.end(), (Vec::new(), 0));
}

#[test]
fn a_session_that_begins_in_a_server_ends_them_too() {
    let bench = Bench::new();
    bench.write(".config/told/config.toml", KEEP);
    let mut server = Server::start(&bench);
    assert_eq!(server.open(&bench, "new")["created"], true);
    begin_old_sessions(&bench);
    assert_eq!(server.open(&bench, "new")["created"], false);
    let listed = server.get("session/list", json!({}));
    assert_eq!(sessions(&listed), ["month", "new", "weeks", "year"]);
    server.open(&bench, "other");
    assert_eq!(sessions(&server.get("session/list", json!({}))), ["new", "other", "weeks"]);
    assert_eq!(server.end(), (Vec::new(), 0));
}
