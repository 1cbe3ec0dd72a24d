//! What is swapped with what.

use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// What every file outside the project holds.
pub(super) const SECRET: &str = "s3cret-of-another";

/// The directory outside; no text may name it.
pub(super) const OUTSIDE_NAME: &str = "0utside";

/// What files inside hold, one line each.
pub(super) const INSIDE: [&str; 6] = [
    "inside: the project, first",
    "inside: the project, second",
    "inside: sub",
    "inside: shared",
    "inside: docs",
    "inside: scope",
];

/// Two names that change places. What must be at home for the first name to be in the project is the index
/// of another pair.
struct Pair {
    here: &'static str,
    there: &'static str,
    below: Option<usize>,
}

const fn pair(here: &'static str, there: &'static str, below: Option<usize>) -> Pair {
    Pair { here, there, below }
}

const SUB: usize = 0;
const TOLD: usize = 1;

const PAIRS: [Pair; 12] = [
    pair("project/sub", "aside/sub-out", None),
    pair("project/.told", "aside/told-out", None),
    pair("project/AGENTS.md", "aside/file-out", None),
    pair("project/AGENTS.md", "aside/fifo", None),
    pair("project/AGENTS.md", "aside/directory", None),
    pair("project/AGENTS.md", "aside/other", None),
    pair("project/sub/deep", "aside/deep-out", Some(SUB)),
    pair("project/sub/AGENTS.md", "aside/link-in", Some(SUB)),
    pair("project/shared.md", "aside/shared-out", None),
    pair("project/.told/config.toml", "aside/config-out", Some(TOLD)),
    pair("project/docs", "aside/docs-out", None),
    pair("project/scope", "aside/scope-out", None),
];

/// The tree: a project, a place outside it, and what waits beside.
pub(super) struct Ground {
    root: PathBuf,
}

impl Ground {
    pub(super) fn new(root: &Path) -> io::Result<Self> {
        let ground = Self { root: root.canonicalize()? };
        let outside = |name: &str| ground.at(OUTSIDE_NAME).join(name);
        for directory in
            ["home", "project/.git", "project/.told", "project/sub/deep", "project/docs"]
        {
            fs::create_dir_all(ground.at(directory))?;
        }
        for directory in ["project/scope", "aside/directory"] {
            fs::create_dir_all(ground.at(directory))?;
        }
        // The parent outside is a project of its own: a link to it could move the boundary.
        for directory in ["sub/deep", "sub/.git", "docs", "scope", "told"] {
            fs::create_dir_all(outside(directory))?;
        }
        for file in
            ["AGENTS.md", "sub/AGENTS.md", "sub/deep/AGENTS.md", "docs/a.md", "scope/AGENTS.md"]
        {
            fs::write(outside(file), format!("{SECRET}\n"))?;
        }
        // If it ever counted, it would be seen: what it names is told nowhere else.
        let named = "[instructions]\nnames = [[\"ELSE.md\"]]\n";
        fs::write(outside("told/config.toml"), named)?;
        fs::write(
            ground.at("project/ELSE.md"),
            format!("{SECRET}: a configuration outside counted\n"),
        )?;
        let here = "[instructions]\ninclude = [\"docs/*.md\", \"shared.md\"]\n";
        fs::write(ground.at("project/.told/config.toml"), here)?;
        let files = ["AGENTS.md", "", "sub/AGENTS.md", "shared.md", "docs/a.md", "scope/AGENTS.md"];
        for (file, text) in files.iter().zip(INSIDE).filter(|(file, _)| !file.is_empty()) {
            fs::write(ground.at("project").join(file), format!("{text}\n"))?;
        }
        fs::write(ground.at("project/scope/file.rs"), "fn main() {}\n")?;
        fs::write(ground.at("aside/other"), format!("{}\n", INSIDE[1]))?;
        fs::write(ground.at("aside/directory/AGENTS.md"), format!("{SECRET}\n"))?;
        rustix::fs::mknodat(
            rustix::fs::CWD,
            ground.at("aside/fifo"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )?;
        for (name, target) in [
            ("file-out", "AGENTS.md"),
            ("shared-out", "AGENTS.md"),
            ("sub-out", "sub"),
            ("deep-out", "sub/deep"),
            ("told-out", "told"),
            ("config-out", "told/config.toml"),
            ("docs-out", "docs"),
            ("scope-out", "scope"),
        ] {
            symlink(outside(target), ground.at("aside").join(name))?;
        }
        symlink(ground.at("project/shared.md"), ground.at("aside/link-in"))?;
        Ok(ground)
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The instruction files of the project when all is at home.
    pub(super) fn homes(&self) -> Vec<PathBuf> {
        let files = ["AGENTS.md", "sub/AGENTS.md", "shared.md", "docs/a.md", "scope/AGENTS.md"];
        files.iter().map(|file| self.at("project").join(file)).collect()
    }

    fn swap(&self, pair: &Pair) -> io::Result<()> {
        exchange(&self.at(pair.here), &self.at(pair.there))
    }
}

/// In one step: there is always something at both names.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// In three steps, where there is no such call.
#[cfg(not(target_os = "linux"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    let between = other.with_extension("between");
    fs::rename(one, &between)?;
    fs::rename(other, one)?;
    fs::rename(between, other)
}

/// Swaps, in an order that a seed decides.
pub(super) struct Swapper<'a> {
    ground: &'a Ground,
    random: fastrand::Rng,
    /// The swaps that are not undone, oldest first.
    away: Vec<usize>,
    rests: bool,
}

