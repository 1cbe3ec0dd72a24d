//! Does what is asked: the engine, and the sessions that it keeps warm.

use super::{
    call::{BesideCall, SessionCall},
    error::RpcError,
    life,
    message::Answer,
    watch,
};
use crate::{answer, keep};
use serde::Serialize;
use serde_json::{json, value::to_raw_value};
use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use told::{
    Engine, Error, OpenRequest, Session, ValueScope,
    configuration::Configuration,
    domain::{
        position::{Position, Revision},
        render::{Blocks, LogRecord},
        session::{Location, SessionId, Trust},
        time::Timestamp,
    },
    ports::{ProvidedFiles, Provision},
};

/// An engine with the sessions last used.
pub(super) struct Host {
    engine: Engine,
    configuration: Configuration,
    /// The one last used stands last.
    warm: Mutex<VecDeque<Session>>,
}

/// Sessions kept warm: a repeated sync needs no load.
const WARM: usize = 64;
/// Records of a log answer where no limit is given, and how many are read at a time.
const LOG_LIMIT: usize = 1_000;
const LOG_STEP: usize = 32;
/// Bytes of texts after which a log answer says that there is more.
const LOG_BYTES: usize = 8 * 1024 * 1024;

impl Host {
    pub(super) async fn new(engine: Engine, configuration: &Configuration) -> Self {
        keep::delete_unused(&engine, configuration).await;
        Self { engine, configuration: configuration.clone(), warm: Mutex::default() }
    }

    /// A call about one session.
    pub(super) async fn of_session(&self, id: &SessionId, call: SessionCall) -> Answer {
        let answer = self.try_of_session(id, call).await;
        // What went wrong may be what is known here: the next call reads it anew. A refusal is no such
        // thing, and must cost no boundary that was seen, and no file through which another was found.
        if answer.as_ref().is_err_and(RpcError::doubts_what_is_known) {
            self.forget(id);
        }
        answer
    }

    async fn try_of_session(&self, id: &SessionId, call: SessionCall) -> Answer {
        match call {
            SessionCall::Open { directory, position, prior, trust } => {
                let directory = self.at_location(id, directory).await?;
                let request =
                    OpenRequest { session: id.clone(), directory, position, prior, trust };
                let opened = self.engine.open(request).await?;
                if opened.created {
                    keep::delete_unused(&self.engine, &self.configuration).await;
                }
                give(json!({
                    "session": opened.session,
                    "revision": opened.revision,
                    "location": opened.location,
                    "created": opened.created,
                }))
            }
            SessionCall::Sync(request) => give(self.session(id).await?.sync(request).await?),
            SessionCall::Preview(request) => give(self.session(id).await?.preview(request).await?),
            SessionCall::Compact(position) => {
                revision(self.session(id).await?.compact(position).await?)
            }
            SessionCall::Rebase(reason) => {
                revision(self.session(id).await?.rebase(reason.as_deref()).await?)
            }
            SessionCall::Delete => {
                self.forget(id);
                self.engine.delete(id).await?;
                give(json!({}))
            }
            SessionCall::Show(revision) => give(self.session(id).await?.show(revision).await?),
            SessionCall::Log { after, limit } => {
                log(&self.session(id).await?, after, limit.unwrap_or(LOG_LIMIT)).await
            }
            SessionCall::Sources { look } => {
                give(json!({ "sources": self.session(id).await?.sources(look).await? }))
            }
            SessionCall::Set(key, value) => {
                let scope = ValueScope::Session(id.clone());
                set_at(self.engine.set_value(&scope, &key, &value).await?)
            }
            SessionCall::Unset(key) => {
                let scope = ValueScope::Session(id.clone());
                set_at(self.engine.unset_value(&scope, &key).await?)
            }
            SessionCall::Life(call) => life::done(&self.session(id).await?, call).await,
        }
    }

    /// A call about two sessions.
    pub(super) async fn fork(
        &self,
        parent: &SessionId,
        child: &SessionId,
        position: Option<Position>,
    ) -> Answer {
        match self.engine.fork(parent, child, position).await {
            Ok(forked) => give(answer::forked(&forked)),
            Err(error) => {
                let error = RpcError::from(error);
                if error.doubts_what_is_known() {
                    self.forget(parent);
                    self.forget(child);
                }
                Err(error)
            }
        }
    }

    /// What is provided instead of the disk's files.
    pub(super) async fn provide(&self, directory: &Path, files: Vec<Provision>) -> Answer {
        give(json!({ "provided": self.engine.provide(directory, files).await? }))
    }

