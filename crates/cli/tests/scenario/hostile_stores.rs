//! What can stand in the store's place: one sentence, and the file as it was.

use super::client::Server;
use crate::binary::bench::Bench;
use serde_json::json;
use std::fs;

/// Commands that would write, and some that only read.
const LINES: &[&str] = &["sync", "set k v", "sessions", "log -s a/1"];

/// Every command and a server are refused, and the file stays.
fn assert_refused(bench: &Bench, code: i64, words: &str) {
    let before = fs::read(bench.store()).ok();
    for line in LINES {
        let sentence = bench.refused(line, 1);
        assert!(sentence.contains(words), "{line}: {sentence}");
        assert_eq!(sentence.lines().count(), 1, "{line}: {sentence}");
    }
    let mut server = Server::start(bench);
    let open = json!({"session": "a/1", "directory": bench.path("shop")});
    for (method, params) in [("session/list", json!({})), ("session/open", open)] {
        let error = server.refused(method, params, code);
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    }
    // The server goes on with what needs no store.
    let explain = json!({"directory": bench.path("shop"), "path": "x"});
    server.get("location/explain", explain);
    assert_eq!(server.end(), (Vec::new(), 0));
    assert_eq!(fs::read(bench.store()).ok(), before, "byte for byte as it was");
}

#[test]
fn a_file_that_is_no_store_is_left_untouched() {
    for (text, words) in [
        (&b"my notes\n"[..], "is not a told store (it is some other file)"),
        (b"", "is not a told store (it is empty)"),
        (b"redb\x1a\x0a\xa9\x0d\x0a", "store.redb"),
        (&[b'x'; 100_000], "is not a told store (it is some other file)"),
    ] {
        let bench = Bench::new();
        bench.write(".local/share/told/store.redb", text);
        assert_refused(&bench, if words == "store.redb" { -32006 } else { -32007 }, words);
    }
}

#[test]
fn what_is_no_file_is_no_store() {
    let bench = Bench::new();
    fs::create_dir_all(bench.store()).unwrap();
    assert_refused(&bench, -32007, "it is a directory");
    let bench = Bench::new();
    bench.write(".local/share/told", "a file in the way");
    assert_refused(&bench, -32007, "a part of its path is no directory");
    assert_eq!(fs::read(bench.path(".local/share/told")).unwrap(), b"a file in the way");
}

/// The schema's row says 2 where this told knows 1.
#[test]
fn a_store_of_a_newer_told_is_left_untouched() {
    let bench = Bench::new();
    bench.out("sync -s a/1");
    let mut store = fs::read(bench.store()).unwrap();
    // The two rows of the table stand in one page: both keys, then both numbers.
    let keys = b"ownerschema";
    let rows: Vec<_> = (0..store.len() - keys.len() - 16)
        .filter(|at| store[*at..].starts_with(keys))
        .map(|at| at + keys.len() + 8)
        .filter(|schema| store[*schema..*schema + 8] == 1_u64.to_le_bytes())
        .collect();
    assert!(!rows.is_empty(), "the row is found");
    for schema in rows {
        store[schema] = 2;
    }
    fs::write(bench.store(), &store).unwrap();
    assert_refused(&bench, -32006, "use a newer told");
}

#[cfg(unix)]
#[test]
fn a_fifo_in_its_place_keeps_nobody_waiting() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path(".local/share/told")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(bench.store()).status().unwrap();
    assert!(made.success());
    for line in LINES {
        let sentence = bench.refused(line, 1);
        assert!(sentence.contains("it is no regular file"), "{line}: {sentence}");
    }
}

/// A limit on the size of files is a disk that is full.
#[cfg(unix)]
mod full {
    use super::*;
    use std::process::Command;

    /// `told` where no file can grow over `blocks` blocks.
    fn limited(bench: &Bench, line: &str, blocks: u32) -> (i32, String) {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let told = bench.command(line);
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(script).arg(told.get_program()).args(told.get_args());
        command.env_clear().env("HOME", bench.path("")).current_dir(bench.path("shop/api"));
        let ran = command.output().unwrap();
        (ran.status.code().unwrap(), String::from_utf8(ran.stderr).unwrap())
    }

    #[test]
    fn a_store_that_cannot_be_made_leaves_nothing_behind() {
        let bench = Bench::new();
        let (status, sentence) = limited(&bench, "sync", 1);
        assert_eq!(status, 1, "{sentence}");
        assert!(sentence.contains("no space left") && sentence.lines().count() == 1, "{sentence}");
        assert_eq!(fs::read_dir(bench.path(".local/share/told")).unwrap().count(), 0);
        bench.out("sync");
    }

