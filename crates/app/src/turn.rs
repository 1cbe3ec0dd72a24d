//! One call's turn with a session. Calls on one session take turns within a process; between processes
//! the store's revisions decide who was first (R-BND-7).

use crate::{
    Error, Session,
    known::{Known, ROUNDS_MAX, Step},
};
use std::sync::atomic::Ordering;
use told_domain::{command::Command, position::Revision};

/// One call's turn with a session: it holds the lock, counts its rounds, and notices moves.
pub(crate) struct Turn<'a> {
    pub(crate) guard: tokio::sync::MutexGuard<'a, Option<Known>>,
    rounds: usize,
    fence: Fence,
    /// How many moves this process had made when the call began.
    moves: u64,
    /// Where the session worked when it was first seen: its incarnation, and what brought it there.
    begun: Option<(u64, Revision)>,
}

/// Whether a call fails where the session moved since it began (R-BND-8).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fence {
    /// It does.
    Location,
    /// It means the session wherever it works.
    None,
}

impl Turn<'_> {
    /// What is known now, at the start of a round.
    pub(crate) async fn known(&mut self, session: &Session) -> Result<&mut Known, Error> {
        if self.rounds == ROUNDS_MAX {
            return Err(session.contended());
        }
        self.rounds += 1;
        session.refresh(&mut self.guard).await?;
        let known = self.guard.as_mut().ok_or_else(|| session.unknown())?;
        let place = (known.mark.incarnation, known.standing.state.generation);
        let moved = *self.begun.get_or_insert(place) != place
            || self.moves != session.core.moves.load(Ordering::Acquire);
        if self.fence == Fence::Location && moved {
            return Err(Error::LocationChanged(session.id().clone()));
        }
        Ok(known)
    }
}

impl Session {
    /// A command that needs no look.
    pub(crate) async fn write(&self, command: &Command<'_>) -> Result<Revision, Error> {
        let mut turn = self.turn(Fence::None).await;
        loop {
            turn.known(self).await?;
            if let Some(known) = self.done(&mut turn, command).await? {
                return Ok(known.standing.state.revision);
            }
        }
    }

    /// Waits for the session's turn.
    pub(crate) async fn turn(&self, fence: Fence) -> Turn<'_> {
        let moves = self.core.moves.load(Ordering::Acquire);
        let guard = self.core.known.lock().await;
        Turn { guard, rounds: 0, fence, moves, begun: None }
    }

    /// Does `command`, and gives what is known then; nothing where others were first. A call of one
    /// Location that writes nothing reads the revision again before it answers (R-SES-3).
    pub(crate) async fn done<'t>(
        &self,
        turn: &'t mut Turn<'_>,
        command: &Command<'_>,
    ) -> Result<Option<&'t Known>, Error> {
        let before = turn.guard.as_ref().map(|known| known.mark);
        match self.step(&mut turn.guard, command).await? {
            Step::Again => Ok(None),
            Step::Done => match (turn.fence, turn.guard.as_ref()) {
                (Fence::Location, Some(known))
                    if before == Some(known.mark)
                        && self.revisions(known).await?.session != before =>
                {
                    Ok(None)
                }
                (Fence::Location | Fence::None, known) => Ok(known),
            },
        }
    }
}
