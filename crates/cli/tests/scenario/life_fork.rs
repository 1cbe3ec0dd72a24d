//! Children, and what sessions share (R-SES-1, R-SES-4).

use super::{
    client::texts,
    life::{Life, SESSION, count},
};
use serde_json::{Value, json};

const WEB: &str = "shop/web/AGENTS.md";

/// R-SES-1: a child has the discoveries and the texts of its position, and no more.
#[test]
fn fork_before_and_after_the_read() {
    let mut life = Life::begin_with_web();
    let parent = texts(&life.server.get("session/show", json!({"session": SESSION})));
    for (child, position) in [("life/before", 1), ("life/read", 2), ("life/told", 3)] {
        let forked = life.fork(child, position);
        assert_eq!((&forked["session"], &forked["revision"]), (&json!(child), &json!(1)));
        assert_eq!(forked["location"]["directory"], json!(life.bench.path("shop/api")));
    }
    assert!(life.boundary_in("life/before").changes.is_empty());
    assert_eq!(life.boundary_in("life/read").changes, ["added shop/web/AGENTS.md"]);
    let told = life.boundary_in("life/told");
    assert!(told.changes.is_empty(), "nothing is told again");
    let inherited = &told.briefing["updates"][0];
    assert_eq!((&inherited["revision"], &inherited["inherited"]), (&json!(1), &json!(true)));
    let shown: Vec<_> = texts(&told.briefing).into_iter().map(|(_, text)| text).collect();
    let of_parent: Vec<_> = parent.into_iter().map(|(_, text)| text).collect();
    assert_eq!(shown, of_parent, "byte for byte");

    life.bench.write(WEB, "Web 2.\n");
    let changed = ["changed shop/web/AGENTS.md"];
    assert!(life.boundary_in("life/before").changes.is_empty());
    assert_eq!(life.boundary_in("life/read").changes, changed);
    assert_eq!(life.boundary_in("life/told").changes, changed);
    assert_eq!(life.boundary().changes, changed);
    // Each has a log of its own.
    let read = json!({"session": "life/before", "tool": "read",
        "paths": [{"path": "../web/page.rs", "kind": "file"}]});
    let settled = life.server.get("session/settle", read);
    assert_eq!(settled["discovered"], life.paths(&["shop/web"]));
    let told = life.boundary_in("life/before");
    assert_eq!(told.changes, ["added shop/web/AGENTS.md"]);
    assert_eq!(count(&told.briefing, "Web 1.\n"), 0);
    let log = life.server.log("life/before");
    assert_eq!((&log[0]["kind"], &log[0]["parent"]), (&json!("forked"), &json!(SESSION)));
}

/// R-SES-1: a shared prefix has the same bytes, marks and all; also of a child's child.
#[test]
fn marks_of_a_child_are_its_parents() {
    let mut life = Life::begin_with_web();
    let marked = |life: &mut Life, session: &str| -> Vec<String> {
        let params = json!({"session": session, "mark": true});
        let briefing = life.server.get("session/sync", params);
        texts(&briefing).into_iter().map(|(_, text)| text).collect()
    };
    let parent = marked(&mut life, SESSION);
    life.fork("life/child", 3);
    let params = json!({"session": "life/child", "child": "life/grandchild"});
    life.server.get("session/fork", params);
    for child in ["life/child", "life/grandchild"] {
        assert_eq!(marked(&mut life, child), parent);
    }
    life.bench.write(WEB, "Web 2.\n");
    let child = marked(&mut life, "life/child");
    assert_eq!(child[..2], parent[..]);
    assert!(child[2].lines().next().unwrap().contains("life/child"), "{}", child[2]);
}

/// R-SES-1.
#[test]
fn a_repeated_fork_answers_as_the_first_until_the_child_has_a_record() {
    let mut life = Life::begin_with_web();
    let first = life.fork("life/child", 2);
    assert_eq!(life.fork("life/child", 2), first);
    life.kill();
    assert_eq!(life.fork("life/child", 2), first);
    let other = |life: &mut Life, parent: &str, child: &str, position: Value| {
        let params = json!({"session": parent, "child": child, "position": position});
        let error = life.server.refused("session/fork", params, -32003);
        let message = error["message"].as_str().unwrap();
        assert!(message.ends_with("the child must have another name"), "{message}");
        assert_eq!(error["data"], json!({"kind": "session_exists", "retry": "no"}));
    };
    other(&mut life, SESSION, "life/child", json!(1));
    other(&mut life, SESSION, "life/child", Value::Null);
    other(&mut life, SESSION, SESSION, json!(2));
    let missing = json!({"session": "life/nobody", "child": "life/other", "position": 2});
    life.server.refused("session/fork", missing, -32002);
    assert_eq!(life.fork("life/child", 2), first, "no refusal changed it");

    assert_eq!(life.boundary_in("life/child").changes, ["added shop/web/AGENTS.md"]);
    other(&mut life, SESSION, "life/child", json!(2));
    // Without a position it is all that the parent has.
    let params = json!({"session": SESSION, "child": "life/whole"});
    let whole = life.server.get("session/fork", params.clone());
    assert_eq!(life.server.get("session/fork", params), whole);
    assert!(life.boundary_in("life/whole").changes.is_empty());
}

/// R-SES-1: a child works where its parent does now, with its values.
#[test]
fn a_child_inherits_values_and_the_present_location() {
    let mut life = Life::begin();
    life.bench.write("farm/.git/HEAD", "");
    life.bench.write("farm/AGENTS.md", "Feed the hens.\n");
    let set = json!({"session": SESSION, "key": "mode", "value": "plan"});
    life.server.get("context/set", set);
    life.boundary();
    let farm = json!(life.bench.path("farm"));
    life.tell("session/move", "directory", farm.clone());
    let forked = life.fork("life/child", 1);
    assert_eq!(forked["location"], json!({"directory": farm, "boundary": farm}));
    let told = life.boundary_in("life/child");
    assert_eq!(
        told.changes,
        [
            "removed shop/AGENTS.md",
            "added farm/AGENTS.md",
            "added api/mode",
            "changed core/environment"
        ]
    );
}

/// R-SES-4.
#[test]
fn deleting_one_of_two_that_share_leaves_the_other_whole() {
    let mut life = Life::begin_with_web();
    life.fork("life/child", 3);
    let directory = life.bench.path("shop/api");
    life.server.get("session/open", json!({"session": "life/like", "directory": directory}));
    life.boundary_in("life/like");
    let mut others = Vec::new();
    for session in ["life/child", "life/like"] {
        let told = life.boundary_in(session);
        let log = life.server.log(session);
        others.push((session, texts(&told.briefing), log));
    }
    life.server.get("session/delete", json!({"session": SESSION}));
    life.kill();
    life.server.refused("session/show", json!({"session": SESSION}), -32002);
    for (session, texts_before, log) in others {
        assert_eq!(life.server.log(session), log);
        let shown = life.server.get("session/show", json!({"session": session}));
        assert_eq!(texts(&shown), texts_before);
        let first = json!({"session": session, "revision": log.len()});
        assert_eq!(texts(&life.server.get("session/show", first)), texts_before);
        assert!(life.boundary_in(session).changes.is_empty());
        life.server.get("session/compact", json!({"session": session}));
        assert_eq!(count(&life.boundary_in(session).briefing, "Use tabs.\n"), 1);
    }
}
