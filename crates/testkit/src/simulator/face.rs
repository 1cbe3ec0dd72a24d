//! What a host sees of a process: every call, which may be made wrong on purpose.

use super::{
    plant::Plant,
    ports::locked,
    process::{Process, name},
    request::{Answer, Request},
};
use std::path::{Path, PathBuf};
use told_app::{
    Error, Outcome, ResourceOrigin, RootCoverage, Session, Settled, SyncRequest, ValueScope,
    WatchStatus,
};
use told_domain::{
    briefing::Briefing,
    key::ApiKey,
    position::{Position, Revision},
    render::HostValue,
    session::SessionId,
};
use told_ports::Uncovered;

impl Process {
    /// One call of a host's.
    pub(super) async fn call(&self, session: usize, request: &Request) -> Result<Answer, Error> {
        let answer = self.answer(session, request).await;
        match &answer {
            Ok(Answer::Deleted) | Err(Error::UnknownSession(_)) => self.forget(session),
            Ok(_) | Err(_) => {}
        }
        answer
    }

    async fn answer(&self, session: usize, request: &Request) -> Result<Answer, Error> {
        match request {
            Request::Open(request) => {
                let mut request = request.clone();
                if self.plant == Some(Plant::OpenForgetsPosition) {
                    request.position = None;
                }
                self.engine.open(request).await.map(Answer::Opened)
            }
            Request::Delete => self.delete(&name(session)).await,
            Request::Fork(child, position) => {
                let opened = self.engine.fork(&name(session), child, *position).await;
                opened.map(Answer::Opened)
            }
            Request::Value(key, value) => {
                let scope = ValueScope::Session(name(session));
                self.put(&scope, key, value.as_deref()).await.map(Answer::Revision)
            }
            _ => self.answer_of(&self.session(session).await?, request).await,
        }
    }

    async fn answer_of(&self, session: &Session, request: &Request) -> Result<Answer, Error> {
        let revision = |revision| Answer::Revision(Some(revision));
        match request {
            Request::Sync(request) => {
                Ok(Answer::Briefing(Box::new(self.sync(session, *request).await?)))
            }
            Request::Preview(request) => {
                Ok(Answer::Briefing(Box::new(self.preview(session, *request).await?)))
            }
            Request::Compact(at) => match self.plant {
                Some(Plant::CompactionIgnored) => Ok(revision(session.show(None).await?.revision)),
                _ => session.compact(Some(*at)).await.map(revision),
            },
            Request::Rebase => session.rebase(Some("another model")).await.map(revision),
            Request::Settle(_) => self.settle(session, request).await.map(Answer::Settled),
            Request::Revert(to) => {
                let to = match self.plant {
                    Some(Plant::RevertTooShort) => Position(to.0 + 1),
                    _ => *to,
                };
                session.revert(to).await.map(revision)
            }
            Request::Move(directory) => {
                let (at, location) = session.move_to(directory).await?;
                if self.plant == Some(Plant::MoveBeginsAnew) {
                    session.rebase(None).await?;
                }
                Ok(Answer::Moved(at, location))
            }
            Request::Window(from) => match self.plant {
                Some(Plant::WindowIgnored) => Ok(revision(session.show(None).await?.revision)),
                _ => session.window(*from).await.map(revision),
            },
            Request::Holds(held) => {
                let mut held = held.clone();
                if self.plant == Some(Plant::BaselineIsAlwaysHeld) {
                    held.push(session.show(None).await?.epoch.revision);
                }
                session.holds(&held).await.map(Answer::Held)
            }
            Request::Adopt(sources, position) => {
                let mut sources = sources.clone();
                if self.plant == Some(Plant::AdoptedUnseen) {
                    sources.iter_mut().for_each(|source| source.sha256 = None);
                }
                let adopted = session.adopt(&sources, *position).await?;
                if self.plant == Some(Plant::AdoptedIsTold) && !adopted.adopted.is_empty() {
                    session.rebase(None).await?;
                }
                Ok(Answer::Adopted(adopted))
            }
            Request::Open(_) | Request::Delete | Request::Fork(..) | Request::Value(..) => {
                Err(Error::UnknownSession(session.id().clone()))
            }
        }
    }

    async fn delete(&self, session: &SessionId) -> Result<Answer, Error> {
        match self.plant {
            Some(Plant::DeleteForgotten) => {
                self.engine.session(session).await?;
            }
            _ => self.engine.delete(session).await?,
        }
        Ok(Answer::Deleted)
    }

