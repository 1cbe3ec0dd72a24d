//! Every number a host can get, with the data that goes with it.

use super::client::Server;
use crate::binary::bench::Bench;
use serde_json::{Value, json};

#[test]
fn what_is_unknown_missing_or_of_another_kind_is_named() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    let shop = bench.path("shop");
    let settle = |paths: Value| json!({"session": "a/1", "tool": "read", "paths": paths});
    for (method, params, named) in [
        ("initialize", json!({"clientInfo": {}}), json!(["clientInfo"])),
        (
            "initialize",
            json!({"client": {"name": "x", "version": "1", "title": "y"}}),
            json!(["client"]),
        ),
        ("initialize", json!({"protocols": "1"}), json!(["protocols"])),
        ("initialize", json!({"config": []}), json!(["config"])),
        ("session/open", json!({"session": "a/1"}), json!(["directory"])),
        ("session/open", json!({"directory": shop}), json!(["session"])),
        ("session/open", json!({"session": "", "directory": shop}), json!(["session"])),
        ("session/open", json!({"session": "a\u{1}", "directory": shop}), json!(["session"])),
        (
            "session/open",
            json!({"session": "a".repeat(5000), "directory": shop}),
            json!(["session"]),
        ),
        ("session/open", json!({"session": 1, "directory": shop}), json!(["session"])),
        (
            "session/open",
            json!({"session": "a/1", "directory": shop, "prior": "all"}),
            json!(["prior"]),
        ),
        (
            "session/open",
            json!({"session": "a/1", "directory": shop, "trust": true}),
            json!(["trust"]),
        ),
        ("session/sync", json!({"session": "a/1", "mark": 1}), json!(["mark"])),
        ("session/sync", json!({"session": "a/1", "x": 1, "y": 2}), json!(["x", "y"])),
        ("session/sync", json!({"session": "a/1", "position": -1}), json!(["position"])),
        ("session/sync", json!({"session": "a/1", "position": 1.5}), json!(["position"])),
        ("session/sync", json!({"session": "a/1", "since": "1"}), json!(["since"])),
        ("session/sync", json!({"session": "a/1", "blocks": 1}), json!(["blocks"])),
        (
            "session/sync",
            json!({"session": "a/1", "on_unavailable": "wait"}),
            json!(["on_unavailable"]),
        ),
        ("session/preview", json!({"session": "a/1", "paths": []}), json!(["paths"])),
        ("session/compact", json!({"session": "a/1", "reason": ""}), json!(["reason"])),
        ("session/rebase", json!({"session": "a/1", "reason": 3}), json!(["reason"])),
        ("session/delete", json!({}), json!(["session"])),
        ("session/list", json!({"session": "a/1"}), json!(["session"])),
        ("session/log", json!({"session": "a/1", "limit": 0}), json!(["limit"])),
        ("session/show", json!({"session": "a/1", "revision": null, "at": 1}), json!(["at"])),
        ("session/sources", json!({"session": "a/1", "look": "yes"}), json!(["look"])),
        ("context/set", json!({"key": "k", "session": "a/1"}), json!(["value"])),
        ("context/set", json!({"key": "", "value": 1, "session": "a/1"}), json!(["key"])),
        ("context/set", json!({"key": "k", "value": 1}), json!(["session", "directory"])),
        (
            "context/unset",
            json!({"key": "k", "session": "a/1", "directory": shop}),
            json!(["session", "directory"]),
        ),
        ("location/preview", json!({"directory": shop, "paths": "x"}), json!(["paths"])),
        ("session/settle", json!({"session": "a/1", "tool": "read"}), json!(["paths"])),
        ("session/settle", json!({"session": "a/1", "paths": []}), json!(["tool"])),
        ("session/settle", settle(json!([{"path": "x"}])), json!(["paths"])),
        ("session/settle", settle(json!([{"path": "x", "kind": "link"}])), json!(["paths"])),
        (
            "session/settle",
            settle(json!([{"path": "x", "kind": "file", "origin": "url"}])),
            json!(["paths"]),
        ),
        (
            "session/settle",
            settle(json!([{"path": "x", "kind": "file", "y": 1}])),
            json!(["paths"]),
        ),
        ("session/window", json!({"session": "a/1", "position": 1}), json!(["position"])),
        ("session/window", json!({"session": "a/1"}), json!(["from"])),
        ("session/holds", json!({"session": "a/1"}), json!(["revisions"])),
        ("session/holds", json!({"session": "a/1", "revisions": [-1]}), json!(["revisions"])),
        ("session/adopt", json!({"session": "a/1"}), json!(["sources"])),
        ("session/adopt", json!({"session": "a/1", "sources": [{}]}), json!(["sources"])),
        (
            "session/adopt",
            json!({"session": "a/1", "sources": [{"path": "x", "url": "y"}]}),
            json!(["sources"]),
        ),
        (
            "session/adopt",
            json!({"session": "a/1", "sources": [{"path": "x", "sha256": "00"}]}),
            json!(["sources"]),
        ),
        ("session/fork", json!({"session": "a/1"}), json!(["child"])),
        ("session/fork", json!({"session": "a/1", "child": ""}), json!(["child"])),
        ("session/revert", json!({"session": "a/1"}), json!(["position"])),
        ("session/move", json!({"session": "a/1"}), json!(["directory"])),
        ("location/explain", json!({"directory": shop}), json!(["path"])),
    ] {
        let error = server.refused(method, params.clone(), -32602);
        assert_eq!(error["data"]["params"], named, "{method} {params}: {error}");
        for name in named.as_array().unwrap() {
            let quoted = format!("`{}`", name.as_str().unwrap());
            assert!(error["message"].as_str().unwrap().contains(&quoted), "{error}");
        }
    }
    server.send(r#"{"jsonrpc":"2.0","id":"twice","method":"session/delete","params":{"session":"a","session":"b"}}"#);
    let answer = server.answer().unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("twice"), &json!(-32602)));
    assert!(!bench.store().exists(), "what is refused makes no store");
}

