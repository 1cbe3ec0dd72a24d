//! Every place where an instruction file may stand, whether or not one does today (R-AMB-1).

use super::configured::{Configured, Pattern, ProjectExclude};
use crate::{
    key::Origin,
    look::Withheld,
    path::{AbsolutePath, CanonicalPath},
    place::Place,
    plan::Standpoint,
    policy::{FileName, Links, Order, Policy, ProjectFiles},
    reason::WithheldReason,
    session::Trust,
    url::NamedUrl,
};

/// One place where an instruction file may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Where.
    pub path: AbsolutePath,
    /// Its place in the order of telling.
    pub place: Place,
    /// Who writes files there.
    pub origin: Origin,
    /// The directory that a path-local file applies to.
    pub scope: Option<CanonicalPath>,
    /// What becomes of a file there.
    pub treatment: Treatment,
    /// Whether its real path must lie inside the boundary (R-OBS-7).
    pub contained: bool,
    /// The glob that matched it, by index.
    pub pattern: Option<usize>,
}

/// What becomes of a file at a candidate's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It is read and told.
    Tell,
    /// A switch leaves it out: it is only looked whether it exists (R-AMB-5, R-AMB-9).
    Withhold(WithheldReason),
}

/// All candidates in name groups, broad to specific whatever the order of telling: a file that two
/// of them lead to stands at the first (R-OBS-8).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Each group's candidates; the first existing one wins.
    pub groups: Vec<Vec<Candidate>>,
    /// Candidates over the limit, the broadest, left out unread (R-OBS-12).
    pub over_limit: Vec<AbsolutePath>,
    /// The globs that are looked for, in their entries' order.
    pub patterns: Vec<Pattern>,
    /// The URLs that are looked at, in their entries' order.
    pub urls: Vec<NamedUrl>,
    /// What is named and not even looked for.
    pub withheld: Vec<Withheld>,
    /// What the project excludes of its own.
    pub project_exclude: Option<ProjectExclude>,
}

/// What the candidates follow from.
struct Ground<'a> {
    standpoint: &'a Standpoint<'a>,
    boundary: &'a CanonicalPath,
    policy: &'a Policy,
    /// The name groups that count in the project.
    names: &'a [Vec<FileName>],
}

impl Candidates {
    pub(crate) fn new(
        standpoint: &Standpoint<'_>,
        boundary: &CanonicalPath,
        policy: &Policy,
    ) -> Self {
        let project = standpoint.learned.project.counts().map(|project| &**project);
        let names = project.and_then(|project| project.names.as_deref());
        let names = names.unwrap_or(&policy.instructions.names);
        let ground = Ground { standpoint, boundary, policy, names };
        let matches = &standpoint.learned.matches;
        let configured = Configured::new(boundary, policy, project, matches);
        let mut groups = ground.global();
        groups.extend(ground.ambient());
        groups.extend(configured.groups);
        groups.extend(ground.path_local());
        let mut left = ground.policy.limits.candidates;
        let mut over_limit = Vec::new();
        // The most specific are kept: count from the end.
        let fits = |group: &Vec<Candidate>| {
            let size = group.len() as u64;
            let fits = size <= left;
            left = if fits { left - size } else { 0 };
            if !fits {
                over_limit.extend(group.iter().map(|candidate| candidate.path.clone()));
            }
            fits
        };
        let mut kept: Vec<_> = groups.into_iter().rev().filter(fits).collect();
        kept.reverse();
        over_limit.reverse();
        Self {
            groups: kept,
            over_limit,
            patterns: configured.patterns,
            urls: configured.urls.named,
            withheld: configured.urls.withheld,
            project_exclude: configured.exclude,
        }
    }
}