    async fn settle(&self, session: &Session, request: &Request) -> Result<Settled, Error> {
        let Request::Settle(settlement) = request else {
            return Err(Error::UnknownSession(session.id().clone()));
        };
        let mut settlement = settlement.clone();
        match self.plant {
            Some(Plant::FailedCallsDiscover) => settlement.outcome = Outcome::Succeeded,
            Some(Plant::ManagedOutputsDiscover) => {
                settlement.resources.iter_mut().for_each(|r| r.origin = ResourceOrigin::Local);
            }
            Some(Plant::MoveDoesNotFence) => return self.unfenced(session, &settlement).await,
            _ => {}
        }
        session.settle(&settlement).await
    }

    async fn unfenced(
        &self,
        session: &Session,
        settlement: &told_app::ToolSettlement,
    ) -> Result<Settled, Error> {
        match session.settle(settlement).await {
            Err(Error::LocationChanged(_)) => session.settle(settlement).await,
            other => other,
        }
    }

    async fn sync(&self, session: &Session, mut request: SyncRequest) -> Result<Briefing, Error> {
        match self.plant {
            Some(Plant::PositionCorrected) => {
                let shown = session.show(None).await?;
                let last = shown.updates.last().map_or(shown.epoch.position, |u| u.position);
                request.position = request.position.map(|position| position.max(last));
            }
            Some(Plant::SinceBelieved) if request.since.is_some() => {
                request.since = Some(Revision(request.since.unwrap_or_default().0 + 1));
            }
            _ => {}
        }
        let foretold = match self.plant {
            Some(Plant::TextBeforeCommit) => session.preview(request).await.ok(),
            _ => None,
        };
        let came = match (self.plant, session.sync(request).await) {
            (Some(Plant::MoveDoesNotFence), Err(Error::LocationChanged(_))) => {
                session.sync(request).await
            }
            (_, came) => came,
        };
        let mut briefing = match (came, foretold) {
            (Err(Error::Store(_)), Some(foretold)) => foretold,
            (result, _) => result?,
        };
        let fresh = std::mem::replace(&mut *locked(&self.fresh), false);
        match self.plant {
            Some(Plant::BaselineRenderedAnew) if fresh && briefing.complete => {
                let directory = briefing.location.directory.as_path().to_owned();
                let anew = self.engine.preview(&directory).await?;
                briefing.epoch.baseline = anew.epoch.baseline;
            }
            Some(Plant::UpdateDropped) if briefing.updates.len() > 1 => {
                briefing.updates = briefing.updates.split_off(briefing.updates.len() - 1);
            }
            Some(Plant::UpdateRepeated) => {
                briefing.updates.extend(briefing.updates.last().cloned());
            }
            Some(Plant::ToldAgainAfterResume) if fresh => {
                briefing.updates.extend(briefing.updates.last().cloned());
            }
            Some(Plant::UpdatesReordered) => briefing.updates.reverse(),
            Some(Plant::HeldUnsaid) => briefing.held.clear(),
            Some(Plant::AdmittedAlways) => briefing.admitted = Some(briefing.revision),
            _ => {}
        }
        Ok(briefing)
    }

    async fn preview(&self, session: &Session, request: SyncRequest) -> Result<Briefing, Error> {
        match self.plant {
            Some(Plant::PreviewWrites) => session.sync(request).await,
            _ => session.preview(request).await,
        }
    }

    /// It changed these paths itself.
    pub(super) async fn mutated(&self, at: &Path, paths: &[PathBuf]) -> Result<usize, Error> {
        self.files.mutated();
        let is_said = |path: &&PathBuf| match self.plant {
            Some(Plant::MutatedForgotten) => false,
            Some(Plant::MutatedForgetsLinks) => !path.starts_with("/repo/docs"),
            _ => true,
        };
        let said: Vec<_> = paths.iter().filter(is_said).cloned().collect();
        self.engine.mutated(at, &said).await
    }

    pub(super) async fn close(&self, directory: &Path) -> Result<(), Error> {
        match self.plant {
            Some(Plant::CloseForgotten) => self.engine.watch_status(directory).await.map(drop),
            _ => self.engine.close_location(directory).await,
        }
    }

    pub(super) async fn watch_status(&self, directory: &Path) -> Result<WatchStatus, Error> {
        let mut status = self.engine.watch_status(directory).await?;
        for root in &mut status.roots {
            if self.plant == Some(Plant::MismatchUnreported)
                && root.coverage == RootCoverage::Direct(Uncovered::Mismatch)
            {
                root.coverage = RootCoverage::Covered;
            }
        }
        Ok(status)
    }

    pub(super) async fn put(
        &self,
        scope: &ValueScope,
        key: &str,
        text: Option<&str>,
    ) -> Result<Option<Revision>, Error> {
        let key: ApiKey = key.parse().expect("a key");
        match text {
            Some(text) => {
                let value = HostValue { title: None, value: text.into() };
                self.engine.set_value(scope, &key, &value).await
            }
            None => self.engine.unset_value(scope, &key).await,
        }
    }
}
