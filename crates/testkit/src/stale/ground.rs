//! What is written: a small project with every kind of entry, and the steps that change it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};
use told_domain::path::AbsolutePath;
use told_ports::Watched;

/// The entries that are watched, relative to the root.
const ENTRIES: [&str; 7] = [
    "project/AGENTS.md",
    "project/CLAUDE.md",
    "project/sub/AGENTS.md",
    "project/sub/deep/AGENTS.md",
    "project/elsewhere.md",
    "project/absent.md",
    "project/not/yet/AGENTS.md",
];

/// Files that hold text, whatever leads to them.
const FILES: [&str; 6] = [
    "project/AGENTS.md",
    "project/sub/AGENTS.md",
    "project/sub/deep/AGENTS.md",
    "elsewhere/one.md",
    "elsewhere/two.md",
    "project/absent.md",
];

pub(super) fn entries(root: &Path) -> Vec<Watched> {
    let path = |relative| AbsolutePath::new(root.join(relative)).ok().map(Watched::Entry);
    ENTRIES.into_iter().filter_map(path).collect()
}

/// One write.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// In place, as an editor that truncates first.
    Write(PathBuf, String),
    /// Beside it, then renamed over.
    Replace(PathBuf, String),
    /// Removed.
    Remove(PathBuf),
    /// Removed and made anew.
    Anew(PathBuf, String),
    /// Renamed.
    Rename(PathBuf, PathBuf),
    /// A link to this, renamed over the old one.
    Swap(PathBuf, String),
    /// Another name for the file, which is then written through it.
    HardLink(PathBuf, PathBuf, String),
    /// Directories as deep as that.
    Directories(PathBuf),
    /// They are gone with all that is in them.
    Clear(PathBuf),
}

impl Step {
    pub(super) fn take(&self) -> io::Result<()> {
        match self {
            Self::Write(path, text) => fs::write(path, text),
            Self::Replace(path, text) => {
                let beside = path.with_extension("tmp");
                fs::write(&beside, text)?;
                fs::rename(beside, path)
            }
            Self::Remove(path) => fs::remove_file(path),
            Self::Anew(path, text) => {
                fs::remove_file(path)?;
                fs::write(path, text)
            }
            Self::Rename(from, to) => fs::rename(from, to),
            Self::Swap(path, target) => {
                let beside = path.with_extension("tmp");
                link(target, &beside)?;
                fs::rename(beside, path)
            }
            Self::HardLink(file, name, text) => {
                fs::hard_link(file, name)?;
                fs::write(name, text)
            }
            Self::Directories(path) => fs::create_dir_all(path),
            Self::Clear(path) => fs::remove_dir_all(path),
        }
    }
}

#[cfg(unix)]
fn link(target: &str, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(windows)]
fn link(target: &str, at: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, at)
}

/// The tree, and what of it stands otherwise than at the start.
pub(super) struct Ground {
    root: PathBuf,
    written: u64,
    /// What puts back a directory that was moved, or a name that was added. It comes soon.
    undo: Option<Step>,
    /// Whether the directories of the last entry are there.
    not_yet: bool,
}

impl Ground {
    pub(super) fn new(root: &Path) -> io::Result<Self> {
        for directory in ["project/sub/deep", "elsewhere", "aside"] {
            fs::create_dir_all(root.join(directory))?;
        }
        for file in &FILES[..5] {
            fs::write(root.join(file), "first")?;
        }
        link("AGENTS.md", &root.join("project/CLAUDE.md"))?;
        link("../elsewhere/one.md", &root.join("project/elsewhere.md"))?;
        Ok(Self { root: root.to_owned(), written: 0, undo: None, not_yet: false })
    }

    /// A step that can be taken now.
    pub(super) fn next(&mut self, random: &mut fastrand::Rng) -> Step {
        if self.undo.is_some()
            && random.u8(..3) > 0
            && let Some(undo) = self.undo.take()
        {
            return undo;
        }
        let at = |relative: &str| self.root.join(relative);
        let file = at(FILES[random.usize(..FILES.len())]);
        self.written += 1;
        let text = self.written.to_string();
        // A directory that is away takes its files along: write elsewhere until it is back.
        let here = file.parent().is_some_and(Path::is_dir);
        let file = if here { file } else { at(FILES[0]) };
        let there = file.is_file();
        match random.u8(..40) {
            0..14 => Step::Write(file, text),
            14..24 => Step::Replace(file, text),
            24..27 if there => Step::Anew(file, text),
            27..30 if there => Step::Remove(file),
            30..33 => {
                let target = ["../elsewhere/one.md", "../elsewhere/two.md", "AGENTS.md", "none"];
                let target = target[random.usize(..target.len())];
                Step::Swap(at("project/elsewhere.md"), target.to_owned())
            }
            33 if self.undo.is_none() => {
                let moved = ["project/sub", "project/sub/deep", "elsewhere"];
                let (from, to) = (at(moved[random.usize(..moved.len())]), at("aside/moved"));
                self.undo = Some(Step::Rename(to.clone(), from.clone()));
                Step::Rename(from, to)
            }
            34 if self.undo.is_none() && there => {
                let name = at("aside/name");
                self.undo = Some(Step::Remove(name.clone()));
                Step::HardLink(file, name, text)
            }
            35..38 => {
                self.not_yet = !self.not_yet;
                match self.not_yet {
                    true => Step::Directories(at("project/not/yet")),
                    false => Step::Clear(at("project/not")),
                }
            }
            38.. if self.not_yet => Step::Write(at("project/not/yet/AGENTS.md"), text),
            _ => Step::Write(file, text),
        }
    }

    /// Much happens in the directory of entries, and to none of them: two files get a new time by turns, which no
    /// disk waits for and no kernel makes one event of.
    pub(super) fn flood(&self, changes: u32) -> io::Result<()> {
        let open = |name: &str| fs::File::create(self.root.join("project").join(name));
        let files = [open("x")?, open("y")?];
        for change in 0..changes {
            let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(change));
            let both = fs::FileTimes::new().set_accessed(moment).set_modified(moment);
            files[change as usize % 2].set_times(both)?;
        }
        Ok(())
    }
}
