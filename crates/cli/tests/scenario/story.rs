//! The main story: what a model is told from the first call of a session to its last.

use super::client::{Server, texts};
use crate::binary::bench::Bench;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs};

const SESSION: &str = "story/1";

/// A host: what it was sent, by revision.
struct Story {
    bench: Bench,
    server: Server,
    briefings: BTreeMap<u64, Value>,
}

impl Story {
    fn begin() -> Self {
        let bench = Bench::new();
        let mut server = Server::start(&bench);
        let opened = server.open(&bench, SESSION);
        assert_eq!((&opened["created"], &opened["revision"]), (&json!(true), &json!(1)));
        assert_eq!(opened["location"]["boundary"], json!(bench.path("shop")));
        Self { bench, server, briefings: BTreeMap::new() }
    }

    fn sync(&mut self, position: u64) -> Value {
        let params = json!({"session": SESSION, "position": position});
        let briefing = self.server.get("session/sync", params);
        let preview = self.server.get("session/preview", json!({"session": SESSION}));
        assert_eq!(texts(&preview), texts(&briefing), "a preview after it tells nothing new");
        let again = self.briefings.insert(briefing["revision"].as_u64().unwrap(), briefing.clone());
        if let Some(again) = again {
            assert_eq!(texts(&again), texts(&briefing), "no byte changes (R-BND-6)");
        }
        briefing
    }

    /// Ends the server and starts another.
    fn restart(&mut self) {
        let next = Server::start(&self.bench);
        let before = std::mem::replace(&mut self.server, next);
        assert_eq!(before.end(), (Vec::new(), 0));
    }
}

fn changes(briefing: &Value) -> Vec<(String, String)> {
    let last = briefing["updates"].as_array().unwrap().last();
    let changes = last.map_or(Vec::new(), |update| update["changes"].as_array().unwrap().clone());
    let word = |change: &Value, name: &str| change[name].as_str().unwrap().to_owned();
    changes.iter().map(|change| (word(change, "kind"), word(change, "source"))).collect()
}

fn last_text(briefing: &Value) -> String {
    texts(briefing).pop().unwrap().1
}

fn baseline(briefing: &Value) -> &str {
    briefing["epoch"]["baseline"]["text"].as_str().unwrap()
}

#[test]
fn from_the_first_boundary_to_the_last() {
    let mut story = Story::begin();
    let file = format!("file:{}", story.bench.path("shop/AGENTS.md").display());
    let header = format!("Instructions from: {}\n", story.bench.path("shop/AGENTS.md").display());

    // The baseline (R-EPO-1).
    let first = story.sync(1);
    assert!(baseline(&first).contains(&format!("{header}Use tabs.\n")), "{first}");
    assert_eq!((&first["complete"], &first["admitted"]), (&json!(true), &json!(2)));
    // No change costs no write (R-BND-10).
    assert_eq!(story.sync(2)["admitted"], Value::Null);

    // An edit is one update (R-BND-3), and again nothing.
    story.bench.write("shop/AGENTS.md", "Use spaces.\n");
    let edited = story.sync(3);
    assert_eq!(changes(&edited), [("changed".to_owned(), file.clone())]);
    assert!(last_text(&edited).ends_with("Use spaces.\n"), "{edited}");
    assert_eq!((&edited["admitted"], &edited["updates"][0]["position"]), (&json!(3), &json!(3)));
    assert_eq!(story.sync(4)["admitted"], Value::Null);

    // A host that has the rest is told the rest only.
    let since = json!({"session": SESSION, "since": 2});
    let newer = story.server.get("session/sync", since);
    assert_eq!((&newer["complete"], texts(&newer).len()), (&json!(false), 1));
    assert_eq!(baseline(&edited), baseline(&first));

    // The last instruction file goes (R-EPO-6), and nothing again, also after a restart.
    fs::remove_file(story.bench.path("shop/AGENTS.md")).unwrap();
    let removed = story.sync(5);
    assert_eq!(changes(&removed), [("removed".to_owned(), file.clone())]);
    let last = last_text(&removed);
    assert!(last.contains("Previously loaded instructions no longer apply."), "{last}");
    story.restart();
    assert_eq!(story.sync(6)["admitted"], Value::Null);

    // It comes back, with another.
    story.bench.write("shop/AGENTS.md", "Use tabs.\n");
    story.bench.write("shop/api/AGENTS.md", "Be terse.\n");
    let added = story.sync(7);
    let kinds: Vec<_> = changes(&added).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["added", "added"]);

    // A compaction: a new epoch restates all that is active, at its position (R-EPO-2).
    let compact = json!({"session": SESSION, "position": 8});
    let compacted = story.server.get("session/compact", compact);
    let shown = story.server.get("session/show", json!({"session": SESSION}));
    assert_eq!(shown["epoch"]["number"], 1, "until then the ended one is shown");
    let restated = story.sync(9);
    assert_eq!(compacted["revision"].as_u64().unwrap() + 1, restated["revision"].as_u64().unwrap());
    assert_eq!(
        (&restated["epoch"]["cause"], &restated["epoch"]["position"]),
        (&json!("compacted"), &json!(8))
    );
    assert_eq!(restated["updates"], json!([]));
    assert!(
        baseline(&restated).contains("Use tabs.\n") && baseline(&restated).contains("Be terse.\n")
    );

    // A rebase does so without a compaction (R-EPO-3).
    story.server.get("session/rebase", json!({"session": SESSION, "reason": "other model"}));
    story.restart();
    let rebased = story.sync(10);
    assert_eq!(
        (&rebased["epoch"]["cause"], &rebased["epoch"]["number"]),
        (&json!("rebased"), &json!(3))
    );
    assert_eq!(baseline(&rebased), baseline(&restated));

    everything_can_be_asked_again(&mut story, &file);
}