/// Swaps that stand at once, at most: a project with nothing at home is a dull one.
const AWAY_MAX: usize = 5;

/// Turns of a loop between two swaps, at most: some swaps follow at once, others leave a boundary some room.
const PAUSE_MAX: u32 = 400;

/// One rest in so many swaps, where there are rests.
const REST_EVERY: u32 = 40;

/// Boundaries that a rest is for: files are watched from the second one on.
const REST_BOUNDARIES: u64 = 3;

/// Turns that a rest takes at most, should the boundaries have come to their end.
const REST_TURNS: u32 = 20_000;

impl<'a> Swapper<'a> {
    pub(super) fn new(ground: &'a Ground, seed: u64, rests: bool) -> Self {
        Self { ground, random: fastrand::Rng::with_seed(seed), away: Vec::new(), rests }
    }

    /// So many swaps; then all is at home.
    pub(super) fn run(
        mut self,
        swaps: u64,
        count: &AtomicU64,
        boundaries: &AtomicU64,
    ) -> io::Result<()> {
        while count.load(Ordering::Relaxed) < swaps {
            self.step()?;
            count.fetch_add(1, Ordering::Release);
            if self.rests && self.random.u32(..REST_EVERY) == 0 {
                self.rest(boundaries);
            } else {
                for _ in 0..self.random.u32(..PAUSE_MAX) {
                    std::hint::spin_loop();
                }
            }
        }
        while let Some(last) = self.away.pop() {
            self.ground.swap(&PAIRS[last])?;
        }
        Ok(())
    }

    /// Another pair changes places, or the last one that did changes back.
    fn step(&mut self) -> io::Result<()> {
        let chosen = self.random.usize(..PAIRS.len());
        let blocked = PAIRS[chosen].below.is_some_and(|above| self.away.contains(&above));
        let undo = blocked || self.away.contains(&chosen) || self.away.len() == AWAY_MAX;
        if undo && let Some(last) = self.away.pop() {
            return self.ground.swap(&PAIRS[last]);
        }
        self.ground.swap(&PAIRS[chosen])?;
        self.away.push(chosen);
        Ok(())
    }

    fn rest(&self, boundaries: &AtomicU64) {
        let end = boundaries.load(Ordering::Acquire) + REST_BOUNDARIES;
        for _ in 0..REST_TURNS {
            if boundaries.load(Ordering::Acquire) >= end {
                return;
            }
            std::thread::yield_now();
        }
    }
}
