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

/// A loop of links cannot be read, whoever asks.
#[cfg(unix)]
#[test]
fn explain_holds_what_it_cannot_read_apart() {
    let bench = Bench::new();
    bench.out("sync");
    std::fs::remove_file(bench.path("shop/AGENTS.md")).unwrap();
    std::os::unix::fs::symlink("AGENTS.md", bench.path("shop/AGENTS.md")).unwrap();
    bench.write("shop/api/AGENTS.md", "Be terse.\n");
    let explained = bench.json("explain x.rs --json");
    let path = |list: &str| explained[list][0]["path"].clone();
    assert_eq!(path("applies"), bench.path("shop/api/AGENTS.md").to_str().unwrap());
    assert_eq!(path("held"), bench.path("shop/AGENTS.md").to_str().unwrap());
    assert_eq!(explained["held"][0]["reason"], "too_many_links");
    let page = bench.out("explain x.rs");
    let held = page.split("\nHeld\n").nth(1).unwrap();
    assert!(held.contains("its links form a loop") && held.contains("told still stands"), "{page}");
    std::fs::remove_file(bench.path("shop/api/AGENTS.md")).unwrap();
    let page = bench.out("explain x.rs");
    assert!(page.starts_with("No instructions that can be read apply to x.rs."), "{page}");
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

/// Where standard output is a terminal, `--text` shows what would steer it; in a pipe it is byte for
/// byte what the model is to be sent.
#[cfg(target_os = "linux")]
#[test]
fn text_steers_no_terminal_and_stays_exact_in_a_pipe() {
    use std::{io::Read, os::fd::OwnedFd, process::Stdio};
    let bench = Bench::new();
    let content = "a\u{1b}[2Jb\u{202e}c\u{e0041}d\u{200f}e\u{9b}f\u{200d}\n";
    bench.write("shop/AGENTS.md", content);
    assert!(bench.out("sync --text").contains(content));
    let terminal = rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR).unwrap();
    rustix::pty::grantpt(&terminal).unwrap();
    rustix::pty::unlockpt(&terminal).unwrap();
    let name = rustix::pty::ptsname(&terminal, Vec::new()).unwrap();
    let end = std::fs::OpenOptions::new().write(true).open(name.to_str().unwrap()).unwrap();
    let mut command = bench.command("sync --text");
    command.stdout(Stdio::from(OwnedFd::from(end)));
    let status = command.status().unwrap();
    assert!(status.success());
    drop(command);
    // At the end of what was written the terminal is closed, which reads as an error.
    let mut shown = Vec::new();
    let _ = std::fs::File::from(terminal).read_to_end(&mut shown);
    let shown = String::from_utf8(shown).unwrap();
    let line = r"a\u{1b}[2Jb\u{202e}c\u{e0041}d\u{200f}e\u{9b}f";
    assert!(shown.contains(&format!("{line}\u{200d}\r\n")), "{shown:?}");
}