/// R-SES-6.
fn everything_can_be_asked_again(story: &mut Story, file: &str) {
    for (revision, briefing) in &story.briefings {
        let params = json!({"session": SESSION, "revision": revision});
        let shown = story.server.get("session/show", params);
        for name in ["session", "revision", "location", "epoch", "updates", "held", "totals"] {
            assert_eq!(shown[name], briefing[name], "{name} at {revision}");
        }
    }
    let log = story.server.log(SESSION);
    let revisions: Vec<_> = log.iter().map(|record| record["revision"].as_u64().unwrap()).collect();
    assert_eq!(revisions, (1..=log.len() as u64).collect::<Vec<_>>());
    let kinds: Vec<_> = log.iter().map(|record| record["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "opened",
            "epoch_started",
            "context_updated",
            "context_updated",
            "context_updated",
            "compacted",
            "epoch_started",
            "rebased",
            "epoch_started",
        ]
    );
    for (revision, text) in story.briefings.values().flat_map(texts) {
        assert_eq!(log[usize::try_from(revision).unwrap() - 1]["text"], text, "{revision}");
    }
    assert_eq!(log[7]["reason"], "other model");

    for look in [false, true] {
        let sources =
            story.server.get("session/sources", json!({"session": SESSION, "look": look}));
        let sources = sources["sources"].as_array().unwrap();
        let told = sources.iter().find(|source| source["source"] == file).unwrap();
        assert_eq!(
            (&told["state"], &told["kind"], &told["bytes"]),
            (&json!("active"), &json!("file"), &json!(10))
        );
        assert_eq!(told["told_at"].as_u64(), Some(log.len() as u64), "{told}");
    }
    let listed = story.server.get("session/list", json!({}));
    assert_eq!(listed["sessions"][0]["session"], SESSION);
    assert_eq!(listed["sessions"][0]["revision"], log.len());

    story.server.get("session/delete", json!({"session": SESSION}));
    story.server.refused("session/sync", json!({"session": SESSION}), -32002);
    assert_eq!(story.server.get("session/list", json!({})), json!({"sessions": []}));
    // Made again under its name it is another session.
    story.server.open(&story.bench, SESSION);
    assert_eq!(story.server.sync(SESSION)["revision"], 2);
}

/// R-API-1.
#[test]
fn a_host_set_value_is_told_and_taken_back() {
    let mut story = Story::begin();
    story.sync(1);
    let directory = story.bench.path("shop/api");
    let set = json!({"session": SESSION, "key": "mode", "value": "plan", "title": "Mode"});
    assert_eq!(story.server.get("context/set", set), json!({"revision": 3}));
    let set = json!({"directory": directory, "key": "build", "value": {"status": "red", "at": 12}});
    assert_eq!(story.server.get("context/set", set), json!({}));
    let told = story.sync(2);
    let added = |key: &str| ("added".to_owned(), key.to_owned());
    assert_eq!(changes(&told), [added("api/build"), added("api/mode")]);
    let text = last_text(&told);
    assert!(text.contains("Mode\nplan") && text.contains("\"status\": \"red\""), "{text}");

    // The session's wins over its Location's.
    let set = json!({"directory": directory, "key": "mode", "value": "go"});
    story.server.get("context/set", set);
    assert_eq!(story.sync(3)["admitted"], Value::Null);
    let unset = json!({"session": SESSION, "key": "mode"});
    story.server.get("context/unset", unset);
    let changed = story.sync(4);
    assert_eq!(changes(&changed), [("changed".to_owned(), "api/mode".to_owned())]);
    for key in ["mode", "build", "never"] {
        let unset = json!({"directory": directory, "key": key});
        assert_eq!(story.server.get("context/unset", unset), json!({}));
    }
    story.restart();
    let removed = story.sync(5);
    let gone = |key: &str| ("removed".to_owned(), key.to_owned());
    assert_eq!(changes(&removed), [gone("api/build"), gone("api/mode")]);
    assert_eq!(story.sync(6)["admitted"], Value::Null);
}

#[test]
fn blocks_joined_are_the_text() {
    let mut story = Story::begin();
    story.bench.write("shop/api/AGENTS.md", "Be terse.\n");
    let params = json!({"session": SESSION, "blocks": true});
    story.server.get("session/sync", params.clone());
    story.bench.write("shop/api/AGENTS.md", "Be long.\n");
    let briefing = story.server.get("session/sync", params);
    for holder in [&briefing["epoch"]["baseline"], &briefing["updates"][0]] {
        let blocks = holder["blocks"].as_array().unwrap();
        let parts: Vec<_> = blocks.iter().map(|block| block["text"].as_str().unwrap()).collect();
        assert_eq!(parts.join("\n\n"), holder["text"], "{holder}");
    }
}

#[test]
fn what_a_new_session_would_be_told_and_why() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    let directory = bench.path("shop/api");
    let preview = server.get("location/preview", json!({"directory": directory}));
    assert_eq!((&preview["revision"], &preview["admitted"]), (&json!(0), &Value::Null));
    assert!(!bench.store().exists(), "a preview makes no store");
    let params = json!({"directory": directory, "path": "not/there/yet.rs"});
    let explained = server.get("location/explain", params);
    assert_eq!(explained["applies"][0]["path"], json!(bench.path("shop/AGENTS.md")));
    server.open(&bench, SESSION);
    assert_eq!(baseline(&server.sync(SESSION)), baseline(&preview));
}
