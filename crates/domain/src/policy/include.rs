//! What `instructions.include` can name: a file, all files that a glob matches, or a URL (R-CFG-1).

use super::NoGlob;
use crate::{
    configuration::Problem,
    path::{AbsolutePath, PathError},
    url::{SourceUrl, UrlError},
};
use globset::{GlobBuilder, GlobMatcher};
use serde::{Serialize, Serializer};
use std::{fmt, path::Path, sync::Arc};

/// One entry of `instructions.include`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Include {
    /// One file, whether or not it exists.
    Path(AbsolutePath),
    /// All files below a directory that a pattern matches.
    Glob(IncludeGlob),
    /// What a server sends.
    Url(SourceUrl),
}

/// All files below a directory that a pattern matches.
#[derive(Clone)]
pub struct IncludeGlob {
    root: AbsolutePath,
    pattern: Arc<str>,
    matcher: GlobMatcher,
}

/// A text that names nothing to include.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoInclude {
    /// No path can be so.
    #[error("`{0}` cannot be used: {1}")]
    Path(String, PathError),
    /// No glob can be so.
    #[error(transparent)]
    Glob(NoGlob),
    /// No URL to fetch can be so. What is shown of it is redacted.
    #[error("`{0}` cannot be used: {1}")]
    Url(String, UrlError),
    /// `~` where there is no home directory.
    #[error("there is no home directory")]
    NoHome,
}

impl Include {
    /// The entry `text` of a file in `directory`. `~` is `home`.
    ///
    /// # Errors
    /// [`NoInclude`].
    pub fn new(
        text: &str,
        directory: Option<&AbsolutePath>,
        home: Option<&AbsolutePath>,
    ) -> Result<Self, NoInclude> {
        if is_url(text) {
            let url = text.parse().map(Self::Url);
            return url.map_err(|why| NoInclude::Url(SourceUrl::redact(text), why));
        }
        let (start, rest) = match text.strip_prefix('~') {
            Some("") => (Some(home.ok_or(NoInclude::NoHome)?), ""),
            Some(below) if below.starts_with('/') => {
                (Some(home.ok_or(NoInclude::NoHome)?), below.trim_start_matches('/'))
            }
            Some(_) | None => (directory, text),
        };
        let literal = match rest.find(is_special) {
            None => rest,
            Some(special) => &rest[..rest[..special].rfind('/').map_or(0, |slash| slash + 1)],
        };
        let path = match start {
            Some(start) => start.resolve(literal),
            None => AbsolutePath::new(literal),
        };
        let path = path.map_err(|why| NoInclude::Path(text.to_owned(), why))?;
        if literal.contains('\0') {
            return Err(NoInclude::Path(text.replace('\0', "\u{fffd}"), PathError::NotUtf8));
        }
        match &rest[literal.len()..] {
            "" => Ok(Self::Path(path)),
            pattern => IncludeGlob::new(path, pattern)
                .map(Self::Glob)
                .map_err(|bad| NoInclude::Glob(NoGlob { pattern: text.to_owned(), ..bad })),
        }
    }
}

impl IncludeGlob {
    fn new(root: AbsolutePath, pattern: &str) -> Result<Self, NoGlob> {
        let bad = |why: &str| NoGlob { pattern: pattern.to_owned(), why: why.to_owned() };
        if pattern.split('/').any(|part| matches!(part, "." | "..")) {
            return Err(bad("`.` and `..` can only stand before the first wildcard"));
        }
        if pattern.ends_with('/') {
            return Err(bad("it ends in a slash, and only files are included"));
        }
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        let matcher = glob.map_err(|error| bad(&error.kind().to_string()))?.compile_matcher();
        Ok(Self { root, pattern: pattern.into(), matcher })
    }

    /// The directory that holds whatever matches.
    #[must_use]
    pub const fn root(&self) -> &AbsolutePath {
        &self.root
    }

    /// The glob as a whole, written as a path.
    #[must_use]
    pub fn as_path(&self) -> AbsolutePath {
        self.root.join(&self.pattern)
    }

    /// Whether it names `path`.
    #[must_use]
    pub fn matches(&self, path: &AbsolutePath) -> bool {
        let below = path.as_path().strip_prefix(self.root.as_path());
        below.is_ok_and(|below| self.matches_below(below))
    }

    /// Whether it names the entry at `below`, relative to its root.
    #[must_use]
    pub fn matches_below(&self, below: &Path) -> bool {
        self.matcher.is_match(below)
    }

    /// How many directories deep a match can lie, its own name counted; nothing where there is no bound.
    #[must_use]
    pub fn depth(&self) -> Option<u32> {
        let slashes = self.pattern.bytes().filter(|byte| *byte == b'/').count();
        let bounded = !self.pattern.contains("**");
        bounded.then(|| u32::try_from(slashes).unwrap_or(u32::MAX).saturating_add(1))
    }

    /// Whether names that begin with a dot count: where a part of the pattern does.
    #[must_use]
    pub fn wants_hidden(&self) -> bool {
        self.pattern.split(['/', '{', ',']).any(|part| part.starts_with('.'))
    }
}

