//! What becomes of instructions that a read brought in (R-LOC-1…8).

use super::{
    client::{Server, texts},
    life::{Life, SESSION, baseline, count},
};
use serde_json::{Value, json};
use std::fs;

const WEB: &str = "shop/web/AGENTS.md";

/// R-LOC-3, R-LOC-5, R-LOC-7.
#[test]
fn read_then_edit() {
    let mut life = Life::begin();
    life.bench.write(WEB, "Web 1.\n");
    let before = texts(&life.server.get("session/show", json!({"session": SESSION})));
    let settled = life.read("../web/page.rs");
    assert_eq!((&settled["revision"], &settled["ignored"]), (&json!(3), &json!([])));
    assert_eq!(settled["discovered"], life.paths(&["shop/web"]));
    let record = life.last_record();
    assert_eq!((&record["kind"], &record["position"]), (&json!("scopes_discovered"), &json!(2)));
    let shown = life.server.get("session/show", json!({"session": SESSION}));
    assert_eq!(texts(&shown), before, "a discovery tells nothing");

    let told = life.boundary();
    assert_eq!(told.changes, ["added shop/web/AGENTS.md"]);
    let (file, directory) = (life.bench.path(WEB), life.bench.path("shop/web"));
    let (file, directory) = (file.display(), directory.display());
    let block = format!("Instructions from: {file}\nApplies to: {directory}\nWeb 1.\n");
    assert!(told.text.contains(&block), "{}", told.text);

    life.bench.write(WEB, "Web 2.\n");
    let told = life.boundary();
    assert_eq!(told.changes, ["changed shop/web/AGENTS.md"]);
    assert!(told.text.ends_with("Web 2.\n"), "{}", told.text);
}

/// R-LOC-5.
#[test]
fn read_then_delete() {
    let mut life = Life::begin_with_web();
    fs::remove_file(life.bench.path(WEB)).unwrap();
    let told = life.boundary();
    assert_eq!(told.changes, ["removed shop/web/AGENTS.md"]);
    assert!(told.text.contains(&life.bench.path(WEB).display().to_string()), "{}", told.text);
    assert!(!told.text.contains("Previously loaded"), "others still apply: {}", told.text);
    assert_eq!(life.source(WEB)["state"], "inactive");
    life.restart();
    assert!(life.boundary().changes.is_empty());
}

/// R-LOC-5, R-BND-4.
#[test]
fn delete_then_create_again() {
    let mut life = Life::begin_with_web();
    fs::remove_file(life.bench.path(WEB)).unwrap();
    life.bench.write(WEB, "Web 1.\n");
    assert!(life.boundary().changes.is_empty(), "equal bytes between two boundaries");
    fs::remove_dir_all(life.bench.path("shop/web")).unwrap();
    assert_eq!(life.boundary().changes, ["removed shop/web/AGENTS.md"]);
    life.bench.write(WEB, "Web 1.\n");
    let told = life.boundary();
    assert_eq!(told.changes, ["added shop/web/AGENTS.md"]);
    assert!(told.text.ends_with("Web 1.\n"), "{}", told.text);
    assert_eq!(life.source(WEB)["state"], "active");
}

/// R-LOC-4.
#[test]
fn read_then_work_elsewhere_then_edit() {
    let mut life = Life::begin_with_web();
    life.bench.write("shop/doc/AGENTS.md", "Doc 1.\n");
    life.bench.write("shop/lib/deep/AGENTS.md", "Deep 1.\n");
    life.read(&life.bench.path("shop/doc/a.md").display().to_string());
    assert_eq!(life.boundary().changes, ["added shop/doc/AGENTS.md"]);
    let settled = life.read("../lib/deep/a.rs");
    assert_eq!(settled["discovered"], life.paths(&["shop/lib", "shop/lib/deep"]));
    assert_eq!(life.boundary().changes, ["added shop/lib/deep/AGENTS.md"]);
    for _ in 0..5 {
        assert!(life.boundary().changes.is_empty());
    }
    life.bench.write(WEB, "Web 2.\n");
    assert_eq!(life.boundary().changes, ["changed shop/web/AGENTS.md"]);
    // A file that appears later in a tracked scope; and both at once, broad to specific.
    life.bench.write("shop/lib/AGENTS.md", "Lib 1.\n");
    life.bench.write(WEB, "Web 3.\n");
    life.bench.write("shop/lib/deep/AGENTS.md", "Deep 2.\n");
    let changes = [
        "added shop/lib/AGENTS.md",
        "changed shop/web/AGENTS.md",
        "changed shop/lib/deep/AGENTS.md",
    ];
    assert_eq!(life.boundary().changes, changes);
}

/// R-LOC-4, R-EPO-2: restated once, and not told again.
#[test]
fn read_then_compact_then_sync() {
    let mut life = Life::begin_with_web();
    life.compact();
    let told = life.boundary();
    assert_eq!(
        (&told.briefing["epoch"]["number"], &told.briefing["updates"]),
        (&json!(2), &json!([]))
    );
    assert_eq!(count(&told.briefing, "Web 1.\n"), 1, "{}", told.text);
    assert_eq!(count(&told.briefing, "Use tabs.\n"), 1, "{}", told.text);
    assert!(life.boundary().changes.is_empty());
    life.bench.write(WEB, "Web 2.\n");
    assert_eq!(life.boundary().changes, ["changed shop/web/AGENTS.md"]);
}

