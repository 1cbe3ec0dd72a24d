//! Configured files and URLs: the user's entries, then the project's, each at its entry's place (R-CFG-1).

use super::{Candidate, KnownMatches, Treatment};
use crate::{
    configuration::ProjectConfiguration,
    key::Origin,
    look::{Containment, Hidden, Scan},
    path::{AbsolutePath, CanonicalPath},
    place::Place,
    policy::{Globs, Include, IncludeGlob, Links, Policy},
    url::UrlList,
};

/// How deep a glob with `**` looks (R-OBS-12).
const DEPTH_MAX: u32 = 16;

/// A glob that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The glob.
    pub glob: IncludeGlob,
    /// Where its root must really be.
    pub containment: Containment,
}

impl Pattern {
    pub(crate) fn scan(&self, policy: &Policy) -> Scan {
        Scan {
            directory: self.glob.root().clone(),
            containment: self.containment.clone(),
            max_depth: self.glob.depth().unwrap_or(DEPTH_MAX).min(DEPTH_MAX),
            max_entries: policy.limits.directory_entries,
            max_directories: policy.limits.directory_entries,
            hidden: if self.glob.wants_hidden() { Hidden::Counts } else { Hidden::LeftOut },
        }
    }

    /// Whether a match can lie deeper than a scan goes.
    pub(crate) fn is_cut_by_depth(&self) -> bool {
        self.glob.depth().is_none_or(|depth| depth > DEPTH_MAX)
    }
}

/// What a project excludes of its own, beside what the user does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectExclude {
    boundary: CanonicalPath,
    globs: Globs,
}

impl ProjectExclude {
    /// Its globs are relative to the boundary; a whole path counts as well.
    pub(crate) fn matches(&self, path: &AbsolutePath) -> bool {
        let below = path.as_path().strip_prefix(self.boundary.as_path());
        below.is_ok_and(|below| self.globs.matches_path(below)) || self.globs.matches(path)
    }
}

/// The configured candidates.
#[derive(Debug, Default)]
pub(super) struct Configured {
    pub(super) groups: Vec<Vec<Candidate>>,
    pub(super) patterns: Vec<Pattern>,
    pub(super) urls: UrlList,
    pub(super) exclude: Option<ProjectExclude>,
    entries: u32,
}

impl Configured {
    pub(super) fn new(
        boundary: &CanonicalPath,
        policy: &Policy,
        project: Option<&ProjectConfiguration>,
        matches: &KnownMatches,
    ) -> Self {
        let mut configured = Self::default();
        for include in &policy.instructions.include {
            configured.add(include, Origin::User, Containment::Anywhere, matches, policy);
        }
        let Some(project) = project else { return configured };
        let containment = match policy.instructions.links {
            Links::InsideProject => Containment::Within(boundary.clone()),
            Links::Anywhere => Containment::Anywhere,
        };
        for entry in &project.include {
            // It was read before it counted: what an older told wrote down differently is passed over.
            if let Ok(include) = Include::new(entry.secret(), Some(boundary.as_absolute()), None) {
                let containment = containment.clone();
                configured.add(&include, Origin::Project, containment, matches, policy);
            }
        }
        configured.exclude = Globs::new(&project.exclude)
            .ok()
            .filter(|_| !project.exclude.is_empty())
            .map(|globs| ProjectExclude { boundary: boundary.clone(), globs });
        configured
    }

    fn add(
        &mut self,
        include: &Include,
        origin: Origin,
        containment: Containment,
        matches: &KnownMatches,
        policy: &Policy,
    ) {
        let entry = self.entries;
        self.entries = self.entries.saturating_add(1);
        let contained = containment != Containment::Anywhere;
        let candidate = |path: &AbsolutePath, place, pattern| Candidate {
            path: path.clone(),
            place: Place::Configured { entry, path: place },
            origin,
            scope: None,
            treatment: Treatment::Tell,
            contained,
            pattern,
        };
        match include {
            Include::Path(path) => self.groups.push(vec![candidate(path, None, None)]),
            Include::Glob(glob) => {
                let pattern = self.patterns.len();
                let found = matches.of(glob).iter();
                let group =
                    |at: &AbsolutePath| vec![candidate(at, Some(at.clone()), Some(pattern))];
                self.groups.extend(found.map(group));
                self.patterns.push(Pattern { glob: glob.clone(), containment });
            }
            Include::Url(url) if origin == Origin::Project => {
                self.urls.add_projects(url, entry, policy);
            }
            Include::Url(url) => self.urls.add_users(url, entry, policy),
        }
    }
}
