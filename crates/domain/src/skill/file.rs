//! A `SKILL.md`: front matter in YAML between two lines of `---`, then the body (R-CFG-3).

use super::{NoSkillName, SkillName};
use crate::{
    path::on_one_line,
    text::{self, DeliveredText},
};
use serde::Deserialize;
use std::sync::Arc;

/// The file that makes a directory a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Front matter ends within so many bytes of its file: no more is read for the list.
pub const FRONT_MATTER_BYTES_MAX: u64 = 16 * 1024;

/// The longest description, in characters.
const DESCRIPTION_MAX: usize = 1_024;

/// What a `SKILL.md` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFile {
    /// The skill's name.
    pub name: SkillName,
    /// What it does, and when to use it.
    pub description: Arc<str>,
    /// What follows the front matter, as far as the file was read, cut visibly where that is not all.
    pub body: DeliveredText,
}

/// How a `SKILL.md` breaks the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkillFault {
    /// The first line is no `---`.
    #[error("it does not begin with front matter: a first line of `---`")]
    NoFrontMatter,
    /// No second `---`.
    #[error("its front matter does not end: a line of `---` is missing")]
    NoEnd,
    /// No second `---` within the limit.
    #[error("its front matter does not end within {FRONT_MATTER_BYTES_MAX} bytes")]
    TooLong,
    /// What lies between is no YAML, or passes a limit on YAML.
    #[error("its front matter cannot be read: {0}")]
    NotYaml(String),
    /// No `name`.
    #[error("its front matter has no `name`")]
    NoName,
    /// A name that none can be.
    #[error(transparent)]
    Name(#[from] NoSkillName),
    /// The name is another than the directory's.
    #[error("it is named `{name}`, and its directory is not")]
    NameIsNotItsDirectory {
        /// The name.
        name: SkillName,
    },
    /// No `description`, or an empty one.
    #[error("its front matter has no `description`")]
    NoDescription,
    /// A description over the limit.
    #[error("its `description` has {0} characters, and {DESCRIPTION_MAX} are the most")]
    DescriptionTooLong(usize),
}

/// What counts of the front matter. Other keys are for others.
#[derive(Deserialize)]
struct FrontMatter {
    name: Option<String>,
    description: Option<String>,
}

impl SkillFile {
    /// Reads the first `bytes` of a `SKILL.md` of `size` bytes. `directory` is the name of the one that
    /// holds it.
    ///
    /// # Errors
    /// [`SkillFault`].
    pub fn read(bytes: &[u8], size: u64, directory: Option<&str>) -> Result<Self, SkillFault> {
        let decoded = text::decode(bytes, size);
        let (matter, body) = halves(&decoded.text, decoded.truncated)?;
        let matter = front_matter(matter)?;
        let name: SkillName = matter.name.ok_or(SkillFault::NoName)?.parse()?;
        if directory != Some(name.as_str()) {
            return Err(SkillFault::NameIsNotItsDirectory { name });
        }
        let description = described(matter.description.as_deref().unwrap_or_default())?;
        Ok(Self { name, description, body: decoded.deliver(body, size) })
    }
}

/// A description as it counts.
pub(super) fn described(text: &str) -> Result<Arc<str>, SkillFault> {
    let text = text.trim();
    match text.chars().count() {
        0 => Err(SkillFault::NoDescription),
        count if count > DESCRIPTION_MAX => Err(SkillFault::DescriptionTooLong(count)),
        _ => Ok(text.into()),
    }
}

/// The front matter and the body.
fn halves(text: &str, truncated: bool) -> Result<(&str, &str), SkillFault> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_fence(line)).ok_or(SkillFault::NoFrontMatter)?;
    let start = first.len();
    let mut end = start;
    for line in lines {
        if end as u64 > FRONT_MATTER_BYTES_MAX {
            break;
        }
        if is_fence(line) {
            return Ok((&text[start..end], &text[end + line.len()..]));
        }
        end += line.len();
    }
    let cut = truncated || end as u64 > FRONT_MATTER_BYTES_MAX;
    Err(if cut { SkillFault::TooLong } else { SkillFault::NoEnd })
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

fn front_matter(text: &str) -> Result<FrontMatter, SkillFault> {
    // An empty document is no mapping.
    if text.trim().is_empty() {
        return Ok(FrontMatter { name: None, description: None });
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 4_000,
            max_nodes: 2_000,
            max_depth: 16,
            max_documents: 1,
            max_aliases: 100,
            max_anchors: 100,
            flow_nesting_limit: 16,
            max_recorded_anchor_events: 4_000,
            max_recorded_anchor_bytes: 64 * 1024,
            max_total_scalar_bytes: 64 * 1024,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 4_000,
            max_replay_stack_depth: 8,
            max_alias_expansions_per_anchor: 100,
        },
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let said = error.to_string();
        let said: String = said.lines().next().unwrap_or_default().chars().take(200).collect();
        SkillFault::NotYaml(on_one_line(&said))
    })
}

#[cfg(test)]
mod tests;
