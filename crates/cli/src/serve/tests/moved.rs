//! A call under way while another process moves its session (R-BND-8, R-SES-3): the server's file
//! system has the move made in the middle of the call's look.

use super::super::server::serve;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::{
    io::{Cursor, Read, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use told::{
    Engine, Ports,
    configuration::{Chosen, Configuration, Loaded, Surroundings},
    connect,
    domain::{
        look::{Looks, Seen},
        observation::Observation,
        path::CanonicalPath,
    },
    ports::FileSystem,
};
use told_clock::SystemClock;
use told_fs::LocalFileSystem;
use told_redb::{RedbOptions, RedbStore};

const SESSION: &str = "race/1";
/// A server that does not answer fails the test, and does not hang it.
const PATIENCE: Duration = Duration::from_secs(60);

/// The local files. Once armed, another process moves the session in the middle of the next look.
struct MovesMeanwhile {
    files: LocalFileSystem,
    armed: AtomicBool,
    /// What the other process works with, and where to.
    other: Configuration,
    to: PathBuf,
}

impl MovesMeanwhile {
    async fn look_begun(&self) {
        if self.armed.swap(false, Ordering::AcqRel) {
            let other = connect(&self.other).unwrap();
            let session = other.session(&SESSION.parse().unwrap()).await.unwrap();
            session.move_to(&self.to).await.unwrap();
        }
    }
}

#[async_trait]
impl FileSystem for MovesMeanwhile {
    async fn observe(&self, looks: &Looks) -> Seen {
        self.look_begun().await;
        self.files.observe(looks).await
    }

    async fn directory(&self, path: &Path) -> Observation<CanonicalPath> {
        self.look_begun().await;
        self.files.directory(path).await
    }
}

/// Two projects, and a server whose session works in the first.
struct Scene {
    home: tempfile::TempDir,
    configuration: Loaded,
}

impl Scene {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let surroundings =
            Surroundings { home: Some(home.path().to_owned()), ..Surroundings::default() };
        let configuration = Loaded::read(&surroundings, &Chosen::default()).unwrap();
        let scene = Self { home, configuration };
        scene.write("shop/AGENTS.md", "Use tabs.\n");
        scene.write("farm/AGENTS.md", "Feed the hens.\n");
        scene.write("barn/AGENTS.md", "Mind the step.\n");
        scene.write("shop/web/page.rs", "");
        scene
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// What a server answers to `calls`, each sent when the one before is answered. While it does the
    /// last but one, the session moves to the farm.
    async fn answers(&self, calls: &[(&str, Value)]) -> Vec<Value> {
        let files = Arc::new(MovesMeanwhile {
            files: LocalFileSystem::new(),
            armed: AtomicBool::new(false),
            other: self.configuration.configuration().clone(),
            to: self.path("farm"),
        });
        let line = |(id, (method, params)): (usize, &(&str, Value))| {
            let mut params = params.clone();
            params["session"] = SESSION.into();
            let call = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            format!("{call}\n")
        };
        let output = Output::default();
        let input = Input {
            lines: calls.iter().enumerate().map(line).collect(),
            sent: 0,
            left: Cursor::default(),
            output: output.clone(),
            files: files.clone(),
        };
        let wire = move |configuration: &Configuration| {
            let store = configuration.store.path.clone().unwrap();
            let ports = Ports {
                files: files.clone(),
                store: Arc::new(RedbStore::open(store, RedbOptions { wait_ms: 10_000 })),
                clock: Arc::new(SystemClock::new()),
            };
            Ok(Engine::new(ports, configuration.policy()?, "linux"))
        };
        let loaded = self.configuration.clone();
        serve(loaded, Box::new(wire), input, output.clone()).await.unwrap();
        let written = output.written.lock().unwrap();
        let lines = std::str::from_utf8(&written).unwrap().lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A host that sends one line when the one before is answered.
struct Input {
    lines: Vec<String>,
    sent: usize,
    left: Cursor<Vec<u8>>,
    output: Output,
    files: Arc<MovesMeanwhile>,
}

impl Read for Input {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        if self.left.position() == self.left.get_ref().len() as u64 {
            let Some(line) = self.lines.get(self.sent) else { return Ok(0) };
            self.output.wait_for(self.sent);
            if self.sent + 2 == self.lines.len() {
                self.files.armed.store(true, Ordering::Release);
            }
            self.left = Cursor::new(line.clone().into_bytes());
            self.sent += 1;
        }
        self.left.read(bytes)
    }
}

#[derive(Clone, Default)]
struct Output {
    written: Arc<Mutex<Vec<u8>>>,
    more: Arc<Condvar>,
}

impl Output {
    /// Until so many lines are written.
    fn wait_for(&self, lines: usize) {
        let short =
            |written: &mut Vec<u8>| written.iter().filter(|byte| **byte == b'\n').count() < lines;
        let waited = self.more.wait_timeout_while(self.written.lock().unwrap(), PATIENCE, short);
        assert!(!waited.unwrap().1.timed_out(), "a call is not answered");
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.written.lock().unwrap().write(bytes);
        self.more.notify_all();
        written
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What a session was told at the shop, `call` while it moves, and the log after that.
async fn raced(scene: &Scene, call: (&str, Value)) {
    let mut answers = scene
        .answers(&[
            ("session/open", json!({"directory": scene.path("shop")})),
            ("session/sync", json!({"position": 1})),
            call.clone(),
            ("session/log", json!({})),
        ])
        .await;
    let log = answers.pop().unwrap();
    let refused = answers.pop().unwrap();
    assert!(answers.iter().all(|answer| answer.get("result").is_some()), "{answers:?}");
    let error = &refused["error"];
    assert_eq!(error["code"], -32005, "{refused}");
    assert_eq!(error["data"], json!({"kind": "location_changed", "retry": "now"}));
    assert!(error["message"].as_str().unwrap().contains("call again"), "{error}");
    let kinds: Vec<_> = log["result"]["records"].as_array().unwrap().iter().collect();
    let kinds: Vec<_> = kinds.iter().map(|record| record["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["opened", "epoch_started", "moved"], "nothing is written after the move");
    assert_eq!(log["result"]["records"][2]["location"]["directory"], json!(scene.path("farm")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_that_would_commit_after_a_move_is_refused() {
    let scene = Scene::new();
    // A value that is set after the first sync, so that there is something to tell.
    let mut answers = scene
        .answers(&[
            ("session/open", json!({"directory": scene.path("shop")})),
            ("session/sync", json!({"position": 1})),
            ("context/set", json!({"key": "note", "value": "New."})),
            ("session/sync", json!({"position": 2})),
            ("session/sync", json!({"position": 2})),
        ])
        .await;
    let again = answers.pop().unwrap();
    assert_eq!(answers.pop().unwrap()["error"]["code"], -32005);
    // The same call again is of the new Location, and tells all that is new there.
    let text = again["result"]["updates"][0]["text"].as_str().unwrap();
    assert!(text.contains("Feed the hens.") && text.contains("New."), "{again}");
    assert_eq!(again["result"]["admitted"], 5, "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_that_would_write_nothing_is_refused_as_well() {
    raced(&Scene::new(), ("session/sync", json!({"position": 2}))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_is_refused() {
    // One that discovers a scope, and one that would write nothing.
    for path in ["web/page.rs", "page.rs"] {
        let paths = json!([{"path": path, "kind": "file"}]);
        raced(&Scene::new(), ("session/settle", json!({"tool": "read", "paths": paths}))).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_adoption_is_refused() {
    let scene = Scene::new();
    let sources = json!([{"path": scene.path("shop/AGENTS.md")}]);
    raced(&scene, ("session/adopt", json!({"sources": sources}))).await;
}

/// Also where both go to the same place: one of them did.
#[tokio::test(flavor = "multi_thread")]
async fn a_move_is_refused() {
    for to in ["../barn", "../farm"] {
        raced(&Scene::new(), ("session/move", json!({"directory": to}))).await;
    }
}
