//! The post-settlement hook: which files and directories a tool call read (R-LOC-1).

use crate::{Error, Session, turn::Fence};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};
use told_domain::{
    command::Command,
    discover::{Discovery, Found, Ignorance, Ignored, Resource, discover},
    instruction::{BoundarySight, KnownBoundary},
    look::{Containment, FileBytes, Looks, Read},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    plan::plan_markers,
    position::{Position, Revision},
    reason::WithheldReason,
    session::Location,
};
use told_ports::FileSystem;

/// A tool call that has settled, as a host's tool layer describes it.
#[derive(Clone, Debug, Default)]
pub struct ToolSettlement {
    /// The agent whose call it was.
    pub agent: Option<Arc<str>>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// The decoded input. A shell tool's is `{command, cwd?}`: what the command surely read is found
    /// in it.
    pub input: serde_json::Value,
    /// The structured output.
    pub output: serde_json::Value,
    /// What the call read, as far as the host knows.
    pub resources: Vec<SettledPath>,
    /// How it ended.
    pub outcome: Outcome,
    /// Where it stands; one below the last anchored position is raised to it.
    pub position: Option<Position>,
}

/// How a tool call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// It did what it was asked.
    #[default]
    Succeeded,
    /// It did not: it discovers nothing.
    Failed,
}

/// One path that a settled call read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledPath {
    /// The path; relative to the session's Location.
    pub path: PathBuf,
    /// What was done with it.
    pub kind: ReadKind,
    /// Where it comes from.
    pub origin: ResourceOrigin,
}

/// What was done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadKind {
    /// A file was read: text, an image, a PDF.
    File,
    /// A directory was listed.
    Directory,
}

/// Where a settled path comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResourceOrigin {
    /// The local file system.
    #[default]
    Local,
    /// A tool output that the host manages: it discovers nothing.
    Managed,
    /// A reference from elsewhere: it discovers nothing.
    External,
}

/// What a settlement discovered. It is durable when the call returns; nothing is told yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The session's last record.
    pub revision: Revision,
    /// Scopes that are new to the session.
    pub discovered: Vec<CanonicalPath>,
    /// Paths that discover nothing, each with its reason.
    pub ignored: Vec<Ignored>,
}

/// Knows what some tool's calls read: a host's tool layer or a plugin takes part through it. Register
/// one with [`crate::SystemContextRegistry::register_reader`].
pub trait ReadsOfTool: Send + Sync {
    /// What `settlement` surely read, beyond the resources that it names. Relative paths are taken
    /// from the session's `directory`.
    fn reads(&self, settlement: &ToolSettlement, directory: &AbsolutePath) -> Vec<SettledPath>;
}

/// Reads the `{command, cwd?}` of a shell tool.
pub(crate) struct ShellReads;

impl ReadsOfTool for ShellReads {
    fn reads(&self, settlement: &ToolSettlement, directory: &AbsolutePath) -> Vec<SettledPath> {
        let text = |key| settlement.input.get(key).and_then(serde_json::Value::as_str);
        let Some(command) = text("command") else { return Vec::new() };
        let Ok(cwd) = directory.resolve(text("cwd").unwrap_or(".")) else { return Vec::new() };
        let read = |read: told_shell::ShellRead| SettledPath {
            path: read.path.as_path().to_owned(),
            kind: match read.kind {
                told_shell::ReadKind::Directory => ReadKind::Directory,
                // Which of the two it is, the look says.
                told_shell::ReadKind::File | told_shell::ReadKind::Either => ReadKind::File,
            },
            origin: ResourceOrigin::Local,
        };
        told_shell::reads(command, &cwd).into_iter().map(read).collect()
    }
}

impl Session {
    /// Notes what a settled tool call read: directories with instructions of their own become scopes
    /// of the session, and what stands there is told at the next boundary (R-LOC-1…3).
    ///
    /// # Errors
    /// [`Error::LocationChanged`], [`Error::UnknownSession`], [`Error::Store`]. None of them is the
    /// tool call's: a host logs them and goes on.
    pub async fn settle(&self, settlement: &ToolSettlement) -> Result<Settled, Error> {
        let mut turn = self.turn(Fence::Location).await;
        loop {
            let known = turn.known(self).await?;
            let location = Location {
                directory: known.standing.state.location.directory.clone(),
                boundary: known
                    .boundary
                    .of(&known.standing.state.location.directory)
                    .unwrap_or_else(|| known.standing.state.location.boundary.clone()),
            };
            let mut readers = known.services.registry().readers();
            readers.extend(self.core.registry.readers());
            let resources = self.resources(settlement, &location, &readers).await;
            let discovery = discover(&location, &resources, &self.world().policy);
            let before = known.standing.state.told.scopes.clone();
            let command = Command::Discover {
                position: settlement.position,
                agent: settlement.agent.clone(),
                scopes: &discovery.scopes,
            };
            if let Some(known) = self.done(&mut turn, &command).await? {
                let scopes = discovery.scopes.into_iter().map(|scope| scope.directory);
                return Ok(Settled {
                    revision: known.standing.state.revision,
                    discovered: scopes.filter(|scope| !before.contains_key(scope)).collect(),
                    ignored: discovery.ignored,
                });
            }
        }
    }

    /// What reading `paths` would discover.
    pub(crate) async fn as_if_read(&self, location: &Location, paths: &[PathBuf]) -> Discovery {
        let read = |path: &PathBuf| SettledPath {
            path: path.clone(),
            kind: ReadKind::File,
            origin: ResourceOrigin::Local,
        };
        let resources = paths.iter().map(read).collect();
        let settlement = ToolSettlement { resources, ..ToolSettlement::default() };
        let resources = self.resources(&settlement, location, &[]).await;
        discover(location, &resources, &self.world().policy)
    }