    /// What takes provided files: it outlives this host.
    pub(super) fn provided_files(&self) -> Option<Arc<dyn ProvidedFiles>> {
        self.engine.provided_files()
    }

    /// A call about no session.
    pub(super) async fn beside(&self, call: BesideCall) -> Answer {
        match call {
            BesideCall::List(directory) => self.list(directory).await,
            BesideCall::Set(directory, key, value) => {
                let scope = ValueScope::Directory(directory);
                set_at(self.engine.set_value(&scope, &key, &value).await?)
            }
            BesideCall::Unset(directory, key) => {
                let scope = ValueScope::Directory(directory);
                set_at(self.engine.unset_value(&scope, &key).await?)
            }
            BesideCall::Preview { directory, paths } => {
                let (trust, blocks) = (Trust::Trusted, Blocks::Joined);
                give(self.engine.preview_as(&directory, trust, &paths, blocks).await?)
            }
            BesideCall::Explain { directory, path } => {
                let found = self.engine.explain(&directory, &path).await?;
                give(answer::explained(&found))
            }
            BesideCall::Skills(directory) => {
                give(answer::skills(&self.engine.skills(&directory).await?))
            }
            BesideCall::Skill { directory, name } => {
                give(answer::skill(&self.engine.load_skill(&directory, &name).await?))
            }
            BesideCall::Watch(call) => watch::done(&self.engine, call).await,
        }
    }

    async fn list(&self, directory: Option<PathBuf>) -> Answer {
        #[derive(Serialize)]
        struct Line {
            session: SessionId,
            location: Location,
            revision: Revision,
            opened_at: Timestamp,
            last_record_at: Timestamp,
        }
        let sessions = self.engine.sessions(directory.as_deref()).await?;
        let lines = sessions.into_iter().map(|summary| Line {
            session: summary.session,
            location: Location { directory: summary.directory, boundary: summary.boundary },
            revision: summary.revision,
            opened_at: summary.opened_at,
            last_record_at: summary.last_record_at,
        });
        give(json!({ "sessions": lines.collect::<Vec<_>>() }))
    }

    /// A relative path starts at the session's Location, where there is a session.
    async fn at_location(&self, id: &SessionId, path: PathBuf) -> Result<PathBuf, Error> {
        if path.is_absolute() {
            return Ok(path);
        }
        match self.engine.session(id).await {
            Ok(session) => Ok(session.location().await?.directory().as_path().join(path)),
            Err(Error::UnknownSession(_)) => Ok(path),
            Err(error) => Err(error),
        }
    }

    /// The session, from the warm ones if it is there.
    async fn session(&self, id: &SessionId) -> Result<Session, Error> {
        let warm = self.take(id);
        let session = match warm {
            Some(session) => session,
            None => self.engine.session(id).await?,
        };
        let mut warm = self.lock();
        // Calls of one session take turns, so nobody put it there meanwhile.
        warm.push_back(session.clone());
        if warm.len() > WARM {
            warm.pop_front();
        }
        Ok(session)
    }

    /// Lets go of what is known of a session.
    pub(super) fn forget(&self, id: &SessionId) {
        drop(self.take(id));
    }

    fn take(&self, id: &SessionId) -> Option<Session> {
        let mut warm = self.lock();
        let at = warm.iter().rposition(|session| session.id() == id)?;
        warm.remove(at)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Session>> {
        self.warm.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stretch of the log: up to the limit, or until its texts are many bytes.
async fn log(session: &Session, after: Revision, limit: usize) -> Answer {
    let mut records: Vec<LogRecord> = Vec::new();
    let mut bytes = 0;
    loop {
        let last = records.last().map_or(after, |record| record.revision);
        let step = LOG_STEP.min(limit - records.len());
        let page = session.log(last, step).await?;
        bytes += page.records.iter().map(text_bytes).sum::<usize>();
        records.extend(page.records);
        if !page.more || records.len() >= limit || bytes >= LOG_BYTES {
            return give(LogPage { records, more: page.more });
        }
    }
}

#[derive(Serialize)]
struct LogPage {
    records: Vec<LogRecord>,
    more: bool,
}

fn text_bytes(record: &LogRecord) -> usize {
    record.text.as_ref().map_or(0, |text| text.len())
}

fn revision(revision: Revision) -> Answer {
    give(json!({ "revision": revision }))
}

/// A Location's value has no revision.
fn set_at(at: Option<Revision>) -> Answer {
    at.map_or_else(|| give(json!({})), revision)
}

pub(super) fn give(result: impl Serialize) -> Answer {
    to_raw_value(&result).map_err(|error| {
        tracing::error!(%error, "a result cannot be written as JSON");
        RpcError::internal()
    })
}
