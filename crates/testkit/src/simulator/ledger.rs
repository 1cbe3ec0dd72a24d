//! What one session was told, folded by the oracle from the log's texts, and what it must be told next.

use super::{
    naive::{Failed, Found, Place, Sight, same},
    transcript_text::{self, Values},
};
use std::collections::BTreeMap;
use told_domain::{
    briefing::{Briefing, ChangeKind, ChangeView},
    reason::UnavailableReason,
    render::LogRecord,
    told::EpochCause,
};

/// One session by its log.
#[derive(Clone, Default)]
pub(super) struct Ledger {
    pub(super) records: Vec<LogRecord>,
    pub(super) epochs: Vec<Epoch>,
    pub(super) beliefs: BTreeMap<String, Belief>,
    pub(super) anchored: Option<u64>,
    pub(super) pending: Option<(EpochCause, u64)>,
    pub(super) values: BTreeMap<String, String>,
    /// The boundary as last recorded, and by which record.
    pub(super) boundary: (String, u64),
    pub(super) unknown_prior: bool,
    /// What the host that got the last admission was told to be held, and its record.
    pub(super) look: Option<(u64, Vec<told_domain::look::Held>)>,
}

/// One epoch and its updates.
#[derive(Clone)]
pub(super) struct Epoch {
    pub(super) number: u64,
    pub(super) revision: u64,
    cause: EpochCause,
    position: u64,
    baseline: String,
    updates: Vec<Update>,
}

#[derive(Clone)]
struct Update {
    revision: u64,
    position: u64,
    text: String,
}

/// What the model believes of one source.
#[derive(Clone, Debug)]
pub(super) struct Belief {
    pub(super) text: String,
    /// Where it stood when it was told; nothing where nobody saw.
    place: Option<Place>,
    pub(super) via: Vec<String>,
    pub(super) told_at: u64,
    /// Where it stood before it was told again while nobody watched.
    earlier: Option<(Place, Vec<String>)>,
}

/// What the next boundary must write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// Kinds of records, in order.
    pub(super) kinds: Vec<&'static str>,
    /// What the telling record must say changed, in order: nothing where the order is not known.
    changes: Option<Vec<(ChangeKind, String)>>,
    beliefs: Values,
    epoch: Option<(EpochCause, u64)>,
    position: u64,
}

impl Ledger {
    pub(super) fn revision(&self) -> u64 {
        self.records.last().map_or(0, |record| record.revision.0)
    }

    fn epoch(&self) -> Option<&Epoch> {
        self.epochs.last()
    }

    /// Takes the next record of the log.
    pub(super) fn take(&mut self, record: &LogRecord, sight: Option<&Sight>) -> Result<(), String> {
        let revision = record.revision.0;
        if revision != self.revision() + 1 {
            return Err(format!("record {revision} follows record {}", self.revision()));
        }
        let position = record.position.map(|position| position.0);
        let text = record.text.as_deref().unwrap_or_default();
        let changes = record.changes.as_deref().unwrap_or_default();
        match record.kind {
            "opened" => {
                let location = record.details.get("location");
                let boundary = location.and_then(|l| l.get("boundary")).and_then(|b| b.as_str());
                self.boundary = (boundary.unwrap_or_default().to_owned(), 0);
                self.unknown_prior = record.details.get("prior").is_some_and(|p| p == "unknown");
            }
            "epoch_started" => self.start(record, text, changes, sight)?,
            "context_updated" => self.update(record, text, changes, sight)?,
            "compacted" => self.pending = position.map(|at| (EpochCause::Compacted, at)),
            "rebased" => self.pending = position.map(|at| (EpochCause::Rebased, at)),
            "value_set" | "value_unset" => {
                let key = record.details.get("key").and_then(|key| key.as_str());
                let key = key.unwrap_or_default().to_owned();
                let set = record.details.get("set").and_then(|set| set.get("value"));
                match set.and_then(|value| value.as_str()) {
                    Some(value) => self.values.insert(key, value.to_owned()),
                    None => self.values.remove(&key),
                };
            }
            other => return Err(format!("a record of kind {other} out of nowhere")),
        }
        if matches!(record.kind, "epoch_started" | "context_updated") {
            let boundary = record.details.get("boundary").and_then(|b| b.as_str());
            self.boundary = (boundary.unwrap_or_default().to_owned(), revision);
        }
        if let (Some(position), true) = (position, record.kind != "opened") {
            if self.anchored.is_some_and(|anchored| position < anchored) {
                return Err(format!("record {revision} is anchored before an earlier one"));
            }
            self.anchored = Some(position);
        }
        self.records.push(record.clone());
        Ok(())
    }

