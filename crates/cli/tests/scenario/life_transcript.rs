//! What the host does with its transcript, and what the model is told of it (R-SES-2, R-SES-5,
//! R-SES-7…10).

use super::{
    client::texts,
    life::{Life, SESSION, baseline, count},
};
use serde_json::{Value, json};

const FILE: &str = "shop/AGENTS.md";
const WEB: &str = "shop/web/AGENTS.md";
const CHANGED: [&str; 1] = ["changed shop/AGENTS.md"];

/// R-SES-2.
#[test]
fn revert_past_the_read_then_read_again() {
    let mut life = Life::begin_with_web();
    life.revert(1);
    let told = life.boundary();
    assert!(told.changes.is_empty(), "the directory is no scope any more");
    assert_eq!(count(&told.briefing, "Web 1.\n"), 0);
    let settled = life.read("../web/page.rs");
    assert_eq!(settled["discovered"], life.paths(&["shop/web"]));
    assert_eq!(life.boundary().changes, ["added shop/web/AGENTS.md"]);
    // Back to between the read and the telling.
    life.revert(3);
    assert_eq!(life.read("../web/page.rs")["discovered"], json!([]));
    assert_eq!(life.boundary().changes, ["added shop/web/AGENTS.md"]);
}

/// R-SES-2: the old text is believed again, then the edit is told anew.
#[test]
fn revert_past_an_edits_update() {
    let mut life = Life::begin();
    life.bench.write(FILE, "Use spaces.\n");
    let first = texts(&life.boundary().briefing);
    life.bench.write(FILE, "Use both.\n");
    assert_eq!(life.boundary().changes, CHANGED);

    life.revert(2);
    let shown = life.server.get("session/show", json!({"session": SESSION}));
    assert_eq!(texts(&shown), first, "the prefix does not change");
    life.bench.write(FILE, "Use spaces.\n");
    assert!(life.boundary().changes.is_empty(), "what was told at 2 is believed");
    life.bench.write(FILE, "Use both.\n");
    let told = life.boundary();
    assert_eq!(told.changes, CHANGED);
    assert_eq!(texts(&told.briefing)[..2], first);

    // Past both, and to before the first boundary.
    life.revert(1);
    let told = life.boundary();
    assert_eq!(
        (&told.changes[..], texts(&told.briefing).len()),
        (&CHANGED.map(str::to_owned)[..], 2)
    );
    life.revert(0);
    let told = life.boundary();
    assert_eq!(
        (&told.briefing["epoch"]["cause"], &told.briefing["updates"]),
        (&json!("initial"), &json!([]))
    );
    assert!(baseline(&told.briefing).contains("Use both.\n"));
    assert_eq!(told.briefing["epoch"]["number"], 2, "numbers are never used twice");
}

/// R-SES-2: past what is anchored there is nothing to take back.
#[test]
fn a_revert_past_the_end_writes_nothing() {
    let mut life = Life::begin_with_web();
    let before = life.last_record();
    for position in [3, 4, 1_000_000] {
        let reverted = life.tell("session/revert", "position", position);
        assert_eq!(reverted["revision"], before["revision"]);
    }
    assert_eq!(life.last_record(), before);
}

/// R-SES-2: a revert across a compaction finds the epoch before it again, byte for byte.
#[test]
fn revert_past_a_compaction() {
    let mut life = Life::begin_with_web();
    let before = texts(&life.boundary().briefing);
    life.compact();
    life.bench.write(WEB, "Web 2.\n");
    life.boundary();
    life.revert(4);
    let told = life.boundary();
    assert_eq!(told.changes, ["changed shop/web/AGENTS.md"]);
    assert_eq!(texts(&told.briefing)[..2], before);
    assert_eq!(told.briefing["epoch"]["number"], 1);
    life.compact();
    assert_eq!(life.boundary().briefing["epoch"]["number"], 3);
}

/// R-BND-9.
#[test]
fn a_position_before_the_last_anchored_one_is_refused() {
    let mut life = Life::begin_with_web();
    let before = life.last_record();
    for method in ["session/sync", "session/compact", "session/adopt"] {
        let mut params = json!({"session": SESSION, "position": 2});
        if method == "session/adopt" {
            params["sources"] = json!([{"path": life.bench.path(FILE)}]);
        }
        let error = life.server.refused(method, params, -32004);
        assert_eq!(
            (&error["data"]["position"], &error["data"]["anchored"]),
            (&json!(2), &json!(3))
        );
    }
    assert_eq!(life.last_record(), before);
}

