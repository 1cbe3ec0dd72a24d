//! What a process knows of a session: loaded from the store, advanced by what it appends, and dropped
//! where somebody else was first.

use crate::{
    Error, LocationServices, Opened, Session, SystemContextRegistry, boundary::Memo, engine::World,
    found::FoundThrough, observe::Sight,
};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
};
use told_domain::{
    briefing::Briefing,
    command::{Command, Decision, Standing},
    decide::decide,
    fold::fold,
    hash::Blob,
    head::HeadChange,
    instruction::KnownBoundary,
    look::Look,
    plan::Learned,
    position::Revision,
    record::Record,
    render::{Blocks, Extent, briefing},
    session::{Location, SessionId},
    state::State,
};
use told_ports::{Append, HeadCondition, Mark, Revisions, SessionSummary, StoreError};

/// How often a call goes round again because others wrote to the session meanwhile.
pub(crate) const ROUNDS_MAX: usize = 64;
/// How many records a log is read in at a time.
pub(crate) const PAGE: usize = 1_000;

/// The sessions that someone holds.
#[derive(Default)]
pub(crate) struct Sessions {
    pub(crate) cores: Mutex<HashMap<SessionId, Weak<Core>>>,
}

/// What all handles of one session share. The lock makes their calls take turns.
pub(crate) struct Core {
    pub(crate) id: SessionId,
    pub(crate) known: tokio::sync::Mutex<Option<Known>>,
    /// What this process knows of the place, while it does not know the session: a store in trouble
    /// takes no plugin away and forgets no boundary.
    place: Mutex<Option<Place>>,
    /// Through which candidates this process last found each file.
    pub(crate) found: FoundThrough,
    /// Who takes part in this session's context alone.
    pub(crate) registry: SystemContextRegistry,
    /// How many moves of the session this process has made.
    pub(crate) moves: AtomicU64,
    sessions: Weak<Sessions>,
}

/// A session as last seen in the store, and what the last look found.
pub(crate) struct Known {
    pub(crate) mark: Mark,
    pub(crate) values: u64,
    pub(crate) head: HeadCondition,
    pub(crate) standing: Standing,
    pub(crate) services: Arc<LocationServices>,
    pub(crate) boundary: KnownBoundary,
    /// What looks taught beside it.
    pub(crate) learned: Learned,
    /// This process's latest look, if it is later than the last record's (R-BND-10).
    pub(crate) look: Option<Look>,
    pub(crate) memo: Option<Memo>,
    /// The last ordinary look since the scopes are what they are.
    pub(crate) sight: Option<Arc<Sight>>,
}

/// The services of a Location, and the boundary around it as known at a moment.
struct Place {
    services: Arc<LocationServices>,
    boundary: KnownBoundary,
    learned: Learned,
    mark: Mark,
}

/// What became of an attempt to append.
pub(crate) enum Appended<T = ()> {
    /// It is durable; and what was prepared beside it.
    Done(T),
    /// Somebody else was first: observe again.
    Overtaken,
}

impl Core {
    pub(crate) fn new(id: SessionId, sessions: Weak<Sessions>) -> Arc<Self> {
        Arc::new_cyclic(|core: &Weak<Self>| Self {
            id,
            known: tokio::sync::Mutex::new(None),
            place: Mutex::new(None),
            found: FoundThrough::default(),
            registry: SystemContextRegistry::of(core.clone()),
            moves: AtomicU64::new(0),
            sessions,
        })
    }

    /// A core that no other handle shares.
    pub(crate) fn alone(id: &SessionId) -> Arc<Self> {
        Self::new(id.clone(), Weak::new())
    }

    /// What waits for its turn since before this move is not to act after it.
    pub(crate) fn moved(&self) {
        self.moves.fetch_add(1, Ordering::AcqRel);
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        if let Some(sessions) = self.sessions.upgrade() {
            let mut cores = sessions.cores.lock().unwrap_or_else(PoisonError::into_inner);
            if cores.get(&self.id).is_some_and(|core| core.strong_count() == 0) {
                cores.remove(&self.id);
            }
        }
    }
}

