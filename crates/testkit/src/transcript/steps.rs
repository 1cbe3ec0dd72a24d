//! What every step does.
//!
//! The disk: `write PATH "text"`, `bytes PATH ef bb bf`, `append PATH "text"`, `empty PATH`, `unlink`,
//! `mkdir`, `rmdir`, `rename FROM TO`, `link PATH TARGET`, `fifo PATH`, `socket PATH`, `resize PATH N`.
//! Failures: `fail PATH CAUSE` (`EIO`, `EACCES`, `ELOOP`, `ETIMEDOUT`, `ENAMETOOLONG`) until `heal`,
//! `hang PATH`, and `meanwhile PATH "text"`, which writes the file while a look has it open.
//! The host: `open`, `sync`, `preview`, `preview new`, `compact`, `rebase`, `fork CHILD position=N`,
//! `revert N`, `set KEY JSON`, `unset KEY`
//! (`here=/repo` for a Location's value), `plugin KEY "value"`, `plugin KEY fails`, `plugin KEY gone`.
//! The world: `date 2026-12-01`, `restart`, `policy NAME=VALUE`, `names A B | C`,
//! `lose-answer written|unwritten`, `store busy|full|failed`.
//! Questions: `show [N]`, `sources [look]`, `log`, `explain PATH`, `writes`, `waits`.

use super::{Stage, line::Line, print};
use crate::{
    change::Change,
    fake::{
        file_system::{Fault, Rule, Step},
        store::{Call, Fault as StoreFault},
    },
};
use async_trait::async_trait;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};
use told_app::{Contribute, Contribution, Error, OpenRequest, SyncRequest, ValueScope};
use told_domain::{
    command::OnUnavailable,
    context::Need,
    key::PluginKey,
    observation::{Absence, Observation},
    position::{Position, Revision},
    reason::UnavailableReason,
    render::{Guidance, HostValue},
    session::{Location, Prior, SessionId, Trust},
    time::Date,
};

/// A plugin's value for the next boundary, and its own sentence for its removal.
pub(super) struct Spoken {
    value: Mutex<Observation<Arc<str>>>,
}

struct Farewell(Option<String>);

impl Guidance for Farewell {
    fn removal(&self) -> Option<String> {
        self.0.clone()
    }
}