/// R-SES-9: what was lost on the way is told at the next boundary, and the briefing is complete.
#[test]
fn a_text_lost_on_the_way_is_told_again() {
    let mut life = Life::begin();
    life.bench.write(FILE, "Use spaces.\n");
    let told = life.boundary();
    let (started, updated) = (2, told.briefing["admitted"].as_u64().unwrap());
    let held = life.tell("session/holds", "revisions", json!([started]));
    assert_eq!(held["lost"], json!([updated]));
    life.kill();
    let params = json!({"session": SESSION, "position": 3, "since": updated});
    let briefing = life.server.get("session/sync", params);
    assert_eq!(briefing["complete"], true, "{briefing}");
    assert_eq!(count(&briefing, "Use spaces.\n"), 2, "once lost, once told again");
    life.position = 3;
    assert!(life.boundary().changes.is_empty());
    // It holds that one, and still not the lost one: nothing new.
    let again = briefing["admitted"].as_u64().unwrap();
    let held = life.tell("session/holds", "revisions", json!([started, again]));
    assert_eq!(held["lost"], json!([updated]));
    assert!(life.boundary().changes.is_empty());
    // All is there after all.
    let held = life.tell("session/holds", "revisions", json!([started, updated, again]));
    assert_eq!(held["lost"], json!([]));
    assert!(life.boundary().changes.is_empty());
}

/// R-SES-9: also where it is the baseline that was lost, or a removal.
#[test]
fn a_file_that_goes_while_its_text_is_lost_is_told_as_removed_since_the_text_comes_back() {
    let mut life = Life::begin_with_web();
    let held = life.tell("session/holds", "revisions", json!([]));
    assert_eq!(held["lost"].as_array().map(Vec::len), Some(2));
    let child = json!({"session": SESSION, "child": "life/child"});
    life.server.get("session/fork", child);
    std::fs::remove_file(life.bench.path("shop/AGENTS.md")).unwrap();
    std::fs::remove_file(life.bench.path("shop/web/AGENTS.md")).unwrap();
    let gone = ["removed shop/AGENTS.md", "removed shop/web/AGENTS.md", "added core/environment"];
    for told in [life.boundary(), life.boundary_in("life/child")] {
        assert_eq!(told.changes, gone);
        assert_eq!(told.briefing["complete"], json!(true));
    }
}

#[test]
fn a_lost_baseline_and_a_lost_removal() {
    let mut life = Life::begin_with_web();
    std::fs::remove_file(life.bench.path(WEB)).unwrap();
    let removed = life.boundary().briefing["admitted"].as_u64().unwrap();
    let held = life.tell("session/holds", "revisions", json!([2, 4]));
    assert_eq!(held["lost"], json!([removed]));
    assert_eq!(life.boundary().changes, ["removed shop/web/AGENTS.md"]);
    let last = life.last_record()["revision"].clone();
    let held = life.tell("session/holds", "revisions", json!([4, removed, last]));
    assert_eq!(held["lost"], json!([2]));
    let told = life.boundary();
    assert_eq!(told.changes, ["added shop/AGENTS.md", "added core/environment"]);
    assert!(told.text.contains("Use tabs.\n"), "{}", told.text);
}

/// R-SES-10: what the host told itself is not told, until it changes.
#[test]
fn a_source_told_by_the_host_then_edited() {
    let mut life = Life::open("");
    life.bench.write("shop/api/AGENTS.md", "Be terse.\n");
    let file = life.bench.path(FILE);
    let adopted = life.tell("session/adopt", "sources", json!([{"path": "../AGENTS.md"}]));
    assert_eq!(adopted["adopted"], json!([format!("file:{}", file.display())]));
    assert_eq!(adopted["refused"], json!([]));
    let first = life.boundary();
    assert_eq!(first.changes, ["added shop/api/AGENTS.md", "added core/environment"]);
    assert_eq!(count(&first.briefing, "Use tabs."), 0);
    life.bench.write(FILE, "Use spaces.\n");
    let told = life.boundary();
    assert_eq!(told.changes, CHANGED);
    assert!(told.text.ends_with("Use spaces.\n"), "{}", told.text);
    // The next epoch restates it.
    life.compact();
    let told = life.boundary();
    assert_eq!(count(&told.briefing, "Use spaces.\n"), 1);
}

