//! What must come of one boundary: the records, the briefing, and all that stands beside the texts.

use super::{
    calls::Done,
    ledger::Ledger,
    naive::{Around, Sight},
    plan::What,
    request::{Answer, Came},
    run::{Run, by_store},
};
use std::collections::BTreeSet;
use told_app::{Error, SyncRequest};
use told_domain::{
    briefing::Briefing, command::OnUnavailable, position::Revision, reason::UnavailableReason,
    render::Marks,
};

impl Run<'_> {
    /// Holds a boundary against every sight that it may have had.
    pub(super) fn boundary(&mut self, done: &Done<'_>, request: SyncRequest) -> Result<(), String> {
        let session = done.call.session;
        let sights = self.sights(done.call.process, session);
        let before = self.ledger(session)?.clone();
        self.blind = false;
        let mut reasons: Vec<String> = Vec::new();
        for (around, sight) in &sights {
            match self.holds(done, request, around, sight) {
                Ok(()) => {
                    self.blind = sight.blind;
                    self.remember(done, around.clone(), &sights);
                    return Ok(());
                }
                Err(why) => {
                    self.ledgers[session] = Some(before.clone());
                    if !reasons.contains(&why) {
                        reasons.push(why);
                    }
                }
            }
        }
        Err(reasons.join("; or "))
    }

    fn holds(
        &mut self,
        done: &Done<'_>,
        request: SyncRequest,
        around: &Around,
        sight: &Sight,
    ) -> Result<(), String> {
        let records = done.records;
        let ledger = self.ledger(done.call.session)?;
        let anchored = ledger.told.anchored;
        let position = request.position.map_or(ledger.told.default_position(), |at| at.0);
        let regressed = anchored.is_some_and(|anchored| position < anchored);
        let first = ledger.told.epoch.is_none();
        let new_epoch = first || ledger.told.pending().is_some();
        let blocks = first && request.on_unavailable == OnUnavailable::Block;
        let blocked: BTreeSet<_> = sight
            .failed
            .iter()
            .filter(|failed| failed.required && blocks)
            .map(|failed| (failed.key.clone(), failed.reason))
            .collect();
        let due = ledger.due(sight, position);
        match done.came {
            // It happened whole or not at all.
            _ if done.is_cut_off() && records.is_empty() => Ok(()),
            _ if done.is_cut_off() && (regressed || !blocked.is_empty()) => {
                Err(format!("written {records:?}"))
            }
            None | Some(Err(_)) if done.is_cut_off() => ledger.settle(records, &due, sight),
            Some(Err(error)) => {
                let expected = match error {
                    Error::PositionRegressed { .. } => regressed,
                    Error::Blocked(sources) => {
                        let named = sources.iter().map(|s| (s.source.to_string(), s.reason));
                        !regressed
                            && !blocked.is_empty()
                            && named.collect::<BTreeSet<_>>() == blocked
                    }
                    _ => false,
                };
                if !expected {
                    return Err(format!("error {error}; due was {due:?}, blocked by {blocked:?}"));
                }
                let nothing = records.is_empty();
                nothing.then_some(()).ok_or_else(|| format!("refused and written {records:?}"))
            }
            Some(Ok(_)) if regressed => Err("a position that regressed was taken".to_owned()),
            Some(Ok(_)) if !blocked.is_empty() => Err(format!("begun without {blocked:?}")),
            Some(Ok(Answer::Briefing(briefing))) => {
                ledger.settle(records, &due, sight)?;
                let since = request.since.map(|since| since.0);
                ledger.shows(briefing, since, request.marks == Marks::Shown)?;
                if briefing.revision.0 != ledger.revision() {
                    return Err(format!("revision {} is not the last", briefing.revision));
                }
                let admitted = records.last().map(|record| record.revision);
                if briefing.admitted != admitted {
                    return Err(format!("admitted {:?}, not {admitted:?}", briefing.admitted));
                }
                ledger.beside(briefing, around, sight, new_epoch)
            }
            came => Err(format!("came {came:?}")),
        }
    }

    /// Through which candidates a process may now have found each file.
    pub(super) fn remember_found(
        &mut self,
        process: usize,
        session: usize,
        looked: bool,
        sights: &[Sight],
    ) {
        let Some(ledger) = &self.ledgers[session] else { return };
        let known = &mut self.processes[process].memory[session].found;
        let new: Vec<_> = sights.iter().map(|sight| ledger.found(sight)).collect();
        if looked {
            known.clear();
        }
        for found in new {
            if !known.contains(&found) {
                known.push(found);
            }
        }
    }

    /// What the process knows now.
    fn remember(&mut self, done: &Done<'_>, around: Around, sights: &[(Around, Sight)]) {
        let (process, session) = (done.call.process, done.call.session);
        let looked = matches!(done.came, Some(Ok(_)));
        let seen: Vec<_> = sights.iter().map(|(_, sight)| sight.clone()).collect();
        self.remember_found(process, session, looked, &seen);
        let mut before = self.remembered(process, session);
        let Some(ledger) = &mut self.ledgers[session] else { return };
        let revision = ledger.revision();
        let memory = &mut self.processes[process].memory[session];
        memory.held = None;
        if let Some(briefing) = briefing_of(done.came) {
            if let Some(admitted) = briefing.admitted {
                ledger.looks.insert(admitted.0, briefing.held.clone());
            }
            self.applied[session] = Some(revision);
            let held = briefing.held.iter().map(|held| held.key.to_string());
            memory.held = Some((held.collect(), revision));
        }
        memory.around = match done.came {
            Some(Ok(_)) => Some((vec![around], revision)),
            // It was refused for what it saw, or after it.
            Some(Err(error)) if !by_store(error) => Some((vec![around], revision)),
            // It may have looked or not: what it then holds to is not known for sure.
            Some(Err(_)) | None => {
                before.extend(sights.iter().map(|(around, _)| around.clone()));
                Some((before, revision))
            }
        };
    }

    /// Whether a call is a boundary.
    pub(super) const fn is_boundary(what: &What) -> bool {
        matches!(what, What::Sync(_))
    }
}

