//! What a settled tool call must discover, by the oracle's own reading of the rules.

use super::{
    disk::{Directory, Look},
    naive::{View, above, within},
    plan::{Access, Settling},
};
use told_domain::reason::UnavailableReason;

/// What a settled call must discover.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Discovered {
    /// Directories and the project that each belongs to.
    pub(super) scopes: Vec<(String, String)>,
    /// Paths that discover nothing, and why.
    pub(super) ignored: Vec<(String, &'static str)>,
}

impl Settling {
    /// The paths in the order in which they are looked at: a shell's come last, each once.
    pub(super) fn in_order(&self) -> (Vec<&(String, Access)>, Vec<&str>) {
        let (shell, named): (Vec<_>, Vec<_>) =
            self.paths.iter().partition(|(_, access)| *access == Access::Shell);
        let mut read: Vec<&str> = Vec::new();
        for (path, _) in shell {
            if !read.contains(&path.as_str()) {
                read.push(path);
            }
        }
        (named, read)
    }
}

impl View<'_> {
    /// What `settling` discovers where this is the boundary.
    pub(super) fn settled(&self, boundary: &str, settling: &Settling) -> Discovered {
        let mut discovered = Discovered::default();
        let (named, shell) = settling.in_order();
        let named = named.into_iter().map(|(path, access)| (path.as_str(), *access));
        for (path, access) in named.chain(shell.into_iter().map(|path| (path, Access::Shell))) {
            let found = match access {
                _ if settling.failed => Err("failed_call"),
                Access::Managed => Err("managed"),
                Access::External => Err("external"),
                Access::Listed => self.listed(path),
                Access::Read | Access::Shell => self.parent_of(path),
            };
            match found.and_then(|directory| self.scopes_of(boundary, &directory)) {
                Err(why) => discovered.ignored.push((path.to_owned(), why)),
                Ok(scopes) => {
                    for scope in scopes {
                        if !discovered.scopes.iter().any(|(known, _)| *known == scope.0) {
                            discovered.scopes.push(scope);
                        }
                    }
                }
            }
        }
        discovered
    }

    fn scopes_of(
        &self,
        boundary: &str,
        directory: &str,
    ) -> Result<Vec<(String, String)>, &'static str> {
        if !within(directory, boundary) {
            return Err("outside_project");
        }
        let project = match self.nested(boundary, directory) {
            Some(_) if !self.setup.nested_own => return Err("other_project"),
            Some(nested) => nested,
            None => boundary.to_owned(),
        };
        let mut scopes = above(directory);
        scopes.retain(|scope| within(scope, &project) && !within(self.directory, scope));
        scopes.reverse();
        Ok(scopes.into_iter().map(|scope| (scope, project.clone())).collect())
    }

    /// The nearest project around a directory below our own boundary. Where a marker cannot be looked
    /// at, ours counts.
    fn nested(&self, boundary: &str, directory: &str) -> Option<String> {
        for above in above(directory) {
            if !within(&above, boundary) {
                return None;
            }
            match self.disk.look(&format!("{above}/.git")) {
                Look::File(..) | Look::Other(_) => return (above != boundary).then_some(above),
                Look::Failed(_) => return None,
                Look::Nothing => {}
            }
        }
        None
    }

    fn listed(&self, path: &str) -> Result<String, &'static str> {
        match self.disk.directory(path) {
            Directory::Is(real) => Ok(real),
            Directory::Failed(reason) => Err(reason.as_str()),
            Directory::IsNone => Ok(self.would_be(path)),
        }
    }

    fn parent_of(&self, path: &str) -> Result<String, &'static str> {
        let parent = |path: &str| path.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
        match self.disk.look(path) {
            Look::File(..) if self.disk.churns(path) => {
                Err(UnavailableReason::ChangedWhileRead.as_str())
            }
            Look::File(real, _) => Ok(parent(&real)),
            Look::Failed(reason) => Err(reason.as_str()),
            Look::Nothing => self.listed(&parent(path)),
            Look::Other(_) => match self.disk.directory(path) {
                Directory::Is(real) => Ok(real),
                Directory::IsNone | Directory::Failed(_) => self.listed(&parent(path)),
            },
        }
    }

    /// Where a path that does not exist would be.
    fn would_be(&self, path: &str) -> String {
        for above in above(path) {
            if let Directory::Is(real) = self.disk.directory(&above) {
                return format!("{real}{}", &path[above.len()..]);
            }
        }
        path.to_owned()
    }
}
