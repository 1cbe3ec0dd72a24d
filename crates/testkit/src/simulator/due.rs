//! What a boundary must tell, and what must then be believed.

use super::{
    ledger::Ledger,
    naive::{Failed, Place, Sight, same},
    plan::PLUGIN,
    told::{AtHand, Believed},
};
use std::collections::BTreeSet;
use told_domain::{
    briefing::ChangeKind,
    reason::UnavailableReason,
    render::LogRecord,
    told::{EpochCause, Form},
};

/// What the next boundary must write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// Each record: its kind, and what it must say in order: nothing where the order is not known.
    records: Vec<(&'static str, Option<Changes>)>,
    epoch: Option<(EpochCause, u64)>,
    position: u64,
}

type Changes = Vec<(ChangeKind, String)>;

impl Ledger {
    /// What a boundary at `position` that sees this must write.
    pub(super) fn due(&self, sight: &Sight, position: u64) -> Due {
        if position < self.told.window {
            // The window cannot begin after what is told.
            let mut earlier = self.clone();
            earlier.told.window = position;
            return earlier.due(sight, position);
        }
        let added = |told: &[&str]| {
            told.iter().map(|key| (ChangeKind::Added, (*key).to_owned())).collect::<Changes>()
        };
        let now: Vec<&str> = sight.told.iter().map(|told| told.key.as_str()).collect();
        match (&self.told.epoch, self.told.pending()) {
            (None, _) if self.unknown_prior => Due {
                records: vec![
                    ("epoch_started", Some(Vec::new())),
                    ("context_updated", Some(added(&now))),
                ],
                epoch: Some((EpochCause::Unknown, position)),
                position,
            },
            (None, _) => {
                // What another channel told is left out, and told where it has changed.
                let beliefs = self.beliefs();
                let new: Vec<_> =
                    now.into_iter().filter(|key| !beliefs.contains_key(*key)).collect();
                let mut records = vec![("epoch_started", Some(added(&new)))];
                let changes = self.changes(sight).map(|mut changes| {
                    changes.retain(|(_, key)| beliefs.contains_key(key.as_str()));
                    changes
                });
                if changes.as_ref().is_none_or(|changes| !changes.is_empty()) {
                    records.push(("context_updated", changes));
                }
                Due { records, epoch: Some((EpochCause::Initial, position)), position }
            }
            (Some(_), Some((cause, at))) => Due {
                records: vec![("epoch_started", self.restated(sight))],
                epoch: Some((cause, at)),
                position: at,
            },
            (Some(_), None) => {
                let changes = self.changes(sight);
                let nothing = changes.as_ref().is_some_and(Vec::is_empty);
                let records = if nothing { Vec::new() } else { vec![("context_updated", changes)] };
                Due { records, epoch: None, position }
            }
        }
    }

    /// What a new epoch's baseline says: all that is there, and what is held as it was last told.
    fn restated(&self, sight: &Sight) -> Option<Changes> {
        let there = sight.told.iter().map(|told| (Some(told.place.clone()), told.key.clone()));
        let mut told: Vec<(Option<Place>, String)> = there.collect();
        for (key, belief) in self.beliefs() {
            let held = self.held_by(key, &belief, sight, true).is_some();
            if held && sight.find(key).is_none() && belief.last_value().is_some() {
                told.push((self.place_of(&belief), key.to_owned()));
            }
        }
        let known = told.iter().all(|(place, _)| place.is_some());
        told.sort();
        known.then(|| told.into_iter().map(|(_, key)| (ChangeKind::Added, key)).collect())
    }

