//! What a host or user may choose: the configuration as the rules see it.

mod include;
mod skills;
mod urls;

pub use include::{Include, IncludeGlob, NoInclude};
pub use skills::{SkillDirectory, SkillPolicy};
pub use urls::{FromProjects, UrlPolicy};

use crate::path::AbsolutePath;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// All choices that the rules ask about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Which instruction files count, and how.
    pub instructions: InstructionPolicy,
    /// Which skills are listed.
    pub skills: SkillPolicy,
    /// Bounds on everything that input can grow (R-OBS-12).
    pub limits: Limits,
    /// Which built-in sources are told.
    pub builtins: BuiltinPolicy,
    /// When and how URLs are looked at (R-URL).
    pub urls: UrlPolicy,
}

/// Which instruction files count, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionPolicy {
    /// Name groups: in each directory the first existing name of a group wins, and the groups stack
    /// (R-AMB-2).
    pub names: Vec<Vec<FileName>>,
    /// Global files, in order.
    pub global: Vec<AbsolutePath>,
    /// Whether the project's files are told (R-AMB-5).
    pub project: ProjectFiles,
    /// The order of telling.
    pub order: Order,
    /// Names whose presence makes a directory a project's boundary (R-AMB-4).
    pub project_markers: Vec<FileName>,
    /// The home directory, where the walk is to go on above the boundary up to it (R-AMB-5).
    pub walk_to_home: Option<AbsolutePath>,
    /// More files, and URLs, in order (R-CFG-1).
    pub include: Vec<Include>,
    /// Canonical paths to leave out.
    pub exclude: Globs,
    /// Where a file is cut, in bytes (R-OBS-6).
    pub max_bytes: u64,
    /// Whether a project file's link may lead out of the project (R-OBS-7).
    pub links: Links,
    /// How a changed value is told (R-TXT-2).
    pub update_text: UpdateText,
    /// How a source's own words stand in a text (R-AMB-6).
    pub framing: Framing,
    /// What a project inside the project is to its sessions (R-LOC-9).
    pub nested_projects: NestedProjects,
    /// Whether tool settlements discover files.
    pub path_local: PathLocal,
}

impl Default for InstructionPolicy {
    fn default() -> Self {
        Self {
            names: vec![vec![FileName("AGENTS.md".into())]],
            global: Vec::new(),
            project: ProjectFiles::Told,
            order: Order::BroadToSpecific,
            project_markers: vec![FileName(".git".into())],
            walk_to_home: None,
            include: Vec::new(),
            exclude: Globs::default(),
            max_bytes: 256 * 1024,
            links: Links::InsideProject,
            update_text: UpdateText::Full,
            framing: Framing::Plain,
            nested_projects: NestedProjects::Own,
            path_local: PathLocal::Followed,
        }
    }
}

/// Whether the project's own files are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectFiles {
    /// They are.
    Told,
    /// They are listed as withheld (`disabled`), path-local ones too.
    Disabled,
}

/// The order of telling (R-AMB-3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Global, project root, …, Location.
    #[default]
    BroadToSpecific,
    /// Global, Location, …, project root.
    NearestFirst,
}

/// Where a project file's link may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Only to files inside the project boundary.
    InsideProject,
    /// Anywhere.
    Anywhere,
}

/// How a changed value is told (R-TXT-2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateText {
    /// Whole.
    #[default]
    Full,
    /// As a unified diff wherever that is shorter.
    Diff,
    /// As a diff for a file over 4 KiB where that is under a quarter of it.
    Auto,
}

/// How a source's own words stand in a text (R-AMB-6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// Under their header, and nothing else: content can imitate a header or a note.
    #[default]
    Plain,
    /// Between two lines with a tag made from the words themselves, which no content can forge.
    Tagged,
}

/// What a project inside the project is to its sessions (R-LOC-9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NestedProjects {
    /// Its own directories are scopes, from its own boundary down.
    #[default]
    Own,
    /// It has no scopes.
    Ignore,
}

/// Whether tool settlements discover files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathLocal {
    /// They do.
    Followed,
    /// They do not.
    Off,
}

/// Bounds on everything that input can grow (R-OBS-12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all instruction files together.
    pub total_bytes: u64,
    /// Candidates in all.
    pub candidates: u64,
    /// Entries read of one directory.
    pub directory_entries: u64,
    /// Milliseconds for all local looks of a boundary.
    pub look_ms: u64,
    /// Bytes of encoded JSON of one host-set value (R-API-1).
    pub value_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            total_bytes: 4 * 1024 * 1024,
            candidates: 20_000,
            directory_entries: 10_000,
            look_ms: 2_000,
            value_bytes: 32 * 1024,
        }
    }
}

