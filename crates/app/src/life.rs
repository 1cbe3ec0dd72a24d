//! A session's life: fork, revert, move, window, holds, adopt.

use crate::{
    Engine, Error, Opened, Session,
    known::{Appended, ROUNDS_MAX},
    turn::Fence,
};
use std::path::Path;
use told_domain::{
    command::{Adoption, Command},
    decide::{NotAdopted, adoptable, fork, is_same_fork, lost},
    key::SourceKey,
    position::{Position, Revision},
    session::{Location, SessionId},
};
use told_ports::StoreError;

/// What a host's declaration of holds came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The session's last record.
    pub revision: Revision,
    /// The epoch's texts that were not named: what they told is told again.
    pub lost: Vec<Revision>,
}

/// What an adoption came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    /// The session's last record.
    pub revision: Revision,
    /// The sources that are believed from now on.
    pub adopted: Vec<SourceKey>,
    /// Those that are not, by their place in the request.
    pub refused: Vec<(usize, NotAdopted)>,
}

impl Engine {
    /// Begins `child` as a copy of `parent` at a position; nothing is told again (R-SES-1).
    ///
    /// # Errors
    /// [`Error::UnknownSession`] for the parent, [`Error::ChildExists`] for a child that is not this
    /// very fork, [`Error::Store`].
    pub async fn fork(
        &self,
        parent: &SessionId,
        child: &SessionId,
        position: Option<Position>,
    ) -> Result<Opened, Error> {
        let parent = self.session(parent).await?;
        if parent.id() == child {
            return Err(Error::ChildExists(child.clone()));
        }
        for _ in 0..ROUNDS_MAX {
            if let Some(opened) = self.try_fork(&parent, child, position).await? {
                return Ok(opened);
            }
        }
        Err(parent.contended())
    }

    /// Nothing where the parent was deleted, and maybe begun anew, meanwhile.
    async fn try_fork(
        &self,
        parent: &Session,
        child: &SessionId,
        position: Option<Position>,
    ) -> Result<Option<Opened>, Error> {
        let begun = Session::new(self, child);
        let mut turn = parent.turn(Fence::None).await;
        let known = turn.known(parent).await?;
        let parents = known.mark.incarnation;
        let directory = known.standing.state.location.directory.clone();
        let is_there = async || -> Result<bool, Error> {
            let now = self.world.store.revisions(parent.id(), &directory).await?.session;
            Ok(now.is_some_and(|now| now.incarnation == parents))
        };
        let log = parent.whole_log(Some(known.mark.revision)).await?;
        let now = self.world.clock.now();
        let record = fork(parent.id(), &known.standing, &log, position, now);
        let at = position.unwrap_or_else(|| known.standing.state.default_position());
        drop(turn);
        // What was read of a log while it was deleted is no parent's.
        if !is_there().await? {
            return Ok(None);
        }
        let mut guard = begun.core.known.lock().await;
        *guard = None;
        // Every text that the record needs is the parent's, and so stored as long as that is.
        match begun.append(&mut guard, vec![record], Vec::new()).await {
            Err(Error::Store(StoreError::MissingContent(_))) if !is_there().await? => Ok(None),
            Err(error) => Err(error),
            Ok(Appended::Done(())) => begun.opened(&guard, true).map(Some),
            Ok(Appended::Overtaken) => {
                begun.refresh(&mut guard).await?;
                let log = self.world.store.records(child, Revision::NONE, 2).await?;
                let opened = begun.opened(&guard, false)?;
                if is_same_fork(&log, parent.id(), at) {
                    return Ok(Some(opened));
                }
                Err(Error::ChildExists(opened.session))
            }
        }
    }
}

impl Session {
    /// The host took its transcript back to a position: what is anchored after it is gone (R-SES-2).
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn revert(&self, position: Position) -> Result<Revision, Error> {
        let mut turn = self.turn(Fence::None).await;
        loop {
            let last = turn.known(self).await?.mark.revision;
            let log = self.whole_log(Some(last)).await?;
            let command = Command::Revert { to: position, log: &log };
            if let Some(known) = self.done(&mut turn, &command).await? {
                return Ok(known.standing.state.revision);
            }
        }
    }

    /// The session works in another directory from now on, absolute or relative to where it works.
    /// What was begun before fails with `location_changed` (R-SES-3).
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`], [`Error::LocationChanged`], [`Error::UnknownSession`],
    /// [`Error::Store`].
    pub async fn move_to(&self, directory: &Path) -> Result<(Revision, Location), Error> {
        let mut turn = self.turn(Fence::Location).await;
        let here = turn.known(self).await?.services.directory().clone();
        let directory = self.engine.directory(&here.as_path().join(directory)).await?;
        let boundary = self.engine.boundary(&directory).await;
        let location = Location { directory, boundary };
        loop {
            let before = turn.known(self).await?.mark.revision;
            let command = Command::Move { location: &location };
            if let Some(known) = self.done(&mut turn, &command).await? {
                let state = &known.standing.state;
                if state.revision != before {
                    self.core.moved();
                }
                return Ok((state.revision, state.location.clone()));
            }
        }
    }

    /// The host dropped all messages before `from`, without a compaction (R-SES-7).
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn window(&self, from: Position) -> Result<Revision, Error> {
        self.write(&Command::Window { from }).await
    }

    /// The host says which of the epoch's texts its transcript holds; what is lost is told again at
    /// the next boundary (R-SES-9).
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn holds(&self, held: &[Revision]) -> Result<Held, Error> {
        let mut turn = self.turn(Fence::None).await;
        loop {
            let lost = lost(&turn.known(self).await?.standing, held);
            if let Some(known) = self.done(&mut turn, &Command::Holds { held }).await? {
                return Ok(Held { revision: known.standing.state.revision, lost });
            }
        }
    }

    /// The host told these sources by another channel: they are believed as they stand now, and not
    /// told (R-SES-10).
    ///
    /// # Errors
    /// [`Error::PositionRegressed`], [`Error::LocationChanged`], [`Error::UnknownSession`],
    /// [`Error::Store`].
    pub async fn adopt(
        &self,
        sources: &[Adoption],
        position: Option<Position>,
    ) -> Result<Adopted, Error> {
        let mut turn = self.turn(Fence::Location).await;
        loop {
            let known = turn.known(self).await?;
            let context = self.context_now(known).await?;
            let found = adoptable(&context, sources);
            let command = Command::Adopt { position, context: &context, sources };
            if let Some(known) = self.done(&mut turn, &command).await? {
                return Ok(Adopted {
                    revision: known.standing.state.revision,
                    adopted: found.sources.into_iter().map(|source| source.key).collect(),
                    refused: found.refused,
                });
            }
        }
    }
}
