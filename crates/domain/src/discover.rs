//! `discover`: which directories a settled tool call made relevant (R-LOC-1, R-LOC-2, R-LOC-9).

use crate::{
    path::CanonicalPath,
    policy::{NestedProjects, PathLocal, Policy, ProjectFiles},
    reason::UnavailableReason,
    record::DiscoveredScope,
    session::Location,
};
use serde::{Serialize, Serializer};
use std::{collections::BTreeSet, sync::Arc};

/// One path of a settled call, as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// As the host gave it.
    pub path: Arc<str>,
    /// Where it leads, or why it leads nowhere.
    pub found: Result<Found, Ignorance>,
}

/// Where a settled path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The directory read: the listed one, or the read file's parent.
    pub directory: CanonicalPath,
    /// The nearest project at or above it, where a marker was seen below our own boundary.
    pub nested: Option<CanonicalPath>,
}

/// Why a path of a settled call discovers nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ignorance {
    /// It lies outside the project.
    OutsideProject,
    /// It lies in a project of its own, and policy ignores those.
    OtherProject,
    /// The call failed.
    FailedCall,
    /// It is a tool output that the host manages.
    Managed,
    /// It is a reference that the host fetched from elsewhere.
    External,
    /// Policy turns path-local instructions off.
    Disabled,
    /// It has no UTF-8 path.
    PathNotUtf8,
    /// Nobody could find out where it leads.
    Unavailable(UnavailableReason),
}

/// What a settled call discovers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// Directories, each once, broad to specific within a path.
    pub scopes: Vec<DiscoveredScope>,
    /// Paths that discover nothing, each with its reason.
    pub ignored: Vec<Ignored>,
}

/// A path that discovers nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ignored {
    /// As the host gave it.
    pub path: Arc<str>,
    /// Why.
    pub reason: Ignorance,
}

/// The scopes of `resources` for a session at `location`: the directories from below the boundary, or
/// from a nested project's own, down to each, less those that are ambient already.
#[must_use]
pub fn discover(location: &Location, resources: &[Resource], policy: &Policy) -> Discovery {
    let mut discovery = Discovery::default();
    let mut known = BTreeSet::new();
    for resource in resources {
        match resource.found.clone().and_then(|found| project_of(location, &found, policy)) {
            Err(reason) => {
                discovery.ignored.push(Ignored { path: resource.path.clone(), reason });
            }
            Ok((found, project)) => {
                for directory in scopes(location, &found.directory, &project) {
                    if known.insert(directory.clone()) {
                        let project = project.clone();
                        discovery.scopes.push(DiscoveredScope { directory, project });
                    }
                }
            }
        }
    }
    discovery
}

/// The project whose directories count for what was found.
fn project_of(
    location: &Location,
    found: &Found,
    policy: &Policy,
) -> Result<(Found, CanonicalPath), Ignorance> {
    let instructions = &policy.instructions;
    if instructions.path_local == PathLocal::Off || instructions.project == ProjectFiles::Disabled {
        return Err(Ignorance::Disabled);
    }
    if !found.directory.is_within(&location.boundary) {
        return Err(Ignorance::OutsideProject);
    }
    let project = match (&found.nested, instructions.nested_projects) {
        (None, _) => location.boundary.clone(),
        (Some(nested), NestedProjects::Own) => nested.clone(),
        (Some(_), NestedProjects::Ignore) => return Err(Ignorance::OtherProject),
    };
    Ok((found.clone(), project))
}

/// Broad to specific. The boundary's own directory is ambient, a nested project's is not.
fn scopes(
    location: &Location,
    directory: &CanonicalPath,
    project: &CanonicalPath,
) -> Vec<CanonicalPath> {
    let ambient = |above: &CanonicalPath| location.directory.is_within(above);
    let mut scopes: Vec<_> = directory
        .ancestors()
        .take_while(|above| above.is_within(project))
        .map(CanonicalPath::observed)
        .filter(|above| !ambient(above))
        .collect();
    scopes.reverse();
    scopes
}

impl Ignorance {
    /// The protocol's word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OutsideProject => "outside_project",
            Self::OtherProject => "other_project",
            Self::FailedCall => "failed_call",
            Self::Managed => "managed",
            Self::External => "external",
            Self::Disabled => "disabled",
            Self::PathNotUtf8 => "path_not_utf8",
            Self::Unavailable(reason) => reason.as_str(),
        }
    }
}

impl Serialize for Ignorance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
