//! Files that a host provides: an editor's unsaved buffer, a project that is on no disk.

use super::{
    client::{Server, texts},
    life::{Life, SESSION, baseline, count},
};
use crate::binary::bench::Bench;
use serde_json::{Value, json};

/// Provides for the Location of a directory below the home; how many files it has provided then.
fn provide(server: &mut Server, bench: &Bench, directory: &str, files: Value) -> Value {
    let params = json!({"directory": bench.path(directory), "files": files});
    server.get("location/provide", params)["provided"].take()
}

impl Life {
    fn provide(&mut self, files: Value) -> Value {
        provide(&mut self.server, &self.bench, "shop/api", files)
    }
}

#[test]
fn an_unsaved_buffer_is_told_and_the_disks_text_once_it_is_withdrawn() {
    let mut life = Life::begin();
    let before = texts(&life.boundary().briefing);
    let buffer = json!([{"path": "../AGENTS.md", "content": "Use spaces.\n"}]);
    assert_eq!(life.provide(buffer.clone()), 1);
    let told = life.boundary();
    assert_eq!(told.changes, ["changed shop/AGENTS.md"]);
    assert!(told.text.ends_with("Use spaces.\n"), "{}", told.text);
    assert_eq!(texts(&told.briefing)[..1], before, "what was told stands");
    // The same again is no change, nor is what happens on the disk below it.
    assert_eq!(life.provide(buffer), 1);
    life.bench.write("shop/AGENTS.md", "Use neither.\n");
    assert!(life.boundary().changes.is_empty());
    // Saved as it was told: nothing to tell.
    life.bench.write("shop/AGENTS.md", "Use spaces.\n");
    let shop = json!(life.bench.path("shop/AGENTS.md"));
    assert_eq!(life.provide(json!([{"path": shop, "withdraw": true}])), 0);
    assert!(life.boundary().changes.is_empty());
    life.provide(json!([{"path": shop, "content": "Use nothing.\n"}]));
    assert!(life.boundary().text.contains("Use nothing."));
    life.provide(json!([{"path": shop, "withdraw": true}]));
    assert!(life.boundary().text.contains("Use spaces."));
}

#[test]
fn what_is_provided_as_absent_is_removed_and_what_is_unavailable_held() {
    let mut life = Life::begin();
    life.provide(json!([{"path": "../AGENTS.md", "unavailable": "io_error"}]));
    let held = life.boundary();
    assert!(held.changes.is_empty());
    let source = format!("file:{}", life.bench.path("shop/AGENTS.md").display());
    let first = &held.briefing["epoch"]["revision"];
    assert_eq!(
        held.briefing["held"],
        json!([{"source": source, "reason": "io_error", "since": first}])
    );
    life.provide(json!([{"path": "../AGENTS.md", "absent": true}]));
    let told = life.boundary();
    assert_eq!(told.changes, ["removed shop/AGENTS.md"]);
    assert!(told.text.contains("Previously loaded instructions no longer apply."));
    life.provide(json!([{"path": "../AGENTS.md", "content": ""}]));
    assert_eq!(life.boundary().changes, ["added shop/AGENTS.md"], "an empty file is a file");

    // A first boundary is blocked, and nothing is written.
    life.provide(json!([{"path": "../AGENTS.md", "unavailable": "permission_denied"}]));
    life.server.open(&life.bench, "life/2");
    let error = life.server.refused("session/sync", json!({"session": "life/2"}), -32001);
    let blocked = json!([{"source": source, "reason": "permission_denied"}]);
    assert_eq!(error["data"]["sources"], blocked);
    assert_eq!(life.server.log("life/2").len(), 1);
}

#[test]
fn two_locations_do_not_see_each_others_files() {
    let bench = Bench::new();
    bench.write("shop/web/page.rs", "");
    let mut server = Server::start(&bench);
    for (session, place) in [("a/api", "shop/api"), ("a/web", "shop/web"), ("a/more", "shop/api")] {
        let params = json!({"session": session, "directory": bench.path(place)});
        server.get("session/open", params);
    }
    let file = json!(bench.path("shop/AGENTS.md"));
    let api = json!([{"path": file, "content": "Of the api.\n"}]);
    assert_eq!(provide(&mut server, &bench, "shop/api", api), 1);
    let web = json!([{"path": file, "content": "Of the web.\n"}, {"path": "AGENTS.md", "content": "Web.\n"}]);
    assert_eq!(provide(&mut server, &bench, "shop/web", web), 2);
    for (session, rule, other) in [
        ("a/api", "Of the api.", "Of the web."),
        ("a/web", "Of the web.", "Of the api."),
        ("a/more", "Of the api.", "Of the web."),
    ] {
        let briefing = server.sync(session);
        assert_eq!((count(&briefing, rule), count(&briefing, other)), (1, 0), "{briefing}");
    }
    // A session that moves sees its destination's.
    let to_web = json!({"session": "a/more", "directory": bench.path("shop/web")});
    server.get("session/move", to_web);
    let briefing = server.sync("a/more");
    assert!(texts(&briefing)[1].1.contains("Of the web."), "{briefing}");
    assert!(texts(&briefing)[1].1.contains("Web."), "{briefing}");
    let withdraw = json!([{"path": file, "withdraw": true}]);
    assert_eq!(provide(&mut server, &bench, "shop/api", withdraw), 0);
    assert!(texts(&server.sync("a/api"))[1].1.contains("Use tabs."));
    assert_eq!(server.sync("a/web")["admitted"], Value::Null);
    // Another process has the disk's.
    let params = json!({"directory": bench.path("shop/web")});
    assert!(baseline(&Server::start(&bench).get("location/preview", params)).contains("Use tabs."));
}

