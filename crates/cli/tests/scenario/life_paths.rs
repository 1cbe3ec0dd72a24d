//! Which paths of a settled call discover what (R-LOC-1, R-LOC-2, R-LOC-9).

use super::life::Life;
use serde_json::{Value, json};
use std::fs;

/// Nothing is discovered, for that reason, and nothing written.
fn assert_ignored(life: &mut Life, call: Value, reasons: &[(&str, &str)]) {
    let before = life.last_record();
    let settled = life.settle(call);
    let ignored: Vec<_> =
        reasons.iter().map(|(path, reason)| json!({"path": path, "reason": reason})).collect();
    assert_eq!(settled["ignored"], json!(ignored));
    assert_eq!((&settled["discovered"], &settled["revision"]), (&json!([]), &before["revision"]));
    assert_eq!(life.last_record(), before);
    assert!(life.boundary().changes.is_empty());
}

fn with_web() -> Life {
    let life = Life::begin();
    life.bench.write("shop/web/AGENTS.md", "Web 1.\n");
    life
}

#[test]
fn a_failed_read_discovers_nothing() {
    let mut life = with_web();
    let paths = json!([{"path": "../web/page.rs", "kind": "file"}]);
    let call = json!({"paths": paths, "ok": false, "output": {"error": "no such file"}});
    assert_ignored(&mut life, call, &[("../web/page.rs", "failed_call")]);
    // The same call that succeeds does.
    let settled = life.settle(json!({"paths": paths, "ok": true}));
    assert_eq!(settled["discovered"], life.paths(&["shop/web"]));
    assert_eq!(life.boundary().changes, ["added shop/web/AGENTS.md"]);
}

#[test]
fn what_is_not_of_the_local_disk_discovers_nothing() {
    let mut life = with_web();
    let paths = json!([
        {"path": "../web/out.txt", "kind": "file", "origin": "managed"},
        {"path": "../web/page.rs", "kind": "file", "origin": "external"},
    ]);
    let reasons = [("../web/out.txt", "managed"), ("../web/page.rs", "external")];
    assert_ignored(&mut life, json!({ "paths": paths }), &reasons);
}

#[test]
fn a_listing_is_of_the_directory_itself() {
    let mut life = with_web();
    life.bench.write("shop/web/deep/AGENTS.md", "Deep 1.\n");
    let settled = life.settle(json!({"paths": [{"path": "../web", "kind": "directory"}]}));
    assert_eq!(settled["discovered"], life.paths(&["shop/web"]));
    assert_eq!(life.boundary().changes, ["added shop/web/AGENTS.md"]);
    let deep = life.bench.path("shop/web/deep");
    let settled = life.settle(json!({"paths": [{"path": deep, "kind": "directory"}]}));
    assert_eq!(settled["discovered"], life.paths(&["shop/web/deep"]));
    assert_eq!(life.boundary().changes, ["added shop/web/deep/AGENTS.md"]);
    // The boundary, and what lies above or at the Location, is ambient already.
    for ambient in ["..", ".", "../api"] {
        let settled = life.settle(json!({"paths": [{"path": ambient, "kind": "directory"}]}));
        assert_eq!((&settled["discovered"], &settled["ignored"]), (&json!([]), &json!([])));
    }
}

#[test]
fn a_pdf_read_counts() {
    let mut life = with_web();
    life.bench.write("shop/web/paper.pdf", b"%PDF-1.7\n\0\xff\xfe\0binary");
    assert_eq!(life.read("../web/paper.pdf")["discovered"], life.paths(&["shop/web"]));
    assert_eq!(life.boundary().changes, ["added shop/web/AGENTS.md"]);
}

#[test]
fn a_path_outside_the_project_has_no_scope() {
    let mut life = with_web();
    life.bench.write("elsewhere/AGENTS.md", "Elsewhere.\n");
    life.bench.write("elsewhere/file", "");
    let outside = life.bench.path("elsewhere/file").display().to_string();
    let paths = json!([
        {"path": outside, "kind": "file"},
        {"path": "../../elsewhere", "kind": "directory"},
    ]);
    let reasons = [(outside.as_str(), "outside_project"), ("../../elsewhere", "outside_project")];
    assert_ignored(&mut life, json!({ "paths": paths }), &reasons);
}

