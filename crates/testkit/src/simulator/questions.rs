//! Everything can be asked again, and is as it was (R-SES-6).

use super::{
    naive::{Around, Sight},
    plan::{Call, LOCATIONS, What},
    plan::{Mishap, Opening},
    process::name,
    run::Run,
    schedule::block_on,
    told::{AtHand, Believed},
};
use told_app::{Error, Session};
use told_domain::{
    briefing::{SourceState, SourceView},
    position::Revision,
    told::Form,
};

impl Run<'_> {
    pub(super) fn asked(&mut self, process: usize, session: usize, any: u64) -> Result<(), String> {
        let handle = match block_on(self.processes[process].session(session)) {
            Ok(handle) => handle,
            Err(Error::UnknownSession(_)) if self.ledgers[session].is_none() => return Ok(()),
            Err(error) => return Err(format!("asked: {error}")),
        };
        if self.ledgers[session].is_none() {
            // Who holds a deleted session finds out at the next call.
            return match block_on(handle.show(None)) {
                Err(Error::UnknownSession(_)) => {
                    self.processes[process].forget(session);
                    Ok(())
                }
                other => Err(format!("a deleted session says {other:?}")),
            };
        }
        self.shown_again(&handle, session, any)?;
        self.sources_again(&handle, process, session)?;
        self.opened_again(process, session)
    }

    fn shown_again(&mut self, handle: &Session, session: usize, any: u64) -> Result<(), String> {
        let failed = |error: Error| format!("asked: {error}");
        let shown = block_on(handle.show(None)).map_err(failed)?;
        self.got(&shown);
        let ledger = self.ledger(session)?;
        ledger.shows(&shown, None, false)?;
        // Who has no look of its own answers from the record's (R-BND-10).
        let told = ledger.told.look.map(|at| ledger.looks.get(&at));
        let held = match told {
            Some(told) => told,
            None => Some(&Vec::new()),
        };
        if let Some(held) = held
            && *held != shown.held
        {
            return Err(format!("shown as held are {:?}, told were {held:?}", shown.held));
        }
        let then = Revision(1 + any % ledger.revision());
        let shown = block_on(handle.show(Some(then))).map_err(failed)?;
        ledger.shows(&shown, None, false)?;
        let page = block_on(handle.log(Revision::NONE, 1_000)).map_err(failed)?;
        if page.records != ledger.records {
            return Err("the log is another".to_owned());
        }
        Ok(())
    }

    fn sources_again(
        &mut self,
        handle: &Session,
        process: usize,
        session: usize,
    ) -> Result<(), String> {
        let views = block_on(handle.sources(false)).map_err(|error| format!("asked: {error}"))?;
        let Some(ledger) = &self.ledgers[session] else { return Ok(()) };
        // What others wrote since came with a look of its own.
        let held = self.processes[process].memory[session].held.as_ref();
        let held = held.filter(|(_, revision)| *revision == ledger.revision());
        let held = held.map(|(held, _)| held);
        let beliefs = ledger.beliefs();
        for (key, belief) in beliefs.iter().filter(|(_, belief)| belief.last_value().is_some()) {
            let view = views.iter().find(|view| view.source.to_string() == *key);
            let Some(view) = view else { return Err(format!("{key} is not among the sources")) };
            says(view, belief).map_err(|why| format!("{key}: {why}"))?;
            let is_held = held.map(|held| held.iter().any(|held| held == key));
            let fine = match view.state {
                SourceState::Active => is_held != Some(true),
                SourceState::Held => is_held != Some(false),
                SourceState::Inactive | SourceState::Withheld | SourceState::Pending => false,
            };
            if !fine {
                return Err(format!("{key} is {:?}, held are {held:?}", view.state));
            }
        }
        for view in views.iter().filter(|view| view.state == SourceState::Active) {
            let key = view.source.to_string();
            if beliefs.get(key.as_str()).is_none_or(|belief| belief.last_value().is_none()) {
                return Err(format!("{key} is active, and was not told"));
            }
        }
        Ok(())
    }

    /// Opening again with the same directory changes nothing (R-SES-5).
    fn opened_again(&mut self, process: usize, session: usize) -> Result<(), String> {
        let directory = self.ledger(session)?.directory.clone();
        let Some(location) = LOCATIONS.iter().position(|location| *location == directory) else {
            return Err(format!("{} works in {directory}", name(session)));
        };
        let opening = Opening { location, back: None, unknown_prior: false, untrusted: false };
        let call = Call { process, session, messages: 0, what: What::Open(opening) };
        self.call(&call, Mishap::None)
    }

    /// Every boundary that sights were seen with.
    pub(super) fn arounds(sights: &[(Around, Sight)]) -> Vec<Around> {
        let mut arounds: Vec<Around> = Vec::new();
        for (around, _) in sights {
            if !arounds.contains(around) {
                arounds.push(around.clone());
            }
        }
        arounds
    }
}

/// Whether a source is shown as it was told.
fn says(view: &SourceView, belief: &Believed<'_>) -> Result<(), String> {
    let Some((telling, revision)) = belief.last else { return Ok(()) };
    if view.told_at != Some(Revision(revision)) {
        return Err(format!("told at {revision}, shown {:?}", view.told_at));
    }
    // Only what is believed because of that very text is still said by it.
    let said = match belief.at_hand {
        AtHand::Value(by, _) => by.id == telling.id,
        AtHand::Nothing | AtHand::Unclear => false,
    };
    if view.in_window != Some(said) {
        return Err(format!("in the window: {said}, shown {:?}", view.in_window));
    }
    let scope = view.scope.as_ref().map(ToString::to_string);
    if telling.heard.form == Form::Full && scope != telling.heard.scope {
        return Err(format!("applies to {:?}, shown {scope:?}", telling.heard.scope));
    }
    Ok(())
}
