//! Where the shell is, as far as the text can tell.

use crate::limits;
use told_domain::path::AbsolutePath;

/// The shell's directory.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where the line began. No directory at or above it is a link.
    origin: AbsolutePath,
    /// Where it is now; nothing where a `cd` may have failed or led anywhere.
    here: Option<AbsolutePath>,
}

impl Place {
    pub(crate) fn new(origin: &AbsolutePath) -> Self {
        Self { origin: origin.clone(), here: Some(origin.clone()) }
    }

    /// Where `word` leads, as a system call takes it: `..` behind a link is not its parent by name,
    /// so it is followed only out of a directory that is known to be no link.
    pub(crate) fn opened(&self, word: &str) -> Option<AbsolutePath> {
        self.walk(word, |path| self.origin.is_within(path))
    }

    /// Goes to `word` as `cd` does, by names.
    pub(crate) fn enter(&mut self, word: &str) {
        self.here = self.walk(word, |_| true);
    }

    /// Nobody knows any more.
    pub(crate) fn lose(&mut self) {
        self.here = None;
    }

    fn walk(&self, word: &str, up: impl Fn(&AbsolutePath) -> bool) -> Option<AbsolutePath> {
        if word.is_empty() || word.len() > limits::PATH_BYTES || word.contains('\0') {
            return None;
        }
        let mut path = if word.starts_with('/') {
            self.origin.ancestors().last()?
        } else {
            self.here.clone()?
        };
        for name in word.split('/') {
            path = match name {
                "" | "." => path,
                ".." if up(&path) => path.parent().unwrap_or(path),
                ".." => return None,
                // There these separate names, or name a drive.
                _ if cfg!(windows) && name.contains(['\\', ':']) => return None,
                _ => path.join(name),
            };
        }
        Some(path)
    }
}
