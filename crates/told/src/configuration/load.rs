//! From files, overlays, variables and flags to one configuration that knows where each value
//! comes from.

use super::{
    Configuration, ConfigurationError, Problem, Surroundings,
    key::{self, KEYS},
};
use std::{
    collections::BTreeMap,
    fmt,
    io::Read,
    path::{Path, PathBuf},
};
use told_domain::{
    configuration::{Node, Place, Source},
    path::on_one_line,
};

/// What flags chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// `--config`: the configuration file.
    pub config: Option<PathBuf>,
    /// `--store`: the store.
    pub store: Option<PathBuf>,
}

/// A configuration with the origin of every value.
#[derive(Clone, Debug)]
pub struct Loaded {
    configuration: Configuration,
    origins: BTreeMap<&'static str, Origin>,
    file: Option<PathBuf>,
    file_origin: Origin,
    file_exists: bool,
    store_origin: Origin,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody chose it.
    Default,
    /// A line of a file.
    File(PathBuf, usize),
    /// A host laid it over the user's file.
    Overlay,
    /// An environment variable.
    Environment(&'static str),
    /// A flag of the command line.
    Flag(&'static str),
}

/// One key with the value that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key, as `section.name`.
    pub key: &'static str,
    /// The value, as JSON.
    pub value: serde_json::Value,
    /// Where it comes from.
    pub origin: Origin,
}

/// More than any configuration needs.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

impl Loaded {
    /// Reads the user's configuration: the file that a flag or `TOLD_CONFIG` names, else the one in
    /// the user's configuration directory, which may be missing.
    ///
    /// # Errors
    /// [`ConfigurationError`] where a named file is missing, or what it says does not count.
    pub fn read(surroundings: &Surroundings, chosen: &Chosen) -> Result<Self, ConfigurationError> {
        let mut loaded = Self::unread(surroundings, chosen);
        loaded.lay_file()?;
        Ok(loaded)
    }

    /// What the configuration would be if `file` were named, and held these bytes. Nothing is read.
    ///
    /// # Errors
    /// [`ConfigurationError`] where what they say does not count.
    pub fn of_bytes(
        file: &Path,
        bytes: &[u8],
        surroundings: &Surroundings,
    ) -> Result<Self, ConfigurationError> {
        let chosen = Chosen { config: Some(file.to_path_buf()), store: None };
        let mut loaded = Self::unread(surroundings, &chosen);
        loaded.lay_bytes(file, bytes)?;
        Ok(loaded)
    }

    fn unread(surroundings: &Surroundings, chosen: &Chosen) -> Self {
        let here = |path: &PathBuf| surroundings.working_directory.join(path);
        let (file, file_origin) = match (&chosen.config, &surroundings.told_config) {
            (Some(path), _) => (Some(here(path)), Origin::Flag("--config")),
            (None, Some(path)) => (Some(here(path)), Origin::Environment("TOLD_CONFIG")),
            (None, None) => (surroundings.default_file(), Origin::Default),
        };
        let directory = file.as_deref().and_then(Path::parent).map(PathBuf::from);
        let mut loaded = Self {
            configuration: Configuration::beside(directory, surroundings),
            origins: BTreeMap::new(),
            file,
            file_origin,
            file_exists: false,
            store_origin: match &surroundings.told_store {
                Some(_) => Origin::Environment("TOLD_STORE"),
                None => Origin::Default,
            },
        };
        if let Some(store) = &chosen.store {
            loaded.configuration.store.path = Some(here(store));
            loaded.store_origin = Origin::Flag("--store");
        }
        loaded
    }

    /// The same with `overlay`, a JSON object of sections, laid over it. Its relative paths start
    /// where the file's do.
    ///
    /// # Errors
    /// [`ConfigurationError`] names the key that does not count.
    pub fn overlaid(mut self, overlay: &serde_json::Value) -> Result<Self, ConfigurationError> {
        self.lay(&Node::of_json(overlay), None)?;
        Ok(self)
    }

    /// What counts.
    #[must_use]
    pub const fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// What counts, alone.
    #[must_use]
    pub fn into_configuration(self) -> Configuration {
        self.configuration
    }

    /// Every key of the file, in the order of the manual.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        KEYS.iter().map(|key| Entry {
            key: key.name,
            value: (key.show)(&self.configuration),
            origin: self.origins.get(key.name).cloned().unwrap_or(Origin::Default),
        })
    }

    /// The configuration file, if there could be one, and who named it.
    #[must_use]
    pub fn file(&self) -> Option<(&Path, &Origin)> {
        self.file.as_deref().map(|file| (file, &self.file_origin))
    }

    /// Whether that file was there.
    #[must_use]
    pub const fn file_exists(&self) -> bool {
        self.file_exists
    }

    /// Who chose the place of the store.
    #[must_use]
    pub const fn store_origin(&self) -> &Origin {
        &self.store_origin
    }

    fn lay_file(&mut self) -> Result<(), ConfigurationError> {
        let Some(file) = self.file.clone() else { return Ok(()) };
        let whole = |problem| ConfigurationError::new(Place::File(file.clone()), "", problem);
        let bytes = match read_bounded(&file) {
            Ok(bytes) => bytes,
            Err(error) if is_missing(&error) => {
                return match self.file_origin {
                    Origin::Flag(name) | Origin::Environment(name) => {
                        Err(whole(Problem::Missing(name)))
                    }
                    _ => Ok(()),
                };
            }
            Err(error) => return Err(whole(Problem::Unreadable(error))),
        };
        self.lay_bytes(&file, &bytes)
    }

    fn lay_bytes(&mut self, file: &Path, bytes: &[u8]) -> Result<(), ConfigurationError> {
        let whole = |problem| ConfigurationError::new(Place::File(file.to_path_buf()), "", problem);
        self.file_exists = true;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(whole(Problem::TooLarge(FILE_BYTES_MAX)));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| whole(Problem::NotUtf8))?;
        let root = Node::of_toml(text).map_err(|(line, problem)| {
            ConfigurationError::new(Place::Line(file.to_path_buf(), line), "", problem)
        })?;
        self.lay(&root, Some(file))
    }

    fn lay(&mut self, root: &Node, file: Option<&Path>) -> Result<(), ConfigurationError> {
        let home = self.configuration.home.clone();
        let directory = self.file.as_deref().and_then(Path::parent);
        let source = Source { file, directory, home: home.as_deref() };
        for (key, line) in key::lay_over(&mut self.configuration, root, &source)? {
            let origin = match (file, line) {
                (Some(file), Some(line)) => Origin::File(file.to_path_buf(), line),
                _ => Origin::Overlay,
            };
            self.origins.insert(key, origin);
        }
        Ok(())
    }
}

fn read_bounded(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Looked at first: the opening of a FIFO waits for a writer.
    if !std::fs::metadata(file)?.is_file() {
        return Err(std::io::Error::other("it is no regular file"));
    }
    std::fs::File::open(file)?.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path, line) => {
                write!(f, "{}:{line}", on_one_line(&path.to_string_lossy()))
            }
            Self::Overlay => f.write_str("the host"),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}
