//! What one session was told, folded by the oracle from the log's texts.

use super::{
    naive::{Found, Sight},
    told::{Act, Beliefs, Epoch, Seen, Telling, Text, Transcript, replayed, taken_back},
    transcript_text::{self, Heard},
};
use serde_json::Value;
use std::{collections::BTreeMap, rc::Rc};
use told_domain::{
    briefing::ChangeKind, look::Held, render::LogRecord, session::Trust, told::EpochCause,
};

/// One session by its log.
#[derive(Clone)]
pub(super) struct Ledger {
    pub(super) name: Rc<str>,
    pub(super) records: Vec<LogRecord>,
    history: Vec<Act>,
    pub(super) told: Transcript,
    /// The transcript after each record.
    stood: Vec<Rc<Transcript>>,
    pub(super) values: BTreeMap<String, String>,
    pub(super) directory: String,
    /// The boundary as last recorded, and by which record.
    pub(super) boundary: (String, u64),
    pub(super) unknown_prior: bool,
    pub(super) trust: Trust,
    epochs_ever: u64,
    seen: BTreeMap<usize, Seen>,
    /// What hosts that got an admission were told to be held, by its record.
    pub(super) looks: BTreeMap<u64, Vec<Held>>,
    /// Something was told in two ways that cannot be told apart from outside.
    pub(super) doubtful: bool,
}

