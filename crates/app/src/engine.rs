//! The engine: ports, policy, and the Locations and sessions that someone holds.

use crate::{
    Error, Explanation, LoadedSkill, LocationServices, OpenRequest, Opened, Session, SkillCatalog,
    SyncRequest, ValueScope,
    known::{Core, Sessions},
    location::LocationMap,
    observe::Ground,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, Weak},
    time::Duration,
};
use told_domain::{
    briefing::Briefing,
    command::Command,
    decide::admit_value,
    key::ApiKey,
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    policy::Policy,
    position::Revision,
    render::{Blocks, HostValue},
    session::{Location, Prior, SessionId, Trust},
};
use told_ports::{
    Clock, FileSystem, NoDirectory, ProvideError, ProvidedFiles, Provision, SessionSummary, Store,
    StoreError, UrlFetcher, Watcher,
};

/// The world as the engine reaches it.
#[derive(Clone)]
pub struct Ports {
    /// Files.
    pub files: Arc<dyn FileSystem>,
    /// Durable memory.
    pub store: Arc<dyn Store>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

/// One engine a process. Cheap to clone: clones share.
#[derive(Clone)]
pub struct Engine {
    pub(crate) world: Arc<World>,
    pub(crate) locations: LocationMap,
    pub(crate) sessions: Arc<Sessions>,
}

#[derive(Clone)]
pub(crate) struct World {
    files: Arc<dyn FileSystem>,
    /// What hosts provide in front of `files`, where that was wired.
    provided: Option<Arc<dyn ProvidedFiles>>,
    /// What fetches URLs, where that was wired.
    pub(crate) fetcher: Option<Arc<dyn UrlFetcher>>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) policy: Policy,
    pub(crate) platform: String,
}

impl Engine {
    /// An engine over these ports. `platform` is what `core/environment` calls the operating system.
    #[must_use]
    pub fn new(ports: Ports, policy: Policy, platform: impl Into<String>) -> Self {
        let Ports { files, store, clock } = ports;
        let platform = platform.into();
        let (provided, fetcher) = (None, None);
        let world = World { files, provided, fetcher, store, clock, policy, platform };
        Self {
            world: Arc::new(world),
            locations: LocationMap::default(),
            sessions: Arc::new(Sessions::default()),
        }
    }

    /// The same engine, which takes what hosts provide into `files`. Hand over what another engine has
    /// ([`Self::provided_files`]), and what is provided there counts here as well. Call it before
    /// anything is opened.
    #[must_use]
    pub fn providing(self, files: Arc<dyn ProvidedFiles>) -> Self {
        let world = World { provided: Some(files), ..World::clone(&self.world) };
        Self { world: Arc::new(world), ..self }
    }

    /// The same engine, whose boundaries look at what `watcher` does not prove unchanged, and at nothing
    /// else (R-WAT-3). Call it before anything is opened.
    #[must_use]
    pub fn watching(self, watcher: Arc<dyn Watcher>) -> Self {
        Self { locations: self.locations.watching(watcher), ..self }
    }

    /// The same engine, which looks at URLs by `fetcher`. Without one they are held (`not_registered`).
    /// Call it before anything is opened.
    #[must_use]
    pub fn fetching(self, fetcher: Arc<dyn UrlFetcher>) -> Self {
        let world = World { fetcher: Some(fetcher), ..World::clone(&self.world) };
        Self { world: Arc::new(world), ..self }
    }

    /// What takes provided files, where that was wired.
    #[must_use]
    pub fn provided_files(&self) -> Option<Arc<dyn ProvidedFiles>> {
        self.world.provided.clone()
    }

