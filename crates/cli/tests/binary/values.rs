//! Host-set values, and the configuration as it counts.

use super::bench::{Bench, text};

#[test]
fn a_value_is_told_changed_and_taken_back() {
    let bench = Bench::new();
    bench.out("sync");
    assert!(
        bench.out("set branch main --title Branch").contains("for every session in ~/shop/api")
    );
    assert!(bench.out("sync").contains("\n+ api/branch "));
    assert!(bench.out("sync --text").ends_with("Context from the host: Branch\nmain"));
    let ran = bench.run_with_input("set branch - --parse", "{\"name\": \"main\"}\n");
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert!(bench.out("sync").contains("\n~ api/branch "));
    bench.out("unset branch");
    assert!(bench.out("sync").contains("\n− api/branch "));
}

#[test]
fn a_value_comes_from_standard_input_without_its_last_line_end() {
    let bench = Bench::new();
    bench.out("open -s x");
    let ran = bench.run_with_input("set note -s x", "two\nlines\n");
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert!(bench.out("sync -s x --text").contains("Context from the host: note\ntwo\nlines"));
    assert!(!bench.out("sync --text").contains("two\nlines"), "another session is told nothing");
    let ran = bench.run_with_input("set note - --parse", "no json");
    assert!(ran.status == 1 && ran.err.contains("the value is no JSON"), "{}", ran.err);
    let large = "x".repeat(40_000);
    let ran = bench.run_with_input("set note -", &large);
    assert!(ran.status == 1 && ran.err.contains("at most 32768 are allowed"), "{}", ran.err);
}

#[test]
fn config_says_what_counts_and_where_it_comes_from() {
    let bench = Bench::new();
    let file = text(&bench.path(".config/told/config.toml"));
    let config = bench.out("config");
    assert!(config.starts_with(&format!("# file: {file}\n# store: ")), "{config}");
    assert!(config.contains("\n[context]\nenvironment = true\ndate = false\n"), "{config}");
    let origins = bench.out("config --origin");
    let date = origins.lines().find(|line| line.starts_with("date = ")).unwrap();
    assert!(date.ends_with(&format!("  # {file}:2")), "{date}");
    let walk = origins.lines().find(|line| line.starts_with("walk_to_home")).unwrap();
    assert!(walk.ends_with("  # default"), "{walk}");

    // What it prints is a configuration that counts the same.
    bench.write("copy/config.toml", &config);
    let copy = bench.out("config --config ../../copy/config.toml");
    let body = |config: &str| config.lines().skip(2).map(String::from).collect::<Vec<_>>();
    assert_eq!(body(&copy), body(&config));
    let store = bench.out("config --store s.redb");
    assert!(store.contains("/shop/api/s.redb (--store)\n"), "{store}");
    assert_eq!(bench.json("config --json")["context.date"], false);
}

#[test]
fn doctor_looks_and_makes_nothing() {
    let bench = Bench::new();
    let page = bench.out("doctor");
    let lines = ["configuration", "global file", "limits", "location", "watching"];
    for line in lines.map(|what| format!("ok    {what}")) {
        assert!(page.contains(&line), "{line}: {page}");
    }
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("does not exist yet") && !bench.store().exists(), "{page}");
    bench.out("sync");
    let store = |checks: &serde_json::Value| {
        let checks = checks["checks"].as_array().unwrap();
        checks.iter().find(|check| check["what"] == "store").unwrap().clone()
    };
    let found = store(&bench.json("doctor --json"));
    assert!(found["found"].as_str().unwrap().contains(" opens, sessions: 1, "), "{found}");
    bench.write(".config/told/config.toml", "[instructions]\nexclude = [\"vendor/**\"]");
    assert!(bench.out("doctor --json").contains("write `**/vendor/**`"));
    bench.write("not-a-store", "hello");
    let ran = bench.run("doctor --store ../../not-a-store --json");
    assert_eq!(ran.status, 1);
    let checks: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(store(&checks)["verdict"], "fail");
    assert_eq!(std::fs::read(bench.path("not-a-store")).unwrap(), b"hello");
}
