//! Exit statuses, and one sentence on standard error that says what to do.

use super::bench::{Bench, Ran, text};
use std::{io::Read, process::Stdio};

#[test]
fn refused_is_1_and_usage_is_2() {
    let bench = Bench::new();
    for (line, status, sentence) in [
        ("log", 1, "there is no session"),
        ("compact -s nobody", 1, "there is no session `nobody`"),
        ("delete nobody", 1, "there is no session `nobody`"),
        ("-C /no/such/place", 1, "/no/such/place does not exist"),
        ("sync -C /no/such/place", 1, "/no/such/place cannot be worked in"),
        ("--config no.toml", 1, "no.toml: there is no such file, and --config names it"),
        ("nonsense", 2, "unrecognized subcommand"),
        ("--json sync", 2, "stand behind the command"),
        ("sync --position -3", 2, "unexpected argument"),
        ("settle AGENTS.md", 1, "there is no session"),
        ("hook", 2, "unrecognized subcommand"),
    ] {
        let err = bench.refused(line, status);
        assert!(err.contains(sentence), "{line}: {err}");
        if status == 1 {
            assert!(err.starts_with("told: ") && err.lines().count() == 1, "{line}: {err}");
        }
    }
    assert!(!bench.store().exists(), "what is refused makes no store");
}

/// What was typed may come from a repository: it moves no cursor.
#[test]
fn what_was_typed_wrong_is_shown_escaped() {
    let bench = Bench::new();
    for typed in ["\u{1b}[2J", "--\u{202e}xt", "sync\u{7}", "a\u{9b}31m"] {
        let ran = Ran::of(bench.command("").arg(typed).output().unwrap());
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{typed:?}");
        let err = ran.err;
        assert!(err.contains("\\u{") && err.contains("Usage: told"), "{err}");
        let clean =
            |c: char| c == '\n' || !(c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
        assert!(err.chars().all(clean), "{err:?}");
    }
    assert!(bench.out("--help").contains("Usage: told"));
}

#[test]
fn a_broken_configuration_is_1_and_names_its_line() {
    let bench = Bench::new();
    bench.write(".config/told/config.toml", "[instructions]\nexlude = []\n");
    let err = bench.refused("sync", 1);
    let file = text(&bench.path(".config/told/config.toml"));
    let sentence = "unknown key `instructions.exlude`; did you mean `instructions.exclude`?";
    assert_eq!(err, format!("told: {file}:2: {sentence}\n"));
    let doctor = bench.run("doctor");
    assert_eq!(doctor.status, 1);
    assert!(doctor.out.contains("fail  configuration") && doctor.err.is_empty());
}

#[test]
fn check_is_3_where_something_would_be_told() {
    let bench = Bench::new();
    let check = |line: &str| bench.run(line).status;
    assert_eq!(check("preview --check"), 3, "a session that a sync would begin");
    assert_eq!(check("preview"), 0);
    bench.out("sync");
    assert_eq!(check("preview --check"), 0);
    bench.write("shop/api/AGENTS.md", "Be terse.\n");
    assert_eq!(check("preview --check"), 3);
    assert_eq!(check("preview --check --json"), 3);
    bench.out("sync");
    assert_eq!(check("preview --check"), 0);
    assert_eq!(check("preview --check --fresh"), 3);
    bench.out("compact");
    assert_eq!(check("preview --check"), 3, "a new epoch is told");
}

#[cfg(unix)]
#[test]
fn a_blocked_boundary_says_how_to_go_on() {
    let bench = Bench::new();
    let file = bench.path("shop/api/AGENTS.md");
    std::os::unix::fs::symlink("AGENTS.md", &file).unwrap();
    let err = bench.refused("sync", 1);
    let key = format!("file:{} (too_many_links)", file.display());
    assert!(err.contains(&key) && err.contains("--proceed"), "{err}");
    let page = bench.out("sync --proceed");
    assert!(page.contains("\nHeld\n  api/AGENTS.md  its links form a loop"), "{page}");
}

#[test]
fn a_reader_that_goes_is_no_failure() {
    let bench = Bench::new();
    bench.write("shop/AGENTS.md", "x".repeat(200_000));
    let mut command = bench.command("--text");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(0), ""));
}

#[test]
fn help_lists_every_command_that_works() {
    let bench = Bench::new();
    let help = bench.out("--help");
    for command in [
        "sync", "preview", "open", "settle", "fork", "revert", "move", "window", "holds", "adopt",
        "compact", "rebase", "delete", "sessions", "log", "show", "sources", "explain", "set",
        "unset", "config", "doctor", "serve",
    ] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}: {help}");
    }
}