    /// Lets files be what the host says instead of what the disk has, for the sessions of this directory
    /// and as long as this process lives; all of `changes`, in order, or none. Every look that begins
    /// after the call returned sees them. Gives how many files the directory has provided then.
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`] where the disk has no such directory and nothing is provided below
    /// it, [`Error::Provide`] for what is refused.
    pub async fn provide(&self, directory: &Path, changes: Vec<Provision>) -> Result<usize, Error> {
        let unknown = |why| Error::UnknownDirectory { path: directory.to_owned(), why };
        if !directory.is_absolute() {
            return Err(unknown(NoDirectory::Relative));
        }
        let provided = self.world.provided.as_ref().ok_or(ProvideError::Unsupported)?;
        provided.provide(directory, changes).await.map_err(|error| match error {
            ProvideError::Directory { why, .. } => unknown(why),
            error => error.into(),
        })
    }

    /// The services of a directory, shared by all that hold them: where plugins register.
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`].
    pub async fn location(&self, directory: &Path) -> Result<Arc<LocationServices>, Error> {
        Ok(self.locations.at(&self.directory(directory).await?))
    }

    /// How many Locations are held at this moment.
    #[must_use]
    pub fn locations_open(&self) -> usize {
        self.locations.open()
    }

    /// Begins a session, or finds it as it is (R-SES-5).
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`], [`Error::SessionExists`] for another directory, [`Error::Store`].
    pub async fn open(&self, request: OpenRequest) -> Result<Opened, Error> {
        let directory = self.directory(&request.directory).await?;
        let boundary = self.boundary(&directory).await;
        let location = Location { directory, boundary };
        let session = Session::new(self, &request.session);
        let command = Command::Open {
            location: &location,
            position: request.position,
            prior: request.prior,
            trust: request.trust,
        };
        let opened = session.open(&command).await?;
        match request.position {
            Some(position) if !opened.created => {
                Ok(Opened { revision: session.revert(position).await?, ..opened })
            }
            Some(_) | None => Ok(opened),
        }
    }

    /// A session by name.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn session(&self, id: &SessionId) -> Result<Session, Error> {
        let session = Session::new(self, id);
        session.load().await?;
        Ok(session)
    }

    /// Every session, or those that work in one directory.
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`], [`Error::Store`].
    pub async fn sessions(&self, directory: Option<&Path>) -> Result<Vec<SessionSummary>, Error> {
        let directory = match directory {
            Some(directory) => Some(self.directory(directory).await?),
            None => None,
        };
        Ok(self.world.store.sessions(directory.as_ref()).await?)
    }

    /// Removes a session with all that nobody else needs (R-SES-4).
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn delete(&self, id: &SessionId) -> Result<(), Error> {
        if self.world.store.delete(id, None).await? {
            Ok(())
        } else {
            Err(Error::UnknownSession(id.clone()))
        }
    }

    /// Deletes every session with no record for longer than `age`, and gives their names. One that is
    /// used meanwhile stays.
    ///
    /// # Errors
    /// [`Error::Store`]; those deleted before it are gone.
    pub async fn delete_older_than(&self, age: Duration) -> Result<Vec<SessionId>, Error> {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let latest = self.world.clock.now().as_millisecond().saturating_sub(age);
        let store = &self.world.store;
        let is_old = |listed: &SessionSummary| listed.last_record_at.as_millisecond() < latest;
        let mut marks = BTreeMap::new();
        for listed in store.sessions(None).await?.into_iter().filter(is_old) {
            if let Some(mark) = store.revisions(&listed.session, &listed.directory).await?.session {
                marks.insert(listed.session, mark);
            }
        }
        let mut deleted = Vec::new();
        if marks.is_empty() {
            return Ok(deleted);
        }
        // Listed again, what is still old at its mark is old as of that very mark.
        for listed in store.sessions(None).await?.into_iter().filter(is_old) {
            let mark = marks.get(&listed.session).filter(|mark| mark.revision == listed.revision);
            let Some(mark) = mark else { continue };
            match store.delete(&listed.session, Some(*mark)).await {
                Ok(true) => deleted.push(listed.session),
                // Somebody else deleted it first, or used it.
                Ok(false) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(deleted)
    }

    /// Sets a value that the model is to know, at the next boundary (R-API-1). The revision is the
    /// session's, where it is a session's value.
    ///
    /// # Errors
    /// [`Error::ValueTooLarge`], [`Error::UnknownSession`], [`Error::UnknownDirectory`],
    /// [`Error::Store`].
    pub async fn set_value(
        &self,
        scope: &ValueScope,
        key: &ApiKey,
        value: &HostValue,
    ) -> Result<Option<Revision>, Error> {
        match scope {
            ValueScope::Session(id) => {
                let command = Command::SetValue { key, value };
                self.session(id).await?.write(&command).await.map(Some)
            }
            ValueScope::Directory(directory) => {
                let directory = self.directory(directory).await?;
                let encoded = admit_value(value, &self.world.policy);
                let encoded = encoded.map_err(|refusal| Error::refused(&nobody(), refusal))?;
                self.world.store.set_value(&directory, key, Some(encoded)).await?;
                Ok(None)
            }
        }
    }

    /// Takes a value back; the model is told at the next boundary. One that is not set is no error.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::UnknownDirectory`], [`Error::Store`].
    pub async fn unset_value(
        &self,
        scope: &ValueScope,
        key: &ApiKey,
    ) -> Result<Option<Revision>, Error> {
        match scope {
            ValueScope::Session(id) => {
                self.session(id).await?.write(&Command::UnsetValue { key }).await.map(Some)
            }
            ValueScope::Directory(directory) => {
                let directory = self.directory(directory).await?;
                self.world.store.set_value(&directory, key, None).await?;
                Ok(None)
            }
        }
    }

    /// What a new session here would be told, now. Nothing is written, and nothing blocks it: what is
    /// unavailable is listed as held.
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`], [`Error::Store`].
    pub async fn preview(&self, directory: &Path) -> Result<Briefing, Error> {
        self.preview_as(directory, Trust::Trusted, &[], Blocks::Joined).await
    }

    /// [`Self::preview`] for a session of that trust, after reading `paths`, its texts in parts as well
    /// where asked for.
    ///
    /// # Errors
    /// As [`Self::preview`].
    pub async fn preview_as(
        &self,
        directory: &Path,
        trust: Trust,
        paths: &[PathBuf],
        blocks: Blocks,
    ) -> Result<Briefing, Error> {
        let open = OpenRequest {
            session: nobody(),
            directory: directory.to_owned(),
            position: None,
            prior: Prior::None,
            trust,
        };
        let request = SyncRequest { blocks, ..SyncRequest::default() };
        self.preview_first(&open, request, paths).await
    }

    /// What the first [`Session::sync`] of the session that `open` would begin would tell, after reading
    /// `paths`. Nothing is written, and nothing blocks it.
    ///
    /// # Errors
    /// As [`Self::preview`].
    pub async fn preview_first(
        &self,
        open: &OpenRequest,
        request: SyncRequest,
        paths: &[PathBuf],
    ) -> Result<Briefing, Error> {
        let directory = self.directory(&open.directory).await?;
        let boundary = self.boundary(&directory).await;
        let command = Command::Open {
            location: &Location { directory, boundary },
            position: open.position,
            prior: open.prior,
            trust: open.trust,
        };
        crate::boundary::preview_new(self, &open.session, &command, request, paths).await
    }

    /// Which instructions apply to `path`, which need not exist, and what was left out.
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`].
    pub async fn explain(&self, directory: &Path, path: &Path) -> Result<Explanation, Error> {
        let directory = self.directory(directory).await?;
        crate::explain::explain(self, &directory, path).await
    }

    /// Which skills a new session here could load, now, and what became of the others (R-CFG-3).
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`].
    pub async fn skills(&self, directory: &Path) -> Result<SkillCatalog, Error> {
        let directory = self.directory(directory).await?;
        Ok(crate::skills::at(self, &directory).await.catalog())
    }

    /// The body of a skill that a new session here could load, as it is now.
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`], [`Error::UnknownSkill`], [`Error::SkillNotLoaded`].
    pub async fn load_skill(&self, directory: &Path, name: &str) -> Result<LoadedSkill, Error> {
        let directory = self.directory(directory).await?;
        crate::skills::at(self, &directory).await.load(&self.world, name).await
    }

    pub(crate) async fn directory(&self, path: &Path) -> Result<CanonicalPath, Error> {
        let unknown = |why| Error::UnknownDirectory { path: path.to_owned(), why };
        if !path.is_absolute() {
            return Err(unknown(NoDirectory::Relative));
        }
        let found = match &self.world.provided {
            Some(provided) => provided.directory(path).await,
            None => self.world.files.directory(path).await,
        };
        match found {
            Observation::Available(directory) => Ok(directory),
            Observation::Absent(Absence::NotFound) => Err(unknown(NoDirectory::Missing)),
            Observation::Absent(Absence::Withheld(_)) => Err(unknown(NoDirectory::NotUtf8)),
            Observation::Unavailable(reason) => Err(unknown(NoDirectory::Unavailable(reason))),
        }
    }

    /// A held session core, or a new one.
    pub(crate) fn core(&self, id: &SessionId) -> Arc<Core> {
        let mut cores = self.sessions.cores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(core) = cores.get(id).and_then(Weak::upgrade) {
            return core;
        }
        let core = Core::new(id.clone(), Arc::downgrade(&self.sessions));
        cores.insert(id.clone(), Arc::downgrade(&core));
        core
    }

    pub(crate) async fn boundary(&self, directory: &CanonicalPath) -> CanonicalPath {
        self.world.boundary(Ground::unknown(directory)).await
    }
}

impl World {
    /// Whether nothing stands between the sessions that see `files` and the disk: only that is watched.
    pub(crate) fn is_disk(&self, files: &Arc<dyn FileSystem>) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(files), Arc::as_ptr(&self.files))
    }

    /// The disk's files.
    pub(crate) fn disk(&self) -> &dyn FileSystem {
        &*self.files
    }

    /// Files as the sessions of `directory` see them.
    pub(crate) fn files_at(&self, directory: &CanonicalPath) -> Arc<dyn FileSystem> {
        let provided = self.provided.as_ref().and_then(|provided| provided.at(directory));
        provided.unwrap_or_else(|| self.files.clone())
    }
}

/// The session of calls that have none.
fn nobody() -> SessionId {
    match "preview".parse() {
        Ok(id) => id,
        Err(_) => unreachable!("the name is plain"),
    }
}

/// A path's text for a look, made absolute against a directory.
pub(crate) fn absolute(directory: &CanonicalPath, path: &Path) -> Result<AbsolutePath, Error> {
    let unknown = |_| Error::UnknownDirectory { path: path.to_owned(), why: NoDirectory::NotUtf8 };
    directory.resolve(path).map_err(unknown)
}
