//! What must come of the calls that do not look: requests for an epoch, host-set values, questions.

use super::{
    plan::{KEYS, SESSIONS},
    process::name,
    run::Run,
    schedule::block_on,
};
use std::path::PathBuf;
use told_app::{Error, OpenRequest, ValueScope};
use told_domain::{
    briefing::SourceState,
    key::ApiKey,
    position::Revision,
    render::HostValue,
    session::{Prior, Trust},
};

impl Run<'_> {
    pub(super) fn compact(
        &mut self,
        p: usize,
        session: usize,
        messages: u64,
    ) -> Result<(), String> {
        self.at[session] += messages;
        let handle = self.handle(p, session)?;
        self.mark();
        let at = self.at[session];
        let done = block_on(self.processes[p].compact(&handle, at));
        self.request_of("compacted", session, done)
    }

    pub(super) fn rebase(&mut self, process: usize, session: usize) -> Result<(), String> {
        let handle = self.handle(process, session)?;
        self.mark();
        let done = block_on(handle.rebase(Some("another model")));
        self.request_of("rebased", session, done)
    }

    fn request_of(
        &mut self,
        kind: &'static str,
        session: usize,
        done: Result<Revision, Error>,
    ) -> Result<(), String> {
        let revision = done.map_err(|error| format!("{kind}: {error}"))?;
        let due = if self.ledgers[session].epochs.is_empty() { vec![] } else { vec![kind] };
        self.wrote(session, &due)?;
        let last = self.ledgers[session].revision();
        let fine = revision.0 == last;
        fine.then_some(()).ok_or_else(|| format!("{kind} at {revision}, the last is {last}"))
    }

    /// The records that a call without a look wrote.
    fn wrote(&mut self, session: usize, due: &[&str]) -> Result<(), String> {
        let records = self.news(session, false)?;
        let kinds: Vec<_> = records.iter().map(|record| record.kind).collect();
        if kinds != due {
            return Err(format!("due was {due:?}, written {kinds:?}"));
        }
        for record in &records {
            self.ledgers[session].take(record, None)?;
        }
        Ok(())
    }

    pub(super) fn set_value(
        &mut self,
        process: usize,
        session: usize,
        key: usize,
        value: Option<u8>,
    ) -> Result<(), String> {
        let text = value.map(|value| format!("value {value}"));
        let scope = ValueScope::Session(name(session));
        self.mark();
        let done = self.put(process, &scope, KEYS[key], text.as_deref());
        done.map_err(|error| format!("value: {error}"))?;
        let known = self.ledgers[session].values.get(KEYS[key]);
        let due = match (&text, known) {
            (None, None) => vec![],
            (Some(text), Some(known)) if text == known => vec![],
            (Some(_), _) => vec!["value_set"],
            (None, Some(_)) => vec!["value_unset"],
        };
        self.wrote(session, &due)
    }

    pub(super) fn set_location_value(
        &mut self,
        process: usize,
        key: usize,
        value: Option<u8>,
    ) -> Result<(), String> {
        let directory = SESSIONS[0].1;
        let text = value.map(|value| format!("here {value}"));
        let scope = ValueScope::Directory(PathBuf::from(directory));
        match self.put(process, &scope, KEYS[key], text.as_deref()) {
            Ok(_) => {
                match text {
                    Some(text) => self.values.insert(KEYS[key].to_owned(), text),
                    None => self.values.remove(KEYS[key]),
                };
                Ok(())
            }
            Err(Error::UnknownDirectory { .. }) if !self.notes().reaches(directory) => Ok(()),
            Err(error) => Err(format!("a Location's value: {error}")),
        }
    }

    fn put(
        &self,
        process: usize,
        scope: &ValueScope,
        key: &str,
        text: Option<&str>,
    ) -> Result<Option<Revision>, Error> {
        let key: ApiKey = key.parse().expect("a key");
        let engine = &self.processes[process].engine;
        match text {
            Some(text) => {
                let value = HostValue { title: None, value: text.into() };
                block_on(engine.set_value(scope, &key, &value))
            }
            None => block_on(engine.unset_value(scope, &key)),
        }
    }

    /// Everything can be asked again, and is as it was (R-SES-6).
    pub(super) fn asked(&mut self, process: usize, session: usize, any: u64) -> Result<(), String> {
        let handle = self.handle(process, session)?;
        let failed = |error: Error| format!("asked: {error}");
        let shown = block_on(handle.show(None)).map_err(failed)?;
        self.got(&shown);
        let ledger = &self.ledgers[session];
        ledger.shows(&shown, None)?;
        // Who has no look of its own answers from the record's (R-BND-10).
        if let Some((at, held)) = &ledger.look
            && *at == ledger.boundary.1
            && *held != shown.held
        {
            return Err(format!("shown as held are {:?}, told were {held:?}", shown.held));
        }
        let last = ledger.revision();
        let then = Revision(1 + any % last);
        let shown = block_on(handle.show(Some(then))).map_err(failed)?;
        ledger.shows(&shown, None)?;
        let page = block_on(handle.log(Revision::NONE, 1_000)).map_err(failed)?;
        if page.records != ledger.records {
            return Err("the log is another".to_owned());
        }
        let views = block_on(handle.sources(false)).map_err(failed)?;
        // What others wrote since came with a look of its own.
        let held = self.processes[process].held[session].as_ref();
        let held = held.filter(|(_, revision)| *revision == last).map(|(held, _)| held);
        for (key, belief) in &ledger.beliefs {
            let view = views.iter().find(|view| view.source.to_string() == *key);
            let Some(view) = view else { return Err(format!("{key} is not among the sources")) };
            let fine = match view.state {
                SourceState::Active => held.is_none_or(|held| !held.contains(key)),
                SourceState::Held => held.is_none_or(|held| held.contains(key)),
                SourceState::Inactive | SourceState::Withheld | SourceState::Pending => false,
            };
            if !fine || view.told_at != Some(Revision(belief.told_at)) {
                return Err(format!("{key} is {:?}, told at {:?}", view.state, view.told_at));
            }
        }
        let active = views.iter().filter(|view| view.state == SourceState::Active);
        for view in active {
            if !ledger.beliefs.contains_key(&view.source.to_string()) {
                return Err(format!("{} is active, and not believed", view.source));
            }
        }
        self.opened_again(process, session)
    }

    fn opened_again(&mut self, process: usize, session: usize) -> Result<(), String> {
        let directory = SESSIONS[session].1;
        let request = OpenRequest {
            session: name(session),
            directory: PathBuf::from(directory),
            position: None,
            prior: Prior::None,
            trust: Trust::Trusted,
        };
        match block_on(self.processes[process].engine.open(request)) {
            Ok(opened) if opened.created => Err("a session was opened anew".to_owned()),
            Ok(_) => self.wrote(session, &[]),
            Err(Error::UnknownDirectory { .. }) if !self.notes().reaches(directory) => Ok(()),
            Err(error) => Err(format!("open: {error}")),
        }
    }
}
