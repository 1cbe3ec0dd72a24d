//! What a user or host may choose. One type, [`Configuration`], serves the Rust API, the protocol
//! and every subcommand; a TOML file, a JSON overlay and a flag are only ways to fill it.
//!
//! Start with [`Configuration::new`] in code, or with [`Loaded::read`] for the user's file. The
//! environment and the home directory come in as [`Surroundings`], a plain value. What is unknown,
//! of the wrong type or out of range is a [`ConfigurationError`]: one sentence that names the file,
//! the line and the nearest known key.

mod key;
mod load;
mod surroundings;
#[cfg(test)]
mod tests;

pub use load::{Chosen, Entry, Loaded, Origin};
pub use surroundings::Surroundings;
pub use told_domain::{
    configuration::{ConfigurationError, Problem},
    policy::{Framing, Include, Limits, NestedProjects, Order, SkillDirectory, UpdateText},
};

use std::path::{Path, PathBuf};
use told_domain::{
    configuration::Place,
    path::AbsolutePath,
    policy::{
        Builtin, BuiltinPolicy, FileName, FromProjects, Globs, InstructionPolicy, Links, PathLocal,
        Policy, ProjectFiles, SkillPolicy, UrlPolicy,
    },
    url::{AddressPolicy, FetchLimits},
};

/// All that can be chosen. Paths in it are absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// `[instructions]`: which instruction files count, and how.
    pub instructions: Instructions,
    /// `[limits]`: bounds on everything that input can grow (R-OBS-12).
    pub limits: Limits,
    /// `[context]`: which built-in sources are told.
    pub context: Context,
    /// `[skills]`: which skills are listed (R-CFG-3).
    pub skills: Skills,
    /// `[urls]`: when and how URLs are looked at (R-URL).
    pub urls: Urls,
    /// `[store]`, and where the store is.
    pub store: Store,
    /// `[watch]`.
    pub watch: Watch,
    /// Where `walk_to_home` ends.
    home: Option<PathBuf>,
}

/// `[instructions]`: which instruction files count, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// Name groups: in each directory the first existing name of a group wins, and the groups stack
    /// (R-AMB-2).
    pub names: Vec<Vec<String>>,
    /// Global files, in order; absolute.
    pub global: Vec<PathBuf>,
    /// Whether the project's files are told (R-AMB-5).
    pub project: bool,
    /// The order of telling (R-AMB-3).
    pub order: Order,
    /// Names whose presence makes a directory a project's boundary (R-AMB-4).
    pub project_markers: Vec<String>,
    /// Whether the walk goes on above the boundary up to the home directory (R-AMB-5).
    pub walk_to_home: bool,
    /// More files, by path or glob, and URLs, in order (R-CFG-1).
    pub include: Vec<Include>,
    /// Globs on canonical paths, to leave out (R-AMB-5).
    pub exclude: Vec<String>,
    /// Where a file is cut, in bytes (R-OBS-6).
    pub max_bytes: u64,
    /// Whether a project file's link may lead out of the project (R-OBS-7).
    pub links_outside_project: bool,
    /// How a changed value is told (R-TXT-2).
    pub update_text: UpdateText,
    /// How a source's own words stand in a text (R-AMB-6).
    pub framing: Framing,
    /// What a project inside the project is to its sessions (R-LOC-9).
    pub nested_projects: NestedProjects,
    /// Whether tool settlements discover files (R-LOC-1).
    pub path_local: bool,
}

impl Default for Instructions {
    /// As written in the manual, but with no global files: those lie beside the user's
    /// configuration, and only [`Configuration::new`] knows where that is.
    fn default() -> Self {
        Self {
            names: vec![vec!["AGENTS.md".into()]],
            global: Vec::new(),
            project: true,
            order: Order::BroadToSpecific,
            project_markers: vec![".git".into()],
            walk_to_home: false,
            include: Vec::new(),
            exclude: ["**/node_modules/**", "**/.venv/**", "**/site-packages/**", "**/.git/**"]
                .map(String::from)
                .to_vec(),
            max_bytes: 256 * 1024,
            links_outside_project: false,
            update_text: UpdateText::Full,
            framing: Framing::Plain,
            nested_projects: NestedProjects::Own,
            path_local: true,
        }
    }
}