pub(super) fn briefing_of(came: &Came) -> Option<&Briefing> {
    match came {
        Some(Ok(Answer::Briefing(briefing))) => Some(briefing),
        _ => None,
    }
}

impl Ledger {
    /// What stands beside the texts is true.
    fn beside(
        &self,
        briefing: &Briefing,
        around: &Around,
        sight: &Sight,
        new_epoch: bool,
    ) -> Result<(), String> {
        let boundary = briefing.location.boundary.as_str();
        if boundary != around.boundary {
            return Err(format!("the boundary is {boundary}, not {}", around.boundary));
        }
        let directory = briefing.location.directory.as_str();
        if directory != self.directory {
            return Err(format!("the Location is {directory}, not {}", self.directory));
        }
        let beliefs = self.beliefs();
        let left_out = UnavailableReason::NotRegistered;
        let failed = sight.failed.iter().filter(|f| !(new_epoch && f.reason == left_out));
        let mut must: Vec<_> = failed
            .map(|failed| {
                let hidden = beliefs.iter().filter(|(key, belief)| {
                    belief.last_value().is_some()
                        && (failed.key == **key
                            || sight.find(key).is_none() && self.hides(failed, key, belief, sight))
                });
                let told = hidden.filter_map(|(_, belief)| belief.last);
                let since = told.map(|(_, revision)| Revision(revision)).max();
                (failed.key.clone(), failed.reason, since)
            })
            .collect();
        let held = briefing.held.iter().filter(|held| !(new_epoch && held.reason == left_out));
        let mut held: Vec<_> =
            held.map(|held| (held.key.to_string(), held.reason, held.since)).collect();
        must.sort();
        held.sort();
        if held != must {
            return Err(format!("held are {held:?}, not {must:?}"));
        }
        let path = |key: String| key.strip_prefix("file:").unwrap_or(&key).to_owned();
        let mut withheld: Vec<_> = briefing
            .withheld
            .iter()
            .map(|view| (path(view.source.to_string()), view.reason.unwrap_or_default()))
            .filter(|(_, reason)| *reason != "near_miss")
            .collect();
        withheld.sort();
        if withheld != sight.withheld {
            return Err(format!("withheld are {withheld:?}, not {:?}", sight.withheld));
        }
        Ok(())
    }
}
