//! The forms of a briefing: for a person, for a model, for a program.

use super::bench::Bench;

#[test]
fn text_is_what_it_was_with_more_behind_it() {
    let bench = Bench::new();
    let first = bench.out("sync --text");
    assert!(first.contains("\n\nInstructions from: ") || first.starts_with("Instructions from: "));
    assert_eq!(bench.out("sync --text"), first, "R-BND-6");
    bench.write("shop/AGENTS.md", "Use spaces.\n");
    let second = bench.out("sync --text");
    assert!(second.starts_with(&first) && second.len() > first.len(), "{second}");
    assert!(second[first.len()..].starts_with("\n\n"));
    assert!(second.contains("Use spaces.\n"));
    let newer = bench.out("sync --text --since 2");
    assert_eq!(first + &newer, second, "what is newer goes behind what was there");
}

#[test]
fn text_is_exact_where_no_terminal_reads_it() {
    let bench = Bench::new();
    bench.write("shop/AGENTS.md", "bell \u{7} and \u{1b}[31m\r\n");
    assert!(bench.out("sync --text").contains("bell \u{7} and \u{1b}[31m\r\n"));
    let page = bench.run("sync").out + &bench.run("log").out + &bench.run("show").out;
    assert!(!page.contains(['\u{7}', '\u{1b}', '\r']));
}

#[test]
fn json_is_the_protocols_briefing() {
    let bench = Bench::new();
    let fresh = bench.json("--json");
    assert_eq!(fresh["epoch"]["baseline"].get("blocks"), None);
    assert_eq!(fresh["admitted"], serde_json::Value::Null);
    assert!(!bench.store().exists(), "a preview makes no store");

    let briefing = bench.json("sync --json");
    assert_eq!(briefing["session"], bench.session());
    assert_eq!(briefing["admitted"], 2);
    assert_eq!(briefing["epoch"]["cause"], "initial");
    assert_eq!(briefing["location"]["boundary"], *bench.path("shop").to_str().unwrap());
    assert_eq!(fresh["epoch"]["baseline"]["text"], briefing["epoch"]["baseline"]["text"]);
    assert_eq!(bench.json("show --json")["epoch"], briefing["epoch"]);
    assert_eq!(bench.json("show 1 --json")["epoch"]["number"], 0);
}

#[test]
fn a_page_shows_what_is_new() {
    let bench = Bench::new();
    let page = bench.out("");
    assert!(page.starts_with("~/shop/api\nin the project ~/shop\nWhat a new session here"));
    assert!(bench.out("sync").contains("\nTold for the first time.\n"));
    assert!(bench.out("sync").contains("\nNothing new. What was told still stands.\n"));
    bench.write("shop/api/AGENTS.md", "Be terse.\n");
    bench.write("shop/AGENTS.md", "Use spaces.\n");
    let preview = bench.out("preview");
    assert!(preview.contains("\nWould be told: 1 added, 1 changed. Nothing was written.\n"));
    let page = bench.out("sync");
    assert!(page.contains("\nTold now: 1 added, 1 changed.\n"), "{page}");
    assert!(page.contains("\n~ AGENTS.md ") && page.contains("\n+ api/AGENTS.md "), "{page}");
    std::fs::remove_file(bench.path("shop/api/AGENTS.md")).unwrap();
    assert!(bench.out("sync").contains("\n− api/AGENTS.md "));
}

#[test]
fn colour_comes_on_demand_and_no_color_is_heard() {
    let bench = Bench::new();
    assert!(!bench.out("").contains('\u{1b}'), "no terminal, no colour");
    assert!(bench.out("--color always").contains("\u{1b}["));
    assert!(!bench.out("--color never").contains('\u{1b}'));
    assert!(!bench.out("--color always --json").contains("\u{1b}["));
}

#[test]
fn explain_is_in_the_order_of_telling() {
    let bench = Bench::new();
    bench.write("shop/api/AGENTS.md", "Be terse.\n");
    bench.write("shop/api/agents.md.bak", "");
    let explained = bench.json("explain new/x.rs --json");
    let paths = explained["applies"].as_array().unwrap().iter();
    let paths = paths.map(|source| source["path"].as_str().unwrap()).collect::<Vec<_>>();
    let there = |path| bench.path(path).to_str().unwrap().to_owned();
    assert_eq!(paths, [there("shop/AGENTS.md"), there("shop/api/AGENTS.md")]);
    let page = bench.out("explain new/x.rs");
    let (first, second) = (page.find("1  ~/shop/AGENTS.md"), page.find("2  ~/shop/api/AGENTS.md"));
    assert!(first.unwrap() < second.unwrap(), "{page}");
    assert!(!bench.store().exists(), "explain makes no store");
}
