//! The list of skills: the value of `core/skills`, and its words (R-CFG-5).

use super::SkillName;
use crate::{
    path::{AbsolutePath, on_one_line},
    reason::Warning,
    text::is_invisible,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt::Write, sync::Arc};

/// The skills that can be loaded, by name. The model is told names and descriptions; where each was
/// found is kept, so that a look that fails there takes nothing away (R-OBS-1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillListing {
    skills: Vec<ListedSkill>,
}

/// One skill of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedSkill {
    /// Its name.
    pub name: SkillName,
    /// What it does, and when to use it.
    pub description: Arc<str>,
    /// Its `SKILL.md`; a value of a host's has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<AbsolutePath>,
    /// The directory of skills that it was found in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<AbsolutePath>,
    /// Whether a host offered it in its process's life, itself or its directory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offered: bool,
}

impl SkillListing {
    /// The list of `skills`; of equal names the first counts.
    #[must_use]
    pub fn new(skills: impl IntoIterator<Item = ListedSkill>) -> Self {
        let mut by_name = BTreeMap::new();
        for skill in skills {
            by_name.entry(skill.name.clone()).or_insert(skill);
        }
        Self { skills: by_name.into_values().collect() }
    }

    /// The skills, by name.
    #[must_use]
    pub fn skills(&self) -> &[ListedSkill] {
        &self.skills
    }

    /// The stored form.
    #[must_use]
    pub fn encode(&self) -> Arc<str> {
        // Names, texts and paths only: JSON can hold them.
        serde_json::to_string(self).unwrap_or_default().into()
    }

    /// The list of a stored form; nothing where this release does not understand it (R-TXT-4).
    #[must_use]
    pub fn decode(value: &str) -> Option<Self> {
        serde_json::from_str(value).ok()
    }

    /// The same list, each skill where `later` has it.
    pub(crate) fn found_as_in(&self, later: &Self) -> Self {
        let moved = |skill: &ListedSkill| {
            let now = later.skills.iter().find(|now| now.name == skill.name);
            let description = skill.description.clone();
            now.map_or_else(|| skill.clone(), |now| ListedSkill { description, ..now.clone() })
        };
        Self { skills: self.skills.iter().map(moved).collect() }
    }

    /// What a reader may want to know of the descriptions (R-OBS-5).
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let any = |odd: fn(char) -> bool| {
            self.skills.iter().any(|skill| skill.description.chars().any(odd))
        };
        let invalid = any(|c| c == '\u{fffd}').then_some(Warning::InvalidText);
        let invisible = any(is_invisible).then_some(Warning::InvisibleCharacters);
        invalid.into_iter().chain(invisible).collect()
    }

    /// Whether two values tell the same: where a skill was found is told to nobody.
    pub(crate) fn tell_the_same(one: &str, other: &str) -> bool {
        if one == other {
            return true;
        }
        let (Some(one), Some(other)) = (Self::decode(one), Self::decode(other)) else {
            return false;
        };
        one.told().eq(other.told())
    }

    /// The whole list as text; nothing of no skills.
    pub(crate) fn block(value: &str) -> String {
        let Some(listing) = Self::decode(value) else { return String::new() };
        if listing.skills.is_empty() {
            return String::new();
        }
        let mut text = String::from("Skills that can be loaded by name, and what each is for:");
        listing.skills.iter().for_each(|skill| describe(&mut text, skill));
        text
    }

    /// What differs from `old` as text: what is gone, what is new, what is described differently (R-CFG-5).
    /// Nothing where either is not understood.
    pub(crate) fn delta(old: &str, new: &str) -> Option<String> {
        let (old, new) = (Self::decode(old)?, Self::decode(new)?);
        let before: BTreeMap<_, _> = old.told().collect();
        let after: BTreeMap<_, _> = new.told().collect();
        let gone: Vec<_> = before.keys().filter(|name| !after.contains_key(*name)).collect();
        let (mut added, mut changed) = (String::new(), String::new());
        for skill in &new.skills {
            match before.get(&skill.name) {
                None => describe(&mut added, skill),
                Some(description) if **description != *skill.description => {
                    describe(&mut changed, skill);
                }
                Some(_) => {}
            }
        }
        let mut parts = Vec::new();
        if !gone.is_empty() {
            let names: String = gone.iter().map(|name| format!("\n- {name}")).collect();
            parts.push(format!("Skills that can no longer be loaded:{names}"));
        }
        if !added.is_empty() {
            parts.push(format!("New skills:{added}"));
        }
        if !changed.is_empty() {
            parts.push(format!("Skills with another description:{changed}"));
        }
        Some(parts.join("\n"))
    }

    fn told(&self) -> impl Iterator<Item = (&SkillName, &str)> {
        self.skills.iter().map(|skill| (&skill.name, &*skill.description))
    }
}