/// R-SES-10: with a hash only that value; what nobody would tell is unknown.
#[test]
fn an_adoption_is_of_what_stands_now() {
    let mut life = Life::begin();
    life.bench.write("shop/api/AGENTS.md", "Be terse.\n");
    let none = "0".repeat(64);
    let sources = json!([
        {"path": "AGENTS.md", "sha256": none},
        {"path": "nothing.md"},
    ]);
    let adopted = life.tell("session/adopt", "sources", sources);
    let refused = json!([
        {"path": "AGENTS.md", "reason": "other_content"},
        {"path": "nothing.md", "reason": "unknown_source"},
    ]);
    assert_eq!((&adopted["adopted"], &adopted["refused"]), (&json!([]), &refused));
    // What the source's view calls its hash is what can be adopted.
    let preview = life.server.get("session/sources", json!({"session": SESSION, "look": true}));
    let path = json!(life.bench.path("shop/api/AGENTS.md"));
    let sources = preview["sources"].as_array().unwrap();
    let hash = &sources.iter().find(|source| source["path"] == path).unwrap()["sha256"];
    let sources = json!([{"path": "AGENTS.md", "sha256": hash}]);
    let adopted = life.tell("session/adopt", "sources", sources.clone());
    assert_eq!(adopted["adopted"].as_array().unwrap().len(), 1, "{adopted} {hash}");
    let again = life.tell("session/adopt", "sources", sources);
    assert_eq!(again["revision"], adopted["revision"], "believed already: no write");
    assert!(life.boundary().changes.is_empty());
    life.kill();
    life.bench.write("shop/api/AGENTS.md", "Be long.\n");
    assert_eq!(life.boundary().changes, ["changed shop/api/AGENTS.md"]);
}

