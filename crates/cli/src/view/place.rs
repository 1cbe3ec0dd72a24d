//! Paths and keys as a person in this project names them.

use super::Shown;
use std::path::Path;
use told::domain::{
    briefing::{ChangeView, SourceView},
    key::SourceKey,
    path::AbsolutePath,
};

/// What paths are shown against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a> {
    /// The project's root, if it matters here.
    pub(crate) boundary: Option<&'a AbsolutePath>,
    /// What `~` stands for.
    pub(crate) home: Option<&'a Path>,
}

impl Places<'_> {
    /// Inside the project as it lies there, else below `~`, else as it is.
    pub(crate) fn file(&self, path: &AbsolutePath) -> Shown {
        let boundary = self.boundary.map(AbsolutePath::as_path);
        let inside = boundary.and_then(|boundary| path.as_path().strip_prefix(boundary).ok());
        match inside {
            Some(inside) if inside.as_os_str().is_empty() => ".".into(),
            Some(inside) => inside.to_string_lossy().into(),
            None => self.directory(path.as_path()),
        }
    }

    /// Below `~`, else as it is.
    pub(crate) fn directory(&self, path: &Path) -> Shown {
        match self.home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) if rest.as_os_str().is_empty() => "~".into(),
            Some(rest) => format!("~/{}", rest.to_string_lossy()).into(),
            None => path.to_string_lossy().into(),
        }
    }

    /// A file by its path, a URL as itself, all else by its key.
    pub(crate) fn key(&self, key: &SourceKey) -> Shown {
        match (key.path(), key.url()) {
            (Some(path), _) => self.file(path),
            (None, Some(url)) => url.into(),
            (None, None) => key.to_string().into(),
        }
    }

    pub(crate) fn source(&self, source: &SourceView) -> Shown {
        source.path.as_ref().map_or_else(|| self.key(&source.source), |path| self.file(path))
    }

    pub(crate) fn change(&self, change: &ChangeView) -> Shown {
        change.path.as_ref().map_or_else(|| self.key(&change.source), |path| self.file(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_named_from_the_nearest_place() {
        let boundary = AbsolutePath::new("/home/u/shop").unwrap();
        let places = Places { boundary: Some(&boundary), home: Some(Path::new("/home/u")) };
        for (path, shown) in [
            ("/home/u/shop/a/AGENTS.md", "a/AGENTS.md"),
            ("/home/u/shop", "."),
            ("/home/u/shopping/AGENTS.md", "~/shopping/AGENTS.md"),
            ("/home/u", "~"),
            ("/etc/AGENTS.md", "/etc/AGENTS.md"),
            ("/home/u/shop/a\u{1b}/A.md", "a\\u{1b}/A.md"),
        ] {
            assert_eq!(places.file(&AbsolutePath::new(path).unwrap()).as_str(), shown);
        }
    }
}
