//! What must come of calls at once: each change is told once, nothing that never was, and nothing
//! that was begun before a move is done after it.

use super::{
    calls::written_to,
    disk::Notes,
    ledger::{Ledger, scopes},
    naive::{Plugin, Sight, above},
    plan::{Ask, Call, Edit, Mishap, SESSIONS, What},
    ports::locked,
    request::{Answer, Came, Request},
    run::Run,
    schedule::{self, Task, block_on, cut, others_run},
    watch::edited,
};
use std::collections::BTreeSet;
use told_app::Error;
use told_domain::render::{LogRecord, Marks};

/// One call of a race, and what became of it.
struct Entrant<'a> {
    call: &'a Call,
    request: Request,
    came: Came,
    /// At which revision it first saw its session.
    saw: Option<u64>,
}

impl Run<'_> {
    /// Calls at once: each change is told once, and then everything stands.
    pub(super) fn race(
        &mut self,
        calls: &[Call],
        edits: &[Edit],
        order: u64,
        dropped: Option<usize>,
    ) -> Result<(), String> {
        let (entrants, moments) = self.run_race(calls, edits, order, dropped)?;
        let came: Vec<_> = entrants.iter().map(|entrant| &entrant.came).collect();
        self.got(&came);
        self.wrote();
        self.covered = true;
        let sessions: BTreeSet<_> = calls.iter().map(written_to).collect();
        for session in sessions {
            let of_session: Vec<_> =
                entrants.iter().filter(|entrant| entrant.call.session == session).collect();
            if self.ledgers[session].is_some() {
                self.raced(session, &of_session, &moments)?;
            } else {
                let gone = |entrant: &&Entrant<'_>| match entrant.came {
                    None | Some(Err(Error::UnknownSession(_))) => true,
                    Some(_) => false,
                };
                if let Some(other) = of_session.iter().find(|entrant| !gone(entrant)) {
                    return Err(format!("there is no session, came {:?}", other.came));
                }
            }
            if self.doubtful {
                return Ok(());
            }
        }
        Ok(())
    }

    fn run_race<'c>(
        &mut self,
        calls: &'c [Call],
        edits: &[Edit],
        order: u64,
        dropped: Option<usize>,
    ) -> Result<(Vec<Entrant<'c>>, Vec<Notes>), String> {
        let mut requests = Vec::new();
        for call in calls {
            // Who is not there says so in the race as well.
            block_on(self.processes[call.process].session(call.session)).ok();
            requests.push(self.request(call));
        }
        self.mark();
        locked(&self.ground.saw).clear();
        let mut moments = vec![self.notes()];
        let disk = self.ground.disk.clone();
        let mut wrong = Ok(());
        let mut outcomes = {
            let (moments, wrong, processes) = (&mut moments, &mut wrong, &self.processes);
            let editor: Task<'_, Came> = Box::pin(async move {
                for edit in edits {
                    if wrong.is_ok() {
                        *wrong = edited(&disk, processes, edit, moments).await;
                    }
                    others_run().await;
                    others_run().await;
                }
                None
            });
            let mut tasks = vec![editor];
            for (index, (call, request)) in calls.iter().zip(&requests).enumerate() {
                let process = &self.processes[call.process];
                let polls = dropped.filter(|_| index == 0);
                tasks.push(Box::pin(cut(process.call(call.session, request), polls)));
            }
            schedule::run(tasks, &mut fastrand::Rng::with_seed(order), None)
        };
        wrong?;
        outcomes.remove(0);
        let saw = locked(&self.ground.saw).clone();
        let entrants = calls.iter().zip(requests).zip(outcomes).enumerate();
        let entrant = |(index, ((call, request), came)): (usize, ((_, _), Option<Came>))| Entrant {
            call,
            request,
            came: came.flatten(),
            // The first task is the editor.
            saw: saw.get(&(index + 1)).map(|saw| saw.revision),
        };
        Ok((entrants.map(entrant).collect(), moments))
    }

    /// What the calls on one session came to.
    fn raced(
        &mut self,
        session: usize,
        entrants: &[&Entrant<'_>],
        moments: &[Notes],
    ) -> Result<(), String> {
        let before = self.ledger(session)?.clone();
        let records = self.news(session)?;
        if records.len() > moments.len() * entrants.len() + entrants.len() + 1 {
            return Err(format!("{} records of one race", records.len()));
        }
        let mut sights = Vec::new();
        for record in &records {
            self.may_be(record, entrants, session, moments)?;
            sights.extend(self.seen_in(session, moments));
            let seen: Vec<&Sight> = sights.iter().collect();
            self.ledger(session)?.take(record, &seen)?;
        }
        sights.extend(self.seen_in(session, moments));
        let mut distinct: Vec<Sight> = Vec::new();
        for sight in sights {
            if !distinct.contains(&sight) {
                distinct.push(sight);
            }
        }
        let seen: Vec<&Sight> = distinct.iter().collect();
        self.was_so(session, &before, &records, &seen)?;
        for entrant in entrants {
            self.came_true(entrant, &before, &records)?;
        }
        let ledger = self.ledger(session)?;
        let placed = ledger.place_all(&seen);
        self.doubtful |= !placed || ledger.doubtful;
        if self.doubtful {
            return Ok(());
        }
        self.applied[session] = None;
        for process in 0..self.processes.len() {
            let mut around = self.remembered(process, session);
            for notes in moments {
                around.extend(Self::arounds(&self.sights_of(notes, process, session)));
            }
            let revision = self.ledger(session)?.revision();
            let memory = &mut self.processes[process].memory[session];
            memory.around = Some((around, revision));
            memory.held = None;
            self.remember_found(process, session, false, &distinct);
        }
        let syncs = entrants.iter().all(|entrant| Self::is_boundary(&entrant.call.what));
        self.settled(entrants, session, syncs && moments.len() == 1 && !records.is_empty())
    }

    /// All that could be seen in a race as the session stands.
    fn seen_in(&self, session: usize, moments: &[Notes]) -> Vec<Sight> {
        let mut sights = Vec::new();
        for notes in moments {
            for process in 0..self.processes.len() {
                let seen = self.sights_of(notes, process, session).into_iter();
                sights.extend(seen.map(|(_, sight)| sight));
            }
        }
        sights
    }

    /// Whether one of the calls may have written this record.
    fn may_be(
        &self,
        record: &LogRecord,
        entrants: &[&Entrant<'_>],
        session: usize,
        moments: &[Notes],
    ) -> Result<(), String> {
        let position = record.position.map(|position| position.0);
        let mut calls = entrants.iter();
        let fine = match record.kind {
            "epoch_started" | "context_updated" => {
                calls.any(|entrant| Self::is_boundary(&entrant.call.what))
            }
            "scopes_discovered" => calls.any(|entrant| match &entrant.call.what {
                What::Settle(settling) => self.may_discover(record, settling, session, moments),
                _ => false,
            }),
            "compacted" => calls.any(|e| matches!(e.call.what, What::Compact)),
            "value_set" | "value_unset" => calls.any(|e| matches!(e.call.what, What::Value(..))),
            "holds_declared" => calls.any(|e| matches!(e.call.what, What::Holds(_))),
            "window_moved" => calls.any(|e| matches!(e.call.what, What::Window(_))),
            "reverted" => calls.any(|entrant| match &entrant.request {
                Request::Revert(to) => Some(to.0) == position,
                _ => false,
            }),
            "moved" => calls.any(|entrant| match &entrant.request {
                Request::Move(directory) => {
                    let location = record.details.get("location");
                    let to = location.and_then(|location| location.get("directory"));
                    to.and_then(|to| to.as_str()) == directory.to_str()
                }
                _ => false,
            }),
            _ => false,
        };
        fine.then_some(()).ok_or_else(|| format!("nobody wrote {record:?}"))
    }

    /// Whether a settlement may have discovered this: all of it is new and was so at some moment.
    fn may_discover(
        &self,
        record: &LogRecord,
        settling: &super::plan::Settling,
        session: usize,
        moments: &[Notes],
    ) -> bool {
        let Some(ledger) = &self.ledgers[session] else { return false };
        let new = scopes(record);
        let known = new.iter().any(|(scope, _)| ledger.told.scopes.contains_key(scope));
        // Which boundary a process went by is not to be seen from outside: any above may be.
        let mut boundaries = above(&ledger.directory).into_iter();
        let found = boundaries.any(|boundary| {
            moments.iter().any(|notes| {
                let found = self.view(notes, ledger).settled(&boundary, settling).scopes;
                let fresh = found.iter().filter(|(s, _)| !ledger.told.scopes.contains_key(s));
                fresh.eq(&new)
            })
        });
        found && !known
    }

    /// Whether an answer is true of the log as it then was.
    fn came_true(
        &mut self,
        entrant: &Entrant<'_>,
        before: &Ledger,
        records: &[LogRecord],
    ) -> Result<(), String> {
        let session = entrant.call.session;
        let moved: Vec<u64> =
            records.iter().filter(|r| r.kind == "moved").map(|r| r.revision.0).collect();
        let ledger = self.ledger(session)?;
        match &entrant.came {
            Some(Ok(answer)) => {
                let revision = answer.revision().unwrap_or_default();
                let fenced = matches!(
                    entrant.request,
                    Request::Sync(_) | Request::Settle(_) | Request::Move(_)
                );
                let own = matches!(answer, Answer::Moved(..));
                let saw = entrant.saw.unwrap_or_default();
                let late = |moved: &&u64| {
                    saw < **moved && (**moved < revision || !own && **moved == revision)
                };
                if fenced && let Some(moved) = moved.iter().find(late) {
                    return Err(format!(
                        "begun at {saw}, moved at {moved}, and done at {revision}: {answer:?}"
                    ));
                }
                if let (Answer::Briefing(briefing), Request::Sync(request)) =
                    (answer, &entrant.request)
                {
                    let since = request.since.map(|since| since.0);
                    ledger.shows(briefing, since, request.marks == Marks::Shown)?;
                }
                Ok(())
            }
            Some(Err(Error::LocationChanged(_))) if !moved.is_empty() => Ok(()),
            Some(Err(Error::UnknownDirectory { .. })) => Ok(()),
            Some(Err(Error::PositionRegressed { .. })) => {
                let request = matches!(entrant.request, Request::Compact(_));
                request.then_some(()).ok_or_else(|| "a race regressed".to_owned())
            }
            // A first boundary may be blocked while it is the first.
            Some(Err(Error::Blocked(_))) => {
                let reverted = records.iter().any(|record| record.kind == "reverted");
                let first = before.told.epoch.is_none() || reverted;
                first.then_some(()).ok_or_else(|| "a race was blocked".to_owned())
            }
            // Its host went away.
            None => Ok(()),
            other => Err(format!("a race ended in {other:?}")),
        }
    }

    /// Everything that a race told was so at some moment of it.
    fn was_so(
        &mut self,
        session: usize,
        before: &Ledger,
        records: &[LogRecord],
        sights: &[&Sight],
    ) -> Result<(), String> {
        let revisions: BTreeSet<_> = records.iter().map(|record| record.revision.0).collect();
        // What is unavailable is told as it was last.
        let failed = sights.iter().any(|sight| !sight.failed.is_empty());
        let reverted = records.iter().any(|record| record.kind == "reverted");
        let earlier = before.beliefs();
        for (key, belief) in self.ledger(session)?.beliefs() {
            let (Some(text), Some((_, told_at))) = (belief.last_value(), belief.last) else {
                continue;
            };
            let told = |sight: &&Sight| sight.find(key).is_some_and(|told| told.text == text);
            let as_last = earlier.get(key).and_then(|belief| belief.last_value()) == Some(text);
            let excused = failed && (as_last || reverted) || !revisions.contains(&told_at);
            if !excused && !sights.iter().any(told) {
                return Err(format!("{key} never had the value {text:?}"));
            }
        }
        Ok(())
    }

    /// After a race each process is asked once more. What came before must have told all that one
    /// process can see, where nothing moved.
    fn settled(
        &mut self,
        entrants: &[&Entrant<'_>],
        session: usize,
        told: bool,
    ) -> Result<(), String> {
        let alike = self.processes.iter().all(|p| p.plugin == Plugin::Never)
            // What was not told of may be found by now.
            && self.notes().mapped.is_none();
        let whole = entrants.iter().any(|entrant| matches!(entrant.came, Some(Ok(_))));
        for process in 0..self.processes.len() {
            let ask = Ask { positioned: true, ..Ask::default() };
            let again = Call { process, session, messages: 0, what: What::Sync(ask) };
            let revision = self.ledger(session)?.revision();
            self.call(&again, Mishap::None)?;
            let wrote = self.ledger(session)?.revision() != revision;
            if told && alike && whole && process == 0 && wrote {
                return Err(format!("a race of {} left something untold", SESSIONS[session]));
            }
        }
        Ok(())
    }
}
