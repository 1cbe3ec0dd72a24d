//! What must come of every call that is no boundary.

use super::{
    calls::Done,
    ledger::Ledger,
    naive::{Markers, Sight},
    plan::{Call, What},
    request::{Answer, Request},
    run::Run,
    settling::Discovered,
};
use serde_json::{Value, json};
use told_domain::{
    command::{Adoption, Claimed},
    hash::ContentHash,
    render::LogRecord,
};

/// What a call must come to.
#[derive(Debug)]
pub(super) enum Fate {
    /// An error of that kind, and nothing written.
    Refused(&'static str),
    /// Nothing is written.
    Nothing,
    /// One record is written.
    Writes(Write),
}

/// A record that is due.
#[derive(Debug, Default)]
pub(super) struct Write {
    pub(super) kind: &'static str,
    pub(super) position: Option<u64>,
    /// What its details must hold, beside others.
    pub(super) details: Value,
    /// The sources that it is about, in order.
    pub(super) sources: Vec<String>,
}

impl Write {
    /// Whether this is what was written.
    fn is(&self, record: &LogRecord) -> Result<(), String> {
        let position = record.position.map(|position| position.0);
        let sources = record.changes.iter().flatten().map(|change| change.source.to_string());
        let details = self.details.as_object().into_iter().flatten();
        let mut other = details.filter(|(name, value)| record.details.get(*name) != Some(value));
        let fine = record.kind == self.kind
            && position == self.position
            && sources.eq(self.sources.iter().cloned())
            && other.next().is_none();
        fine.then_some(()).ok_or_else(|| format!("due was {self:?}, written {record:?}"))
    }
}

/// Which of some sources can be adopted.
#[derive(Default)]
struct Adoptable {
    adopted: Vec<String>,
    refused: Vec<(usize, &'static str)>,
}

impl Run<'_> {
    /// Holds a call against what must come of it.
    pub(super) fn judge(&mut self, done: &Done<'_>) -> Result<(), String> {
        let opens = matches!(done.call.what, What::Open(_));
        if self.ledgers[done.call.session].is_none() && !opens {
            self.fits(done, &Fate::Refused("unknown_session"))?;
            return Ok(());
        }
        match done.request {
            Request::Sync(request) => self.boundary(done, *request),
            Request::Fork(_, position) => self.forked(done, position.map(|at| at.0)),
            Request::Open(request) => self.opened(done, request),
            Request::Delete => self.deleted(done),
            _ => self.lived(done),
        }
    }

    /// Whether a call came to this; true where it came to its end, and was not refused.
    pub(super) fn fits(&self, done: &Done<'_>, fate: &Fate) -> Result<bool, String> {
        let due = match fate {
            Fate::Writes(write) => Some(write),
            Fate::Refused(_) | Fate::Nothing => None,
        };
        match (due, done.records) {
            (Some(write), [record]) => write.is(record)?,
            (None, []) => {}
            (_, []) if done.is_cut_off() => return Ok(false),
            (_, written) => return Err(format!("due was {fate:?}, written {written:?}")),
        }
        match (fate, done.came) {
            _ if done.is_cut_off() => Ok(false),
            (Fate::Refused(kind), Some(Err(error))) if error.kind() == *kind => Ok(false),
            (Fate::Nothing | Fate::Writes(_), Some(Ok(_))) => Ok(true),
            (_, came) => Err(format!("due was {fate:?}, came {came:?}")),
        }
    }

    /// A call in the life of a session that is there.
    fn lived(&mut self, done: &Done<'_>) -> Result<(), String> {
        let session = done.call.session;
        let mut first = None;
        for (fate, sight, wanted) in self.fates(done)? {
            let last = self.ledger(session)?.revision() + done.records.len() as u64;
            let fits = self.fits(done, &fate).and_then(|ended| match done.came {
                Some(Ok(answer)) if ended => answered(answer, last, &wanted),
                _ => Ok(()),
            });
            match fits {
                Ok(()) => {
                    let sights: Vec<&Sight> = sight.iter().collect();
                    let ledger = self.ledger(session)?;
                    for record in done.records {
                        ledger.take(record, &sights)?;
                    }
                    return ledger.has(done);
                }
                Err(why) => {
                    first.get_or_insert(why);
                }
            }
        }
        Err(first.unwrap_or_else(|| "nobody knows what was due".to_owned()))
    }