/// `[context]`: which built-in sources are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// `core/environment`: directory, boundary, platform, is it a repository.
    pub environment: bool,
    /// `core/date`: the local date.
    pub date: bool,
}

impl Default for Context {
    fn default() -> Self {
        Self { environment: true, date: true }
    }
}

/// `[skills]`: which skills are listed (R-CFG-3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skills {
    /// The directories that hold them, in order.
    pub directories: Vec<SkillDirectory>,
    /// How many directories deep a skill's own directory may lie in one.
    pub max_depth: u64,
}

impl Skills {
    /// As written in the manual; without a home directory, without its skills.
    fn new(home: Option<&Path>) -> Self {
        let home = home.and_then(|home| AbsolutePath::new(home).ok());
        let directories = [".agents/skills", "~/.agents/skills"].into_iter();
        let directories =
            directories.filter_map(|text| SkillDirectory::new(text, home.as_ref()).ok());
        Self { directories: directories.collect(), max_depth: 6 }
    }
}

/// `[urls]`: when and how URLs are looked at (R-URL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Urls {
    /// Milliseconds for all of a fetch.
    pub timeout_ms: u64,
    /// The largest body, in bytes; a larger one is unavailable.
    pub max_bytes: u64,
    /// How many looks in a row must see a 404 to prove an absence.
    pub not_found_after: u64,
    /// Whether a project's own configuration may name URLs.
    pub from_projects: bool,
    /// Whether the user's own may lead to private addresses; a project's never do.
    pub private_addresses: bool,
    /// How long a value is fresh, in seconds; 0 looks at every boundary.
    pub ttl_s: u64,
    /// How long a failure is not tried again, in seconds, doubling to 600; 0 tries at every boundary.
    pub retry_after_s: u64,
}

impl Default for Urls {
    fn default() -> Self {
        let UrlPolicy { limits, not_found_after, from_projects, own, ttl_s, retry_after_s } =
            UrlPolicy::default();
        Self {
            timeout_ms: limits.timeout_ms,
            max_bytes: limits.max_bytes,
            not_found_after,
            from_projects: from_projects == FromProjects::Fetched,
            private_addresses: own == AddressPolicy::Private,
            ttl_s,
            retry_after_s,
        }
    }
}

impl Urls {
    fn policy(&self) -> UrlPolicy {
        UrlPolicy {
            limits: FetchLimits { timeout_ms: self.timeout_ms, max_bytes: self.max_bytes },
            not_found_after: self.not_found_after,
            from_projects: choose(
                self.from_projects,
                FromProjects::Fetched,
                FromProjects::Disabled,
            ),
            own: choose(self.private_addresses, AddressPolicy::Private, AddressPolicy::Public),
            ttl_s: self.ttl_s,
            retry_after_s: self.retry_after_s,
        }
    }
}

/// `[store]`, and where the store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// The file; no key of the configuration file. Nothing where there is neither a home directory
    /// nor a choice.
    pub path: Option<PathBuf>,
    /// How long to wait for another process that holds the store, in milliseconds.
    pub wait_ms: u64,
    /// Sessions with no record for so many days are deleted; 0 keeps them.
    pub keep_days: u64,
}

/// `[watch]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Whether files are watched.
    pub mode: WatchMode,
}

/// Whether files are watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WatchMode {
    /// Where that is proven to miss nothing, from a Location's second boundary on.
    #[default]
    Auto,
    /// Never: every boundary looks directly.
    Off,
}

impl Default for Store {
    fn default() -> Self {
        Self { path: None, wait_ms: 10_000, keep_days: 0 }
    }
}

/// The name of the global instruction file beside the user's configuration.
const GLOBAL_FILE: &str = "AGENTS.md";

impl Configuration {
    /// The defaults in these surroundings; no file is read.
    #[must_use]
    pub fn new(surroundings: &Surroundings) -> Self {
        Self::beside(surroundings.configuration_directory(), surroundings)
    }