#[test]
fn it_lasts_as_long_as_the_server() {
    let mut life = Life::begin();
    life.provide(json!([{"path": "AGENTS.md", "content": "Api.\n"}]));
    // Also where a host says its configuration late.
    life.server.get("initialize", json!({"config": {"limits": {"look_ms": 9000}}}));
    assert_eq!(life.boundary().changes, ["added shop/api/AGENTS.md"]);
    life.restart();
    assert_eq!(
        life.boundary().changes,
        ["removed shop/api/AGENTS.md"],
        "there is none on the disk"
    );
}

#[test]
fn a_scope_that_is_only_provided_is_discovered() {
    let mut life = Life::begin();
    assert_eq!(life.provide(json!([{"path": "../web/deep/AGENTS.md", "content": "Deep.\n"}])), 1);
    // The file that was read is nowhere: its directory is only provided.
    let settled = life.read("../web/deep/page.rs");
    assert_eq!(settled["discovered"], life.paths(&["shop/web", "shop/web/deep"]));
    let told = life.boundary();
    assert_eq!(told.changes, ["added shop/web/deep/AGENTS.md"]);
    let deep = life.bench.path("shop/web/deep");
    assert!(told.text.contains(&format!("Applies to: {}\nDeep.\n", deep.display())));
    // A project of its own, by a marker that is only provided.
    life.provide(json!([
        {"path": "../lib/.git", "content": ""}, {"path": "../lib/AGENTS.md", "content": "Lib.\n"},
    ]));
    let settled = life.settle(json!({"paths": [{"path": "../lib", "kind": "directory"}]}));
    assert_eq!(settled["discovered"], life.paths(&["shop/lib"]));
    assert_eq!(life.boundary().changes, ["added shop/lib/AGENTS.md"]);
    life.provide(json!([{"path": "../web/deep/AGENTS.md", "withdraw": true}]));
    assert_eq!(life.boundary().changes, ["removed shop/web/deep/AGENTS.md"]);
}

#[test]
fn previews_and_explanations_see_it_as_well() {
    let mut life = Life::begin();
    life.provide(json!([
        {"path": "../AGENTS.md", "content": "Use spaces.\n"},
        {"path": "web/AGENTS.md", "unavailable": "timeout"},
        {"path": "agents.md", "content": "Near.\n"},
    ]));
    let preview = life.server.get("session/preview", json!({"session": SESSION}));
    assert!(texts(&preview)[1].1.contains("Use spaces."), "{preview}");
    let directory = json!(life.bench.path("shop/api"));
    let params = json!({"directory": directory, "paths": ["web/page.rs"]});
    let preview = life.server.get("location/preview", params);
    assert!(baseline(&preview).contains("Use spaces."), "{preview}");
    assert_eq!(preview["held"][0]["reason"], "timeout", "{preview}");
    assert_eq!(preview["withheld"][0]["reason"], "near_miss", "{preview}");
    let params = json!({"directory": directory, "path": "web/page.rs"});
    let explained = life.server.get("location/explain", params);
    let reasons = |list: &str| -> Vec<&str> {
        let views = explained[list].as_array().unwrap().iter();
        views.map(|view| view["reason"].as_str().unwrap_or_default()).collect()
    };
    assert_eq!((reasons("held"), reasons("withheld")), (vec!["timeout"], vec!["near_miss"]));
    assert_eq!(reasons("applies"), [""], "what could not be looked at stands apart");
    assert_eq!(explained["applies"][0]["bytes"], "Use spaces.\n".len(), "{explained}");
}

#[test]
fn the_last_of_many_counts_without_waiting_for_answers() {
    let mut life = Life::begin();
    let directory = json!(life.bench.path("shop/api"));
    let mut asked = Vec::new();
    for number in 1..=50 {
        let content = format!("Rule {number}.\n");
        let files = json!([{"path": "AGENTS.md", "content": content}]);
        let params = json!({"directory": directory, "files": files});
        asked.push(life.server.ask("location/provide", params));
    }
    for id in asked {
        let answer = life.server.answer().unwrap();
        assert_eq!((&answer["id"], &answer["result"]), (&json!(id), &json!({"provided": 1})));
    }
    assert!(life.boundary().text.contains("Rule 50."));
}

