//! Paths as values: absolute, UTF-8, and compared by component, never as string prefixes (R-AMB-4).

use serde::{Deserialize, Serialize, de};
use std::{
    fmt,
    path::{Component, MAIN_SEPARATOR_STR, Path, PathBuf},
    sync::Arc,
};

/// An absolute path in UTF-8 without `.`, `..` or doubled separators. It says nothing about the disk.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AbsolutePath(Arc<str>);

/// What kept a path from being an [`AbsolutePath`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It does not start at a root.
    #[error("the path is not absolute")]
    Relative,
    /// Some of its bytes are no UTF-8.
    #[error("the path is not UTF-8")]
    NotUtf8,
}

impl AbsolutePath {
    /// The path, its `.` and `..` resolved by their names alone.
    ///
    /// # Errors
    /// [`PathError`] where it is relative or no UTF-8.
    pub fn new(path: impl AsRef<Path>) -> Result<Self, PathError> {
        let path = path.as_ref();
        if !path.is_absolute() {
            return Err(PathError::Relative);
        }
        let mut normal = PathBuf::new();
        for component in path.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    normal.pop();
                }
                other => normal.push(other),
            }
        }
        normal.to_str().map(|text| Self(text.into())).ok_or(PathError::NotUtf8)
    }

    /// `path` as it is where it is absolute, else below this directory.
    ///
    /// # Errors
    /// [`PathError::NotUtf8`] where some of its bytes are no UTF-8.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<Self, PathError> {
        Self::new(self.as_path().join(path))
    }

    /// The entry `name` of this directory. `name` may itself be a relative path.
    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        // A plan joins every candidate's name: one name needs no normalising.
        if is_one_name(name) {
            let separator = if self.as_path().parent().is_some() { MAIN_SEPARATOR_STR } else { "" };
            return Self([self.as_str(), separator, name].concat().into());
        }
        // An absolute UTF-8 path joined with UTF-8 is one again.
        Self::new(self.as_path().join(name)).unwrap_or_else(|_| self.clone())
    }

    /// The directory above, unless this is a root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.as_path().parent().and_then(Path::to_str).map(|text| Self(text.into()))
    }

    /// The last component's name; nothing for a root.
    #[must_use]
    pub fn file_name(&self) -> Option<&str> {
        self.as_path().file_name().and_then(|name| name.to_str())
    }

    /// This path and every directory above it, nearest first.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> + use<> {
        std::iter::successors(Some(self.clone()), Self::parent)
    }

    /// Whether this path is `directory` or lies below it, by whole components.
    #[must_use]
    pub fn is_within(&self, directory: &Self) -> bool {
        self.as_path().starts_with(directory.as_path())
    }

    /// How many components lie between the root and this path.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.as_path().components().count()
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As the standard library's path.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        Path::new(&*self.0)
    }

    /// On one line: control characters and line separators escaped as `\u{1b}`, so that a directory
    /// named with a line feed forges no header (R-AMB-6). No other path has the same line: where
    /// something is escaped, or the path's own text reads like it, backslashes are escaped as well.
    #[must_use]
    pub fn on_one_line(&self) -> String {
        if !self.0.contains(ends_a_line) && !self.0.contains(r"\u{") {
            return self.to_string();
        }
        escaped(&self.0, |character| character == '\\' || ends_a_line(character))
    }
}

/// Whether `name` is one plain component, written as it is.
fn is_one_name(name: &str) -> bool {
    let mut components = Path::new(name).components();
    matches!(components.next(), Some(Component::Normal(only)) if only == name)
}

/// `text` with every character that could end a line or steer a terminal escaped as `\u{1b}`: once done,
/// doing it again changes nothing.
#[must_use]
pub fn on_one_line(text: &str) -> String {
    escaped(text, ends_a_line)
}

fn ends_a_line(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if is_escaped(character) {
            line.extend(character.escape_unicode());
        } else {
            line.push(character);
        }
    }
    line
}