/// R-LOC-8.
#[test]
fn read_then_compact_then_read_the_same_path() {
    let mut life = Life::begin_with_web();
    life.compact();
    let compacted = life.last_record()["revision"].clone();
    let settled = life.read("../web/page.rs");
    assert_eq!((&settled["discovered"], &settled["revision"]), (&json!([]), &compacted));
    let told = life.boundary();
    assert_eq!(count(&told.briefing, "Web 1.\n"), 1, "{}", told.text);
    let settled = life.read("../web/other.rs");
    assert_eq!(settled["discovered"], json!([]), "another file of the directory");
    assert!(life.boundary().changes.is_empty());
}

/// R-LOC-4, R-LOC-8.
#[test]
fn read_then_compact_then_restart_then_read() {
    let mut life = Life::begin_with_web();
    life.compact();
    life.kill();
    assert_eq!(life.read("../web/page.rs")["discovered"], json!([]));
    let told = life.boundary();
    assert_eq!(told.briefing["epoch"]["cause"], "compacted");
    assert_eq!(count(&told.briefing, "Web 1.\n"), 1, "{}", told.text);
    life.restart();
    assert_eq!(life.read("../web/page.rs")["discovered"], json!([]));
    assert!(life.boundary().changes.is_empty());
}

/// R-BND-6.
#[test]
fn restart_then_sync_tells_nothing() {
    let mut life = Life::begin_with_web();
    let before = texts(&life.boundary().briefing);
    for _ in 0..2 {
        life.restart();
        let told = life.boundary();
        assert!(told.changes.is_empty());
        assert_eq!(texts(&told.briefing), before);
        life.kill();
        assert!(life.boundary().changes.is_empty());
    }
    assert_eq!(life.last_record()["revision"], 4, "no change costs no write");
}

/// R-LOC-3: durable when the hook returns.
#[test]
fn a_kill_between_settle_and_sync_loses_nothing() {
    let mut life = Life::begin();
    life.bench.write(WEB, "Web 1.\n");
    life.read("../web/page.rs");
    life.kill();
    assert_eq!(life.boundary().changes, ["added shop/web/AGENTS.md"]);
    life.kill();
    assert!(life.boundary().changes.is_empty());
}

/// R-LOC-8: fifty settlements of one file over two servers.
#[test]
fn parallel_settlements_track_once_and_tell_once() {
    let mut life = Life::begin();
    life.bench.write(WEB, "Web 1.\n");
    let mut other = Server::start(&life.bench);
    let call = json!({"session": SESSION, "tool": "read", "position": 2,
        "paths": [{"path": "../web/page.rs", "kind": "file"}]});
    for _ in 0..25 {
        life.server.ask("session/settle", call.clone());
        other.ask("session/settle", call.clone());
    }
    let mut discovered = 0;
    for server in [&mut life.server, &mut other] {
        for _ in 0..25 {
            let settled = server.answer().unwrap()["result"].take();
            assert_eq!((&settled["revision"], &settled["ignored"]), (&json!(3), &json!([])));
            discovered += settled["discovered"].as_array().unwrap().len();
        }
    }
    assert_eq!(discovered, 1, "one of them was first");
    life.position = 2;
    assert_eq!(life.boundary().changes, ["added shop/web/AGENTS.md"]);
    let kinds: Vec<_> =
        life.server.log(SESSION).iter_mut().map(|record| record["kind"].take()).collect();
    assert_eq!(
        json!(kinds),
        json!(["opened", "epoch_started", "scopes_discovered", "context_updated"])
    );
}

/// R-LOC-1: a late settlement is raised to the last anchored position; it never fails.
#[test]
fn a_settlement_from_before_is_raised() {
    let mut life = Life::begin();
    life.position = 9;
    life.bench.write("shop/AGENTS.md", "Use spaces.\n");
    life.boundary();
    let call = json!({"session": SESSION, "tool": "read", "position": 4, "agent": "scout",
        "paths": [{"path": "../web/page.rs", "kind": "file"}]});
    life.server.get("session/settle", call);
    let record = life.last_record();
    assert_eq!((&record["position"], &record["agent"]), (&json!(10), &json!("scout")));
}

/// What a session here would be told after reading paths: nothing is written.
#[test]
fn a_preview_after_reading_paths_is_what_a_session_is_told() {
    let mut life = Life::begin();
    life.bench.write(WEB, "Web 1.\n");
    life.read("../web/page.rs");
    life.compact();
    let told = life.boundary();
    let params = json!({"directory": life.bench.path("shop/api"), "paths": ["../web/page.rs"]});
    let preview = life.server.get("location/preview", params);
    assert_eq!((&preview["revision"], &preview["admitted"]), (&json!(0), &Value::Null));
    assert_eq!(baseline(&preview), baseline(&told.briefing));
}