impl Session {
    pub(crate) fn world(&self) -> &World {
        &self.engine.world
    }

    pub(crate) fn unknown(&self) -> Error {
        Error::UnknownSession(self.id().clone())
    }

    pub(crate) async fn load(&self) -> Result<(), Error> {
        self.fresh().await.map(drop)
    }

    pub(crate) async fn open(&self, command: &Command<'_>) -> Result<Opened, Error> {
        let mut guard = self.core.known.lock().await;
        for _ in 0..ROUNDS_MAX {
            let existed = self.refresh(&mut guard).await.map(|()| true).or_else(absent)?;
            if self.step(&mut guard, command).await? == Step::Done
                && let Some(known) = guard.as_ref()
            {
                return Ok(self.as_opened(known, !existed));
            }
        }
        Err(self.contended())
    }

    pub(crate) fn opened(&self, known: &Option<Known>, created: bool) -> Result<Opened, Error> {
        let known = known.as_ref().ok_or_else(|| self.unknown())?;
        Ok(self.as_opened(known, created))
    }

    fn as_opened(&self, known: &Known, created: bool) -> Opened {
        let state = &known.standing.state;
        Opened {
            session: self.id().clone(),
            revision: state.revision,
            location: state.location.clone(),
            created,
        }
    }

    pub(crate) async fn step(
        &self,
        known: &mut Option<Known>,
        command: &Command<'_>,
    ) -> Result<Step, Error> {
        let world = self.world();
        let standing = known.as_ref().map(|known| &known.standing);
        match decide(standing, command, world.clock.now(), &world.policy) {
            Decision::Unchanged => Ok(Step::Done),
            Decision::Refused(refusal) => Err(Error::refused(self.id(), refusal)),
            // Only a boundary looks.
            Decision::LookAgain { .. } => Ok(Step::Again),
            Decision::Commit { records, blobs } => {
                match self.append(known, records, blobs).await? {
                    Appended::Done(()) => Ok(Step::Done),
                    Appended::Overtaken => Ok(Step::Again),
                }
            }
        }
    }

    /// Makes records durable, then known (R-BND-5).
    pub(crate) async fn append(
        &self,
        known: &mut Option<Known>,
        records: Vec<Record>,
        blobs: Vec<Blob>,
    ) -> Result<Appended, Error> {
        self.append_beside(known, records, blobs, |_| ()).await
    }

    /// Makes records durable, then known. While the store waits for its disk, `beside` works with what
    /// will then be so; nobody sees its answer before (R-BND-5).
    pub(crate) async fn append_beside<T>(
        &self,
        known: &mut Option<Known>,
        records: Vec<Record>,
        blobs: Vec<Blob>,
        beside: impl Fn(&Standing) -> T,
    ) -> Result<Appended<T>, Error> {
        let before = known.as_ref().map(|known| &known.standing.state);
        let Some(state) = self.folded(before.cloned(), &records)? else {
            return Err(self.unknown());
        };
        let sound = known.as_ref().is_some_and(|known| known.head == HeadCondition::Sound);
        let head = match before {
            Some(before) if sound => HeadChange::between(before, &state),
            Some(_) | None => HeadChange::whole(&state),
        };
        let expected = known.as_ref().map(|known| known.mark);
        let append = Append {
            expected,
            records: records.clone(),
            blobs: blobs.clone(),
            head,
            summary: SessionSummary::of(self.id(), &state),
        };
        let meanwhile = async {
            let contents = known.as_ref().map(|known| known.standing.contents.clone());
            let standing = Standing::new(state, contents.unwrap_or_default(), &blobs);
            let answer = standing.is_whole().then(|| beside(&standing));
            (standing, answer)
        };
        let (appended, (standing, answer)) =
            tokio::join!(self.world().store.append(self.id(), append), meanwhile);
        match appended {
            Ok(mark) => {
                self.advance(known, mark, standing);
                if let Some(answer) = answer {
                    return Ok(Appended::Done(answer));
                }
                // A revert or a fork finds texts again that were not at hand.
                self.forget(known);
                self.refresh(known).await?;
            }
            Err(StoreError::Conflict { .. }) => {
                self.forget(known);
                return Ok(Appended::Overtaken);
            }
            Err(StoreError::OutcomeUnknown(cause)) => {
                self.forget(known);
                match self.read_back(known, expected, &records, cause).await? {
                    Appended::Overtaken => return Ok(Appended::Overtaken),
                    Appended::Done(()) => {}
                }
            }
            Err(error) => {
                self.forget(known);
                return Err(error.into());
            }
        }
        // What was read back decides, and not what was thought beside it.
        let known = known.as_ref().ok_or_else(|| self.unknown())?;
        Ok(Appended::Done(beside(&known.standing)))
    }