    /// What a call may come to, what it may have seen, and what it must answer.
    fn fates(&self, done: &Done<'_>) -> Result<Vec<(Fate, Option<Sight>, Wanted)>, String> {
        let Call { process, session, .. } = *done.call;
        let ledger = self.ledgers[session].as_ref().ok_or("no session")?;
        let plain = |fate| vec![(fate, None, Wanted::Nothing)];
        Ok(match done.request {
            Request::Settle(settlement) => {
                let notes = self.notes();
                let view = self.view(&notes, ledger);
                let What::Settle(settling) = &done.call.what else { return Ok(Vec::new()) };
                let position = settlement.position.map(|at| at.0);
                let around = self.remembered(process, session).into_iter();
                around
                    .map(|around| {
                        let found = view.settled(&around.boundary, settling);
                        let agent = settlement.agent.as_deref();
                        let (fate, new) = discovery(ledger, &found, position, agent);
                        (fate, None, Wanted::Settled(new, found.ignored))
                    })
                    .collect()
            }
            Request::Adopt(sources, position) => {
                let position = position.map_or(ledger.told.default_position(), |at| at.0);
                let sights = self.sights(process, session).into_iter();
                sights
                    .map(|(_, sight)| {
                        let found = adoptable(&sight, sources);
                        let fate = adoption(ledger, &sight, &found, position);
                        let wanted = Wanted::Adopted(found.adopted, found.refused);
                        (fate, Some(sight), wanted)
                    })
                    .collect()
            }
            Request::Holds(held) => {
                let mut lost = ledger.told.own_texts();
                lost.retain(|revision| !held.iter().any(|held| held.0 == *revision));
                let fate = if ledger.told.epoch.is_none() || lost == ledger.told.lost() {
                    Fate::Nothing
                } else {
                    let details = json!({"held": held, "lost": lost});
                    Fate::Writes(Write { kind: "holds_declared", details, ..Write::default() })
                };
                vec![(fate, None, Wanted::Lost(lost))]
            }
            Request::Move(directory) => {
                let directory = directory.to_string_lossy().into_owned();
                plain(self.moved(ledger, &directory))
            }
            other => plain(ledger.fate(other)),
        })
    }

    /// A move finds out the boundary of where it goes (R-SES-3).
    fn moved(&self, ledger: &Ledger, directory: &str) -> Fate {
        if !self.notes().reaches(directory) {
            return Fate::Refused("unknown_directory");
        }
        if ledger.directory == directory {
            return Fate::Nothing;
        }
        let boundary = self.boundary_of(directory);
        let details = json!({"location": {"directory": directory, "boundary": boundary}});
        Fate::Writes(Write { kind: "moved", details, ..Write::default() })
    }

    /// The boundary around a directory in which nobody works yet.
    pub(super) fn boundary_of(&self, directory: &str) -> String {
        let mut nobody = Ledger::new("");
        nobody.directory = directory.to_owned();
        match self.view(&self.notes(), &nobody).markers() {
            Markers::Found(around) => around.boundary,
            Markers::Unknown(..) => directory.to_owned(),
        }
    }

    fn deleted(&mut self, done: &Done<'_>) -> Result<(), String> {
        let session = done.call.session;
        // The log is gone with it: only whether it is still there can be seen.
        let there = self.is_there(session)?;
        if self.fits(done, &Fate::Nothing)? && there {
            return Err("a deleted session is there".to_owned());
        }
        if !there {
            self.forgotten(session, None);
        }
        Ok(())
    }
}

impl Ledger {
    /// Whether what a call set or answered is what the log says.
    fn has(&self, done: &Done<'_>) -> Result<(), String> {
        let fine = match (done.request, done.came) {
            (Request::Value(key, value), Some(Ok(_))) => self.values.get(*key) == value.as_ref(),
            (_, Some(Ok(Answer::Moved(_, location)))) => {
                location.directory.as_str() == self.directory
                    && location.boundary.as_str() == self.boundary.0
            }
            _ => true,
        };
        fine.then_some(()).ok_or_else(|| format!("answered {:?}, {:?}", done.came, self.values))
    }

