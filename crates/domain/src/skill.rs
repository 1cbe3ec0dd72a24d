//! Skills: the Agent Skills format, the directories that hold them, and the one list that is told of
//! them (R-CFG-3 to R-CFG-5).
//!
//! [`SkillFile`] reads one `SKILL.md`, `roots` says which directories count and how near each is,
//! [`SkillSet`] what a look at them found, and [`SkillListing`] is the value that is told.

mod file;
mod listing;
mod name;
mod offers;
mod root;
mod set;

pub use file::{FRONT_MATTER_BYTES_MAX, SKILL_FILE, SkillFault, SkillFile};
pub use listing::{ListedSkill, SkillListing};
pub use name::{NoSkillName, SkillName};
pub use offers::{DroppedOffers, EmbeddedSkill, SkillOffers};
pub(crate) use root::{KnownRoot, candidates, nameless, roots};
pub use root::{KnownSkills, Rank, SkillRoot, no_offers};
pub use set::{FormerSkills, FoundSkill, HeldSkills, SkillSet, WhereFound};
pub(crate) use set::{RootSight, resolve};
