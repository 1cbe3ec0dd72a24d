//! Configured files and a project's own configuration under a server, on real files that it may watch:
//! R-CFG-1, R-CFG-2, R-CFG-6.

use super::{client::Server, life::Life};
use serde_json::{Value, json};

const PROJECT: &str = "shop/.told/config.toml";

fn withheld(briefing: &Value) -> Vec<(String, String)> {
    let word = |source: &Value, name: &str| source[name].as_str().unwrap().to_owned();
    let all = briefing["withheld"].as_array().unwrap().iter();
    all.map(|source| (word(source, "source"), word(source, "reason"))).collect()
}

#[test]
fn r_cfg_6_a_projects_configuration_comes_changes_breaks_and_goes() {
    let mut life = Life::begin();
    life.bench.write("shop/docs/style.md", "Style 1.\n");
    life.bench.write("shop/docs/tests.md", "Tests 1.\n");
    // More boundaries than it takes to watch, and to verify what is watched.
    for round in 0..20 {
        life.bench.write(PROJECT, "[instructions]\ninclude = [\"docs/style.md\"]\n");
        assert_eq!(life.boundary().changes, ["added shop/docs/style.md"], "{round}");
        life.bench.write(PROJECT, "[instructions]\ninclude = [\"docs/tests.md\"]\n");
        let expect = ["removed shop/docs/style.md", "added shop/docs/tests.md"];
        assert_eq!(life.boundary().changes, expect, "{round}");
        life.bench.write(PROJECT, "[instructions\n");
        life.bench.write("shop/docs/tests.md", format!("Tests, {round}.\n"));
        let broken = life.boundary();
        assert_eq!(broken.changes, ["changed shop/docs/tests.md"], "{round}");
        let file = format!("file:{}", life.bench.path(PROJECT).display());
        assert_eq!(withheld(&broken.briefing), [(file, "invalid_configuration".to_owned())]);
        std::fs::remove_file(life.bench.path(PROJECT)).unwrap();
        assert_eq!(life.boundary().changes, ["removed shop/docs/tests.md"], "{round}");
    }
}

#[test]
fn r_bnd_10_another_process_goes_on_by_the_last_good_one() {
    let mut life = Life::begin();
    life.bench.write(PROJECT, "[instructions]\ninclude = [\"docs/*.md\"]\n");
    life.bench.write("shop/docs/style.md", "Style 1.\n");
    assert_eq!(life.boundary().changes, ["added shop/docs/style.md"]);
    let next = Server::start(&life.bench);
    assert_eq!(std::mem::replace(&mut life.server, next).end(), (Vec::new(), 0));
    life.bench.write(PROJECT, "nonsense = true\n");
    life.bench.write("shop/docs/more.md", "More.\n");
    life.bench.write("shop/docs/style.md", "Style 2.\n");
    let told = life.boundary();
    assert_eq!(told.changes, ["added shop/docs/more.md", "changed shop/docs/style.md"]);
    assert_eq!(withheld(&told.briefing).len(), 1);
}

#[test]
fn r_cfg_2_every_new_match_is_told_and_every_one_that_went() {
    let include = "[instructions]\ninclude = [\"rules/**/*.md\"]\n";
    let mut life = Life::begin_with(include);
    let at = |name: &str| format!(".config/told/rules/{name}");
    for round in 0..20 {
        let name = at(&format!("deep/{}/{round}.md", round % 3));
        life.bench.write(&name, "A rule.\n");
        assert_eq!(life.boundary().changes, [format!("added {name}")]);
        let moved = at(&format!("{round}.md"));
        std::fs::rename(life.bench.path(&name), life.bench.path(&moved)).unwrap();
        let expect = [format!("removed {name}"), format!("added {moved}")];
        assert_eq!(life.boundary().changes, expect);
        life.bench.write(&moved, "Edited.\n");
        assert_eq!(life.boundary().changes, [format!("changed {moved}")]);
        std::fs::remove_dir_all(life.bench.path(&at(""))).unwrap();
        assert_eq!(life.boundary().changes, [format!("removed {moved}")]);
    }
}

#[test]
fn r_cfg_1_what_a_host_provides_is_matched_as_a_file_is() {
    let mut life = Life::begin_with("[instructions]\ninclude = [\"~/shop/docs/*.md\"]\n");
    let directory = json!(life.bench.path("shop/api"));
    let mut provide = |files: Value| {
        let params = json!({"directory": directory, "files": files});
        life.server.get("location/provide", params);
        life.position += 1;
        let params = json!({"session": super::life::SESSION, "position": life.position});
        let briefing = life.server.get("session/sync", params);
        let last = briefing["updates"].as_array().unwrap().last().cloned().unwrap_or_default();
        if briefing["admitted"].is_null() { Value::Null } else { last["text"].clone() }
    };
    let new = life.bench.path("shop/docs/new.md");
    let text = provide(json!([{"path": new, "content": "From a buffer.\n"}]));
    assert!(text.as_str().unwrap().ends_with("/shop/docs/new.md\nFrom a buffer.\n"), "{text}");
    let unknown = provide(json!([{"path": new, "unavailable": "io_error"}]));
    assert_eq!(unknown, Value::Null, "what was told of it stands");
    let gone = provide(json!([{"path": new, "withdraw": true}]));
    assert!(gone.as_str().unwrap().contains("no longer apply"), "{gone}");
}

#[test]
fn r_amb_9_an_untrusted_session_does_not_read_it() {
    let mut life = Life::begin();
    life.bench.write(PROJECT, "[instructions]\ninclude = [\"docs/style.md\"]\n");
    life.bench.write("shop/docs/style.md", "Style.\n");
    let at = json!(life.bench.path("shop/api"));
    let params = json!({"session": "untrusted", "directory": at, "trust": "untrusted"});
    life.server.get("session/open", params);
    let briefing = life.server.sync("untrusted");
    let file = format!("file:{}", life.bench.path(PROJECT).display());
    assert!(withheld(&briefing).contains(&(file, "untrusted".to_owned())), "{briefing}");
    let baseline = briefing["epoch"]["baseline"]["text"].as_str().unwrap();
    assert!(!baseline.contains("Style."), "{baseline}");
}
