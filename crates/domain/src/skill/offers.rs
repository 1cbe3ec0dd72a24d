//! What hosts offer in their process's life: directories of skills, and skills that are values (R-CFG-3).

use super::{SkillFault, SkillName, file::described};
use crate::path::AbsolutePath;
use std::{collections::BTreeSet, sync::Arc};

/// What the hosts of this process offer to a session, the session's own first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillOffers {
    /// Directories that hold skills.
    pub directories: Vec<AbsolutePath>,
    /// Skills that lie nowhere.
    pub embedded: Vec<EmbeddedSkill>,
    /// What was offered here and is no more: it is told as removed, not held.
    pub dropped: DroppedOffers,
}

/// Offers whose guards were dropped in this process (R-EPO-5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DroppedOffers {
    /// Directories.
    pub directories: BTreeSet<AbsolutePath>,
    /// Skills that were values.
    pub embedded: BTreeSet<SkillName>,
}

/// A skill that is a plain value of a host's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedSkill {
    name: SkillName,
    description: Arc<str>,
    body: Arc<str>,
}

impl EmbeddedSkill {
    /// A skill of this name.
    ///
    /// # Errors
    /// [`SkillFault`] where a `SKILL.md` could not say so either.
    pub fn new(name: &str, description: &str, body: &str) -> Result<Self, SkillFault> {
        let (name, description) = (name.parse()?, described(description)?);
        Ok(Self { name, description, body: body.into() })
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &SkillName {
        &self.name
    }

    /// What it does, and when to use it.
    #[must_use]
    pub const fn description(&self) -> &Arc<str> {
        &self.description
    }

    /// What is loaded on request.
    #[must_use]
    pub const fn body(&self) -> &Arc<str> {
        &self.body
    }
}

impl DroppedOffers {
    /// Adds what `other` has.
    pub fn extend(&mut self, other: Self) {
        self.directories.extend(other.directories);
        self.embedded.extend(other.embedded);
    }

    /// Whether nothing was dropped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.directories.is_empty() && self.embedded.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_cfg_3_an_embedded_skill_keeps_the_format() {
        let skill = EmbeddedSkill::new("pdf", " Reads PDF. ", "Body").unwrap();
        assert_eq!((skill.name().as_str(), &**skill.description()), ("pdf", "Reads PDF."));
        for (name, description) in [("PDF", "d"), ("pdf", ""), ("pdf", " "), ("", "d")] {
            assert!(EmbeddedSkill::new(name, description, "").is_err(), "{name:?} {description:?}");
        }
        assert!(EmbeddedSkill::new("pdf", &"d".repeat(1025), "").is_err());
    }
}