impl Ledger {
    /// A session that nothing is known of.
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            records: Vec::new(),
            history: Vec::new(),
            told: Transcript::default(),
            stood: Vec::new(),
            values: BTreeMap::new(),
            directory: String::new(),
            boundary: (String::new(), 0),
            unknown_prior: false,
            trust: Trust::Trusted,
            epochs_ever: 0,
            seen: BTreeMap::new(),
            looks: BTreeMap::new(),
            doubtful: false,
        }
    }

    /// What a child has that begins with what this one had at a position (R-SES-1).
    pub(super) fn child(&self, name: &str, position: u64) -> Self {
        let inherited = replayed(&taken_back(&self.history, position)).inherited();
        Self {
            name: name.into(),
            records: Vec::new(),
            told: inherited.clone(),
            history: vec![Act::Inherited(inherited)],
            stood: Vec::new(),
            looks: BTreeMap::new(),
            boundary: (self.boundary.0.clone(), 0),
            ..self.clone()
        }
    }

    pub(super) fn revision(&self) -> u64 {
        self.records.last().map_or(0, |record| record.revision.0)
    }

    /// The transcript as it stood after a record.
    pub(super) fn stood(&self, revision: u64) -> Option<&Transcript> {
        let index = usize::try_from(revision).ok()?.checked_sub(1)?;
        self.stood.get(index).map(|stood| &**stood)
    }

    pub(super) fn beliefs(&self) -> Beliefs<'_> {
        self.told.beliefs()
    }

    pub(super) fn seen(&self, telling: &Telling) -> Option<&Seen> {
        self.seen.get(&telling.id)
    }

    /// Takes the next record of the log. `sights` is what could be seen when it was written.
    pub(super) fn take(&mut self, record: &LogRecord, sights: &[&Sight]) -> Result<(), String> {
        let revision = record.revision.0;
        if revision != self.revision() + 1 {
            return Err(format!("record {revision} follows record {}", self.revision()));
        }
        let position = record.position.map(|position| position.0);
        let anchors = match record.kind {
            // One that was asked for stands where it was asked for.
            "epoch_started" => self.told.requests.is_empty(),
            "context_updated" | "scopes_discovered" | "adopted" | "compacted" => true,
            _ => false,
        };
        if anchors && position < self.told.anchored {
            return Err(format!("record {revision} is anchored before an earlier one"));
        }
        if let Some(act) = self.act(record, position.unwrap_or_default(), sights)? {
            self.told.apply(&act);
            self.history.push(act);
        }
        let resets =
            ["epoch_started", "reverted", "window_moved", "holds_declared", "opened", "forked"];
        if resets.contains(&record.kind) {
            self.told.reset = revision;
        }
        self.records.push(record.clone());
        self.stood.push(Rc::new(self.told.clone()));
        Ok(())
    }

    /// What a record does to the transcript. What it does beside it is done.
    fn act(
        &mut self,
        record: &LogRecord,
        position: u64,
        sights: &[&Sight],
    ) -> Result<Option<Act>, String> {
        let revision = record.revision.0;
        Ok(match record.kind {
            "opened" => {
                self.located(record, 0);
                self.unknown_prior = record.details.get("prior").is_some_and(|p| p == "unknown");
                let untrusted = record.details.get("trust").is_some_and(|t| t == "untrusted");
                self.trust = if untrusted { Trust::Untrusted } else { Trust::Trusted };
                None
            }
            "forked" => None,
            "epoch_started" | "context_updated" => {
                let boundary = record.details.get("boundary").and_then(Value::as_str);
                self.boundary = (boundary.unwrap_or_default().to_owned(), revision);
                Some(self.heard(record, position, sights)?)
            }
            "adopted" => Some(Act::Told(self.adopted(record, position, sights)?)),
            "scopes_discovered" => Some(Act::Scopes(scopes(record), position)),
            "compacted" => Some(Act::Requested(EpochCause::Compacted, position)),
            "rebased" => Some(Act::Requested(EpochCause::Rebased, position)),
            "window_moved" => Some(Act::Window(number(record, "from"))),
            "holds_declared" => {
                let lost = record.details.get("lost").and_then(Value::as_array);
                let lost = lost.into_iter().flatten().filter_map(Value::as_u64).collect();
                let Some(epoch) = &self.told.epoch else {
                    return Err("texts are lost before the first epoch".to_owned());
                };
                let (epoch, began) = (epoch.baseline.revision, epoch.baseline.position);
                Some(Act::Lost { epoch, began, lost })
            }
            "reverted" => {
                self.history = taken_back(&self.history, position);
                self.told = replayed(&self.history);
                None
            }
            "moved" => {
                self.located(record, revision);
                Some(Act::Moved)
            }
            "value_set" | "value_unset" => {
                self.value(record);
                None
            }
            other => return Err(format!("a record of kind {other} out of nowhere")),
        })
    }

    fn located(&mut self, record: &LogRecord, revision: u64) {
        let location = record.details.get("location");
        let part = |name| location.and_then(|l| l.get(name)).and_then(Value::as_str);
        self.directory = part("directory").unwrap_or_default().to_owned();
        self.boundary = (part("boundary").unwrap_or_default().to_owned(), revision);
    }

    fn value(&mut self, record: &LogRecord) {
        let key = record.details.get("key").and_then(Value::as_str).unwrap_or_default().to_owned();
        let set = record.details.get("set").and_then(|set| set.get("value"));
        match set.and_then(Value::as_str) {
            Some(value) => self.values.insert(key, value.to_owned()),
            None => self.values.remove(&key),
        };
    }

    /// Reads a text.
    fn heard(
        &mut self,
        record: &LogRecord,
        position: u64,
        sights: &[&Sight],
    ) -> Result<Act, String> {
        let text = record.text.as_deref().unwrap_or_default();
        let changes = record.changes.as_deref().unwrap_or_default();
        if record.kind == "epoch_started" {
            let (number, cause) = self.epoch_of(record)?;
            let heard = transcript_text::baseline(text, changes)?;
            let baseline = self.text(record, position, Some(text), heard, sights);
            return Ok(Act::Begun(Epoch { number, cause, baseline }));
        }
        let Some(epoch) = &self.told.epoch else {
            return Err("an update before the first epoch".to_owned());
        };
        let own = self.told.texts.iter().any(|text| text.text.is_some());
        let first = !own && epoch.cause == EpochCause::Unknown;
        // What is told there is there: the window cannot begin after it.
        let window = self.told.window.min(position);
        let stands = Transcript { window, ..self.told.clone() };
        let heard = transcript_text::update(text, changes, &stands.beliefs(), first)?;
        Ok(Act::Told(self.text(record, position, Some(text), heard, sights)))
    }

    fn epoch_of(&mut self, record: &LogRecord) -> Result<(u64, EpochCause), String> {
        let number = number(record, "epoch");
        if number <= self.epochs_ever {
            return Err(format!("epoch number {number} is used again"));
        }
        self.epochs_ever = number;
        let cause = match record.details.get("cause").and_then(Value::as_str) {
            Some("initial") => EpochCause::Initial,
            Some("compacted") => EpochCause::Compacted,
            Some("rebased") => EpochCause::Rebased,
            Some("unknown") => EpochCause::Unknown,
            _ => return Err("an epoch of no known cause".to_owned()),
        };
        Ok((number, cause))
    }

    /// What another channel told has no text in the log: it is what stood there.
    fn adopted(
        &mut self,
        record: &LogRecord,
        position: u64,
        sights: &[&Sight],
    ) -> Result<Text, String> {
        let mut heard = Vec::new();
        for change in record.changes.as_deref().unwrap_or_default() {
            let key = change.source.to_string();
            let mut ways: Vec<_> = sights.iter().filter_map(|sight| sight.find(&key)).collect();
            ways.dedup_by(|one, other| one.text == other.text);
            let Some(now) = ways.pop() else {
                return Err(format!("{key} is adopted, and is not there"));
            };
            self.doubtful |= !ways.is_empty();
            let value = Some(now.text.clone());
            let scope = now.scope.clone();
            heard.push(Heard { key, kind: change.kind, form: change.form, value, scope });
        }
        Ok(self.text(record, position, None, heard, sights))
    }

    fn text(
        &mut self,
        record: &LogRecord,
        position: u64,
        text: Option<&str>,
        heard: Vec<Heard>,
        sights: &[&Sight],
    ) -> Text {
        let seen: Vec<_> = heard.iter().map(|heard| self.seen_of(heard, sights)).collect();
        let mut told = Vec::with_capacity(heard.len());
        for (heard, seen) in heard.into_iter().zip(seen) {
            let id = self.seen.len();
            self.seen.insert(id, seen);
            told.push(Telling { id, heard });
        }
        let revision = record.revision.0;
        Text {
            revision,
            position,
            text: text.map(Rc::from),
            told: Rc::new(told),
            lost: false,
            inherited: false,
            origin: (self.name.clone(), revision),
        }
    }

    /// Where a source stands that is told now.
    fn seen_of(&self, heard: &Heard, sights: &[&Sight]) -> Seen {
        let beliefs = self.told.beliefs();
        let before =
            beliefs.get(heard.key.as_str()).and_then(|belief| self.seen.get(&belief.stood()?.id));
        if heard.kind == ChangeKind::Removed {
            return before.cloned().unwrap_or_default();
        }
        let earlier = before.and_then(|before| Some((before.place.clone()?, before.via.clone())));
        match sights {
            [sight] => match (sight.find(&heard.key), earlier) {
                (Some(now), _) => {
                    Seen { place: Some(now.place.clone()), via: now.via.clone(), earlier: None }
                }
                (None, Some((place, via))) => Seen { place: Some(place), via, earlier: None },
                (None, None) => Seen::default(),
            },
            _ => Seen { place: None, via: Vec::new(), earlier },
        }
    }

    /// Finds out where sources stood that were told while nobody watched: in one of `sights`. False
    /// where they differ.
    pub(super) fn place_all(&mut self, sights: &[&Sight]) -> bool {
        let texts = self.told.epoch.iter().map(|epoch| &epoch.baseline).chain(&self.told.texts);
        for telling in texts.flat_map(|text| text.told.iter()) {
            let Some(seen) = self.seen.get_mut(&telling.id) else { continue };
            let Some(value) = telling.heard.value.as_ref().filter(|_| seen.place.is_none()) else {
                continue;
            };
            let told = sights.iter().filter_map(|sight| sight.find(&telling.heard.key));
            let mut ways: Vec<_> = told
                .filter(|told| told.text == *value)
                .map(|told| (told.place.clone(), told.via.clone()))
                .collect();
            // Where a moment did not show it, it may have been restated as it was.
            if sights.iter().any(|sight| sight.find(&telling.heard.key).is_none()) {
                ways.extend(seen.earlier.take());
            }
            ways.sort();
            ways.dedup();
            let Some((place, via)) = ways.pop() else { continue };
            if !ways.is_empty() {
                return false;
            }
            (seen.place, seen.via) = (Some(place), via);
        }
        true
    }

    /// Through which candidates each file is found once this was seen: what is held stays as it was.
    pub(super) fn found(&self, sight: &Sight) -> Found {
        let kept = |(_, via): &(&String, &Vec<String>)| {
            sight.failed.iter().any(|failed| via.iter().any(|path| failed.group.contains(path)))
        };
        let kept = sight.found.iter().filter(kept).map(|(key, via)| (key.clone(), via.clone()));
        let mut found: Found = kept.collect();
        let files = sight.told.iter().filter(|told| !told.via.is_empty());
        found.extend(files.map(|told| (told.key.clone(), told.via.clone())));
        found
    }
}

fn number(record: &LogRecord, name: &str) -> u64 {
    record.details.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// The directories of a discovery, with their projects.
pub(super) fn scopes(record: &LogRecord) -> Vec<(String, String)> {
    let found = record.details.get("scopes").and_then(Value::as_array);
    let part = |scope: &Value, name: &str| {
        scope.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let scopes = found.into_iter().flatten();
    scopes.map(|scope| (part(scope, "directory"), part(scope, "project"))).collect()
}
