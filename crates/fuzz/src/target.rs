//! The targets: who reads strangers' bytes, and what holds whatever they are.

mod answer;
mod configuration;
mod log;
mod project;
mod record;
mod rows;
mod session;
mod shell;
mod skill;
mod text;
mod url;
mod view;
mod wire;

pub(crate) use log::check_step;

use std::hash::{DefaultHasher, Hash, Hasher};

/// One reader and its property.
pub struct Target {
    /// What the command line and the corpus call it.
    pub name: &'static str,
    /// The property, in one sentence.
    pub holds: &'static str,
    /// Words that mean something to it.
    pub words: &'static [&'static str],
    /// The longest input.
    pub bytes_max: usize,
    /// Reads an input, and panics where the property breaks.
    pub check: fn(&[u8]) -> Came,
}

/// What an input came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Came {
    /// Whether it was accepted, so that the property had something to say.
    pub accepted: bool,
    /// Tells what it came to from what others came to.
    pub kind: u64,
}

impl Came {
    pub(crate) fn accepted(kind: impl Hash) -> Self {
        Self { accepted: true, kind: number(kind) }
    }

    pub(crate) fn refused(kind: impl Hash) -> Self {
        Self { accepted: false, kind: number(kind) }
    }
}

fn number(kind: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    kind.hash(&mut hasher);
    hasher.finish()
}

/// Every target.
pub const TARGETS: &[Target] = &[
    text::TARGET,
    record::TARGET,
    log::TARGET,
    rows::TARGET,
    session::TARGET,
    project::TARGET,
    configuration::TARGET,
    skill::TARGET,
    shell::TARGET,
    url::TARGET,
    answer::TARGET,
    wire::TARGET,
    view::TARGET,
];

/// Asserts that a text is one line that steers nothing, as all are that go into a sentence.
#[track_caller]
pub(crate) fn assert_one_line(text: &str) {
    let steers = text.chars().find(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
    assert_eq!(steers, None, "more than a line: {text:?}");
}