    fn start(
        &mut self,
        record: &LogRecord,
        text: &str,
        changes: &[ChangeView],
        sight: Option<&Sight>,
    ) -> Result<(), String> {
        let number = record.details.get("epoch").and_then(serde_json::Value::as_u64);
        let number = number.unwrap_or_default();
        if self.epoch().is_some_and(|epoch| epoch.number >= number) {
            return Err(format!("epoch number {number} is used again"));
        }
        let cause = record.details.get("cause").cloned().unwrap_or_default();
        let cause = match cause.as_str() {
            Some("initial") => EpochCause::Initial,
            Some("compacted") => EpochCause::Compacted,
            Some("rebased") => EpochCause::Rebased,
            Some("unknown") => EpochCause::Unknown,
            _ => return Err("an epoch of no known cause".to_owned()),
        };
        let told = transcript_text::baseline(text, changes)?;
        let before = std::mem::take(&mut self.beliefs);
        for (key, text) in told {
            let belief = Belief::new(&key, text, record.revision.0, sight, before.get(&key));
            if self.beliefs.insert(key.clone(), belief).is_some() {
                return Err(format!("{key} stands twice in a baseline"));
            }
        }
        self.pending = None;
        self.epochs.push(Epoch {
            number,
            revision: record.revision.0,
            cause,
            position: record.position.unwrap_or_default().0,
            baseline: text.to_owned(),
            updates: Vec::new(),
        });
        Ok(())
    }

    fn update(
        &mut self,
        record: &LogRecord,
        text: &str,
        changes: &[ChangeView],
        sight: Option<&Sight>,
    ) -> Result<(), String> {
        let Some(epoch) = self.epochs.last_mut() else {
            return Err("an update before the first epoch".to_owned());
        };
        let first = epoch.updates.is_empty() && epoch.cause == EpochCause::Unknown;
        let mut values = values(&self.beliefs);
        transcript_text::update(text, changes, &mut values, first)?;
        epoch.updates.push(Update {
            revision: record.revision.0,
            position: record.position.unwrap_or_default().0,
            text: text.to_owned(),
        });
        for change in changes {
            let key = change.source.to_string();
            let before = self.beliefs.remove(&key);
            if let Some(text) = values.get(&key) {
                let told_at = record.revision.0;
                let belief = Belief::new(&key, text.clone(), told_at, sight, before.as_ref());
                self.beliefs.insert(key, belief);
            }
        }
        Ok(())
    }

    /// Finds out where beliefs stood that were told while nobody watched: in one of `sights`. False
    /// where they differ.
    pub(super) fn place_all(&mut self, sights: &[&Sight]) -> bool {
        for (key, belief) in &mut self.beliefs {
            if belief.place.is_some() {
                continue;
            }
            let told = sights.iter().filter_map(|sight| sight.find(key));
            let mut ways: Vec<_> = told
                .filter(|told| told.text == belief.text)
                .map(|told| (told.place.clone(), told.via.clone()))
                .collect();
            ways.sort();
            ways.dedup();
            // Where a moment did not show it, it may have been restated as it was.
            if sights.iter().any(|sight| sight.find(key).is_none()) {
                ways.extend(belief.earlier.take());
                ways.sort();
                ways.dedup();
            }
            let Some((place, via)) = ways.pop() else { continue };
            if !ways.is_empty() {
                return false;
            }
            (belief.place, belief.via) = (Some(place), via);
        }
        true
    }