impl fmt::Display for AbsolutePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for AbsolutePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl AsRef<Path> for AbsolutePath {
    fn as_ref(&self) -> &Path {
        self.as_path()
    }
}

impl Serialize for AbsolutePath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for AbsolutePath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// A path with no link in it: where an opened file or directory really is. Only an adapter that
/// has looked may say so, and what it said may be stored and compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CanonicalPath(AbsolutePath);

impl CanonicalPath {
    /// Takes an adapter's word that `path` has no link in it.
    #[must_use]
    pub const fn observed(path: AbsolutePath) -> Self {
        Self(path)
    }

    /// The path.
    #[must_use]
    pub const fn as_absolute(&self) -> &AbsolutePath {
        &self.0
    }

    /// The directory above; canonical as well.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.parent().map(Self)
    }
}

impl std::ops::Deref for CanonicalPath {
    type Target = AbsolutePath;

    fn deref(&self) -> &AbsolutePath {
        &self.0
    }
}

impl fmt::Display for CanonicalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> AbsolutePath {
        AbsolutePath::new(text).unwrap()
    }

    #[test]
    fn a_path_is_normal_by_its_names_alone() {
        for (text, expect) in [
            ("/", "/"),
            ("/a/", "/a"),
            ("//a//b", "/a/b"),
            ("/a/./b", "/a/b"),
            ("/a/../b", "/b"),
            ("/../a", "/a"),
        ] {
            assert_eq!(path(text).as_str(), expect, "{text}");
        }
        assert_eq!(AbsolutePath::new("a/b"), Err(PathError::Relative));
        assert_eq!(path("/a").resolve("b/../c").unwrap(), path("/a/c"));
        assert_eq!(path("/a").resolve("/b").unwrap(), path("/b"));
    }

    #[test]
    fn r_amb_4_paths_are_compared_by_component() {
        for (inner, outer, within) in [
            ("/a/b", "/a", true),
            ("/a", "/a", true),
            ("/a", "/", true),
            ("/ab", "/a", false),
            ("/a", "/a/b", false),
        ] {
            assert_eq!(path(inner).is_within(&path(outer)), within, "{inner} in {outer}");
        }
        let above: Vec<_> = path("/a/b").ancestors().map(|above| above.to_string()).collect();
        assert_eq!(above, ["/a/b", "/a", "/"]);
    }

    #[test]
    fn r_amb_6_a_path_stands_on_one_line() {
        for (text, expect) in [
            ("/a b/é😀", "/a b/é😀"),
            ("/a\nb", r"/a\u{a}b"),
            ("/a\r\tb", r"/a\u{d}\u{9}b"),
            ("/\u{1b}[0m\u{7f}\u{85}", r"/\u{1b}[0m\u{7f}\u{85}"),
            ("/\u{2028}\u{2029}", r"/\u{2028}\u{2029}"),
            // What only looks like an escape is told apart from one.
            (r"/\u{1b}", r"/\u{5c}u{1b}"),
            ("/\\u{1b}\u{1b}", r"/\u{5c}u{1b}\u{1b}"),
            ("/a\\b\u{1b}", r"/a\u{5c}b\u{1b}"),
            (r"/\u{5c}", r"/\u{5c}u{5c}"),
            (r"/a\b\\u\{c", r"/a\b\\u\{c"),
        ] {
            assert_eq!(path(text).on_one_line(), expect);
        }
    }

    #[test]
    fn r_amb_6_no_two_paths_have_one_line() {
        let parts = ["\\", "u", "{", "5c}", "1b}", "\u{1b}", "\n", "\\u{5c}", "\\u{1b}"];
        let mut lines = std::collections::BTreeMap::new();
        for number in 0..parts.len().pow(4) {
            let word: String =
                (0..4).map(|at| parts[number / parts.len().pow(at) % parts.len()]).collect();
            let line = path(&format!("/{word}")).on_one_line();
            assert!(!line.contains(char::is_control), "{line:?}");
            let before = lines.insert(line.clone(), word.clone());
            assert!(before.is_none_or(|before| before == word), "{line}");
        }
    }
}