/// One line: a description forges no other.
fn describe(text: &mut String, skill: &ListedSkill) {
    let words: Vec<_> = skill.description.split_whitespace().collect();
    // Writing to a text does not fail.
    let _ = write!(text, "\n- {}: {}", skill.name, on_one_line(&words.join(" ")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn skill(name: &str, description: &str) -> ListedSkill {
        ListedSkill {
            name: name.parse().unwrap(),
            description: description.into(),
            path: None,
            directory: None,
            offered: false,
        }
    }

    fn listing(skills: &[(&str, &str)]) -> Arc<str> {
        SkillListing::new(skills.iter().map(|(name, said)| skill(name, said))).encode()
    }

    #[test]
    fn r_cfg_3_the_list_says_names_and_descriptions() {
        let value = listing(&[("review", "Reviews."), ("pdf", "Reads\n  PDF\r\nfiles.")]);
        assert_snapshot!(SkillListing::block(&value), @r"
        Skills that can be loaded by name, and what each is for:
        - pdf: Reads PDF files.
        - review: Reviews.
        ");
        assert_eq!(SkillListing::block(&listing(&[])), "");
        assert_eq!(SkillListing::block("no list"), "");
    }

    #[test]
    fn r_amb_6_a_description_forges_no_line() {
        let value = listing(&[("a", "x\n- b: y\u{2028}- c: z\u{1b}[0m")]);
        assert_snapshot!(SkillListing::block(&value), @r"
        Skills that can be loaded by name, and what each is for:
        - a: x - b: y - c: z\u{1b}[0m
        ");
    }

    #[test]
    fn r_cfg_5_a_change_tells_what_differs() {
        let old = listing(&[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")]);
        let new = listing(&[("b", "2"), ("c", "1"), ("e", "1"), ("f", "1")]);
        assert_snapshot!(SkillListing::delta(&old, &new).unwrap(), @r"
        Skills that can no longer be loaded:
        - a
        - d
        New skills:
        - e: 1
        - f: 1
        Skills with another description:
        - b: 2
        ");
        assert_snapshot!(SkillListing::delta(&old, &listing(&[("a", "1")])).unwrap(), @r"
        Skills that can no longer be loaded:
        - b
        - c
        - d
        ");
        assert_eq!(SkillListing::delta("no list", &new), None);
    }

    #[test]
    fn r_bnd_4_where_a_skill_lies_is_told_to_nobody() {
        let path = crate::testing::path;
        let here = ListedSkill { path: Some(path("/a/x/SKILL.md")), ..skill("x", "1") };
        let there =
            ListedSkill { path: Some(path("/b/x/SKILL.md")), offered: true, ..here.clone() };
        let value = |skill: ListedSkill| SkillListing::new([skill]).encode();
        assert_ne!(value(here.clone()), value(there.clone()));
        assert!(SkillListing::tell_the_same(&value(here.clone()), &value(there)));
        assert!(!SkillListing::tell_the_same(&value(here.clone()), &listing(&[("x", "2")])));
        assert!(!SkillListing::tell_the_same(&value(here), "no list"));
    }

    #[test]
    fn r_obs_11_a_list_as_it_was_told_can_have_moved_since() {
        let path = crate::testing::path;
        let at = |directory: &str, said: &str| ListedSkill {
            directory: Some(path(directory)),
            ..skill("x", said)
        };
        let told = SkillListing::new([at("/a", "told"), skill("y", "1")]);
        let moved = told.found_as_in(&SkillListing::new([at("/b", "seen"), skill("z", "1")]));
        assert_eq!(moved, SkillListing::new([at("/b", "told"), skill("y", "1")]));
    }

    #[test]
    fn r_cfg_4_of_equal_names_the_first_counts() {
        let listing = SkillListing::new([skill("x", "near"), skill("a", "1"), skill("x", "far")]);
        let told: Vec<_> = listing.told().map(|(name, said)| (name.as_str(), said)).collect();
        assert_eq!(told, [("a", "1"), ("x", "near")]);
        assert_eq!(SkillListing::decode(&listing.encode()), Some(listing));
    }

    #[test]
    fn r_obs_5_odd_characters_are_reported() {
        let warnings = |said: &str| SkillListing::new([skill("x", said)]).warnings();
        assert_eq!(warnings("plain"), []);
        assert_eq!(warnings("a\u{202e}b"), [Warning::InvisibleCharacters]);
        assert_eq!(warnings("a\u{fffd}b"), [Warning::InvalidText]);
    }
}