    /// What an ordinary boundary must say: removals, additions, changes.
    fn changes(&self, sight: &Sight) -> Option<Changes> {
        let beliefs = self.beliefs();
        let (mut removed, mut added, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        for told in &sight.told {
            let belief = beliefs.get(told.key.as_str()).copied().unwrap_or_default();
            let place = Some(told.place.clone());
            match belief.at_hand {
                AtHand::Nothing => added.push((place, told.key.clone())),
                AtHand::Value(..) if belief.gives(|text| same(&told.key, text, &told.text)) => {}
                AtHand::Value(..) | AtHand::Unclear => changed.push((place, told.key.clone())),
            }
        }
        for (key, belief) in beliefs.iter().filter(|(key, _)| sight.find(key).is_none()) {
            let held = self.held_by(key, belief, sight, false);
            let last = belief.last_value();
            let place = self.place_of(belief);
            match (held, last) {
                (Some(_), Some(last)) if belief.gives(|text| same(key, text, last)) => {}
                // Nobody here can say it once more.
                (Some(UnavailableReason::NotRegistered), Some(_)) => {}
                (Some(_), Some(_)) => added.push((place, (*key).to_owned())),
                _ if belief.is_nothing() => {}
                _ => removed.push((place, (*key).to_owned())),
            }
        }
        let known = removed.iter().chain(&added).all(|(place, _)| place.is_some());
        removed.sort();
        added.sort();
        let kinds = [ChangeKind::Removed, ChangeKind::Added, ChangeKind::Changed];
        let all = kinds.into_iter().zip([removed, added, changed]);
        let all = all.flat_map(|(kind, keys)| keys.into_iter().map(move |(_, key)| (kind, key)));
        // Where the order is not known, that nothing is to be said is.
        let all: Changes = all.collect();
        (known || all.is_empty()).then_some(all)
    }

    /// Where a source stood: as it was last told, else as it was told before that.
    fn place_of(&self, belief: &Believed<'_>) -> Option<Place> {
        self.seen(belief.stood()?)?.place.clone()
    }

    /// Why a belief stands although nothing finds it.
    pub(super) fn held_by(
        &self,
        key: &str,
        belief: &Believed<'_>,
        sight: &Sight,
        new_epoch: bool,
    ) -> Option<UnavailableReason> {
        let left_out =
            |failed: &&Failed| new_epoch && failed.reason == UnavailableReason::NotRegistered;
        let mut hiding = sight.failed.iter().filter(|failed| !left_out(failed));
        hiding.find(|failed| self.hides(failed, key, belief, sight)).map(|failed| failed.reason)
    }

    /// Whether this failure may be all that hides a belief.
    pub(super) fn hides(
        &self,
        failed: &Failed,
        key: &str,
        belief: &Believed<'_>,
        sight: &Sight,
    ) -> bool {
        let path = key.strip_prefix("file:").unwrap_or_default();
        let found = sight.found.get(key);
        let last = belief.last.filter(|(telling, _)| telling.heard.value.is_some());
        let seen = last.and_then(|(telling, _)| self.seen(telling));
        let leads = |hidden: &String| {
            hidden == path
                || seen.is_some_and(|seen| seen.via.contains(hidden))
                || found.is_some_and(|via| via.contains(hidden))
        };
        failed.key == key || failed.group.iter().any(leads)
    }

    /// Takes what a boundary wrote, which must be what was due.
    pub(super) fn settle(
        &mut self,
        records: &[LogRecord],
        due: &Due,
        sight: &Sight,
    ) -> Result<(), String> {
        let kinds = records.iter().map(|record| record.kind);
        if !kinds.clone().eq(due.records.iter().map(|(kind, _)| *kind)) {
            return Err(format!(
                "due was {:?}, written {:?}",
                due.records,
                kinds.collect::<Vec<_>>()
            ));
        }
        let new_epoch = due.epoch.is_some();
        for (record, (_, changes)) in records.iter().zip(&due.records) {
            self.take(record, &[sight])?;
            let told = record.changes.iter().flatten();
            let told: Vec<_> = told.map(|c| (c.kind, c.source.to_string())).collect();
            if changes.as_ref().is_some_and(|due| *due != told) {
                return Err(format!("due was {changes:?}, told was {told:?}"));
            }
            if record.position.map(|position| position.0) != Some(due.position) {
                return Err(format!("told at {:?}, due at {}", record.position, due.position));
            }
        }
        if let (Some((cause, position)), Some(epoch)) = (due.epoch, &self.told.epoch)
            && (epoch.cause, epoch.baseline.position) != (cause, position)
        {
            return Err(format!("an epoch by {cause:?} at {position} was due"));
        }
        if due.position < self.told.window {
            let mut earlier = self.clone();
            earlier.told.window = due.position;
            return earlier.believes(sight, new_epoch, !records.is_empty());
        }
        self.believes(sight, new_epoch, !records.is_empty())
    }

    /// Whether what the texts at hand give is what stands, or what is held.
    fn believes(&self, sight: &Sight, new_epoch: bool, wrote: bool) -> Result<(), String> {
        let beliefs = self.beliefs();
        let there: BTreeSet<&str> = sight.told.iter().map(|told| told.key.as_str()).collect();
        for told in &sight.told {
            let belief = beliefs.get(told.key.as_str()).copied().unwrap_or_default();
            match belief.at_hand {
                AtHand::Value(telling, _)
                    if belief.gives(|text| same(&told.key, text, &told.text)) =>
                {
                    let now = belief.last.is_some_and(|(_, at)| wrote && at == self.revision());
                    let whole = telling.heard.form == Form::Full;
                    if now && whole && telling.heard.scope != told.scope {
                        let (said, due) = (&telling.heard.scope, &told.scope);
                        return Err(format!("{} applies to {due:?}, said was {said:?}", told.key));
                    }
                }
                other => {
                    return Err(format!("{} is {:?}, believed {other:?}", told.key, told.text));
                }
            }
        }
        for (key, belief) in beliefs.iter().filter(|(key, _)| !there.contains(*key)) {
            let held = self.held_by(key, belief, sight, new_epoch);
            let fine = match (held, belief.last_value()) {
                (Some(UnavailableReason::NotRegistered), _) => *key == PLUGIN,
                (Some(_), Some(last)) => belief.gives(|text| same(key, text, last)),
                (None, _) | (Some(_), None) => belief.is_nothing(),
            };
            if !fine {
                return Err(format!("{key} is not there, held by {held:?}, believed {belief:?}"));
            }
        }
        Ok(())
    }
}