#[async_trait]
impl Contribute for Spoken {
    async fn observe(&self, _: &Location) -> Observation<Arc<str>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Stage {
    /// Does one step and says what came of it; an error of the host's is an answer like any other.
    pub(super) async fn step(&mut self, line: &Line) -> Result<String, String> {
        if let Some(done) = self.on_disk(line)? {
            return Ok(done);
        }
        if let Some(done) = self.in_world(line)? {
            return Ok(done);
        }
        match self.by_host(line).await? {
            Ok(answer) => Ok(answer),
            Err(error) => Ok(print::error(&error)),
        }
    }

    fn on_disk(&self, line: &Line) -> Result<Option<String>, String> {
        let path = || line.word(0).map(PathBuf::from);
        let change = match line.verb.as_str() {
            "write" => {
                let done = self.files.write(path()?, line.word(1)?.as_bytes());
                return done.map(|()| Some(String::new())).map_err(|_| "refused".to_owned());
            }
            "bytes" => {
                let byte = |word: &String| u8::from_str_radix(word, 16).map_err(|e| e.to_string());
                let bytes = line.words.iter().skip(1).map(byte).collect::<Result<Vec<u8>, _>>()?;
                Change::Write { path: path()?, bytes }
            }
            "empty" => Change::Write { path: path()?, bytes: Vec::new() },
            "unlink" => Change::Remove { path: path()? },
            "mkdir" => {
                let done = self.files.make_directories(path()?);
                return done.map(|()| Some(String::new())).map_err(|_| "refused".to_owned());
            }
            "rmdir" => Change::RemoveDirectory { path: path()? },
            "rename" => Change::Rename { from: path()?, to: line.word(1)?.into() },
            "link" => Change::Link { path: path()?, target: line.word(1)?.into() },
            "fifo" => Change::Fifo { path: path()? },
            "socket" => Change::Socket { path: path()? },
            "resize" => {
                let size = line.word(1)?.parse().map_err(|_| "no size".to_owned())?;
                Change::Resize { path: path()?, size }
            }
            "fail" => {
                let fault = Fault::Fail(cause(line.word(1)?)?);
                self.files.script(Rule::new(Step::Looking, fault).at(path()?).always());
                return Ok(Some(String::new()));
            }
            "hang" => {
                self.files.script(Rule::new(Step::Looking, Fault::Hang).at(path()?).always());
                return Ok(Some(String::new()));
            }
            "meanwhile" => {
                let write = Change::Write { path: path()?, bytes: line.word(1)?.into() };
                let times = line.number("times")?.unwrap_or(1);
                let rule = Rule::new(Step::Reading, Fault::Change(write)).at(path()?);
                self.files.script(rule.times(u32::try_from(times).unwrap_or(u32::MAX)));
                return Ok(Some(String::new()));
            }
            "heal" => {
                self.files.heal();
                return Ok(Some(String::new()));
            }
            _ => return Ok(None),
        };
        self.files.apply(&change).map_err(|_| "the system refuses it".to_owned())?;
        Ok(Some(String::new()))
    }

    fn in_world(&mut self, line: &Line) -> Result<Option<String>, String> {
        match line.verb.as_str() {
            "restart" => self.restart(),
            "policy" => {
                let choices: Vec<(String, String)> =
                    line.options().map(|(name, value)| (name.into(), value.into())).collect();
                for (name, value) in choices {
                    self.choose(&name, &value)?;
                }
            }
            "names" => self.choose_names(&line.words)?,
            "date" => {
                let mut parts = line.word(0)?.split('-').map(|part| part.parse::<i16>().ok());
                let mut part = || parts.next().flatten().ok_or("no date");
                let (year, month, day) = (part()?, part()?, part()?);
                let date = Date::new(year, month as i8, day as i8).ok_or("no day")?;
                self.clock.set_today(date);
            }
            "lose-answer" => {
                let fault = match line.word(0)? {
                    "written" => StoreFault::LostAfter,
                    _ => StoreFault::LostBefore,
                };
                self.store.script(Call::Append, 1, fault);
            }
            "store" => {
                let fault = match line.word(0)? {
                    "busy" => StoreFault::Busy,
                    "full" => StoreFault::Full,
                    "failed" => StoreFault::Failed,
                    other => return Err(format!("no such trouble: {other}")),
                };
                self.store.script(Call::Append, 1, fault);
            }
            "writes" => return Ok(Some(format!("{} commits", self.store.commits()))),
            "waits" => return Ok(Some(format!("{:?}", self.clock.sleeps()))),
            _ => return Ok(None),
        }
        Ok(Some(String::new()))
    }

    async fn by_host(&mut self, line: &Line) -> Result<Result<String, Error>, String> {
        let name = line.session.clone();
        match line.verb.as_str() {
            "open" => return self.open(line).await,
            "plugin" => return self.plugin(line).await,
            "set" | "unset" => return self.value(line).await,
            "fork" => return self.fork(line).await,
            "preview" if line.words.first().is_some_and(|word| word == "new") => {
                let at = line.option("dir").unwrap_or("/repo").to_owned();
                let briefing = self.engine.preview(&PathBuf::from(at)).await;
                return Ok(briefing.map(|briefing| print::whole(&briefing)));
            }
            "explain" => {
                let (here, path) = (PathBuf::from("/repo"), PathBuf::from(line.word(0)?));
                let explained = self.engine.explain(&here, &path).await;
                return Ok(explained.map(|explained| {
                    let unread = explained.held.into_iter().chain(explained.withheld);
                    let all: Vec<_> = explained.applies.into_iter().chain(unread).collect();
                    print::sources(&all)
                }));
            }
            _ => {}
        }
        let session = match self.sessions.get(&name) {
            Some(session) => session.clone(),
            None => {
                let id: SessionId = name.parse().map_err(|_| "no session's name")?;
                match self.engine.session(&id).await {
                    Ok(session) => session,
                    Err(error) => return Ok(Err(error)),
                }
            }
        };
        self.sessions.insert(name.clone(), session.clone());
        let position = line.number("position")?.map(Position);
        let request = SyncRequest {
            position,
            since: line.number("since")?.map(Revision),
            on_unavailable: match line.option("unavailable") {
                Some("proceed") => OnUnavailable::Proceed,
                _ => OnUnavailable::Block,
            },
            ..SyncRequest::default()
        };
        Ok(match line.verb.as_str() {
            "sync" | "preview" => {
                let previewed = line.verb == "preview";
                let briefing = if previewed {
                    session.preview(request).await
                } else {
                    session.sync(request).await
                };
                match briefing {
                    Ok(briefing) if request.since.is_some() => Ok(print::since(&briefing)),
                    Ok(briefing) => {
                        let news = print::news(&briefing, self.hosts.get(&name))?;
                        if !previewed {
                            self.hosts.insert(name, briefing);
                        }
                        Ok(news)
                    }
                    Err(error) => Err(error),
                }
            }
            "compact" => session.compact(position).await.map(|at| format!("revision {at}")),
            "revert" => {
                let to = line.word(0)?.parse().map_err(|_| "no position")?;
                session.revert(Position(to)).await.map(|at| format!("revision {at}"))
            }
            "rebase" => {
                let reason = line.words.first().map(String::as_str);
                session.rebase(reason).await.map(|at| format!("revision {at}"))
            }
            "show" => {
                let revision = line.words.first().map(|word| word.parse().map(Revision));
                let revision = revision.transpose().map_err(|_| "no revision")?;
                session.show(revision).await.map(|briefing| print::whole(&briefing))
            }
            "sources" => {
                let look = line.words.first().is_some_and(|word| word == "look");
                session.sources(look).await.map(|views| print::sources(&views))
            }
            "log" => {
                let page = session.log(Revision::NONE, 1_000).await;
                page.map(|page| print::log(&page.records))
            }
            other => return Err(format!("`{other}` is no step")),
        })
    }

    async fn open(&mut self, line: &Line) -> Result<Result<String, Error>, String> {
        let session: SessionId = line.session.parse().map_err(|_| "no session's name")?;
        let request = OpenRequest {
            session: session.clone(),
            directory: line.option("dir").unwrap_or("/repo").into(),
            position: line.number("position")?.map(Position),
            prior: match line.option("prior") {
                Some("unknown") => Prior::Unknown,
                _ => Prior::None,
            },
            trust: match line.option("trust") {
                Some("untrusted") => Trust::Untrusted,
                _ => Trust::Trusted,
            },
        };
        let opened = match self.engine.open(request).await {
            Ok(opened) => opened,
            Err(error) => return Ok(Err(error)),
        };
        match self.engine.session(&session).await {
            Ok(handle) => self.sessions.insert(line.session.clone(), handle),
            Err(error) => return Ok(Err(error)),
        };
        let how = if opened.created { "new" } else { "as it was" };
        let Location { directory, boundary } = opened.location;
        let place = print::one_line(&format!("{directory} in {boundary}"));
        Ok(Ok(format!("{how}, revision {}, {place}", opened.revision)))
    }

    async fn fork(&mut self, line: &Line) -> Result<Result<String, Error>, String> {
        let name = |name: &str| name.parse::<SessionId>().map_err(|_| "no session's name");
        let (parent, child) = (name(&line.session)?, name(line.word(0)?)?);
        let position = line.number("position")?.map(Position);
        let forked = self.engine.fork(&parent, &child, position).await;
        // Its host has what the parent's has.
        if let (Ok(_), Some(told)) = (&forked, self.hosts.get(&line.session)) {
            self.hosts.insert(child.to_string(), told.clone());
        }
        Ok(forked.map(|forked| format!("{}, revision {}", forked.session, forked.revision)))
    }

    async fn value(&mut self, line: &Line) -> Result<Result<String, Error>, String> {
        let key = line.word(0)?.parse().map_err(|_| "no key")?;
        let scope = match line.option("here") {
            Some(directory) => ValueScope::Directory(directory.into()),
            None => ValueScope::Session(line.session.parse().map_err(|_| "no session's name")?),
        };
        let at = if line.verb == "set" {
            let value = serde_json::from_str(line.word(1)?).map_err(|error| error.to_string())?;
            let value = HostValue { title: line.option("title").map(str::to_owned), value };
            self.engine.set_value(&scope, &key, &value).await
        } else {
            self.engine.unset_value(&scope, &key).await
        };
        Ok(at.map(|at| at.map(|at| format!("revision {at}")).unwrap_or_default()))
    }

    async fn plugin(&mut self, line: &Line) -> Result<Result<String, Error>, String> {
        let key: PluginKey = line.word(0)?.parse().map_err(|_| "no plugin's key")?;
        let value = match line.word(1)? {
            "gone" => {
                self.plugins.remove(&key);
                return Ok(Ok(String::new()));
            }
            "fails" => Observation::Unavailable(UnavailableReason::IoError),
            "silent" => Observation::Absent(Absence::NotFound),
            value => Observation::Available(value.into()),
        };
        if let Some((_, spoken)) = self.plugins.get(&key) {
            *spoken.value.lock().unwrap_or_else(PoisonError::into_inner) = value;
            return Ok(Ok(String::new()));
        }
        let spoken = Arc::new(Spoken { value: Mutex::new(value) });
        let services = match self.engine.location(&PathBuf::from("/repo")).await {
            Ok(services) => services,
            Err(error) => return Ok(Err(error)),
        };
        let need = match line.option("need") {
            Some("required") => Need::Required,
            _ => Need::Optional,
        };
        let farewell = line.option("farewell").map(str::to_owned);
        let guidance = Arc::new(Farewell(farewell));
        let contribution =
            Contribution { key: key.clone(), need, guidance, source: spoken.clone() };
        match services.registry().register(contribution) {
            Ok(registration) => self.plugins.insert(key, (registration, spoken)),
            Err(taken) => return Err(taken.to_string()),
        };
        Ok(Ok(String::new()))
    }
}

fn cause(word: &str) -> Result<UnavailableReason, String> {
    Ok(match word {
        "EIO" | "EMFILE" => UnavailableReason::IoError,
        "EACCES" => UnavailableReason::PermissionDenied,
        "ELOOP" => UnavailableReason::TooManyLinks,
        "ETIMEDOUT" => UnavailableReason::Timeout,
        "ENAMETOOLONG" => UnavailableReason::NameTooLong,
        other => return Err(format!("no such cause: {other}")),
    })
}