    fn files_at(&self, location: &Location) -> Arc<dyn FileSystem> {
        self.world().files_at(&location.directory)
    }

    /// Finds where each path of a settlement leads.
    async fn resources(
        &self,
        settlement: &ToolSettlement,
        location: &Location,
        readers: &[Arc<dyn ReadsOfTool>],
    ) -> Vec<Resource> {
        let mut paths = settlement.resources.clone();
        for reader in readers.iter().map(|reader| &**reader).chain([&ShellReads as _]) {
            paths.extend(reader.reads(settlement, &location.directory));
        }
        let mut projects = BTreeMap::new();
        let mut resources = Vec::with_capacity(paths.len());
        for settled in paths {
            let path = Arc::from(settled.path.to_string_lossy());
            let found = match (settlement.outcome, settled.origin) {
                (Outcome::Failed, _) => Err(Ignorance::FailedCall),
                (Outcome::Succeeded, ResourceOrigin::Managed) => Err(Ignorance::Managed),
                (Outcome::Succeeded, ResourceOrigin::External) => Err(Ignorance::External),
                (Outcome::Succeeded, ResourceOrigin::Local) => {
                    self.found(&settled, location, &mut projects).await
                }
            };
            resources.push(Resource { path, found });
        }
        resources
    }

    async fn found(
        &self,
        settled: &SettledPath,
        location: &Location,
        projects: &mut BTreeMap<CanonicalPath, Option<CanonicalPath>>,
    ) -> Result<Found, Ignorance> {
        let path = location.directory.resolve(&settled.path).map_err(|_| Ignorance::PathNotUtf8)?;
        let directory = match settled.kind {
            ReadKind::Directory => self.listed(&path, location).await?,
            ReadKind::File => self.parent_of(&path, location).await?,
        };
        let nested = match projects.get(&directory) {
            Some(nested) => nested.clone(),
            None => {
                let nested = self.nested_project(&directory, location).await;
                projects.insert(directory.clone(), nested.clone());
                nested
            }
        };
        Ok(Found { directory, nested })
    }

    /// The directory that a listing was of. One that is gone by now is a scope all the same: a file
    /// may appear there later.
    async fn listed(
        &self,
        path: &AbsolutePath,
        location: &Location,
    ) -> Result<CanonicalPath, Ignorance> {
        match self.files_at(location).directory(path.as_path()).await {
            Observation::Available(directory) => Ok(directory),
            Observation::Absent(Absence::NotFound) => self.would_be_at(path, location).await,
            Observation::Absent(Absence::Withheld(_)) => Err(Ignorance::PathNotUtf8),
            Observation::Unavailable(reason) => Err(Ignorance::Unavailable(reason)),
        }
    }

    /// The directory that a read file really lies in.
    async fn parent_of(
        &self,
        path: &AbsolutePath,
        location: &Location,
    ) -> Result<CanonicalPath, Ignorance> {
        let above = path.parent().unwrap_or_else(|| path.clone());
        match self.where_is(path, location).await {
            Observation::Available(file) => match file.canonical.parent() {
                Some(parent) => Ok(parent),
                None => self.listed(&above, location).await,
            },
            Observation::Absent(Absence::Withheld(WithheldReason::NotRegularFile)) => {
                // A directory that was said to be a file is a listing; a device has a parent.
                match self.files_at(location).directory(path.as_path()).await {
                    Observation::Available(directory) => Ok(directory),
                    Observation::Absent(_) | Observation::Unavailable(_) => {
                        self.listed(&above, location).await
                    }
                }
            }
            Observation::Absent(Absence::Withheld(WithheldReason::PathNotUtf8)) => {
                Err(Ignorance::PathNotUtf8)
            }
            Observation::Absent(_) => self.listed(&above, location).await,
            Observation::Unavailable(reason) => Err(Ignorance::Unavailable(reason)),
        }
    }

    /// Opens a file for its canonical path alone; none of its bytes are read.
    async fn where_is(&self, path: &AbsolutePath, location: &Location) -> Observation<FileBytes> {
        let looks = Looks {
            reads: vec![Read {
                path: path.clone(),
                containment: Containment::Anywhere,
                max_bytes: 0,
            }],
            total_bytes: u64::MAX,
            look_ms: self.world().policy.limits.look_ms,
            ..Looks::default()
        };
        let seen = self.files_at(location).observe(&looks).await;
        let nothing = Observation::Absent(Absence::NotFound);
        seen.files.into_iter().next().unwrap_or(nothing)
    }

    async fn would_be_at(
        &self,
        path: &AbsolutePath,
        location: &Location,
    ) -> Result<CanonicalPath, Ignorance> {
        let (target, _) = crate::explain::locate(&self.engine, &location.directory, path.as_path())
            .await
            .map_err(|_| Ignorance::PathNotUtf8)?;
        Ok(CanonicalPath::observed(target))
    }

    /// The nearest project at or above `directory`, below the session's own boundary (R-LOC-9).
    async fn nested_project(
        &self,
        directory: &CanonicalPath,
        location: &Location,
    ) -> Option<CanonicalPath> {
        if !directory.is_within(&location.boundary) {
            return None;
        }
        let known = KnownBoundary::Marked(location.boundary.clone());
        let plan = plan_markers(directory, &known, &self.world().policy);
        let seen = self.files_at(location).observe(&plan.looks).await;
        match plan.boundary(&seen, &self.world().policy) {
            BoundarySight::Found(found) => {
                found.of(directory).filter(|boundary| *boundary != location.boundary)
            }
            BoundarySight::LookAbove | BoundarySight::Unknown(..) => None,
        }
    }
}
