//! What must come of one boundary: the records, the briefing, and all that stands beside the texts.

use super::{
    naive::{Around, Sight},
    plan::{Ask, Trouble},
    run::{Run, by_store},
    schedule::{self, Task, block_on},
};
use std::collections::BTreeSet;
use told_app::{Error, SyncRequest};
use told_domain::{briefing::Briefing, position::Revision, render::LogRecord};

/// What became of a boundary that may not have come to its end.
type Outcome = Option<Result<Briefing, Error>>;

/// One boundary and what became of it.
struct Call<'a> {
    ask: &'a Ask,
    request: SyncRequest,
    outcome: &'a Outcome,
    troubled: bool,
}

impl Run<'_> {
    /// One boundary, perhaps with the store in trouble.
    pub(super) fn boundary(
        &mut self,
        ask: &Ask,
        trouble: Option<(Trouble, usize)>,
    ) -> Result<(), String> {
        let request = self.request(ask);
        let handle = self.handle(ask.process, ask.session)?;
        self.mark();
        let process = &self.processes[ask.process];
        process.shop.expect(trouble);
        let result = block_on(process.sync(&handle, request));
        let troubled = process.shop.expect(None);
        self.numbers.faults += u64::from(troubled);
        self.verdict(ask, request, Some(result), troubled)
    }

    /// One boundary that is cut off after so many polls; its process begins anew.
    pub(super) fn killed(&mut self, ask: &Ask, polls: usize, order: u64) -> Result<(), String> {
        let request = self.request(ask);
        let handle = self.handle(ask.process, ask.session)?;
        self.mark();
        let process = &self.processes[ask.process];
        let task: Task<'_, _> = Box::pin(process.sync(&handle, request));
        let mut random = fastrand::Rng::with_seed(order);
        let mut outcomes = schedule::run(vec![task], &mut random, Some(polls));
        let outcome = outcomes.pop().flatten();
        let ended = outcome.is_some();
        self.numbers.faults += u64::from(!ended);
        self.verdict(ask, request, outcome, false)?;
        drop(handle);
        self.restart(ask.process);
        Ok(())
    }

    /// A preview writes nothing and foretells exactly what the boundary then tells.
    pub(super) fn foretold(&mut self, ask: &Ask) -> Result<(), String> {
        let request = self.request(ask);
        let handle = self.handle(ask.process, ask.session)?;
        let process = &self.processes[ask.process];
        let preview = block_on(process.preview(&handle, request));
        if !self.news(ask.session, false)?.is_empty() {
            return Err("a preview wrote".to_owned());
        }
        self.mark();
        let process = &self.processes[ask.process];
        let result = block_on(process.sync(&handle, request));
        match (&preview, &result) {
            (Ok(preview), Ok(told)) => {
                let texts = |briefing: &Briefing| {
                    let updates: Vec<_> =
                        briefing.updates.iter().map(|u| (u.position, u.text.clone())).collect();
                    let held: Vec<_> =
                        briefing.held.iter().map(|held| (held.key.clone(), held.reason)).collect();
                    (briefing.epoch.clone(), updates, held, briefing.location.clone())
                };
                if texts(preview) != texts(told) {
                    return Err(format!("foretold {:?}, told {:?}", texts(preview), texts(told)));
                }
            }
            (Err(one), Err(other)) if one.kind() == other.kind() => {}
            _ => return Err(format!("foretold {preview:?}, came {result:?}")),
        }
        self.verdict(ask, request, Some(result), false)
    }

    /// Holds a boundary against every sight that it may have had.
    fn verdict(
        &mut self,
        ask: &Ask,
        request: SyncRequest,
        outcome: Outcome,
        troubled: bool,
    ) -> Result<(), String> {
        self.got(&outcome);
        let records = self.news(ask.session, false)?;
        let sights = self.sights(ask.process, ask.session);
        let mut first = None;
        for (around, sight) in &sights {
            let before = self.ledgers[ask.session].clone();
            let call = Call { ask, request, outcome: &outcome, troubled };
            match self.hold(&call, &records, around, sight) {
                Ok(()) => {
                    self.remember(ask, &outcome, around.clone(), &sights);
                    return Ok(());
                }
                Err(why) => {
                    self.ledgers[ask.session] = before;
                    first.get_or_insert(why);
                }
            }
        }
        Err(first.unwrap_or_default())
    }

    fn hold(
        &mut self,
        call: &Call<'_>,
        records: &[LogRecord],
        around: &Around,
        sight: &Sight,
    ) -> Result<(), String> {
        let Call { ask, request, outcome, troubled } = *call;
        let ledger = &mut self.ledgers[ask.session];
        let anchored = ledger.anchored;
        let position = request.position.map(|p| p.0).or(anchored).unwrap_or_default();
        let regressed = anchored.is_some_and(|anchored| position < anchored);
        let first = ledger.epochs.is_empty();
        let new_epoch = first || ledger.pending.is_some();
        let blocked: BTreeSet<_> = sight
            .failed
            .iter()
            .filter(|failed| failed.required && first && !ask.proceed)
            .map(|failed| (failed.key.clone(), failed.reason))
            .collect();
        let due = ledger.due(sight, position);
        match outcome {
            // Killed: it happened whole or not at all.
            None if records.is_empty() => Ok(()),
            None if regressed || !blocked.is_empty() => Err(format!("written {records:?}")),
            None => ledger.settle(records, &due, sight),
            Some(Err(error)) if troubled && by_store(error) => match records {
                [] => Ok(()),
                _ if regressed || !blocked.is_empty() => Err(format!("written {records:?}")),
                _ => ledger.settle(records, &due, sight),
            },
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
                    return Err(format!(
                        "error {error}; due was {:?}, blocked by {blocked:?}",
                        due
                    ));
                }
                let nothing = records.is_empty();
                nothing.then_some(()).ok_or_else(|| format!("refused and written {records:?}"))
            }
            Some(Ok(_)) if regressed => Err("a position that regressed was taken".to_owned()),
            Some(Ok(_)) if !blocked.is_empty() => Err(format!("begun without {blocked:?}")),
            Some(Ok(briefing)) => {
                ledger.settle(records, &due, sight)?;
                ledger.shows(briefing, request.since.map(|since| since.0))?;
                if briefing.revision.0 != ledger.revision() {
                    return Err(format!("revision {} is not the last", briefing.revision));
                }
                let admitted = records.last().map(|record| record.revision);
                if briefing.admitted != admitted {
                    return Err(format!("admitted {:?}, not {admitted:?}", briefing.admitted));
                }
                self.beside(ask.session, briefing, around, sight, new_epoch)
            }
        }
    }

    /// What stands beside the texts is true.
    fn beside(
        &self,
        session: usize,
        briefing: &Briefing,
        around: &Around,
        sight: &Sight,
        new_epoch: bool,
    ) -> Result<(), String> {
        let ledger = &self.ledgers[session];
        let boundary = briefing.location.boundary.as_str();
        if boundary != around.boundary {
            return Err(format!("the boundary is {boundary}, not {}", around.boundary));
        }
        let left_out = told_domain::reason::UnavailableReason::NotRegistered;
        let mut must: Vec<_> = sight
            .failed
            .iter()
            .filter(|failed| !(new_epoch && failed.reason == left_out))
            .map(|failed| {
                let hidden = ledger.beliefs.iter().filter(|(key, belief)| {
                    failed.key == **key
                        || sight.find(key).is_none() && failed.hides(key, belief, sight)
                });
                let since = hidden.map(|(_, belief)| Revision(belief.told_at)).max();
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
        let sources = briefing.totals.sources;
        let fine = sources == ledger.beliefs.len() as u64;
        fine.then_some(()).ok_or_else(|| format!("{sources} sources in all"))
    }

    /// Through which candidates a process may now have found each file.
    pub(super) fn remember_found(
        &mut self,
        process: usize,
        session: usize,
        looked: bool,
        sights: &[Sight],
    ) {
        let ledger = &self.ledgers[session];
        let known = &mut self.processes[process].found[session];
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
    fn remember(
        &mut self,
        ask: &Ask,
        outcome: &Outcome,
        around: Around,
        sights: &[(Around, Sight)],
    ) {
        let looked = matches!(outcome, Some(Ok(_)));
        let seen: Vec<_> = sights.iter().map(|(_, sight)| sight.clone()).collect();
        self.remember_found(ask.process, ask.session, looked, &seen);
        let revision = self.ledgers[ask.session].revision();
        let mut before = self.remembered(ask.process, ask.session);
        let process = &mut self.processes[ask.process];
        process.held[ask.session] = None;
        if let Some(Ok(briefing)) = outcome {
            if let Some(admitted) = briefing.admitted {
                self.ledgers[ask.session].look = Some((admitted.0, briefing.held.clone()));
            }
            self.applied[ask.session] = Some(revision);
            let held = briefing.held.iter().map(|held| held.key.to_string());
            process.held[ask.session] = Some((held.collect(), revision));
        }
        process.around[ask.session] = match outcome {
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
}
