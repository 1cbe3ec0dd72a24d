//! What the documents show is run as they show it.

use super::bench::{Bench, Ran};
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document(name: &str) -> String {
    std::fs::read_to_string(repository().join(name)).unwrap()
}

/// A clone with the example monorepo in it, links kept.
fn clone(bench: &Bench) {
    std::fs::create_dir_all(bench.path("clone/.git")).unwrap();
    copy(&repository().join("examples/monorepo"), &bench.path("clone/examples/monorepo"));
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (kind, to) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &to);
        } else if kind.is_symlink() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(std::fs::read_link(entry.path()).unwrap(), to).unwrap();
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn in_clone(bench: &Bench, line: &str) -> String {
    let ran = Ran::of(bench.command(line).current_dir(bench.path("clone")).output().unwrap());
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{line}");
    ran.out
}

#[test]
fn the_readmes_first_command_tells_once_and_then_what_changed() {
    let readme = document("README.md");
    let shown = "$ cargo run --quiet --bin told -- ";
    let lines: Vec<_> = readme.lines().filter_map(|line| line.strip_prefix(shown)).collect();
    let [line] = lines[..] else { panic!("one command is shown: {lines:?}") };
    let bench = Bench::new();
    clone(&bench);
    let first = in_clone(&bench, line);
    for file in [
        "examples/monorepo/AGENTS.md",
        "examples/monorepo/docs/service-rules.md",
        "services/payments/AGENTS.md",
        "services/payments/ledger/AGENTS.md",
    ] {
        assert!(first.contains(file), "{file}: {first}");
    }
    assert!(!first.contains("web/AGENTS.md"), "it applies elsewhere: {first}");
    let edited = "clone/examples/monorepo/services/payments/AGENTS.md";
    assert!(readme.contains(edited.strip_prefix("clone/").unwrap()), "the README names the file");
    bench.write(edited, "- Cents only.\n");
    assert!(in_clone(&bench, line).contains("Told now: 1 changed."));
    std::fs::remove_file(bench.path(edited)).unwrap();
    assert!(in_clone(&bench, line).contains("Told now: 1 removed."));
    assert!(in_clone(&bench, line).contains("Nothing new"));
    let text = in_clone(&bench, &format!("{line} --text"));
    assert!(text.starts_with("Where the instructions below disagree"), "{text}");
}

#[test]
fn the_commands_in_the_manual_exist() {
    let manual = document("docs/configuration.md");
    let block = manual.split("## Command line").nth(1).and_then(|rest| rest.split("```").nth(1));
    let bench = Bench::new();
    let mut seen = 0;
    for line in block.unwrap().lines().filter_map(|line| line.strip_prefix("told ")) {
        let names = line.split("  ").next().unwrap_or_default();
        for name in names.split('|').map(str::trim) {
            let name = name.split(' ').next().unwrap_or_default();
            if !name.is_empty() && name.chars().all(char::is_alphabetic) {
                assert!(bench.out(&format!("{name} --help")).contains("Usage: told"), "{name}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 20, "{seen} commands");
}

#[test]
fn the_protocols_example_is_answered() {
    let protocol = document("docs/protocol.md");
    let bench = Bench::new();
    let shop = bench.path("shop").display().to_string();
    let requests: Vec<_> = protocol
        .lines()
        .filter_map(|line| line.trim().strip_prefix('\'')?.split('\'').next())
        .filter(|line| line.starts_with("{\"jsonrpc\""))
        .map(|line| line.replace("/repo", &shop))
        .collect();
    assert_eq!(requests.len(), 3, "the examples have three requests");
    let ran = bench.run_with_input("serve", &(requests.join("\n") + "\n"));
    let mut answers: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(answers[0]["result"]["created"], true, "{answers:?}");
    assert_eq!(answers[1]["result"]["admitted"], 2, "{answers:?}");
    assert!(protocol.contains(&answers[2].to_string()), "{answers:?}");
}
