//! The baseline: every active source, once, in the order of telling.

use super::{Part, RenderedText, Renderer, said::FRAMED};
use crate::{
    key::{Origin, SourceKey},
    policy::Framing,
};

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
pub fn baseline(sources: &[Told<'_>], framing: Framing) -> RenderedText {
    let instructions = sources.iter().filter(|source| source.key.is_instruction()).count();
    let mut parts = Vec::with_capacity(sources.len() + 2);
    if instructions >= 2 {
        parts.push(Part::note(PRECEDENCE.to_owned()));
    }
    let said: Vec<_> = sources.iter().map(|source| source.renderer.said(source.value)).collect();
    if said.iter().any(|said| said.is_framed(framing)) {
        parts.push(Part::note(FRAMED.to_owned()));
    }
    parts.extend(sources.iter().zip(said).map(|(source, said)| Part {
        source: Some(source.key.clone()),
        origin: source.origin,
        text: said.text(framing),
    }));
    RenderedText::new(parts)
}
