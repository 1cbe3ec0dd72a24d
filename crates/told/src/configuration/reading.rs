//! How one key's value is read: the type, the range, and that what it names can exist.

use super::{
    error::{ConfigurationError, Place, Problem},
    node::{Node, Value},
};
use std::path::{Path, PathBuf};
use told_domain::{
    path::AbsolutePath,
    policy::{FileName, Globs},
};

/// The text that is being read.
pub(super) struct Source<'a> {
    /// The file; nothing for an overlay.
    pub(super) file: Option<&'a Path>,
    /// Where relative paths start.
    pub(super) directory: Option<&'a Path>,
    /// What `~` stands for.
    pub(super) home: Option<&'a Path>,
}

impl Source<'_> {
    pub(super) fn error(
        &self,
        line: Option<usize>,
        key: &str,
        what: Problem,
    ) -> ConfigurationError {
        let place = match (self.file, line) {
            (Some(file), Some(line)) => Place::Line(file.to_path_buf(), line),
            (Some(file), None) => Place::File(file.to_path_buf()),
            (None, _) => Place::Overlay,
        };
        ConfigurationError::new(place, key, what)
    }
}

/// One key that is being read.
pub(super) struct Reading<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) key: &'static str,
}

type Result<T> = std::result::Result<T, ConfigurationError>;

impl Reading<'_> {
    pub(super) fn truth(&self, node: &Node) -> Result<bool> {
        match node.value {
            Value::Truth(truth) => Ok(truth),
            _ => Err(self.wrong_type(node, "true or false")),
        }
    }

    /// A whole number between `least` and `most`.
    pub(super) fn number(&self, node: &Node, least: u64, most: u64) -> Result<u64> {
        let Value::Whole(found) = node.value else {
            return Err(self.wrong_type(node, "a whole number"));
        };
        let within = u64::try_from(found).ok().filter(|found| (least..=most).contains(found));
        within.ok_or_else(|| self.error(node, Problem::Range { least, most, found }))
    }

    /// One of `words`.
    pub(super) fn word<T: Copy>(&self, node: &Node, words: &[(&'static str, T)]) -> Result<T> {
        let found = self.text(node, "a string")?;
        let known = words.iter().find(|(word, _)| *word == found).map(|(_, value)| *value);
        known.ok_or_else(|| {
            let known = words.iter().map(|(word, _)| *word).collect();
            self.error(node, Problem::Word { found: found.to_owned(), known })
        })
    }

    /// A list of file names.
    pub(super) fn names(&self, node: &Node) -> Result<Vec<String>> {
        self.texts(node, "a list of names", |node, name| {
            FileName::new(name).map_err(|bad| self.error(node, Problem::Name(bad)))?;
            Ok(name.to_owned())
        })
    }

    /// A list of groups of file names.
    pub(super) fn groups(&self, node: &Node) -> Result<Vec<Vec<String>>> {
        let wanted = "a list of lists of names, as in [[\"AGENTS.md\"]]";
        let group = |node: &Node| match &node.value {
            Value::List(names) if names.is_empty() => Err(self.error(node, Problem::EmptyGroup)),
            Value::List(_) => self.names(node),
            _ => Err(self.wrong_type(node, wanted)),
        };
        self.list(node, wanted)?.iter().map(group).collect()
    }

    /// A list of paths, made absolute.
    pub(super) fn paths(&self, node: &Node) -> Result<Vec<PathBuf>> {
        self.texts(node, "a list of paths", |node, path| {
            let path = self.absolute(node, path)?;
            AbsolutePath::new(&path)
                .map(|normal| normal.as_path().to_path_buf())
                .map_err(|why| self.error(node, Problem::Path { path, why }))
        })
    }

    /// A list of globs on canonical paths; `~/` is the home directory.
    pub(super) fn globs(&self, node: &Node) -> Result<Vec<String>> {
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