fn is_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// What makes a text a glob. Where the system's paths have backslashes, nothing escapes.
fn is_special(character: char) -> bool {
    matches!(character, '*' | '?' | '[' | '{')
        || character == '\\' && !std::path::is_separator('\\')
}

impl From<NoInclude> for Problem {
    fn from(bad: NoInclude) -> Self {
        match bad {
            NoInclude::Path(path, why) => Self::Path { path: path.into(), why },
            NoInclude::Glob(bad) => Self::Glob(bad),
            NoInclude::Url(shown, why) => Self::Url(shown, why),
            NoInclude::NoHome => Self::NoHome,
        }
    }
}

impl PartialEq for IncludeGlob {
    fn eq(&self, other: &Self) -> bool {
        (&self.root, &self.pattern) == (&other.root, &other.pattern)
    }
}

impl Eq for IncludeGlob {}

impl fmt::Debug for IncludeGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} below {:?}", self.pattern, self.root)
    }
}

impl fmt::Display for Include {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.fmt(f),
            Self::Glob(glob) => glob.as_path().fmt(f),
            Self::Url(url) => url.fmt(f),
        }
    }
}

impl Serialize for Include {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::path;

    fn include(text: &str) -> Result<Include, NoInclude> {
        Include::new(text, Some(&path("/d")), Some(&path("/home/me")))
    }

    #[test]
    fn r_cfg_1_an_entry_is_a_path_a_glob_or_a_url() {
        for (text, expect) in [
            ("rules.md", "path /d/rules.md"),
            ("./a/../rules.md", "path /d/rules.md"),
            ("../rules.md", "path /rules.md"),
            ("/etc/rules.md", "path /etc/rules.md"),
            ("~/rules.md", "path /home/me/rules.md"),
            ("~me/rules.md", "path /d/~me/rules.md"),
            ("*.md", "glob *.md below /d"),
            ("rules/*.md", "glob *.md below /d/rules"),
            ("../x/**/a/*.md", "glob **/a/*.md below /x"),
            ("~/.rules/?.md", "glob ?.md below /home/me/.rules"),
            ("/etc/r[ab]/x.md", "glob r[ab]/x.md below /etc"),
            ("a/{b/c,d}.md", "glob {b/c,d}.md below /d/a"),
            (r"a/\*.md", r"glob \*.md below /d/a"),
            ("https://example.org/r", "url https://example.org/r"),
            ("HTTP://Example.org", "url http://example.org/"),
            ("1://b", "path /d/1:/b"),
        ] {
            let found = match include(text).unwrap() {
                Include::Path(path) => format!("path {path}"),
                Include::Glob(glob) => format!("glob {} below {}", glob.pattern, glob.root),
                Include::Url(url) => format!("url {url}"),
            };
            assert_eq!(found, expect, "{text}");
        }
        for text in ["a/[", "*/../x", "*/./x", "*/", "a\0b", "file:///etc/r", "a://b"] {
            assert!(include(text).is_err(), "{text}");
        }
        assert_eq!(Include::new("~/x", Some(&path("/d")), None), Err(NoInclude::NoHome));
        assert!(Include::new("x", None, None).is_err());
    }

    #[test]
    fn r_cfg_1_a_glob_names_what_lies_below_its_root() {
        for (glob, at, matches) in [
            ("*.md", "/d/a.md", true),
            ("*.md", "/d/a/b.md", false),
            ("**/*.md", "/d/a.md", true),
            ("**/*.md", "/d/a/b/c.md", true),
            ("**/*.md", "/e/a.md", false),
            ("a/{b/c,d}.md", "/d/a/b/c.md", true),
            ("a/{b/c,d}.md", "/d/a/d.md", true),
            (r"\*.md", "/d/*.md", true),
            (r"\*.md", "/d/a.md", false),
        ] {
            let Include::Glob(found) = include(glob).unwrap() else { panic!("{glob}") };
            assert_eq!(found.matches(&path(at)), matches, "{glob} {at}");
        }
    }

    #[test]
    fn r_obs_12_a_glob_says_how_deep_it_can_match() {
        for (glob, depth, hidden) in [
            ("*.md", Some(1), false),
            ("x/*.md", Some(1), false),
            ("*/x/*.md", Some(3), false),
            ("{a/b,c}/*.md", Some(3), false),
            ("**/*.md", None, false),
            ("*/.rules/*.md", Some(3), true),
            ("{a,.b}/x", Some(2), true),
            (".rules/*.md", Some(1), false),
        ] {
            let Include::Glob(found) = include(glob).unwrap() else { panic!("{glob}") };
            assert_eq!((found.depth(), found.wants_hidden()), (depth, hidden), "{glob}");
        }
    }

    #[test]
    fn r_url_4_credentials_and_query_values_are_hidden() {
        let url = include("https://u:s3cret@example.org/r?s3cret#y").unwrap();
        assert_eq!(url.to_string(), "https://***@example.org/r?***");
        assert!(!format!("{url:?}").contains("s3cret"));
        for text in ["https://u:s3cret@[/r?s3cret", "ftp://u:s3cret@example.org/r?s3cret"] {
            let error = include(text).unwrap_err();
            assert!(matches!(&error, NoInclude::Url(..)), "{error:?}");
            assert!(!format!("{error} {error:?}").contains("s3cret"));
        }
    }
}
