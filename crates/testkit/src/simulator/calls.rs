//! One call of a host's: what it says, how it is carried out, and who judges what came of it.

use super::{
    ledger::Ledger,
    plan::{Call, KEYS, LOCATIONS, Mishap, Opening, Proof, What},
    process::name,
    request::{Answer, Came, Request, settlement},
    run::{Run, by_store},
    schedule::{self, Task, block_on, cut},
};
use std::path::PathBuf;
use told_app::{Error, OpenRequest, SyncRequest, ValueScope};
use told_domain::{
    briefing::Briefing,
    command::{Adoption, Claimed, OnUnavailable},
    hash::ContentHash,
    position::{Position, Revision},
    render::{Blocks, LogRecord, Marks},
    session::{Prior, Trust},
};

/// One call and what became of it.
pub(super) struct Done<'a> {
    pub(super) call: &'a Call,
    pub(super) request: &'a Request,
    pub(super) came: &'a Came,
    pub(super) troubled: bool,
    /// What it wrote: for a fork to the child's log, else to the session's.
    pub(super) records: &'a [LogRecord],
}

impl Run<'_> {
    /// One call, and what befalls it.
    pub(super) fn call(&mut self, call: &Call, mishap: Mishap) -> Result<(), String> {
        let request = self.request(call);
        self.mark();
        let (came, troubled) = self.carry_out(call, &request, mishap);
        self.got(&came);
        let killed = came.is_none();
        self.numbers.faults += u64::from(troubled || killed);
        if let What::Preview(_) = call.what {
            self.foretold(call, &request, &came, troubled)?;
        } else {
            self.judged(call, &request, &came, troubled)?;
        }
        if matches!(mishap, Mishap::Killed(_)) {
            self.restart(call.process)?;
        } else if troubled || killed {
            self.processes[call.process].memory[call.session].held = None;
        }
        Ok(())
    }

    fn judged(
        &mut self,
        call: &Call,
        request: &Request,
        came: &Came,
        troubled: bool,
    ) -> Result<(), String> {
        let records = if self.wrote() { self.news(written_to(call))? } else { Vec::new() };
        self.judge(&Done { call, request, came, troubled, records: &records })
    }

    fn carry_out(&mut self, call: &Call, request: &Request, mishap: Mishap) -> (Came, bool) {
        let process = &self.processes[call.process];
        let covered = || process.lookout.as_ref().map(|lookout| lookout.service().covered);
        let before = covered();
        let carried = match mishap {
            Mishap::None => (Some(block_on(process.call(call.session, request))), false),
            Mishap::Trouble(trouble, after) => {
                process.shop.expect(Some((trouble, after)));
                let came = block_on(process.call(call.session, request));
                (Some(came), process.shop.expect(None))
            }
            Mishap::Killed(polls) => {
                let task: Task<'_, _> = Box::pin(process.call(call.session, request));
                let mut random = fastrand::Rng::with_seed(0);
                (schedule::run(vec![task], &mut random, Some(polls)).pop().flatten(), false)
            }
            Mishap::Dropped(polls) => {
                (block_on(cut(process.call(call.session, request), Some(polls))), false)
            }
        };
        self.covered = covered() != before;
        carried
    }

    /// A preview writes nothing and foretells exactly what the boundary then tells.
    fn foretold(
        &mut self,
        call: &Call,
        request: &Request,
        came: &Came,
        troubled: bool,
    ) -> Result<(), String> {
        if self.wrote() {
            return Err("a preview wrote".to_owned());
        }
        let (Request::Preview(sync), Some(preview)) = (request, came) else { return Ok(()) };
        if troubled {
            return Ok(());
        }
        let request = Request::Sync(*sync);
        let (told, _) = self.carry_out(call, &request, Mishap::None);
        self.got(&told);
        match (preview, &told) {
            (Ok(Answer::Briefing(preview)), Some(Ok(Answer::Briefing(told)))) => {
                let texts = |briefing: &Briefing| {
                    let updates: Vec<_> =
                        briefing.updates.iter().map(|u| (u.position, u.text.clone())).collect();
                    let held: Vec<_> =
                        briefing.held.iter().map(|held| (held.key.clone(), held.reason)).collect();
                    (briefing.epoch.clone(), updates, held, briefing.location.clone())
                };
                // A mark names a record, which a preview does not write.
                let marked = sync.marks == Marks::Shown && told.admitted.is_some();
                // What was not told of may be found by now.
                let mapped = self.notes().mapped.is_some();
                if !marked && !mapped && texts(preview) != texts(told) {
                    return Err(format!("foretold {:?}, told {:?}", texts(preview), texts(told)));
                }
            }
            (Err(one), Some(Err(other))) if one.kind() == other.kind() => {}
            _ => return Err(format!("foretold {preview:?}, came {told:?}")),
        }
        self.judged(call, &request, &told, false)
    }

    /// What a call says.
    pub(super) fn request(&mut self, call: &Call) -> Request {
        let session = call.session;
        self.at[session] += call.messages;
        let at = self.at[session];
        let back = |back: u64| Position(at.saturating_sub(back));
        match &call.what {
            What::Sync(_) | What::Preview(_) => self.numbers.boundaries += 1,
            _ => self.numbers.calls += 1,
        }
        match &call.what {
            What::Sync(ask) | What::Preview(ask) => {
                let proceed = ask.proceed;
                let request = SyncRequest {
                    position: ask.positioned.then(|| back(ask.back)),
                    since: self.applied[session].filter(|_| ask.since).map(Revision),
                    on_unavailable: match proceed {
                        true => OnUnavailable::Proceed,
                        false => OnUnavailable::Block,
                    },
                    blocks: Blocks::Apart,
                    marks: if self.plan.setup.marks { Marks::Shown } else { Marks::None },
                };
                match call.what {
                    What::Preview(_) => Request::Preview(request),
                    _ => Request::Sync(request),
                }
            }
            What::Compact => Request::Compact(Position(at)),
            What::Rebase => Request::Rebase,
            What::Value(key, value) => {
                Request::Value(KEYS[*key], value.map(|value| format!("value {value}")))
            }
            What::Settle(settling) => {
                Request::Settle(settlement(settling, settling.back.map(|n| back(n).0)))
            }
            What::Fork(child, from) => Request::Fork(name(*child), from.map(back)),
            What::Revert(n) => {
                self.at[session] = back(*n).0;
                Request::Revert(back(*n))
            }
            What::Move(location) => Request::Move(PathBuf::from(LOCATIONS[*location])),
            What::Window(n) => Request::Window(back(*n)),
            What::Holds(bits) => Request::Holds(self.held_by_host(session, *bits)),
            What::Adopt(sources, n) => Request::Adopt(self.adoptions(call, sources), n.map(back)),
            What::Delete => Request::Delete,
            What::Open(opening) => Request::Open(self.opening(session, opening)),
        }
    }

    /// Those of the epoch's texts that a host holds.
    fn held_by_host(&self, session: usize, bits: u64) -> Vec<Revision> {
        let Some(ledger) = &self.ledgers[session] else { return Vec::new() };
        let texts = ledger.told.own_texts().into_iter().enumerate();
        let held = texts.filter(|(index, _)| bits >> (index % 64) & 1 == 1);
        held.map(|(_, revision)| Revision(revision)).collect()
    }

    fn adoptions(&self, call: &Call, sources: &[(String, Proof)]) -> Vec<Adoption> {
        let sights = self.sights(call.process, call.session);
        let sight = sights.first().map(|(_, sight)| sight);
        let adoption = |(key, proof): &(String, Proof)| {
            let there = sight.and_then(|sight| sight.named(key));
            // Only a file's value is its text.
            let there = there.filter(|told| told.key.starts_with("file:"));
            let sha256 = match proof {
                Proof::None => None,
                Proof::Right => there.map(|told| ContentHash::of(&told.text)),
                Proof::Wrong => Some(ContentHash::of("nothing that stands anywhere")),
            };
            Adoption { source: Claimed::Key(key.parse().expect("a source's key")), sha256 }
        };
        sources.iter().map(adoption).collect()
    }

    fn opening(&mut self, session: usize, opening: &Opening) -> OpenRequest {
        let directory = LOCATIONS[opening.location];
        let position = match &self.ledgers[session] {
            Some(ledger) => {
                let at = opening.back.map(|back| self.at[session].saturating_sub(back));
                if ledger.directory == directory && self.notes().reaches(directory) {
                    self.at[session] = at.unwrap_or(self.at[session]);
                }
                at
            }
            None => {
                self.at[session] = opening.back.unwrap_or_default();
                opening.back
            }
        };
        OpenRequest {
            session: name(session),
            directory: directory.into(),
            position: position.map(Position),
            prior: if opening.unknown_prior { Prior::Unknown } else { Prior::None },
            trust: if opening.untrusted { Trust::Untrusted } else { Trust::Trusted },
        }
    }

    pub(super) fn set_location_value(
        &mut self,
        process: usize,
        directory: &'static str,
        key: usize,
        value: Option<u8>,
    ) -> Result<(), String> {
        let text = value.map(|value| format!("here {value}"));
        let scope = ValueScope::Directory(PathBuf::from(directory));
        let done = block_on(self.processes[process].put(&scope, KEYS[key], text.as_deref()));
        // It is no session's.
        self.wrote();
        match done {
            Ok(_) => {
                let values = self.values.entry(directory).or_default();
                match text {
                    Some(text) => values.insert(KEYS[key].to_owned(), text),
                    None => values.remove(KEYS[key]),
                };
                Ok(())
            }
            Err(Error::UnknownDirectory { .. }) if !self.notes().reaches(directory) => Ok(()),
            Err(error) => Err(format!("a Location's value: {error}")),
        }
    }

    /// A session is no more, or is another: nobody knows anything of it.
    pub(super) fn forgotten(&mut self, session: usize, ledger: Option<Ledger>) {
        self.ledgers[session] = ledger;
        self.applied[session] = None;
        self.auditors_forget(session);
        for process in &mut self.processes {
            process.memory[session] = Default::default();
        }
    }
}

/// The session whose log a call writes to.
pub(super) const fn written_to(call: &Call) -> usize {
    match call.what {
        What::Fork(child, _) => child,
        _ => call.session,
    }
}

impl Done<'_> {
    /// Whether the call may have ended anywhere: it was killed, or the store was in trouble.
    pub(super) fn is_cut_off(&self) -> bool {
        match self.came {
            None => true,
            Some(Err(error)) => self.troubled && by_store(error),
            Some(Ok(_)) => false,
        }
    }
}