    /// The defaults where the user's configuration lies in `directory`.
    fn beside(directory: Option<PathBuf>, surroundings: &Surroundings) -> Self {
        Self {
            instructions: Instructions {
                global: directory.map(|found| found.join(GLOBAL_FILE)).into_iter().collect(),
                ..Instructions::default()
            },
            limits: Limits::default(),
            context: Context::default(),
            skills: Skills::new(surroundings.home.as_deref()),
            urls: Urls::default(),
            store: Store { path: surroundings.default_store(), ..Store::default() },
            watch: Watch::default(),
            home: surroundings.home.clone(),
        }
    }

    /// The rules' view of it.
    ///
    /// # Errors
    /// [`ConfigurationError`] for a relative or non-UTF-8 path, a bad name or glob, or a walk to a
    /// home directory that nobody knows. What [`Loaded::read`] gave has no bad name or glob.
    pub fn policy(&self) -> Result<Policy, ConfigurationError> {
        let instructions = &self.instructions;
        let names = |key, names: &[String]| {
            names.iter().map(|name| file_name(key, name)).collect::<Result<Vec<_>, _>>()
        };
        let groups = instructions.names.iter().map(|group| names("instructions.names", group));
        let global = instructions.global.iter().map(|path| absolute("instructions.global", path));
        let exclude = Globs::new(&instructions.exclude)
            .map_err(|bad| value_error("instructions.exclude", Problem::Glob(bad)))?;
        let walk_to_home = match (instructions.walk_to_home, &self.home) {
            (false, _) => None,
            (true, Some(home)) => Some(absolute("instructions.walk_to_home", home)?),
            (true, None) => {
                return Err(value_error("instructions.walk_to_home", Problem::NoHome));
            }
        };
        Ok(Policy {
            instructions: InstructionPolicy {
                names: groups.collect::<Result<_, _>>()?,
                global: global.collect::<Result<_, _>>()?,
                project: choose(instructions.project, ProjectFiles::Told, ProjectFiles::Disabled),
                order: instructions.order,
                project_markers: names(
                    "instructions.project_markers",
                    &instructions.project_markers,
                )?,
                walk_to_home,
                include: instructions.include.clone(),
                exclude,
                max_bytes: instructions.max_bytes,
                links: choose(
                    instructions.links_outside_project,
                    Links::Anywhere,
                    Links::InsideProject,
                ),
                update_text: instructions.update_text,
                framing: instructions.framing,
                nested_projects: instructions.nested_projects,
                path_local: choose(instructions.path_local, PathLocal::Followed, PathLocal::Off),
            },
            skills: SkillPolicy {
                directories: self.skills.directories.clone(),
                max_depth: u32::try_from(self.skills.max_depth).unwrap_or(u32::MAX),
            },
            limits: self.limits.clone(),
            builtins: BuiltinPolicy {
                environment: choose(self.context.environment, Builtin::Told, Builtin::Off),
                date: choose(self.context.date, Builtin::Told, Builtin::Off),
            },
            urls: self.urls.policy(),
        })
    }

    /// Where the store is.
    ///
    /// # Errors
    /// [`ConfigurationError`] where nobody chose a place and there is no home directory.
    pub fn store_path(&self) -> Result<&Path, ConfigurationError> {
        let nowhere = || value_error("", Problem::NoStore);
        self.store.path.as_deref().ok_or_else(nowhere)
    }

    /// The home directory that it was made with.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }
}

fn choose<T>(condition: bool, yes: T, no: T) -> T {
    if condition { yes } else { no }
}

fn value_error(key: &str, problem: Problem) -> ConfigurationError {
    ConfigurationError::new(Place::Value, key, problem)
}

fn file_name(key: &'static str, name: &str) -> Result<FileName, ConfigurationError> {
    FileName::new(name).map_err(|bad| value_error(key, Problem::Name(bad)))
}

fn absolute(key: &'static str, path: &Path) -> Result<AbsolutePath, ConfigurationError> {
    AbsolutePath::new(path)
        .map_err(|why| value_error(key, Problem::Path { path: path.to_path_buf(), why }))
}
