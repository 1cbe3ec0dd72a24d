//! The directories of skills, nearest first, and what is known of each before a look.

use super::{SKILL_FILE, SkillName, SkillOffers};
use crate::{
    instruction::{Treatment, project_treatment},
    key::Origin,
    look::{Below, Containment, Scan},
    path::{AbsolutePath, CanonicalPath},
    plan::Standpoint,
    policy::{Links, Policy, SkillDirectory},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

/// No more directories are looked through for skills below one (R-OBS-12).
const DIRECTORIES_MAX: u64 = 2_000;

/// One directory that may hold skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillRoot {
    /// Where.
    pub directory: AbsolutePath,
    /// Where its files must really be.
    pub containment: Containment,
    /// Who writes skills there.
    pub origin: Origin,
    /// What becomes of them.
    pub treatment: Treatment,
    /// How its skills rank among others of equal names.
    pub rank: Rank,
}

/// How near a skill is: of equal names the nearest counts (R-CFG-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// In the project, the Location's own directories first.
    Project,
    /// In a directory that the host offers.
    Offered,
    /// A value of the host's.
    Embedded,
    /// In a directory of the user's.
    User,
    /// In the user's home directory.
    Home,
}

impl SkillRoot {
    pub(crate) fn scan(&self, policy: &Policy) -> Scan {
        Scan {
            directory: self.directory.clone(),
            containment: self.containment.clone(),
            // A directory at the limit is one that is looked into.
            max_depth: policy.skills.max_depth.saturating_add(1),
            max_entries: policy.limits.directory_entries,
            max_directories: DIRECTORIES_MAX,
            hidden: crate::look::Hidden::Counts,
        }
    }
}

/// The directories of skills for `standpoint`, nearest first, each once.
pub(crate) fn roots(
    standpoint: &Standpoint<'_>,
    boundary: &CanonicalPath,
    policy: &Policy,
) -> Vec<SkillRoot> {
    let mut roots = project_roots(standpoint, boundary, policy);
    let outside = |directory: &AbsolutePath, origin, rank| SkillRoot {
        directory: directory.clone(),
        containment: Containment::Anywhere,
        origin,
        treatment: Treatment::Tell,
        rank,
    };
    let offered = standpoint.offers.directories.iter();
    roots.extend(offered.map(|directory| outside(directory, Origin::Host, Rank::Offered)));
    for directory in &policy.skills.directories {
        match directory {
            SkillDirectory::Relative(_) => {}
            SkillDirectory::At(at) => roots.push(outside(at, Origin::User, Rank::User)),
            SkillDirectory::Home { at, .. } => roots.push(outside(at, Origin::User, Rank::Home)),
        }
    }
    roots.sort_by_key(|root| root.rank);
    let mut known = BTreeSet::new();
    roots.retain(|root| known.insert(root.directory.clone()));
    roots
}

/// A project's own entries stand instead of the user's relative ones.
fn project_roots(
    standpoint: &Standpoint<'_>,
    boundary: &CanonicalPath,
    policy: &Policy,
) -> Vec<SkillRoot> {
    let own = standpoint.learned.project.counts().and_then(|project| project.skills.as_ref());
    let entries: Vec<&str> = match own {
        Some(own) => own.iter().map(String::as_str).collect(),
        None => policy.skills.directories.iter().filter_map(relative).collect(),
    };
    let containment = match policy.instructions.links {
        Links::InsideProject => Containment::Within(boundary.clone()),
        Links::Anywhere => Containment::Anywhere,
    };
    let treatment = project_treatment(policy, standpoint.trust);
    let walk = standpoint.directory.ancestors().take_while(|above| above.is_within(boundary));
    let below = walk.flat_map(|above| {
        entries.iter().filter_map(move |entry| above.resolve(entry).ok()).collect::<Vec<_>>()
    });
    let root = |directory| SkillRoot {
        directory,
        containment: containment.clone(),
        origin: Origin::Project,
        treatment,
        rank: Rank::Project,
    };
    below.map(root).collect()
}

fn relative(directory: &SkillDirectory) -> Option<&str> {
    match directory {
        SkillDirectory::Relative(text) => Some(text),
        SkillDirectory::At(_) | SkillDirectory::Home { .. } => None,
    }
}

/// What earlier looks taught of directories of skills: one that is known is read in the batch that
/// looks through it again, and one that is missing is asked for and not looked through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownSkills(BTreeMap<AbsolutePath, KnownRoot>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KnownRoot {
    /// No such directory.
    Missing,
    /// It holds these, sorted.
    Holds(Arc<[AbsolutePath]>),
}

impl KnownSkills {
    pub(crate) fn of(&self, directory: &AbsolutePath) -> Option<&KnownRoot> {
        self.0.get(directory)
    }

    pub(crate) fn set(&mut self, directory: &AbsolutePath, known: KnownRoot) {
        self.0.insert(directory.clone(), known);
    }
}

/// Where skills may lie in what was found below a directory: every `SKILL.md`, and one in each link that
/// a skill can be called by. What lies in a skill's directory belongs to that skill.
pub(crate) fn candidates(directory: &AbsolutePath, below: &Below) -> Vec<AbsolutePath> {
    let is_skill_file = |path: &Path| path.file_name().is_some_and(|name| name == SKILL_FILE);
    let files = below.paths.iter().filter(|path| is_skill_file(path));
    let skills: BTreeSet<&Path> = files.filter_map(|path| path.parent()).collect();
    let is_root = |path: &Path| path.as_os_str().is_empty();
    let belongs_to_one = |entry: &Path| {
        entry.ancestors().skip(1).any(|above| !is_root(above) && skills.contains(above))
    };
    let mut found = Vec::new();
    for path in &below.paths {
        let own = if is_skill_file(path) { path.parent().unwrap_or(path) } else { path };
        if belongs_to_one(own) {
            continue;
        }
        let may_be_called = || {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.parse::<SkillName>().is_ok())
        };
        if is_skill_file(path) {
            found.extend(directory.resolve(path));
        } else if may_be_called() {
            found.extend(directory.resolve(path.join(SKILL_FILE)));
        }
    }
    found.sort_by_key(|path| (path.depth(), path.clone()));
    found
}

/// The `SKILL.md`s whose paths are no text.
pub(crate) fn nameless<'a>(
    directory: &AbsolutePath,
    below: &'a Below,
) -> impl Iterator<Item = AbsolutePath> + use<'a> {
    let directory = directory.clone();
    let odd = below.paths.iter().filter(|path| path.to_str().is_none());
    let files = odd.filter(|path| path.file_name().is_some_and(|name| name == SKILL_FILE));
    files.map(move |path| directory.join(&path.to_string_lossy()))
}

/// Nothing offered.
#[must_use]
pub const fn no_offers() -> &'static SkillOffers {
    use super::DroppedOffers;
    static NONE: SkillOffers = SkillOffers {
        directories: Vec::new(),
        embedded: Vec::new(),
        dropped: DroppedOffers { directories: BTreeSet::new(), embedded: BTreeSet::new() },
    };
    &NONE
}