    /// Which beliefs stand although nothing finds them: a failure hides them.
    fn held<'a>(
        &'a self,
        sight: &'a Sight,
        new_epoch: bool,
    ) -> impl Iterator<Item = (&'a String, &'a Belief)> {
        let hidden = move |(key, belief): &(&String, &Belief)| {
            sight.find(key).is_none()
                && sight.failed.iter().any(|failed| {
                    failed.hides(key, belief, sight)
                        && !(new_epoch && failed.reason == UnavailableReason::NotRegistered)
                })
        };
        self.beliefs.iter().filter(hidden)
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

    /// What a boundary at `position` that sees this must write.
    pub(super) fn due(&self, sight: &Sight, position: u64) -> Due {
        match (self.epoch(), self.pending) {
            (None, _) if self.unknown_prior => self.due_takeover(sight, position),
            (None, _) => self.due_epoch(sight, EpochCause::Initial, position),
            (Some(_), Some((cause, at))) => self.due_epoch(sight, cause, at),
            (Some(_), None) => self.due_update(sight, position),
        }
    }

    fn due_epoch(&self, sight: &Sight, cause: EpochCause, position: u64) -> Due {
        let mut told: Vec<(Option<Place>, String, String)> = Vec::new();
        for now in &sight.told {
            told.push((Some(now.place.clone()), now.key.clone(), now.text.clone()));
        }
        for (key, belief) in self.held(sight, true) {
            told.push((belief.place.clone(), key.clone(), belief.text.clone()));
        }
        let known = told.iter().all(|(place, ..)| place.is_some());
        told.sort();
        let changes =
            known.then(|| told.iter().map(|(_, k, _)| (ChangeKind::Added, k.clone())).collect());
        let beliefs = told.into_iter().map(|(_, key, text)| (key, text)).collect();
        let kinds = vec!["epoch_started"];
        Due { kinds, changes, beliefs, epoch: Some((cause, position)), position }
    }

    fn due_takeover(&self, sight: &Sight, position: u64) -> Due {
        let due = self.due_epoch(sight, EpochCause::Unknown, position);
        Due { kinds: vec!["epoch_started", "context_updated"], ..due }
    }

    fn due_update(&self, sight: &Sight, position: u64) -> Due {
        let held: Vec<_> = self.held(sight, false).map(|(key, _)| key).collect();
        let gone = |key: &&String| sight.find(key).is_none() && !held.contains(key);
        let mut removals: Vec<_> = self.beliefs.keys().filter(gone).collect();
        let place = |key: &&String| self.beliefs.get(*key).and_then(|b| b.place.clone());
        let known = removals.iter().all(|key| place(key).is_some());
        removals.sort_by_key(|key| (place(key), (*key).clone()));
        let mut changes: Vec<_> =
            removals.iter().map(|key| (ChangeKind::Removed, (*key).clone())).collect();
        let new = sight.told.iter().filter(|told| !self.beliefs.contains_key(&told.key));
        changes.extend(new.map(|told| (ChangeKind::Added, told.key.clone())));
        let other = sight.told.iter().filter(|told| {
            let belief = self.beliefs.get(&told.key);
            belief.is_some_and(|belief| !same(&told.key, &belief.text, &told.text))
        });
        changes.extend(other.map(|told| (ChangeKind::Changed, told.key.clone())));
        let mut beliefs = values(&self.beliefs);
        for (kind, key) in &changes {
            match (kind, sight.find(key)) {
                (ChangeKind::Removed, _) | (_, None) => beliefs.remove(key),
                (_, Some(told)) => beliefs.insert(key.clone(), told.text.clone()),
            };
        }
        let kinds = if changes.is_empty() { Vec::new() } else { vec!["context_updated"] };
        Due { kinds, changes: known.then_some(changes), beliefs, epoch: None, position }
    }

    /// Takes what a boundary wrote, which must be what was due.
    pub(super) fn settle(
        &mut self,
        records: &[LogRecord],
        due: &Due,
        sight: &Sight,
    ) -> Result<(), String> {
        let kinds: Vec<_> = records.iter().map(|record| record.kind).collect();
        if kinds != due.kinds {
            return Err(format!(
                "due was {:?} with {:?}, written {kinds:?}",
                due.kinds, due.changes
            ));
        }
        for record in records {
            self.take(record, Some(sight))?;
        }
        if let (Some((cause, position)), Some(epoch)) = (due.epoch, self.epoch())
            && (epoch.cause, epoch.position) != (cause, position)
        {
            return Err(format!("an epoch by {cause:?} at {position} was due"));
        }
        if let Some(record) = records.last() {
            let told = record.changes.iter().flatten();
            let told: Vec<_> = told.map(|c| (c.kind, c.source.to_string())).collect();
            if due.changes.as_ref().is_some_and(|due| *due != told) {
                return Err(format!("due was {:?}, told was {told:?}", due.changes));
            }
            if record.position.map(|position| position.0) != Some(due.position) {
                return Err(format!("told at {:?}, due at {}", record.position, due.position));
            }
        }
        let beliefs = values(&self.beliefs);
        let equal = beliefs.len() == due.beliefs.len()
            && beliefs
                .iter()
                .zip(&due.beliefs)
                .all(|((key, one), (due, other))| key == due && same(key, one, other));
        equal.then_some(()).ok_or_else(|| format!("believed {beliefs:?}, due {:?}", due.beliefs))
    }

    /// Whether a briefing shows this session exactly as it stood at the briefing's revision.
    pub(super) fn shows(&self, briefing: &Briefing, since: Option<u64>) -> Result<(), String> {
        let revision = briefing.revision.0;
        let epoch = self.epochs.iter().rev().find(|epoch| epoch.revision <= revision);
        let Some(epoch) = epoch else {
            let fine = briefing.epoch.number.0 == 0 && briefing.updates.is_empty();
            return fine.then_some(()).ok_or_else(|| "told before the first epoch".to_owned());
        };
        let shown = &briefing.epoch;
        if (shown.number.0, shown.revision.0, shown.cause, shown.position.0)
            != (epoch.number, epoch.revision, epoch.cause, epoch.position)
        {
            return Err(format!("epoch {:?} is not the one that was told", shown.number));
        }
        let known = since.is_some_and(|since| since >= epoch.revision && since <= revision);
        if briefing.complete == known {
            return Err(format!("complete is {}, since is {since:?}", briefing.complete));
        }
        let text = shown.baseline.text.as_deref();
        if briefing.complete && text != Some(&epoch.baseline) || known && text.is_some() {
            return Err(format!("the baseline is {text:?}, told was {:?}", epoch.baseline));
        }
        let after = if known { since.unwrap_or_default() } else { 0 };
        let updates: Vec<_> = epoch
            .updates
            .iter()
            .filter(|update| update.revision <= revision && update.revision > after)
            .map(|update| (update.revision, update.position, update.text.as_str()))
            .collect();
        let shown: Vec<_> =
            briefing.updates.iter().map(|u| (u.revision.0, u.position.0, &*u.text)).collect();
        if shown != updates {
            return Err(format!("the updates are {shown:?}, told were {updates:?}"));
        }
        let apart = briefing.updates.iter().filter_map(|u| Some((&*u.text, u.blocks.as_ref()?)));
        let baseline = &briefing.epoch.baseline;
        let baseline = baseline.text.as_deref().zip(baseline.blocks.as_ref());
        for (text, blocks) in apart.chain(baseline) {
            let blocks: Vec<_> = blocks.iter().map(|block| &*block.text).collect();
            if blocks.join("\n\n") != text {
                return Err(format!("the parts {blocks:?} do not make the text"));
            }
        }
        Ok(())
    }
}