#[test]
fn methods_of_later_releases_are_not_found() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    for method in ["skill/lists", "skill", "session/Sync", "", "a\nb\u{1b}[2J"] {
        let error = server.refused(method, json!({}), -32601);
        assert_eq!(error["data"]["kind"], "method_not_found");
    }
}

#[test]
fn every_refusal_has_its_number_its_kind_and_its_data() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    let (shop, api) = (bench.path("shop"), bench.path("shop/api"));
    let kind = |error: &Value| error["data"]["kind"].as_str().unwrap().to_owned();

    let session = json!({"session": "no/such"});
    for method in [
        "session/sync",
        "session/preview",
        "session/compact",
        "session/rebase",
        "session/delete",
        "session/show",
        "session/log",
        "session/sources",
    ] {
        let error = server.refused(method, session.clone(), -32002);
        assert_eq!(
            (kind(&error).as_str(), &error["data"]["retry"]),
            ("unknown_session", &json!("no"))
        );
    }
    let value = json!({"session": "no/such", "key": "k", "value": 1});
    server.refused("context/set", value, -32002);

    server.open(&bench, "a/1");
    let elsewhere = json!({"session": "a/1", "directory": shop});
    assert_eq!(kind(&server.refused("session/open", elsewhere, -32003)), "session_exists");
    // A relative path starts at the session's Location.
    let same = server.get("session/open", json!({"session": "a/1", "directory": "."}));
    assert_eq!((&same["created"], &same["location"]["directory"]), (&json!(false), &json!(api)));
    server.refused("session/open", json!({"session": "a/1", "directory": ".."}), -32003);

    server.get("session/sync", json!({"session": "a/1", "position": 7}));
    let back = json!({"session": "a/1", "position": 6});
    let error = server.refused("session/sync", back, -32004);
    assert_eq!(kind(&error), "position_regressed");
    assert_eq!((&error["data"]["position"], &error["data"]["anchored"]), (&json!(6), &json!(7)));

    let long = json!({"session": "a/1", "key": "k", "value": "x".repeat(32 * 1024)});
    let error = server.refused("context/set", long, -32008);
    assert_eq!(kind(&error), "value_too_large");
    assert_eq!((&error["data"]["limit"], &error["data"]["bytes"]), (&json!(32768), &json!(32770)));

    for directory in ["/no/such/place", "relative", "/no\u{1b}[2J/place", "/a\u{0}b"] {
        for method in ["location/preview", "session/list"] {
            let error = server.refused(method, json!({"directory": directory}), -32009);
            assert_eq!(kind(&error), "unknown_directory");
        }
    }
    let file = json!({"directory": bench.path("shop/AGENTS.md")});
    server.refused("location/preview", file, -32009);

    let late = json!({"session": "a/1", "revision": 99});
    let error = server.refused("session/show", late, -32602);
    assert_eq!(error["data"]["params"], json!(["revision"]));
    assert_eq!(server.end(), (Vec::new(), 0));
}

