//! A home with a project in it, and `told` run there.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

pub(crate) struct Bench {
    home: tempfile::TempDir,
}

impl Bench {
    /// `~/shop` is a repository with an `AGENTS.md`, and `~/shop/api` a directory in it.
    pub(crate) fn new() -> Self {
        let bench = Self { home: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(bench.path("shop/.git")).unwrap();
        std::fs::create_dir_all(bench.path("shop/api")).unwrap();
        bench.write("shop/AGENTS.md", "Use tabs.\n");
        // The date would change at midnight.
        bench.write(".config/told/config.toml", "[context]\ndate = false\n");
        bench
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        std::fs::canonicalize(self.home.path()).unwrap().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path(".local/share/told/store.redb")
    }

    /// `told` with these words, in `~/shop/api`.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_told"));
        command.args(line.split(' ').filter(|word| !word.is_empty()));
        command.env_clear().env("HOME", self.path("")).current_dir(self.path("shop/api"));
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        Ran::of(self.command(line).output().unwrap())
    }

    pub(crate) fn run_with_input(&self, line: &str, input: &str) -> Ran {
        let mut command = self.command(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ran::of(child.wait_with_output().unwrap())
    }

    /// What it prints, where it succeeds.
    pub(crate) fn out(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{line}");
        ran.out
    }

    pub(crate) fn json(&self, line: &str) -> serde_json::Value {
        let out = self.out(line);
        assert_eq!(out.lines().count(), 1, "{out}");
        serde_json::from_str(&out).unwrap()
    }

    /// What is on standard error, where it is refused with `status`.
    pub(crate) fn refused(&self, line: &str, status: i32) -> String {
        let ran = self.run(line);
        assert_eq!((ran.status, ran.out.as_str()), (status, ""), "{line}: {}", ran.err);
        ran.err
    }

    /// The session of `~/shop/api` on the command line.
    pub(crate) fn session(&self) -> String {
        format!("cli{}", self.path("shop/api").display())
    }
}

pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
