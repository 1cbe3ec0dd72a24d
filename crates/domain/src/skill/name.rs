//! What a skill can be called.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr, sync::Arc};

/// A skill's name: 1 to 64 of a-z, 0-9 and single hyphens, which stand between two others (R-CFG-3).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SkillName(Arc<str>);

/// A text that no skill can be called by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no skill's name: 1 to 64 of a-z, 0-9 and single hyphens, none at the start or the end"
)]
pub struct NoSkillName(String);

impl SkillName {
    /// The longest name, in characters.
    pub const LENGTH_MAX: usize = 64;

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SkillName {
    type Err = NoSkillName;

    fn from_str(text: &str) -> Result<Self, NoSkillName> {
        let plain = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        if text.len() <= Self::LENGTH_MAX && text.split('-').all(plain) {
            Ok(Self(text.into()))
        } else {
            Err(NoSkillName(text.chars().take(80).collect()))
        }
    }
}

impl TryFrom<String> for SkillName {
    type Error = NoSkillName;

    fn try_from(text: String) -> Result<Self, NoSkillName> {
        text.parse()
    }
}

impl From<SkillName> for String {
    fn from(name: SkillName) -> Self {
        name.as_str().to_owned()
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_cfg_3_a_name_is_of_small_letters_digits_and_single_hyphens() {
        let longest = "a".repeat(64);
        for name in ["a", "pdf", "pdf-tools", "2", "a-1-b", &longest] {
            assert_eq!(name.parse::<SkillName>().unwrap().as_str(), name);
        }
        let too_long = "a".repeat(65);
        let odd = ["", "-", "-a", "a-", "a--b", "A", "a_b", "a b", "a.b", "é", "a\n", "a/b", ".."];
        for name in odd.into_iter().chain([too_long.as_str()]) {
            assert!(name.parse::<SkillName>().is_err(), "{name:?}");
            let json = serde_json::to_string(name).unwrap();
            assert!(serde_json::from_str::<SkillName>(&json).is_err(), "{name:?}");
        }
    }
}
