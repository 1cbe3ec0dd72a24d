//! How one key's value is read: the type, the range, and that what it names can exist.

use super::{
    ProjectInclude,
    error::{ConfigurationError, Place, Problem},
    node::{Node, Value},
};
use crate::{
    path::AbsolutePath,
    policy::{FileName, Globs, Include, NoInclude, SkillDirectory},
};
use std::path::{Path, PathBuf};

/// The text that is being read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file; nothing for an overlay.
    pub file: Option<&'a Path>,
    /// Where relative paths start.
    pub directory: Option<&'a Path>,
    /// What `~` stands for.
    pub home: Option<&'a Path>,
}

impl Source<'_> {
    /// What is wrong with `key` on `line`.
    #[must_use]
    pub fn error(&self, line: Option<usize>, key: &str, what: Problem) -> ConfigurationError {
        let place = match (self.file, line) {
            (Some(file), Some(line)) => Place::Line(file.to_path_buf(), line),
            (Some(file), None) => Place::File(file.to_path_buf()),
            (None, _) => Place::Overlay,
        };
        ConfigurationError::new(place, key, what)
    }
}

/// One key that is being read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The text that says it.
    pub source: &'a Source<'a>,
    /// The key, as `section.name`.
    pub key: &'static str,
}

type Result<T> = std::result::Result<T, ConfigurationError>;