    /// What must come of a call that needs no look.
    fn fate(&self, request: &Request) -> Fate {
        let told = &self.told;
        let regressed = |at: u64| told.anchored.is_some_and(|anchored| at < anchored);
        let write = |kind, position, details| {
            Fate::Writes(Write { kind, position, details, sources: Vec::new() })
        };
        match request {
            Request::Compact(at) if regressed(at.0) => Fate::Refused("position_regressed"),
            Request::Compact(at) if told.epoch.is_some() => {
                write("compacted", Some(at.0), Value::Null)
            }
            Request::Rebase if told.epoch.is_some() => {
                write("rebased", told.anchored, json!({"reason": "another model"}))
            }
            Request::Revert(to) if told.reaches_beyond(to.0) => {
                write("reverted", Some(to.0), Value::Null)
            }
            Request::Window(from) if from.0 > told.window => {
                write("window_moved", None, json!({"from": from}))
            }
            Request::Value(key, Some(value)) if self.values.get(*key) != Some(value) => {
                write("value_set", None, json!({"key": key}))
            }
            Request::Value(key, None) if self.values.contains_key(*key) => {
                write("value_unset", None, json!({"key": key}))
            }
            _ => Fate::Nothing,
        }
    }
}

/// What an answer must say beside the revision.
pub(super) enum Wanted {
    Nothing,
    Settled(Vec<String>, Vec<(String, &'static str)>),
    Lost(Vec<u64>),
    Adopted(Vec<String>, Vec<(usize, &'static str)>),
}

/// Only what is new to the session is written, at or after what is anchored.
fn discovery(
    ledger: &Ledger,
    found: &Discovered,
    position: Option<u64>,
    agent: Option<&str>,
) -> (Fate, Vec<String>) {
    let known = &ledger.told.scopes;
    let new: Vec<_> = found.scopes.iter().filter(|(scope, _)| !known.contains_key(scope)).collect();
    let scopes: Vec<String> = new.iter().map(|(scope, _)| scope.clone()).collect();
    if new.is_empty() {
        return (Fate::Nothing, scopes);
    }
    let position = position.unwrap_or_else(|| ledger.told.default_position());
    let position = Some(position.max(ledger.told.anchored.unwrap_or_default()));
    let new: Vec<_> = new
        .into_iter()
        .map(|(directory, project)| json!({"directory": directory, "project": project}))
        .collect();
    let details = json!({"agent": agent, "scopes": new});
    let write = Write { kind: "scopes_discovered", position, details, sources: Vec::new() };
    (Fate::Writes(write), scopes)
}

fn adoptable(sight: &Sight, sources: &[Adoption]) -> Adoptable {
    let mut found = Adoptable::default();
    for (index, source) in sources.iter().enumerate() {
        let named = match &source.source {
            Claimed::Key(key) => sight.named(&key.to_string()),
            // A script names none.
            Claimed::Url(_) => None,
        };
        let Some(told) = named else {
            found.refused.push((index, "unknown_source"));
            continue;
        };
        if source.sha256.is_some_and(|sha256| sha256 != ContentHash::of(&told.text)) {
            found.refused.push((index, "other_content"));
        } else if !found.adopted.contains(&told.key) {
            found.adopted.push(told.key.clone());
        }
    }
    found
}

fn adoption(ledger: &Ledger, sight: &Sight, found: &Adoptable, position: u64) -> Fate {
    if ledger.told.anchored.is_some_and(|anchored| position < anchored) {
        return Fate::Refused("position_regressed");
    }
    let beliefs = ledger.beliefs();
    let new = |key: &&String| {
        let believed = beliefs.get(key.as_str()).and_then(|belief| belief.value());
        believed != sight.find(key).map(|told| told.text.as_str())
    };
    let sources: Vec<String> = found.adopted.iter().filter(new).cloned().collect();
    if sources.is_empty() {
        return Fate::Nothing;
    }
    let position = Some(position);
    Fate::Writes(Write { kind: "adopted", position, details: Value::Null, sources })
}

/// Whether an answer says what was done.
fn answered(answer: &Answer, last: u64, wanted: &Wanted) -> Result<(), String> {
    if answer.revision().is_some_and(|revision| revision != last) {
        return Err(format!("answered {answer:?}, the last record is {last}"));
    }
    let fine = match (wanted, answer) {
        (Wanted::Nothing, _) => true,
        (Wanted::Settled(new, ignored), Answer::Settled(settled)) => {
            let discovered = settled.discovered.iter().map(ToString::to_string);
            let left_out = settled.ignored.iter().map(|i| (i.path.to_string(), i.reason.as_str()));
            discovered.eq(new.iter().cloned()) && left_out.eq(ignored.iter().cloned())
        }
        (Wanted::Lost(lost), Answer::Held(held)) => {
            held.lost.iter().map(|revision| revision.0).eq(lost.iter().copied())
        }
        (Wanted::Adopted(new, refused), Answer::Adopted(adopted)) => {
            let said = adopted.refused.iter().map(|(index, why)| (*index, json!(why)));
            adopted.adopted.iter().map(ToString::to_string).eq(new.iter().cloned())
                && said.eq(refused.iter().map(|(index, why)| (*index, json!(why))))
        }
        _ => false,
    };
    fine.then_some(()).ok_or_else(|| format!("answered {answer:?}"))
}
