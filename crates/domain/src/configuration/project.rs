//! What a project's own configuration says, in `.told/config.toml` at its boundary (R-CFG-6).

use super::{
    error::{ConfigurationError, Place, Problem},
    keys::lay_over,
    node::Node,
    reading::Source,
};
use crate::{path::CanonicalPath, policy::FileName, url::SourceUrl};
use serde::{Deserialize, Serialize, Serializer};
use std::{fmt, sync::Arc};

/// The file, below the project boundary.
pub const PROJECT_FILE: &str = ".told/config.toml";

/// More than any project's configuration needs, in bytes.
pub const PROJECT_BYTES_MAX: u64 = 64 * 1024;

/// The keys that count in it, in the order of the manual.
const KEYS: &[&str] =
    &["instructions.names", "instructions.include", "instructions.exclude", "skills.directories"];

/// What a project's own configuration says, as it is written: entries are relative to the boundary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectConfiguration {
    /// Name groups, instead of the user's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<Vec<FileName>>>,
    /// Paths, globs and URLs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<ProjectInclude>,
    /// Globs to leave out, beside the user's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Directories of skills, instead of the user's relative ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<String>>,
}

/// One entry of a project's own `include`, as it is written. Of a URL only what may be shown is shown,
/// and stored (R-URL-4): a process that knows it from a record alone cannot fetch it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ProjectInclude(String);

impl ProjectInclude {
    /// The entry of that text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The entry as it is written, secrets included.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectInclude {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.contains("://") {
            return f.write_str(&SourceUrl::redact(&self.0));
        }
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ProjectInclude {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl Serialize for ProjectInclude {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl ProjectConfiguration {
    /// What of it may be stored and shown (R-URL-4).
    #[must_use]
    pub fn shown(self: &Arc<Self>) -> Arc<Self> {
        let shown = |entry: &ProjectInclude| ProjectInclude(entry.to_string());
        let include: Vec<_> = self.include.iter().map(shown).collect();
        if include == self.include {
            return self.clone();
        }
        Arc::new(Self { include, ..Self::clone(self) })
    }

    /// Reads the text at the boundary of a project; `size` is that of the whole file.
    ///
    /// # Errors
    /// [`ConfigurationError`] names the file, the line and the key that does not count.
    pub fn read(
        boundary: &CanonicalPath,
        bytes: &[u8],
        size: u64,
    ) -> Result<Self, ConfigurationError> {
        let file = boundary.join(PROJECT_FILE);
        let file = file.as_path();
        let whole = |problem| ConfigurationError::new(Place::File(file.to_path_buf()), "", problem);
        if size > PROJECT_BYTES_MAX {
            return Err(whole(Problem::TooLarge(PROJECT_BYTES_MAX)));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| whole(Problem::NotUtf8))?;
        let root = Node::of_toml(text).map_err(|(line, problem)| {
            ConfigurationError::new(Place::Line(file.to_path_buf(), line), "", problem)
        })?;
        let source = Source { file: Some(file), directory: Some(boundary.as_path()), home: None };
        let mut project = Self::default();
        lay_over(&root, &source, KEYS, |at, reading, node| {
            match at {
                0 => {
                    let groups = reading.groups(node)?;
                    let names = |group: Vec<String>| {
                        group.iter().filter_map(|name| FileName::new(name).ok()).collect()
                    };
                    project.names = Some(groups.into_iter().map(names).collect());
                }
                1 => project.include = reading.project_includes(node)?,
                2 => project.exclude = reading.project_globs(node)?,
                _ => project.skills = Some(reading.project_directories(node)?),
            }
            Ok(())
        })?;
        Ok(project)
    }
}
