//! Skills: the Agent Skills format, the directories that hold them, and the one list that is told of
//! them (R-CFG-3 to R-CFG-5).

mod file;
mod listing;
mod name;

pub use file::{FRONT_MATTER_BYTES_MAX, SKILL_FILE, SkillFault, SkillFile};
pub use listing::{ListedSkill, SkillListing};
pub use name::{NoSkillName, SkillName};
