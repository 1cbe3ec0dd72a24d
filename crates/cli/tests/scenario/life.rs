//! A session's whole life as its host lives it: what the tests of `life_*` share.

use super::client::{Server, texts};
use crate::binary::bench::Bench;
use serde_json::{Value, json};

/// The session that most of them tell of.
pub(super) const SESSION: &str = "life/1";

/// A host with one session in `~/shop/api`, and a server.
pub(super) struct Life {
    pub(super) bench: Bench,
    pub(super) server: Server,
    /// Where the host's messages end.
    pub(super) position: u64,
}

/// What one boundary told.
pub(super) struct Told {
    pub(super) briefing: Value,
    /// `added shop/AGENTS.md`, and so on, in the order told.
    pub(super) changes: Vec<String>,
    /// The text that this boundary added; empty where it added none.
    pub(super) text: String,
}

impl Life {
    /// A session before its first boundary.
    pub(super) fn open(configuration: &str) -> Self {
        let bench = Bench::new();
        let file = format!("[context]\ndate = false\n{configuration}");
        bench.write(".config/told/config.toml", file);
        let mut server = Server::start(&bench);
        server.open(&bench, SESSION);
        Self { bench, server, position: 0 }
    }

    /// A session that had its first boundary, at position 1.
    pub(super) fn begin() -> Self {
        Self::begin_with("")
    }

    /// With these lines of configuration.
    pub(super) fn begin_with(configuration: &str) -> Self {
        let mut life = Self::open(configuration);
        let first = life.boundary();
        assert_eq!(first.changes, ["added shop/AGENTS.md", "added core/environment"]);
        life
    }

    /// `begin`, and then `~/shop/web` was read, at position 2, and its instructions told, at 3.
    pub(super) fn begin_with_web() -> Self {
        let mut life = Self::begin();
        life.bench.write("shop/web/AGENTS.md", "Web 1.\n");
        assert_eq!(life.read("../web/page.rs")["discovered"], life.paths(&["shop/web"]));
        assert_eq!(life.boundary().changes, ["added shop/web/AGENTS.md"]);
        life
    }

    /// Paths below the home, as the server tells them.
    pub(super) fn paths(&self, paths: &[&str]) -> Value {
        paths.iter().map(|path| json!(self.bench.path(path))).collect()
    }

    /// A boundary at the host's next position. One after it tells nothing, and nor does a preview.
    pub(super) fn boundary(&mut self) -> Told {
        self.position += 1;
        self.boundary_of(SESSION, Some(self.position))
    }

    /// A boundary of another session, at its default position.
    pub(super) fn boundary_in(&mut self, session: &str) -> Told {
        self.boundary_of(session, None)
    }

    fn boundary_of(&mut self, session: &str, position: Option<u64>) -> Told {
        let params = json!({"session": session, "position": position});
        let briefing = self.server.get("session/sync", params.clone());
        for method in ["session/sync", "session/preview"] {
            let again = self.server.get(method, params.clone());
            assert_eq!((&again["admitted"], texts(&again)), (&Value::Null, texts(&briefing)));
        }
        let Some(admitted) = briefing["admitted"].as_u64() else {
            return Told { briefing, changes: Vec::new(), text: String::new() };
        };
        let params = json!({"session": session, "after": admitted - 1, "limit": 1});
        let record = self.server.get("session/log", params)["records"][0].take();
        let (revision, text) = texts(&briefing).pop().unwrap();
        assert_eq!((revision, json!(text)), (admitted, record["text"].clone()));
        Told { changes: self.changes(&record), briefing, text }
    }

    fn changes(&self, record: &Value) -> Vec<String> {
        let home = format!("file:{}", self.bench.path("").display());
        let word = |change: &Value| {
            let source = change["source"].as_str().unwrap();
            let name = source.strip_prefix(&home).unwrap_or(source).replace('\\', "/");
            format!("{} {name}", change["kind"].as_str().unwrap())
        };
        record["changes"].as_array().unwrap().iter().map(word).collect()
    }

    /// A tool read a file.
    pub(super) fn read(&mut self, path: &str) -> Value {
        self.settle(json!({"paths": [{"path": path, "kind": "file"}]}))
    }

    /// A tool call at the host's next position settled.
    pub(super) fn settle(&mut self, call: Value) -> Value {
        self.position += 1;
        let (tool, position) = ("read", self.position);
        let mut params = json!({"session": SESSION, "tool": tool, "position": position});
        params.as_object_mut().unwrap().extend(call.as_object().unwrap().clone());
        self.server.get("session/settle", params)
    }

    /// A call about the session with one parameter more.
    pub(super) fn tell(&mut self, method: &str, name: &str, value: impl Into<Value>) -> Value {
        self.server.get(method, json!({"session": SESSION, name: value.into()}))
    }

    /// A compaction at the host's next position.
    pub(super) fn compact(&mut self) {
        self.position += 1;
        self.tell("session/compact", "position", self.position);
    }

    /// The host takes its transcript back.
    pub(super) fn revert(&mut self, position: u64) {
        self.position = position;
        self.tell("session/revert", "position", position);
    }

    pub(super) fn fork(&mut self, child: &str, position: u64) -> Value {
        let params = json!({"session": SESSION, "child": child, "position": position});
        self.server.get("session/fork", params)
    }

    /// Ends the server and starts another.
    pub(super) fn restart(&mut self) {
        let before = std::mem::replace(&mut self.server, Server::start(&self.bench));
        assert_eq!(before.end(), (Vec::new(), 0));
    }

    /// SIGKILL, and another server.
    pub(super) fn kill(&mut self) {
        let before = std::mem::replace(&mut self.server, Server::start(&self.bench));
        assert!(before.kill().is_empty());
    }

    /// The last record of the session.
    pub(super) fn last_record(&mut self) -> Value {
        self.server.log(SESSION).pop().unwrap()
    }

    /// What became of a source.
    pub(super) fn source(&mut self, path: &str) -> Value {
        let path = json!(self.bench.path(path));
        let sources = self.server.get("session/sources", json!({"session": SESSION}));
        let sources = sources["sources"].as_array().unwrap();
        sources.iter().find(|source| source["path"] == path).cloned().unwrap_or_default()
    }
}

/// The baseline of a briefing.
pub(super) fn baseline(briefing: &Value) -> &str {
    briefing["epoch"]["baseline"]["text"].as_str().unwrap()
}

/// How often a text stands in all that a briefing sends.
pub(super) fn count(briefing: &Value, text: &str) -> usize {
    texts(briefing).iter().map(|(_, told)| told.matches(text).count()).sum()
}
