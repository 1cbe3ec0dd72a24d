//! A session that goes to work elsewhere (R-SES-3, R-BND-8).

use super::{
    client::{Server, texts},
    life::{Life, SESSION},
};
use serde_json::json;

/// `life` with another project beside the first.
fn with_farm(mut life: Life) -> Life {
    life.bench.write("farm/.git/HEAD", "");
    life.bench.write("farm/AGENTS.md", "Feed the hens.\n");
    life.bench.write("farm/barn/AGENTS.md", "Mind the step.\n");
    life.boundary();
    life
}

#[test]
fn a_move_tells_the_difference() {
    let mut life = with_farm(Life::begin_with_web());
    let before = texts(&life.boundary().briefing);
    let farm = json!(life.bench.path("farm"));
    let moved = life.tell("session/move", "directory", farm.clone());
    assert_eq!(moved["location"], json!({"directory": farm, "boundary": farm}));
    let told = life.boundary();
    assert_eq!(
        told.changes,
        [
            "removed shop/AGENTS.md",
            "removed shop/web/AGENTS.md",
            "added farm/AGENTS.md",
            "changed core/environment"
        ]
    );
    assert_eq!(texts(&told.briefing)[..2], before, "the belief was kept");
    assert_eq!(told.briefing["location"]["boundary"], farm);
    life.restart();
    assert!(life.boundary().changes.is_empty());

    // Its own paths count now, and the old ones lie outside.
    assert_eq!(life.read("barn/door")["discovered"], life.paths(&["farm/barn"]));
    let old = life.bench.path("shop/web/page.rs");
    let settled = life.read(old.to_str().unwrap());
    assert_eq!(settled["ignored"], json!([{"path": old, "reason": "outside_project"}]));
    assert_eq!(life.boundary().changes, ["added farm/barn/AGENTS.md"]);

    // Back home the discoveries are gone, and a read finds them again.
    let home = json!(life.bench.path("shop/api"));
    life.tell("session/move", "directory", home);
    assert_eq!(
        life.boundary().changes,
        [
            "removed farm/AGENTS.md",
            "removed farm/barn/AGENTS.md",
            "added shop/AGENTS.md",
            "changed core/environment"
        ]
    );
    assert_eq!(life.read("../web/page.rs")["discovered"], life.paths(&["shop/web"]));
    assert_eq!(life.boundary().changes, ["added shop/web/AGENTS.md"]);
}

/// A move within the project clears the discoveries, too; one to where it works is none.
#[test]
fn a_move_within_the_project() {
    let mut life = Life::begin_with_web();
    life.bench.write("shop/api/AGENTS.md", "Api.\n");
    assert_eq!(life.boundary().changes, ["added shop/api/AGENTS.md"]);
    let last = life.last_record()["revision"].clone();
    let here = json!(life.bench.path("shop/api"));
    assert_eq!(life.tell("session/move", "directory", here)["revision"], last);
    let web = json!(life.bench.path("shop/web"));
    let moved = life.tell("session/move", "directory", web);
    assert_eq!(moved["location"]["boundary"], json!(life.bench.path("shop")));
    let told = life.boundary();
    let changes = ["removed shop/api/AGENTS.md", "changed core/environment"];
    assert_eq!(told.changes, changes, "the other is ambient now, and believed");
    let nowhere = json!({"session": SESSION, "directory": life.bench.path("nowhere")});
    life.server.refused("session/move", nowhere, -32009);
    assert!(life.boundary().changes.is_empty());
}

/// R-SES-2: a revert undoes no move, and what it cleared stays cleared.
#[test]
fn a_revert_past_a_move() {
    let mut life = with_farm(Life::begin_with_web());
    let farm = json!(life.bench.path("farm"));
    life.tell("session/move", "directory", farm.clone());
    life.boundary();
    life.revert(3);
    let told = life.boundary();
    assert_eq!(told.briefing["location"]["directory"], farm);
    assert_eq!(
        told.changes,
        [
            "removed shop/AGENTS.md",
            "removed shop/web/AGENTS.md",
            "added farm/AGENTS.md",
            "changed core/environment"
        ]
    );
    let home = json!(life.bench.path("shop/api"));
    life.tell("session/move", "directory", home);
    let told = life.boundary();
    assert!(!told.changes.iter().any(|change| change.contains("web")), "{:?}", told.changes);
}

/// Settlements from one process and a move by another: whatever wins, no scope of the old project
/// is tracked after the move, and what began before it is refused.
#[test]
fn settlements_that_race_a_move() {
    let mut life = with_farm(Life::begin());
    let mut other = Server::start(&life.bench);
    let (farm, home) = (life.bench.path("farm"), life.bench.path("shop/api"));
    for round in 0..12 {
        let mut settlements = Vec::new();
        for number in 0..12 {
            let path = life.bench.path(&format!("shop/web{round}/{number}/deep/page.rs"));
            let call = json!({"session": SESSION, "tool": "read",
                "paths": [{"path": path, "kind": "file"}]});
            settlements.push(life.server.ask("session/settle", call));
            if number == round {
                other.ask("session/move", json!({"session": SESSION, "directory": farm}));
            }
        }
        let moved = other.answer().unwrap()["result"]["revision"].as_u64().unwrap();
        for _ in settlements {
            let answer = life.server.answer().unwrap();
            if let Some(error) = answer.get("error") {
                let data = &error["data"];
                assert_eq!((&error["code"], &data["retry"]), (&json!(-32005), &json!("now")));
                continue;
            }
            let settled = &answer["result"];
            let discovered = settled["discovered"].as_array().unwrap().len();
            let before = settled["revision"].as_u64().unwrap() < moved;
            assert_eq!(discovered > 0, before, "{settled}, moved at {moved}");
        }
        for record in life.server.log(SESSION).split_off(usize::try_from(moved).unwrap()) {
            assert_ne!(record["kind"], "scopes_discovered", "{record}");
        }
        other.get("session/move", json!({"session": SESSION, "directory": home}));
    }
    let told = life.boundary_in(SESSION);
    assert!(told.changes.is_empty(), "{:?}", told.changes);
}