/// R-SES-7: the only full telling is dropped while a later diff stays.
#[test]
fn a_window_that_leaves_a_diff_without_its_base() {
    let mut life = Life::begin_with("[instructions]\nupdate_text = \"diff\"\n");
    let body = |last: u32| format!("{}Rule {last}.\n", "A line that stays.\n".repeat(40));
    life.bench.write(WEB, body(1));
    life.read("../web/page.rs");
    let full = life.boundary();
    assert_eq!(full.changes, ["added shop/web/AGENTS.md"]);
    life.bench.write(WEB, body(2));
    let diff = life.boundary();
    assert_eq!(diff.briefing["updates"][1]["changes"][0]["form"], "diff");
    assert!(diff.text.contains("+Rule 2.") && diff.text.len() < 600, "{}", diff.text);

    life.tell("session/window", "from", 4);
    let told = life.boundary();
    let update = &told.briefing["updates"][2];
    assert_eq!(update["changes"][0]["form"], "full", "{update}");
    assert!(told.text.ends_with(&body(2)), "{}", told.text);
    let in_window: Vec<_> = told.briefing["updates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|update| update["in_window"].as_bool().unwrap())
        .collect();
    assert_eq!(in_window, [false, true, true]);
    // From now on a diff has its base again.
    life.bench.write(WEB, body(3));
    let told = life.boundary();
    assert_eq!(told.briefing["updates"][3]["changes"][0]["form"], "diff");
    // A window that goes back writes nothing.
    let before = life.last_record()["revision"].clone();
    assert_eq!(life.tell("session/window", "from", 2)["revision"], before);
}

/// R-SES-7: the baseline is outside any window; a removal that is gone is told again.
#[test]
fn a_window_that_drops_updates() {
    let mut life = Life::begin_with_web();
    life.bench.write(FILE, "Use spaces.\n");
    assert_eq!(life.boundary().changes, CHANGED);
    life.tell("session/window", "from", 100);
    life.position = 100;
    let told = life.boundary();
    assert_eq!(told.changes, ["added shop/web/AGENTS.md", "changed shop/AGENTS.md"]);
    assert!(!told.changes.iter().any(|change| change.contains("core")), "the baseline stands");
    life.bench.write(FILE, "Use tabs.\n");
    assert_eq!(life.boundary().changes, CHANGED);
    life.tell("session/window", "from", 200);
    life.position = 200;
    let told = life.boundary();
    assert_eq!(
        told.changes,
        ["added shop/web/AGENTS.md"],
        "the baseline says the same of the other"
    );
}

/// R-SES-8.
#[test]
fn a_session_taken_over_in_mid_conversation() {
    let mut life = Life::open("");
    let directory = life.bench.path("shop/api");
    let open = json!({"session": "life/2", "directory": directory, "prior": "unknown"});
    life.server.get("session/open", open.clone());
    let params = json!({"session": "life/2", "position": 40});
    let first = life.server.get("session/sync", params);
    assert_eq!((&first["epoch"]["cause"], baseline(&first)), (&json!("unknown"), ""));
    let update = &first["updates"][0];
    assert_eq!((&update["position"], &first["admitted"]), (&json!(40), &update["revision"]));
    let text = update["text"].as_str().unwrap();
    assert!(text.contains("replaces all instructions given before"), "{text}");
    assert!(text.contains("Use tabs.\n"), "{text}");
    life.kill();
    assert_eq!(life.server.get("session/open", open)["created"], false);
    assert!(life.boundary_in("life/2").changes.is_empty());
    life.bench.write(FILE, "Use spaces.\n");
    assert_eq!(life.boundary_in("life/2").changes, CHANGED);
    // The next epoch is one like any other.
    life.server.get("session/compact", json!({"session": "life/2"}));
    let told = life.boundary_in("life/2");
    assert!(baseline(&told.briefing).contains("Use spaces.\n"));
    assert_eq!(told.briefing["updates"], json!([]));
}

/// R-SES-5: told's commit is on disk, the host's own messages after position 2 are not.
#[test]
fn open_heals_a_crash_between_tolds_commit_and_the_hosts() {
    let mut life = Life::begin();
    life.bench.write(FILE, "Use spaces.\n");
    let told = texts(&life.boundary().briefing);
    life.bench.write(WEB, "Web 1.\n");
    life.read("../web/page.rs");
    life.bench.write(FILE, "Use both.\n");
    assert_eq!(life.boundary().changes.len(), 2);
    life.kill();
    let directory = life.bench.path("shop/api");
    let open = json!({"session": SESSION, "directory": directory, "position": 2});
    let opened = life.server.get("session/open", open.clone());
    assert_eq!((&opened["created"], &opened["revision"]), (&json!(false), &json!(6)));
    assert_eq!(life.last_record()["kind"], "reverted");
    let again = life.server.get("session/open", open);
    assert_eq!(again["revision"], 6, "the same again writes nothing");
    life.position = 2;
    let told_now = life.boundary();
    assert_eq!(told_now.changes, CHANGED, "what the model never got, but of no read");
    assert_eq!(texts(&told_now.briefing)[..2], told);
    // A position at or past the end heals nothing.
    let open = json!({"session": SESSION, "directory": life.bench.path("shop/api"), "position": 3});
    assert_eq!(life.server.get("session/open", open)["revision"], 7);
    assert!(life.boundary().changes.is_empty());
    let elsewhere = json!({"session": SESSION, "directory": life.bench.path("shop")});
    life.server.refused("session/open", elsewhere, -32003);
}

/// R-SES-9: each text opens with a line that names the session and the revision that told it.
#[test]
fn marks_name_what_told_each_text() {
    let mut life = Life::begin_with_web();
    let params = json!({"session": SESSION, "mark": true, "blocks": true});
    let marked = life.server.get("session/sync", params.clone());
    let plain = life.server.get("session/sync", json!({"session": SESSION}));
    assert_eq!(marked["admitted"], Value::Null);
    for ((revision, marked), (_, plain)) in texts(&marked).into_iter().zip(texts(&plain)) {
        let (line, rest) = marked.split_once('\n').unwrap();
        assert!(line.contains(SESSION) && line.contains(&revision.to_string()), "{line}");
        assert_eq!(rest.trim_start(), plain);
    }
    for holder in [&marked["epoch"]["baseline"], &marked["updates"][0]] {
        let blocks = holder["blocks"].as_array().unwrap();
        let parts: Vec<_> = blocks.iter().map(|block| block["text"].as_str().unwrap()).collect();
        assert_eq!(parts.join("\n\n"), holder["text"], "{holder}");
    }
    life.restart();
    assert_eq!(texts(&life.server.get("session/sync", params)), texts(&marked));
}