    #[test]
    fn a_commit_that_finds_no_room_loses_nothing() {
        let bench = Bench::new();
        let first = bench.out("sync --text");
        let log = bench.out("log --json");
        bench.write("shop/AGENTS.md", "x".repeat(200_000));
        let (status, sentence) = limited(&bench, "sync", 1);
        assert_eq!(status, 1, "{sentence}");
        assert!(sentence.contains("no space left") && sentence.lines().count() == 1, "{sentence}");
        assert_eq!(bench.out("log --json"), log, "the log is as it was");
        assert_eq!(bench.out("show --text"), first);
        let after = bench.json("sync --json");
        assert_eq!(after["admitted"], 3, "{after}");
    }
}

/// Root may write anywhere, so that root's `told` runs as nobody here.
#[cfg(unix)]
mod read_only {
    use super::*;
    use std::{
        os::unix::{
            fs::{MetadataExt, PermissionsExt},
            process::CommandExt,
        },
        path::{Path, PathBuf},
        process::{Command, Output},
    };

    const NOBODY: u32 = 65_534;

    fn permit(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    struct Reader {
        bench: Bench,
        /// A copy that nobody may run, where this process is root.
        copy: Option<PathBuf>,
    }

    impl Reader {
        fn of(bench: Bench) -> Self {
            let home = bench.path("");
            let root = fs::metadata(&home).unwrap().uid() == 0;
            permit(&home, 0o755);
            let copy = root.then(|| {
                let copy = bench.path("told");
                // Copied by another process: one that this process forks meanwhile would hold the
                // copy open for writing, and nobody could run it.
                let told = env!("CARGO_BIN_EXE_told");
                assert!(Command::new("cp").arg(told).arg(&copy).status().unwrap().success());
                permit(&copy, 0o755);
                copy
            });
            Self { bench, copy }
        }

        fn run(&self, line: &str) -> Output {
            let mut command = self.bench.command(line);
            if let Some(copy) = &self.copy {
                let mut as_nobody = Command::new(copy);
                as_nobody.args(command.get_args()).env_clear().env("HOME", self.bench.path(""));
                as_nobody.current_dir(self.bench.path("shop/api")).uid(NOBODY).gid(NOBODY);
                command = as_nobody;
            }
            command.output().unwrap()
        }

        fn refused(&self, line: &str) -> String {
            let ran = self.run(line);
            let sentence = String::from_utf8(ran.stderr).unwrap();
            assert_eq!(
                (ran.status.code(), sentence.lines().count()),
                (Some(1), 1),
                "{line}: {sentence}"
            );
            sentence
        }
    }

    #[test]
    fn a_store_that_may_only_be_read_is_read_and_not_written() {
        let bench = Bench::new();
        bench.out("sync -s a/1");
        let directory = bench.path(".local/share/told");
        permit(&bench.path(".local"), 0o755);
        permit(&bench.path(".local/share"), 0o755);
        permit(&bench.store(), 0o444);
        permit(&directory, 0o555);
        let before = fs::read(bench.store()).unwrap();
        let reader = Reader::of(bench);
        reader.bench.write("shop/AGENTS.md", "Use spaces.\n");
        for line in ["sync -s a/1", "set k v", "compact -s a/1"] {
            let sentence = reader.refused(line);
            assert!(sentence.contains("cannot be written"), "{line}: {sentence}");
        }
        let log = reader.run("log -s a/1");
        let log = String::from_utf8(log.stdout).unwrap();
        assert!(!log.is_empty(), "what is there can be read");
        assert_eq!(fs::read(reader.bench.store()).unwrap(), before, "byte for byte as it was");
        permit(&directory, 0o755);
    }

    #[test]
    fn a_directory_that_may_only_be_read_gets_no_store() {
        let bench = Bench::new();
        let directory = bench.path(".local/share");
        fs::create_dir_all(&directory).unwrap();
        permit(&directory, 0o555);
        let reader = Reader::of(bench);
        let sentence = reader.refused("sync");
        assert!(sentence.contains("cannot be written"), "{sentence}");
        // What writes nothing needs none.
        assert_eq!(reader.run("").status.code(), Some(0));
        permit(&directory, 0o755);
    }
}