impl Belief {
    fn new(
        key: &str,
        text: String,
        told_at: u64,
        sight: Option<&Sight>,
        before: Option<&Self>,
    ) -> Self {
        let now = sight.and_then(|sight| sight.find(key));
        let (place, via) = match (now, before) {
            (Some(now), _) => (Some(now.place.clone()), now.via.clone()),
            (None, Some(before)) if sight.is_some() => (before.place.clone(), before.via.clone()),
            (None, _) => (None, Vec::new()),
        };
        let earlier = before.filter(|_| place.is_none());
        let earlier = earlier.and_then(|b| Some((b.place.clone()?, b.via.clone())));
        Self { text, place, via, told_at, earlier }
    }
}

impl Failed {
    /// Whether this failure may be all that hides a belief.
    pub(super) fn hides(&self, key: &str, belief: &Belief, sight: &Sight) -> bool {
        let path = key.strip_prefix("file:").unwrap_or_default();
        let found = sight.found.get(key);
        let leads = |hidden: &String| {
            hidden == path
                || belief.via.contains(hidden)
                || found.is_some_and(|via| via.contains(hidden))
        };
        self.key == key || self.group.iter().any(leads)
    }
}

fn values(beliefs: &BTreeMap<String, Belief>) -> Values {
    beliefs.iter().map(|(key, belief)| (key.clone(), belief.text.clone())).collect()
}