#[test]
fn a_project_that_is_on_no_disk() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    let (far, nothing) = (bench.path("far/repo"), json!([]));
    let open = json!({"session": "a/1", "directory": far});
    server.refused("session/open", open.clone(), -32009);
    server.refused("location/provide", json!({"directory": far, "files": nothing}), -32009);
    let files = json!([
        {"path": ".git", "content": ""},
        {"path": "AGENTS.md", "content": "Far.\n"},
        {"path": "src/AGENTS.md", "content": "Farther.\n"},
    ]);
    assert_eq!(provide(&mut server, &bench, "far/repo", files), 3);
    let opened = server.get("session/open", open);
    assert_eq!(opened["location"], json!({"directory": far, "boundary": far}));
    let briefing = server.sync("a/1");
    assert!(baseline(&briefing).contains("AGENTS.md\nFar.\n"), "{briefing}");
    let project = format!("- Project: {}\n", far.display());
    assert!(baseline(&briefing).contains(&project), "{briefing}");
    let paths = json!([{"path": "src/lib.rs", "kind": "file"}]);
    let call = json!({"session": "a/1", "tool": "read", "paths": paths});
    server.get("session/settle", call);
    assert!(texts(&server.sync("a/1"))[1].1.contains("Farther."));
}

#[cfg(unix)]
#[test]
fn a_buffer_of_a_link_is_the_files_that_it_leads_to() {
    let mut life = Life::begin();
    let link = life.bench.path("shop/CLAUDE.md");
    std::os::unix::fs::symlink("AGENTS.md", link).unwrap();
    life.provide(json!([{"path": "../CLAUDE.md", "content": "Use spaces.\n"}]));
    assert_eq!(life.boundary().changes, ["changed shop/AGENTS.md"]);
}

#[test]
fn what_cannot_be_provided_is_refused_whole() {
    let mut life = Life::begin();
    let directory = json!(life.bench.path("shop/api"));
    for (params, named) in [
        (json!({"files": []}), "directory"),
        (json!({"directory": directory}), "files"),
        (json!({"directory": directory, "files": [], "file": 1}), "file"),
        (json!({"directory": directory, "files": {}}), "files"),
        (json!({"directory": directory, "files": [{"content": "x"}]}), "files"),
        (json!({"directory": directory, "files": [{"path": "x"}]}), "files"),
        (json!({"directory": directory, "files": [{"path": "x", "absent": false}]}), "files"),
        (json!({"directory": directory, "files": [{"path": "x", "withdraw": "yes"}]}), "files"),
        (json!({"directory": directory, "files": [{"path": "x", "unavailable": "gone"}]}), "files"),
        (
            json!({"directory": directory, "files": [{"path": "x", "content": "", "absent": true}]}),
            "files",
        ),
        (json!({"directory": directory, "files": [{"path": "x", "contents": ""}]}), "files"),
        (
            json!({"directory": directory, "files": [{"path": "x", "content": ""}, {"path": "/", "absent": true}]}),
            "files",
        ),
    ] {
        let error = life.server.refused("location/provide", params, -32602);
        assert_eq!(error["data"]["params"], json!([named]), "{error}");
    }
    let twice = r#"{"path":"x","content":"a","content":"b"}"#;
    let request = format!(
        r#"{{"jsonrpc":"2.0","id":"t","method":"location/provide","params":{{"directory":{directory},"files":[{twice}]}}}}"#
    );
    life.server.send(request);
    assert_eq!(life.server.answer().unwrap()["error"]["code"], -32602);
    for wrong in [
        json!("relative"),
        json!(life.bench.path("nowhere")),
        json!(life.bench.path("shop/AGENTS.md")),
    ] {
        let params = json!({"directory": wrong, "files": [{"path": "x", "absent": true}]});
        let error = life.server.refused("location/provide", params, -32009);
        assert_eq!(error["data"]["kind"], "unknown_directory");
    }
    assert_eq!(life.provide(json!([])), 0);
    assert!(life.boundary().changes.is_empty());
}

/// R-OBS-12.
#[test]
fn what_is_provided_has_limits() {
    let mut life = Life::begin();
    let directory = json!(life.bench.path("shop/api"));
    let absent = |count: usize| -> Value {
        (0..count).map(|at| json!({"path": at.to_string(), "absent": true})).collect()
    };
    let params = json!({"directory": directory, "files": absent(10_001)});
    let error = life.server.refused("location/provide", params, -32008);
    let data = &error["data"];
    assert_eq!(
        (&data["kind"], &data["limit"], &data["files"]),
        (&json!("value_too_large"), &json!(10_000), &json!(10_001))
    );
    assert_eq!(life.provide(absent(10_000)), 10_000);
    assert_eq!(life.provide(json!([{"path": "0", "withdraw": true}])), 9_999);
    let big = "x".repeat(7 << 20);
    let mut held = 0;
    let error = loop {
        let files = json!([{"path": format!("{held}"), "content": big}]);
        let params = json!({"directory": directory, "files": files});
        match life.server.call("location/provide", params) {
            Ok(_) => held += 1,
            Err(error) => break error,
        }
        assert!(held < 10, "there is a limit");
    };
    let data = &error["data"];
    assert_eq!(
        (&error["code"], &data["limit"], &data["bytes"]),
        (&json!(-32008), &json!(64 << 20), &json!((held + 1) * (7 << 20)))
    );
    assert!(life.boundary().changes.is_empty());
}