    /// What `records` make of a state.
    pub(crate) fn folded(
        &self,
        before: Option<State>,
        records: &[Record],
    ) -> Result<Option<State>, Error> {
        let one = |state, record| fold(state, record).map(Some);
        let folded = records.iter().try_fold(before, one);
        folded.map_err(|error| Error::unfolded(self.id(), error))
    }

    /// Where the session and its Location's values stand in the store now.
    pub(crate) async fn revisions(&self, known: &Known) -> Result<Revisions, StoreError> {
        let directory = &known.standing.state.location.directory;
        self.world().store.revisions(self.id(), directory).await
    }

    /// Where the session stands is not known any more; where it works is.
    fn forget(&self, known: &mut Option<Known>) {
        if let Some(known) = known.take() {
            let Known { services, boundary, learned, mark, .. } = known;
            *self.place() = Some(Place { services, boundary, learned, mark });
        }
    }

    fn place(&self) -> std::sync::MutexGuard<'_, Option<Place>> {
        self.core.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The outcome of a commit is unknown: what the log holds decides, and nothing is written twice.
    async fn read_back(
        &self,
        known: &mut Option<Known>,
        expected: Option<Mark>,
        records: &[Record],
        cause: Option<told_ports::Source>,
    ) -> Result<Appended, Error> {
        tracing::warn!(session = %self.id(), "the outcome of a commit is unknown: reading back");
        let after = expected.map_or(Revision::NONE, |mark| mark.revision);
        let found = self.world().store.records(self.id(), after, records.len()).await?;
        if found.is_empty() {
            return Err(StoreError::OutcomeUnknown(cause).into());
        }
        if found != records {
            return Ok(Appended::Overtaken);
        }
        self.refresh(known).await?;
        Ok(Appended::Done(()))
    }

    fn advance(&self, known: &mut Option<Known>, mark: Mark, standing: Standing) {
        let services = self.engine.locations.at(&standing.state.location.directory);
        let before = known.take().filter(|known| Arc::ptr_eq(&known.services, &services));
        let (values, boundary, learned) = match before {
            Some(known) => (known.values, known.boundary, known.learned),
            None => {
                let boundary = KnownBoundary::Marked(standing.state.location.boundary.clone());
                (UNREAD, boundary, Learned::recalled(&standing.state))
            }
        };
        *known = Some(Known {
            mark,
            values,
            head: HeadCondition::Sound,
            standing,
            services,
            boundary,
            learned,
            look: None,
            memo: None,
            sight: None,
        });
    }

    /// A session that is not in the store.
    pub(crate) fn imagine(&self, standing: Standing) -> Known {
        let Location { directory, boundary } = standing.state.location.clone();
        Known {
            mark: Mark { incarnation: 0, revision: standing.state.revision },
            values: UNREAD,
            head: HeadCondition::Sound,
            learned: Learned::recalled(&standing.state),
            standing,
            services: self.engine.locations.at(&directory),
            boundary: KnownBoundary::Marked(boundary),
            look: None,
            memo: None,
            sight: None,
        }
    }

