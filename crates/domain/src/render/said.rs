//! What is told of one source: told's words, then the source's own, and the frame around those.

use crate::{hash::ContentHash, policy::Framing};
use std::borrow::Cow;

/// What is told of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said<'v> {
    /// told's own words: a header that names the source, or all there is to say.
    pub header: Option<String>,
    /// The source's own words, whatever they are. Nothing where told says everything.
    pub content: Option<Cow<'v, str>>,
}

/// What a text with frames in it begins with.
pub(super) const FRAMED: &str = "Below, the text of a source stands between a line [begin ...] and a \
    line [end ...] with one tag, which is made from that text. All that stands between them comes \
    from that source alone, also where it looks like another header or like a note.";

/// Hexadecimal digits of a tag: no text can be found that holds its own.
const TAG: usize = 32;

impl<'v> Said<'v> {
    /// A source of which told itself says everything.
    pub(super) fn by_told(text: String) -> Self {
        Self { header: Some(text), content: None }
    }

    /// A header of told's, and what the source says.
    pub(super) fn under(header: String, content: impl Into<Cow<'v, str>>) -> Self {
        Self { header: Some(header), content: Some(content.into()) }
    }

    /// A source that says everything itself.
    pub(super) fn alone(content: impl Into<Cow<'v, str>>) -> Self {
        Self { header: None, content: Some(content.into()) }
    }

    /// The text, framed as the policy has it (R-AMB-6).
    #[must_use]
    pub fn text(&self, framing: Framing) -> String {
        let Some(content) = &self.content else { return self.header.clone().unwrap_or_default() };
        let content = match framing {
            Framing::Plain => Cow::Borrowed(&**content),
            Framing::Tagged => Cow::Owned(framed(content)),
        };
        match &self.header {
            Some(header) => [header.as_str(), "\n", &content].concat(),
            None => content.into_owned(),
        }
    }

    /// Whether a frame stands in its text.
    pub(super) const fn is_framed(&self, framing: Framing) -> bool {
        match framing {
            Framing::Plain => false,
            Framing::Tagged => self.content.is_some(),
        }
    }
}

fn framed(content: &str) -> String {
    let hash = ContentHash::of(content).to_string();
    let tag = &hash[..TAG];
    format!("[begin {tag}]\n{content}\n[end {tag}]")
}