impl Reading<'_> {
    /// True or false.
    ///
    /// # Errors
    /// [`ConfigurationError`] where the value is no such thing.
    pub fn truth(&self, node: &Node) -> Result<bool> {
        match node.value {
            Value::Truth(truth) => Ok(truth),
            _ => Err(self.wrong_type(node, "true or false")),
        }
    }

    /// A whole number between `least` and `most`.
    ///
    /// # Errors
    /// [`ConfigurationError`] where the value is no such thing.
    pub fn number(&self, node: &Node, least: u64, most: u64) -> Result<u64> {
        let Value::Whole(found) = node.value else {
            return Err(self.wrong_type(node, "a whole number"));
        };
        let within = u64::try_from(found).ok().filter(|found| (least..=most).contains(found));
        within.ok_or_else(|| self.error(node, Problem::Range { least, most, found }))
    }

    /// One of `words`.
    ///
    /// # Errors
    /// [`ConfigurationError`] where the value is no such thing.
    pub fn word<T: Copy>(&self, node: &Node, words: &[(&'static str, T)]) -> Result<T> {
        let found = self.text(node, "a string")?;
        let known = words.iter().find(|(word, _)| *word == found).map(|(_, value)| *value);
        known.ok_or_else(|| {
            let known = words.iter().map(|(word, _)| *word).collect();
            self.error(node, Problem::Word { found: found.to_owned(), known })
        })
    }

    /// A list of file names.
    ///
    /// # Errors
    /// [`ConfigurationError`] where the value is no such thing.
    pub fn names(&self, node: &Node) -> Result<Vec<String>> {
        self.texts(node, "a list of names", |node, name| {
            FileName::new(name).map_err(|bad| self.error(node, Problem::Name(bad)))?;
            Ok(name.to_owned())
        })
    }

    /// A list of groups of file names.
    ///
    /// # Errors
    /// [`ConfigurationError`] where the value is no such thing.
    pub fn groups(&self, node: &Node) -> Result<Vec<Vec<String>>> {
        let wanted = "a list of lists of names, as in [[\"AGENTS.md\"]]";
        let group = |node: &Node| match &node.value {
            Value::List(names) if names.is_empty() => Err(self.error(node, Problem::EmptyGroup)),
            Value::List(_) => self.names(node),
            _ => Err(self.wrong_type(node, wanted)),
        };
        self.list(node, wanted)?.iter().map(group).collect()
    }

    /// A list of paths, made absolute.
    ///
    /// # Errors
    /// [`ConfigurationError`] where the value is no such thing.
    pub fn paths(&self, node: &Node) -> Result<Vec<PathBuf>> {
        self.texts(node, "a list of paths", |node, path| {
            let path = self.absolute(node, path)?;
            AbsolutePath::new(&path)
                .map(|normal| normal.as_path().to_path_buf())
                .map_err(|why| self.error(node, Problem::Path { path, why }))
        })
    }

    /// A list of globs on canonical paths; `~/` is the home directory.
    ///
    /// # Errors
    /// [`ConfigurationError`] where the value is no such thing.
    pub fn globs(&self, node: &Node) -> Result<Vec<String>> {
        self.texts(node, "a list of globs", |node, glob| {
            let glob = match (glob.strip_prefix("~/"), self.source.home) {
                (None, _) => glob.to_owned(),
                (Some(rest), Some(home)) => {
                    format!("{}/{rest}", globset::escape(&home.to_string_lossy()))
                }
                (Some(_), None) => return Err(self.error(node, Problem::NoHome)),
            };
            let bad = Globs::new(std::slice::from_ref(&glob)).err();
            bad.map_or(Ok(glob), |bad| Err(self.error(node, Problem::Glob(bad))))
        })
    }

    /// A list of directories of skills; relative ones stay so.
    ///
    /// # Errors
    /// [`ConfigurationError`] where the value is no such thing.
    pub fn skill_directories(&self, node: &Node) -> Result<Vec<SkillDirectory>> {
        let home = self.source.home.and_then(|path| AbsolutePath::new(path).ok());
        self.texts(node, "a list of directories", |node, directory| {
            let directory = SkillDirectory::new(directory, home.as_ref());
            directory.map_err(|bad| self.error(node, bad.into()))
        })
    }

    /// A list of paths and globs, made absolute, and URLs.
    ///
    /// # Errors
    /// [`ConfigurationError`] for a bad glob, path or URL.
    pub fn includes(&self, node: &Node) -> Result<Vec<Include>> {
        let directory = self.source.directory.and_then(|path| AbsolutePath::new(path).ok());
        let home = self.source.home.and_then(|path| AbsolutePath::new(path).ok());
        self.texts(node, "a list of paths, globs and URLs", |node, entry| {
            let include = Include::new(entry, directory.as_ref(), home.as_ref());
            include.map_err(|bad| self.error(node, bad.into()))
        })
    }

    /// A project's own such list, as it is written.
    pub(super) fn project_includes(&self, node: &Node) -> Result<Vec<ProjectInclude>> {
        let directory = self.source.directory.and_then(|path| AbsolutePath::new(path).ok());
        self.texts(node, "a list of paths, globs and URLs", |node, entry| {
            match Include::new(entry, directory.as_ref(), None) {
                Ok(_) => Ok(ProjectInclude::new(entry)),
                Err(NoInclude::NoHome) => {
                    Err(self.error(node, Problem::OutOfProject(entry.to_owned())))
                }
                Err(bad) => Err(self.error(node, bad.into())),
            }
        })
    }

    /// A project's own globs, as they are written.
    pub(super) fn project_globs(&self, node: &Node) -> Result<Vec<String>> {
        self.texts(node, "a list of globs", |node, glob| {
            if glob.starts_with("~/") {
                return Err(self.error(node, Problem::OutOfProject(glob.to_owned())));
            }
            let bad = Globs::new(&[glob.to_owned()]).err();
            bad.map_or(Ok(glob.to_owned()), |bad| Err(self.error(node, Problem::Glob(bad))))
        })
    }

    /// A project's own directories, as they are written.
    pub(super) fn project_directories(&self, node: &Node) -> Result<Vec<String>> {
        self.texts(node, "a list of directories", |node, directory| {
            if directory == "~" || directory.starts_with("~/") || directory.starts_with('/') {
                return Err(self.error(node, Problem::OutOfProject(directory.to_owned())));
            }
            Ok(directory.to_owned())
        })
    }

    fn absolute(&self, node: &Node, path: &str) -> Result<PathBuf> {
        if path == "~" || path.starts_with("~/") {
            let home = self.source.home.ok_or_else(|| self.error(node, Problem::NoHome))?;
            return Ok(home.join(path.trim_start_matches('~').trim_start_matches('/')));
        }
        Ok(self.source.directory.map_or_else(|| path.into(), |directory| directory.join(path)))
    }

    fn texts<T>(
        &self,
        node: &Node,
        wanted: &'static str,
        read: impl Fn(&Node, &str) -> Result<T>,
    ) -> Result<Vec<T>> {
        let entries = self.list(node, wanted)?.iter();
        entries.map(|entry| read(entry, self.text(entry, wanted)?)).collect()
    }

    fn list<'n>(&self, node: &'n Node, wanted: &'static str) -> Result<&'n [Node]> {
        match &node.value {
            Value::List(entries) => Ok(entries),
            _ => Err(self.wrong_type(node, wanted)),
        }
    }

    fn text<'n>(&self, node: &'n Node, wanted: &'static str) -> Result<&'n str> {
        match &node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong_type(node, wanted)),
        }
    }

    fn wrong_type(&self, node: &Node, wanted: &'static str) -> ConfigurationError {
        self.error(node, Problem::Type { wanted, found: node.kind() })
    }

    fn error(&self, node: &Node, problem: Problem) -> ConfigurationError {
        self.source.error(node.line, self.key, problem)
    }
}