    /// Brings what is known up to what the store holds now.
    pub(crate) async fn refresh(&self, known: &mut Option<Known>) -> Result<(), Error> {
        if let Some(now) = known.as_ref() {
            let revisions = self.revisions(now).await?;
            match revisions.session {
                None => {
                    *known = None;
                    return Err(self.unknown());
                }
                Some(mark) if mark == now.mark => {
                    if let Some(now) = known.as_mut()
                        && now.values != revisions.values
                    {
                        now.values = revisions.values;
                        now.memo = None;
                    }
                    return Ok(());
                }
                Some(_) => {}
            }
        }
        self.forget(known);
        let loaded = self.world().store.load(self.id()).await?.ok_or_else(|| self.unknown())?;
        let directory = loaded.state.location.directory.clone();
        let services = self.engine.locations.at(&directory);
        // A record that others wrote since holds a later look than ours (R-BND-10).
        let (boundary, learned) = match self.place().take() {
            Some(before)
                if *before.services.directory() == directory
                    && before.mark.incarnation == loaded.mark.incarnation
                    && before.mark.revision >= loaded.state.looked =>
            {
                (before.boundary, before.learned)
            }
            Some(_) | None => {
                let boundary = loaded.state.location.boundary.clone();
                (KnownBoundary::Marked(boundary), Learned::recalled(&loaded.state))
            }
        };
        *known = Some(Known {
            mark: loaded.mark,
            values: UNREAD,
            head: loaded.head,
            standing: Standing { state: loaded.state, contents: loaded.contents },
            services,
            boundary,
            learned,
            look: None,
            memo: None,
            sight: None,
        });
        Ok(())
    }

    pub(crate) fn contended(&self) -> Error {
        Error::Contended { session: self.id().clone(), rounds: ROUNDS_MAX }
    }

    pub(crate) fn brief(
        &self,
        standing: &Standing,
        look: &Look,
        admitted: Option<Revision>,
    ) -> Result<Briefing, Error> {
        let Standing { state, contents } = standing;
        let extent = Extent::Complete;
        let made = briefing(self.id(), state, contents, look, admitted, extent, Blocks::Joined);
        made.map_err(|error| Error::missing(self.id(), state.revision, error))
    }

    pub(crate) async fn fresh(&self) -> Result<tokio::sync::MutexGuard<'_, Option<Known>>, Error> {
        let mut known = self.core.known.lock().await;
        self.refresh(&mut known).await?;
        Ok(known)
    }

    pub(crate) async fn revision(&self) -> Result<Revision, Error> {
        let known = self.fresh().await?;
        known.as_ref().map(|known| known.mark.revision).ok_or_else(|| self.unknown())
    }

    /// The log, whole or up to a revision, in pages.
    pub(crate) async fn whole_log(&self, last: Option<Revision>) -> Result<Vec<Record>, Error> {
        let mut log: Vec<Record> = Vec::new();
        loop {
            let after = log.last().map_or(Revision::NONE, |record| record.revision);
            let left = last.map_or(PAGE, |last| {
                usize::try_from(last.0.saturating_sub(after.0)).unwrap_or(PAGE).min(PAGE)
            });
            if left == 0 {
                return Ok(log);
            }
            let page = self.world().store.records(self.id(), after, left).await?;
            let whole = page.len() < left;
            log.extend(page);
            if whole {
                return Ok(log);
            }
        }
    }
}

/// No revision of a Location's values: they are read at the next boundary.
pub(crate) const UNREAD: u64 = u64::MAX;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Done,
    Again,
}

fn absent(error: Error) -> Result<bool, Error> {
    match error {
        Error::UnknownSession(_) => Ok(false),
        error => Err(error),
    }
}
