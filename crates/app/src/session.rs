//! `Session`: one conversation, as a host holds it.

use crate::{
    Engine, Error, LoadedSkill, LocationServices, LogPage, SkillCatalog, SyncRequest,
    SystemContextRegistry,
    known::{Core, PAGE},
};
use std::{path::PathBuf, sync::Arc};
use told_domain::{
    briefing::{Briefing, SourceView},
    command::{Command, Standing},
    fold::replay,
    position::{Position, Revision},
    record::Record,
    render::{log_needs, log_record, look_of, sources},
    session::SessionId,
};

/// One conversation with a model. Cheap to clone; clones, and every handle of the same name in one
/// engine, share what they know.
#[derive(Clone)]
pub struct Session {
    pub(crate) engine: Engine,
    pub(crate) core: Arc<Core>,
}

impl Session {
    pub(crate) fn new(engine: &Engine, id: &SessionId) -> Self {
        Self { engine: engine.clone(), core: engine.core(id) }
    }

    /// The session's name.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.core.id
    }

    /// One safe boundary: observes every source, admits what changed, and gives the exact texts to
    /// send. Call it before **each** provider call.
    ///
    /// # Errors
    /// [`Error::Blocked`] for an incomplete first boundary, [`Error::PositionRegressed`],
    /// [`Error::LocationChanged`], [`Error::UnknownSession`], [`Error::Store`]. After any of them the
    /// last briefing still holds.
    pub async fn sync(&self, request: SyncRequest) -> Result<Briefing, Error> {
        crate::boundary::sync(self, request).await
    }

    /// The briefing that [`Self::sync`] would give now; nothing is written.
    ///
    /// # Errors
    /// As [`Self::sync`].
    pub async fn preview(&self, request: SyncRequest) -> Result<Briefing, Error> {
        crate::boundary::preview(self, request, &[]).await
    }

    /// [`Self::preview`] after reading `paths`, which are relative to the Location.
    ///
    /// # Errors
    /// As [`Self::sync`].
    pub async fn preview_after_reading(
        &self,
        request: SyncRequest,
        paths: &[PathBuf],
    ) -> Result<Briefing, Error> {
        crate::boundary::preview(self, request, paths).await
    }

    /// The host completed a compaction: the next boundary starts an epoch (R-EPO-2).
    ///
    /// # Errors
    /// [`Error::PositionRegressed`], [`Error::UnknownSession`], [`Error::Store`].
    pub async fn compact(&self, position: Option<Position>) -> Result<Revision, Error> {
        self.write(&Command::Compact { position }).await
    }

    /// The host wants a new epoch without a compaction, for instance for another model (R-EPO-3).
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn rebase(&self, reason: Option<&str>) -> Result<Revision, Error> {
        self.write(&Command::Rebase { reason: reason.map(Arc::from) }).await
    }

    /// The briefing as it stood at a revision, or as it stands, from the log alone (R-SES-6).
    ///
    /// # Errors
    /// [`Error::UnknownRevision`], [`Error::UnknownSession`], [`Error::Store`].
    pub async fn show(&self, revision: Option<Revision>) -> Result<Briefing, Error> {
        let Some(revision) = revision else {
            let known = self.fresh().await?;
            let known = known.as_ref().ok_or_else(|| self.unknown())?;
            return self.brief(&known.standing, &look_of(&known.standing.state), None);
        };
        let log = self.whole_log(Some(revision)).await?;
        let state = replay(&log).map_err(|error| Error::unfolded(self.id(), error))?;
        let last = log.last().map_or(Revision::NONE, |record| record.revision);
        let (Some(state), true) = (state, revision == last) else {
            let session = self.id().clone();
            let last = self.revision().await?;
            return Err(Error::UnknownRevision { session, revision, last });
        };
        let contents = self.world().store.contents(&state.needs()).await?;
        let look = look_of(&state);
        self.brief(&Standing { state, contents }, &look, None)
    }

    /// The log after a revision, in order, with the exact texts told (R-SES-6).
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn log(&self, after: Revision, limit: usize) -> Result<LogPage, Error> {
        self.revision().await?;
        let limit = limit.clamp(1, PAGE);
        let mut records = self.world().store.records(self.id(), after, limit + 1).await?;
        let more = records.len() > limit;
        records.truncate(limit);
        let needs: Vec<_> = records.iter().filter_map(log_needs).collect();
        let contents = self.world().store.contents(&needs).await?;
        let line = |record: &Record| {
            let missing = |error| Error::missing(self.id(), record.revision, error);
            log_record(record, &contents).map_err(missing)
        };
        Ok(LogPage { records: records.iter().map(line).collect::<Result<_, _>>()?, more })
    }

    /// Every source and what became of it: from the log and the last boundary, or by a look now
    /// (R-SES-6).
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn sources(&self, look: bool) -> Result<Vec<SourceView>, Error> {
        if look {
            return crate::boundary::look_at_sources(self).await;
        }
        let known = self.fresh().await?;
        let known = known.as_ref().ok_or_else(|| self.unknown())?;
        let state = &known.standing.state;
        Ok(sources(state, &known.look.clone().unwrap_or_else(|| look_of(state))))
    }

    /// Which skills the model can load, now, and what became of the others (R-CFG-3).
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn skills(&self) -> Result<SkillCatalog, Error> {
        Ok(crate::skills::of(self).await?.catalog())
    }

    /// The body of one of them, as it is now.
    ///
    /// # Errors
    /// [`Error::UnknownSkill`], [`Error::SkillNotLoaded`], [`Error::UnknownSession`], [`Error::Store`].
    pub async fn load_skill(&self, name: &str) -> Result<LoadedSkill, Error> {
        crate::skills::of(self).await?.load(self.world(), name).await
    }

    /// The services of the session's Location: where plugins register.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn location(&self) -> Result<Arc<LocationServices>, Error> {
        let known = self.fresh().await?;
        Ok(known.as_ref().ok_or_else(|| self.unknown())?.services.clone())
    }

    /// Who takes part in this session's context alone, beside its Location's: a key here wins over the
    /// Location's of the same name. It lasts as long as a registration in it, or a handle, is held.
    #[must_use]
    pub fn registry(&self) -> &SystemContextRegistry {
        &self.core.registry
    }
}