/// R-LOC-1: the canonical resource counts, not the path that led to it.
#[cfg(unix)]
#[test]
fn a_link_is_where_it_leads() {
    let mut life = with_web();
    life.bench.write("elsewhere/file", "");
    life.bench.write("shop/web/page.rs", "");
    let link = |from: &str, to: &str| {
        std::os::unix::fs::symlink(life.bench.path(to), life.bench.path(from)).unwrap();
    };
    link("shop/out", "elsewhere");
    link("shop/api/page.rs", "shop/web/page.rs");
    link("elsewhere/in", "shop/web");
    let paths = json!([{"path": "../out/file", "kind": "file"}]);
    assert_ignored(&mut life, json!({ "paths": paths }), &[("../out/file", "outside_project")]);
    assert_eq!(life.read("page.rs")["discovered"], life.paths(&["shop/web"]));
    let settled = life.read("../../elsewhere/in/page.rs");
    assert_eq!((&settled["discovered"], &settled["ignored"]), (&json!([]), &json!([])), "known");
    assert_eq!(life.boundary().changes, ["added shop/web/AGENTS.md"]);
}

/// R-AMB-4: components are compared, never a string's beginning.
#[test]
fn a_name_that_begins_alike_is_another() {
    let mut life = Life::begin();
    // Beside the project `shop`.
    life.bench.write("shopping/AGENTS.md", "Shopping.\n");
    life.bench.write("shopping/list", "");
    let paths = json!([{"path": "../../shopping/list", "kind": "file"}]);
    let reasons = [("../../shopping/list", "outside_project")];
    assert_ignored(&mut life, json!({ "paths": paths }), &reasons);
    // Beside the Location `shop/api`, which is ambient.
    life.bench.write("shop/apis/AGENTS.md", "Apis.\n");
    life.bench.write("shop/ap/AGENTS.md", "Ap.\n");
    let settled = life.read("../apis/main.rs");
    assert_eq!(settled["discovered"], life.paths(&["shop/apis"]));
    assert_eq!(life.boundary().changes, ["added shop/apis/AGENTS.md"]);
    assert_eq!(life.read("../ap/main.rs")["discovered"], life.paths(&["shop/ap"]));
    assert_eq!(life.boundary().changes, ["added shop/ap/AGENTS.md"]);
}

/// `~/shop/vendor/lib` is a submodule.
fn with_submodule(configuration: &str) -> Life {
    let life = Life::begin_with(configuration);
    life.bench.write("shop/vendor/AGENTS.md", "Vendor.\n");
    life.bench.write("shop/vendor/lib/.git", "gitdir: ../../.git/modules/lib\n");
    life.bench.write("shop/vendor/lib/AGENTS.md", "Lib.\n");
    life.bench.write("shop/vendor/lib/src/AGENTS.md", "Source.\n");
    life.bench.write("shop/vendor/lib/src/lib.rs", "");
    life
}

/// R-LOC-9.
#[test]
fn a_submodule_has_scopes_of_its_own() {
    let mut life = with_submodule("");
    let settled = life.read("../vendor/lib/src/lib.rs");
    let own = ["shop/vendor/lib", "shop/vendor/lib/src"];
    assert_eq!(settled["discovered"], life.paths(&own));
    let added = ["added shop/vendor/lib/AGENTS.md", "added shop/vendor/lib/src/AGENTS.md"];
    assert_eq!(life.boundary().changes, added);
    // The directory above it is ours.
    let settled = life.read("../vendor/list");
    assert_eq!(settled["discovered"], life.paths(&["shop/vendor"]));
    assert_eq!(life.boundary().changes, ["added shop/vendor/AGENTS.md"]);
    // Its project was decided at the settlement.
    fs::remove_file(life.bench.path("shop/vendor/lib/.git")).unwrap();
    assert!(life.boundary().changes.is_empty());
}

/// R-LOC-9.
#[test]
fn a_submodule_can_be_ignored() {
    let mut life = with_submodule("[instructions]\nnested_projects = \"ignore\"\n");
    let path = "../vendor/lib/src/lib.rs";
    let paths = json!([{"path": path, "kind": "file"}]);
    assert_ignored(&mut life, json!({ "paths": paths }), &[(path, "other_project")]);
    assert_eq!(life.read("../vendor/list")["discovered"], life.paths(&["shop/vendor"]));
    assert_eq!(life.boundary().changes, ["added shop/vendor/AGENTS.md"]);
}

#[test]
fn path_local_instructions_can_be_turned_off() {
    let mut life = Life::begin_with("[instructions]\npath_local = false\n");
    life.bench.write("shop/web/AGENTS.md", "Web 1.\n");
    let paths = json!([{"path": "../web/page.rs", "kind": "file"}]);
    assert_ignored(&mut life, json!({ "paths": paths }), &[("../web/page.rs", "disabled")]);
}