impl Ground<'_> {
    fn global(&self) -> Vec<Vec<Candidate>> {
        let global = |(index, path): (usize, &AbsolutePath)| {
            vec![Candidate {
                path: path.clone(),
                place: Place::Global(number(index)),
                origin: Origin::User,
                scope: None,
                treatment: Treatment::Tell,
                contained: false,
                pattern: None,
            }]
        };
        self.policy.instructions.global.iter().enumerate().map(global).collect()
    }

    fn ambient(&self) -> Vec<Vec<Candidate>> {
        let mut directories: Vec<_> = self
            .standpoint
            .directory
            .ancestors()
            .take_while(|above| above.is_within(self.boundary))
            .map(|directory| (directory, Side::Project))
            .collect();
        directories.extend(self.above_the_boundary().map(|directory| (directory, Side::Home)));
        directories.reverse();
        let last = directories.len().saturating_sub(1);
        let mut groups = Vec::new();
        for (index, (directory, side)) in directories.iter().enumerate() {
            let step = match self.policy.instructions.order {
                Order::BroadToSpecific => index,
                Order::NearestFirst => last - index,
            };
            // Above the boundary the project has no say.
            let names = match side {
                Side::Project => self.names,
                Side::Home => &self.policy.instructions.names,
            };
            for (group, names) in names.iter().enumerate() {
                let place = Place::Ambient { step: number(step), group: number(group) };
                groups.push(self.group(directory, names, &place, *side, None));
            }
        }
        groups
    }

    /// Where the walk goes on above the boundary, up to the home directory (R-AMB-5).
    fn above_the_boundary(&self) -> impl Iterator<Item = AbsolutePath> + use<'_> {
        let home = self.policy.instructions.walk_to_home.as_ref();
        let home = home.filter(|home| self.boundary.is_within(home));
        let above = self.boundary.ancestors().skip(1);
        above.take_while(move |above| home.is_some_and(|home| above.is_within(home)))
    }

    fn path_local(&self) -> Vec<Vec<Candidate>> {
        // A scope that today's boundary no longer contains is absent (R-LOC-9); one that is ambient
        // today has its candidates there.
        let counts = |directory: &&CanonicalPath| {
            directory.is_within(self.boundary) && !self.standpoint.directory.is_within(directory)
        };
        let scopes = self.standpoint.scopes.keys().filter(counts);
        let mut scopes: Vec<_> = scopes.map(|directory| (directory.depth(), directory)).collect();
        scopes.sort();
        let mut groups = Vec::new();
        for (depth, directory) in scopes {
            for (group, names) in self.names.iter().enumerate() {
                let place = Place::PathLocal {
                    depth: number(depth),
                    directory: directory.as_absolute().clone(),
                    group: number(group),
                };
                let scope = Some(directory.clone());
                groups.push(self.group(directory, names, &place, Side::Project, scope.as_ref()));
            }
        }
        groups
    }

    fn group(
        &self,
        directory: &AbsolutePath,
        names: &[FileName],
        place: &Place,
        side: Side,
        scope: Option<&CanonicalPath>,
    ) -> Vec<Candidate> {
        let (origin, contained, treatment) = match side {
            Side::Home => (Origin::User, false, Treatment::Tell),
            Side::Project => (Origin::Project, self.links_contained(), self.project_treatment()),
        };
        let candidate = |name: &FileName| Candidate {
            path: directory.join(name.as_str()),
            place: place.clone(),
            origin,
            scope: scope.cloned(),
            treatment,
            contained,
            pattern: None,
        };
        names.iter().map(candidate).collect()
    }

    fn links_contained(&self) -> bool {
        match self.policy.instructions.links {
            Links::InsideProject => true,
            Links::Anywhere => false,
        }
    }

    fn project_treatment(&self) -> Treatment {
        project_treatment(self.policy, self.standpoint.trust)
    }
}

/// What becomes of what the project offers.
pub(crate) const fn project_treatment(policy: &Policy, trust: Trust) -> Treatment {
    match (policy.instructions.project, trust) {
        (_, Trust::Untrusted) => Treatment::Withhold(WithheldReason::Untrusted),
        (ProjectFiles::Disabled, Trust::Trusted) => Treatment::Withhold(WithheldReason::Disabled),
        (ProjectFiles::Told, Trust::Trusted) => Treatment::Tell,
    }
}

#[derive(Clone, Copy)]
enum Side {
    /// Between the boundary and the Location, or in a scope.
    Project,
    /// Above the boundary, on the way to the home directory.
    Home,
}

/// Places count in `u32`; a path has far fewer components than that.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