/// Which built-in sources are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinPolicy {
    /// `core/environment`.
    pub environment: Builtin,
    /// `core/date`.
    pub date: Builtin,
}

impl Default for BuiltinPolicy {
    fn default() -> Self {
        Self { environment: Builtin::Told, date: Builtin::Told }
    }
}

/// Whether a built-in source is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// It is.
    Told,
    /// It is not.
    Off,
}

/// The name of an instruction file or marker: a relative path below a directory, without `..`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FileName(Arc<str>);

/// A text that cannot name a file in a directory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no file name: a name is relative, without `.` or `..`, and not empty")]
pub struct NoFileName(String);

impl FileName {
    /// The name.
    ///
    /// # Errors
    /// [`NoFileName`] where it is empty, absolute, or has a `.` or `..` in it.
    pub fn new(name: &str) -> Result<Self, NoFileName> {
        let mut components = std::path::Path::new(name).components().peekable();
        let named = components.peek().is_some() && !name.contains('\0');
        let plain = components.all(|part| matches!(part, std::path::Component::Normal(_)));
        if named && plain && !name.split('/').any(|part| part == ".") {
            Ok(Self(name.into()))
        } else {
            Err(NoFileName(name.to_owned()))
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for FileName {
    type Error = NoFileName;

    fn try_from(name: String) -> Result<Self, NoFileName> {
        Self::new(&name)
    }
}

impl From<FileName> for String {
    fn from(name: FileName) -> Self {
        name.as_str().to_owned()
    }
}

/// Globs on canonical paths, compiled once.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    patterns: Vec<String>,
    set: GlobSet,
}

/// A pattern that is no glob.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is no glob: {why}")]
pub struct NoGlob {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub why: String,
}

impl Globs {
    /// Compiles `patterns`; `*` does not cross a directory, `**` does.
    ///
    /// # Errors
    /// [`NoGlob`] names the first pattern that is none.
    pub fn new(patterns: &[String]) -> Result<Self, NoGlob> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let no_glob = |error: &globset::Error| NoGlob {
                pattern: pattern.clone(),
                why: error.kind().to_string(),
            };
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            set.add(glob.map_err(|error| no_glob(&error))?);
        }
        let whole = |error: globset::Error| NoGlob {
            pattern: patterns.join(", "),
            why: error.kind().to_string(),
        };
        Ok(Self { patterns: patterns.to_vec(), set: set.build().map_err(whole)? })
    }

    /// Whether a pattern names `path`.
    #[must_use]
    pub fn matches(&self, path: &AbsolutePath) -> bool {
        self.matches_path(path.as_path())
    }

    /// Whether a pattern names `path`, which may be relative.
    pub(crate) fn matches_path(&self, path: &std::path::Path) -> bool {
        self.set.is_match(path)
    }
}

impl PartialEq for Globs {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns
    }
}

impl Eq for Globs {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_stays_below_its_directory() {
        for name in ["AGENTS.md", ".git", ".github/AGENTS.md", "a..b"] {
            assert_eq!(FileName::new(name).unwrap().as_str(), name);
        }
        for name in ["", "/etc/passwd", "..", "../x", "a/../b", ".", "./a", "a/./b", "a\0b"] {
            assert_eq!(FileName::new(name), Err(NoFileName(name.to_owned())), "{name:?}");
        }
    }

    #[test]
    fn r_amb_5_a_star_does_not_cross_a_directory_and_two_do() {
        let matches = |pattern: &str, path: &str| {
            let globs = Globs::new(&[pattern.to_owned()]).unwrap();
            globs.matches(&AbsolutePath::new(path).unwrap())
        };
        assert!(matches("**/node_modules/**", "/r/a/node_modules/x/AGENTS.md"));
        assert!(!matches("**/node_modules/**", "/r/node_modules_2/AGENTS.md"));
        assert!(matches("/r/*/AGENTS.md", "/r/a/AGENTS.md"));
        assert!(!matches("/r/*/AGENTS.md", "/r/a/b/AGENTS.md"));
        assert!(!Globs::default().matches(&AbsolutePath::new("/r").unwrap()));
        let error = Globs::new(&["ok".to_owned(), "[".to_owned()]).unwrap_err();
        assert_eq!(error.pattern, "[");
    }
}
