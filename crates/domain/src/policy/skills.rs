//! Which directories hold skills.

use super::NoInclude;
use crate::path::AbsolutePath;
use serde::{Serialize, Serializer};
use std::{fmt, path::Path, sync::Arc};

/// Which directories hold skills, and how deep they are looked through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillPolicy {
    /// The directories, in order.
    pub directories: Vec<SkillDirectory>,
    /// How many directories deep a skill's own directory may lie (R-OBS-12).
    pub max_depth: u32,
}

impl Default for SkillPolicy {
    fn default() -> Self {
        Self { directories: Vec::new(), max_depth: 6 }
    }
}

/// One entry of `skills.directories`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillDirectory {
    /// Below the project boundary and every directory from there down to the Location.
    Relative(Arc<str>),
    /// This one.
    At(AbsolutePath),
    /// This one of the home directory's: of equal names its skills count last (R-CFG-4).
    Home {
        /// Where it is.
        at: AbsolutePath,
        /// As it is written, with its `~`: the path alone would be read as any other.
        written: Arc<str>,
    },
}

impl SkillDirectory {
    /// The entry `text`. `~` is `home`.
    ///
    /// # Errors
    /// [`NoInclude`] where no path can be so, or there is no home directory.
    pub fn new(text: &str, home: Option<&AbsolutePath>) -> Result<Self, NoInclude> {
        let bad = |why| NoInclude::Path(text.replace('\0', "\u{fffd}"), why);
        if text.is_empty() || text.contains('\0') {
            return Err(bad(crate::path::PathError::NotUtf8));
        }
        if let Some(below) = text.strip_prefix('~').filter(|b| b.is_empty() || b.starts_with('/')) {
            let home = home.ok_or(NoInclude::NoHome)?;
            let at = home.resolve(below.trim_start_matches('/')).map_err(bad)?;
            return Ok(Self::Home { at, written: text.into() });
        }
        if Path::new(text).is_absolute() {
            return AbsolutePath::new(text).map(Self::At).map_err(bad);
        }
        Ok(Self::Relative(text.into()))
    }
}

impl fmt::Display for SkillDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relative(text) => f.write_str(text),
            Self::At(path) => path.fmt(f),
            Self::Home { written, .. } => f.write_str(written),
        }
    }
}

impl Serialize for SkillDirectory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::path;

    #[test]
    fn r_cfg_3_a_directory_is_relative_whole_or_the_homes() {
        let home = path("/home/me");
        let directory = |text: &str| SkillDirectory::new(text, Some(&home));
        let of_home = |at, written: &str| SkillDirectory::Home { at, written: written.into() };
        for (text, expect) in [
            (".agents/skills", SkillDirectory::Relative(".agents/skills".into())),
            ("~other/skills", SkillDirectory::Relative("~other/skills".into())),
            ("/opt/skills/", SkillDirectory::At(path("/opt/skills"))),
            ("~/.agents/skills", of_home(path("/home/me/.agents/skills"), "~/.agents/skills")),
            ("~", of_home(home.clone(), "~")),
        ] {
            assert_eq!(directory(text), Ok(expect.clone()), "{text}");
            assert_eq!(directory(&expect.to_string()), Ok(expect), "{text} is shown as it is read");
        }
        assert!(directory("").is_err());
        assert!(directory("a\0b").is_err());
        assert_eq!(SkillDirectory::new("~/x", None), Err(NoInclude::NoHome));
    }
}
