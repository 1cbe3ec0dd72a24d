//! What a server watches: `location/mutated`, `location/status` and `location/close`, on real files.

use super::life::{Life, SESSION};
use serde_json::{Value, json};

impl Life {
    fn at(&self) -> Value {
        json!(self.bench.path("shop/api"))
    }

    fn status(&mut self) -> Value {
        let params = json!({"directory": self.at()});
        self.server.get("location/status", params)
    }
}

/// The roots are reported as they are: covered where this machine's file system can be watched, and with
/// a reason where it cannot. Edits are told either way, at the boundary after them.
#[test]
fn every_edit_is_told_by_the_boundary_after_it_and_the_status_says_how() {
    let mut life = Life::begin();
    for edition in 0..40 {
        life.bench.write("shop/AGENTS.md", format!("Edition {edition}.\n"));
        assert_eq!(life.boundary().changes, ["changed shop/AGENTS.md"], "edition {edition}");
    }
    let status = life.status();
    let roots = status["roots"].as_array().unwrap();
    assert!(roots.iter().any(|root| root["root"] == json!(life.bench.path("shop"))), "{status}");
    for root in roots {
        match root["coverage"].as_str().unwrap() {
            "covered" => assert!(root.get("reason").is_none()),
            "direct" => assert!(root["reason"].is_string()),
            other => panic!("{other}"),
        }
    }
    if roots.iter().all(|root| root["coverage"] == "covered") {
        assert!(status["caches"]["fresh"].as_u64().unwrap() > 0, "{status}");
    }
}

#[test]
fn what_a_host_changed_is_looked_at_and_a_location_can_be_closed() {
    let mut life = Life::begin();
    for _ in 0..3 {
        life.boundary();
    }
    let covered = life.status()["roots"][0]["coverage"] == "covered";
    let at = life.at();
    let params = json!({"directory": at, "paths": ["../AGENTS.md", "src/main.rs"]});
    let invalidated = life.server.get("location/mutated", params.clone())["invalidated"].clone();
    assert_eq!(invalidated, json!(u64::from(covered)));
    let again = life.server.get("location/mutated", params)["invalidated"].clone();
    assert_eq!(again, json!(0), "many are one");
    assert!(life.boundary().changes.is_empty());
    assert_eq!(life.server.get("location/close", json!({"directory": at})), json!({}));
    let nothing = json!({"roots": [], "caches": {"fresh": 0, "stale": 0, "empty": 0}});
    assert_eq!(life.status(), nothing);
    life.bench.write("shop/AGENTS.md", "After the close.\n");
    assert_eq!(life.boundary().changes, ["changed shop/AGENTS.md"]);
}

/// An editor may name a file through a link that no candidate's path goes through.
#[cfg(unix)]
#[test]
fn r_wat_5_a_file_that_was_changed_through_a_link_is_looked_at() {
    let mut life = Life::begin();
    for (link, target) in [("alias", "shop"), ("shop/api/NOTES.md", "../AGENTS.md")] {
        std::os::unix::fs::symlink(target, life.bench.path(link)).unwrap();
    }
    for _ in 0..3 {
        life.boundary();
    }
    let covered = life.status()["roots"][0]["coverage"] == "covered";
    let alias = life.bench.path("alias");
    for path in [json!(alias.join("AGENTS.md")), json!(alias), json!("NOTES.md")] {
        let params = json!({"directory": life.at(), "paths": [path]});
        let taken = life.server.get("location/mutated", params)["invalidated"].as_u64().unwrap();
        assert_eq!(taken > 0, covered, "{path}");
        life.boundary();
    }
}

#[test]
fn files_that_are_provided_are_not_watched() {
    let mut life = Life::begin();
    for _ in 0..3 {
        life.boundary();
    }
    let (at, buffer) = (life.at(), json!([{"path": "../AGENTS.md", "content": "A buffer.\n"}]));
    life.server.get("location/provide", json!({"directory": at, "files": buffer}));
    assert_eq!(life.boundary().changes, ["changed shop/AGENTS.md"]);
    let status = life.status();
    for root in status["roots"].as_array().unwrap() {
        assert_eq!((&root["coverage"], &root["reason"]), (&json!("direct"), &json!("provided")));
    }
}

#[test]
fn a_directory_that_is_not_there_and_parameters_that_are_none_are_refused() {
    let mut life = Life::begin();
    let far = json!(life.bench.path("nowhere"));
    life.server.refused("location/status", json!({"directory": far}), -32009);
    life.server.refused("location/close", json!({"directory": far}), -32009);
    life.server.refused("location/mutated", json!({"directory": far, "paths": []}), -32009);
    let at = life.at();
    life.server.refused("location/mutated", json!({"directory": at}), -32602);
    life.server.refused("location/status", json!({"session": SESSION}), -32602);
}