/// R-BND-2.
#[cfg(unix)]
#[test]
fn a_first_boundary_that_is_incomplete_lists_every_source_that_blocks_it() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    for directory in ["shop", "shop/api"] {
        let file = bench.path(directory).join("AGENTS.md");
        std::fs::remove_file(&file).ok();
        std::os::unix::fs::symlink("AGENTS.md", &file).unwrap();
    }
    server.open(&bench, "a/1");
    let error = server.refused("session/sync", json!({"session": "a/1"}), -32001);
    assert_eq!(
        (&error["data"]["kind"], &error["data"]["retry"]),
        (&json!("blocked"), &json!("later"))
    );
    let key = |path: &str| format!("file:{}", bench.path(path).display());
    let blocked = json!([
        {"source": key("shop/AGENTS.md"), "reason": "too_many_links"},
        {"source": key("shop/api/AGENTS.md"), "reason": "too_many_links"},
    ]);
    assert_eq!(error["data"]["sources"], blocked);
    assert_eq!(server.log("a/1").len(), 1, "nothing is written");
    let proceed = json!({"session": "a/1", "on_unavailable": "proceed"});
    let briefing = server.get("session/sync", proceed);
    assert_eq!(briefing["held"].as_array().unwrap().len(), 2, "{briefing}");
    // Once it can be read it is told as an addition.
    let file = bench.path("shop/AGENTS.md");
    std::fs::remove_file(&file).unwrap();
    bench.write("shop/AGENTS.md", "Use tabs.\n");
    let briefing = server.sync("a/1");
    assert_eq!(briefing["updates"][0]["changes"][0]["kind"], "added", "{briefing}");
}

/// What was seen at the last boundary is known after a refusal as well (R-AMB-4, R-SES-5).
#[cfg(unix)]
#[test]
fn a_refused_call_forgets_no_boundary() {
    use std::{fs, os::unix::fs::symlink};
    let bench = Bench::new();
    bench.write("shop/own/.git/HEAD", "");
    bench.write("shop/own/AGENTS.md", "Own.\n");
    let mut server = Server::start(&bench);
    let own = bench.path("shop/own");
    let open = json!({"session": "a", "directory": own});
    server.get("session/open", open.clone());
    let boundary = |server: &mut Server| {
        server.get("session/sync", json!({"session": "a"}))["location"]["boundary"].clone()
    };
    assert_eq!(boundary(&mut server), json!(own));
    fs::remove_dir_all(own.join(".git")).unwrap();
    assert_eq!(boundary(&mut server), json!(bench.path("shop")));
    fs::remove_dir_all(&own).unwrap();
    symlink("own", &own).unwrap();
    server.refused("session/open", open, -32009);
    server.refused("session/move", json!({"session": "a", "directory": own}), -32009);
    assert_eq!(boundary(&mut server), json!(bench.path("shop")), "the last one seen");
}
