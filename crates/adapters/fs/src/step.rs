//! The steps of a look, told to a test that wants to step in between.

use std::{path::Path, sync::Arc};

/// A moment inside a look. What a [`Hook`] does then, happens then: it can swap a file between its
/// discovery and its read, or hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A look at this path begins.
    Looking(&'a Path),
    /// A file is open and stamped; its first byte is not read yet.
    Reading(&'a Path),
    /// Its bytes are read; it is not stamped again yet.
    Stamping(&'a Path),
}

/// What to do at each step.
pub type Hook = Arc<dyn Fn(Step<'_>) + Send + Sync>;

impl Step<'_> {
    pub(crate) fn tell(self, hook: Option<&Hook>) {
        if let Some(hook) = hook {
            hook(self);
        }
    }
}
