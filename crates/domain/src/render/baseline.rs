//! The baseline: every active source, once, in the order of telling.

use super::{Part, RenderedText, Renderer};
use crate::key::{Origin, SourceKey};

/// One source of a baseline.
#[derive(Clone, Debug)]
pub struct Told<'a> {
    /// Its name.
    pub key: &'a SourceKey,
    /// Who wrote it.
    pub origin: Origin,
    /// Turns the value into text.
    pub renderer: Renderer,
    /// The value.
    pub value: &'a str,
}

/// What a baseline with two or more instruction files begins with (R-AMB-8).
pub(crate) const PRECEDENCE: &str = "Where the instructions below disagree, the more specific ones \
    count: a project's over the global ones, and a deeper directory's over a broader one's, in \
    whatever order they were told.";

/// The baseline's text. Of no sources it is the empty text (R-BND-2).
#[must_use]
pub fn baseline(sources: &[Told<'_>]) -> RenderedText {
    let instructions = sources.iter().filter(|source| source.key.is_instruction()).count();
    let mut parts = Vec::with_capacity(sources.len() + 1);
    if instructions >= 2 {
        parts.push(Part::note(PRECEDENCE.to_owned()));
    }
    parts.extend(sources.iter().map(|source| Part {
        source: Some(source.key.clone()),
        origin: source.origin,
        text: source.renderer.block(source.value),
    }));
    RenderedText::new(parts)
}
