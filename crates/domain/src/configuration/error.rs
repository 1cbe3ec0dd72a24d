//! What is wrong with a configuration, in one sentence.

use crate::{
    path::{PathError, on_one_line},
    policy::{NoFileName, NoGlob},
    url::UrlError,
};
use std::{fmt, path::PathBuf};

/// A configuration that does not count: where it says so, under which key, and what is wrong.
#[derive(Debug)]
pub struct ConfigurationError(Box<Wrong>);

#[derive(Debug)]
struct Wrong {
    place: Place,
    key: String,
    problem: Problem,
}

/// Where a configuration says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a file.
    Line(PathBuf, usize),
    /// A file as a whole.
    File(PathBuf),
    /// The JSON that a host laid over the user's file.
    Overlay,
    /// A value that code set.
    Value,
}

/// What is wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// A key that nobody reads.
    UnknownKey {
        /// The known key that is most like it.
        nearest: &'static str,
        /// Whether it is so like it that it was likely meant.
        close: bool,
    },
    /// A value of another type.
    Type {
        /// What the key takes.
        wanted: &'static str,
        /// What it was given.
        found: &'static str,
    },
    /// A word that is none of those which the key takes.
    Word {
        /// What the key was given.
        found: String,
        /// What it takes.
        known: Vec<&'static str>,
    },
    /// A number out of range.
    Range {
        /// The least that counts.
        least: u64,
        /// The most that counts.
        most: u64,
        /// What the key was given.
        found: i128,
    },
    /// A name that no file in a directory can have.
    Name(NoFileName),
    /// A name group without a name.
    EmptyGroup,
    /// A pattern that is no glob.
    Glob(NoGlob),
    /// A path that cannot be used.
    Path {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        why: PathError,
    },
    /// A `~` or a walk to a home directory that nobody knows.
    NoHome,
    /// An entry that leads out of the project, where a project may name none.
    OutOfProject(String),
    /// A URL, redacted, that cannot be fetched.
    Url(String, UrlError),
    /// No place for the store.
    NoStore,
    /// The text is no TOML.
    Syntax(String),
    /// The file is no text.
    NotUtf8,
    /// The file is larger than any configuration.
    TooLarge(u64),
    /// A file that somebody named does not exist.
    Missing(&'static str),
    /// The file is there and cannot be read.
    Unreadable(std::io::Error),
}

impl ConfigurationError {
    /// `problem` with `key` (empty where it is about the whole) at `place`.
    #[must_use]
    pub fn new(place: Place, key: &str, problem: Problem) -> Self {
        Self(Box::new(Wrong { place, key: key.to_owned(), problem }))
    }

    /// The key, as `section.name`; empty where it is about the whole.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.0.key
    }

    /// What is wrong.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }
}

impl std::error::Error for ConfigurationError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.problem {
            Problem::Unreadable(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = on_one_line(&self.0.key);
        write!(f, "{}: ", self.0.place)?;
        match &self.0.problem {
            Problem::UnknownKey { nearest, close: true } => {
                write!(f, "unknown key `{key}`; did you mean `{nearest}`?")
            }
            Problem::UnknownKey { nearest, close: false } => {
                write!(f, "unknown key `{key}`; the nearest known key is `{nearest}`")
            }
            Problem::Type { wanted, found } => write!(f, "`{key}` must be {wanted}, not {found}"),
            Problem::Word { found, known } => write!(
                f,
                "`{key}` must be {}, not \"{}\"",
                known.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or "),
                on_one_line(found),
            ),
            Problem::Range { least, most, found } => {
                write!(f, "`{key}` must be from {least} to {most}, not {found}")
            }
            Problem::Name(bad) => write!(f, "`{key}`: {}", on_one_line(&bad.to_string())),
            Problem::EmptyGroup => {
                write!(f, "`{key}` has a group without a name; leave the group out or name a file")
            }
            Problem::Glob(bad) => write!(f, "`{key}`: {}", on_one_line(&bad.to_string())),
            Problem::Path { path, why } => {
                write!(f, "`{key}`: `{}` cannot be used: {why}", shown(path))
            }
            Problem::NoHome => {
                write!(f, "`{key}` needs a home directory, and there is none; set HOME")
            }
            Problem::OutOfProject(entry) => write!(
                f,
                "`{key}`: `{}` leads out of the project; a project's own entries start at its \
                 boundary",
                on_one_line(entry)
            ),
            Problem::Url(url, why) => write!(f, "`{key}`: `{}`: {why}", on_one_line(url)),
            Problem::NoStore => f.write_str(
                "there is no home directory to keep the store in; \
                 set TOLD_STORE or give --store PATH",
            ),
            Problem::Syntax(why) => write!(f, "this is no TOML: {}", on_one_line(why)),
            Problem::NotUtf8 => f.write_str("the file is no UTF-8 text; save it as UTF-8"),
            Problem::TooLarge(most) => {
                write!(f, "the file has over {most} bytes, more than any configuration needs")
            }
            Problem::Missing(named_by) => write!(
                f,
                "there is no such file, and {named_by} names it; create it or name another"
            ),
            Problem::Unreadable(error) => write!(f, "the file cannot be read: {error}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(path, line) => write!(f, "{}:{line}", shown(path)),
            Self::File(path) => f.write_str(&shown(path)),
            Self::Overlay => f.write_str("the configuration that the host gave"),
            Self::Value => f.write_str("the configuration"),
        }
    }
}

fn shown(path: &std::path::Path) -> String {
    on_one_line(&path.to_string_lossy())
}
