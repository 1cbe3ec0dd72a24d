//! What a session is now: the fold of its log, over what is active and never over its history.

use crate::{
    hash::{ContentHash, ContentRef},
    key::{ApiKey, SourceKey},
    position::{EpochNumber, Position, Revision},
    session::{Location, Prior, Trust},
    time::Timestamp,
    told::{Admission, Entry, Telling, TellingContent, Told, UnderHolds},
};
use std::{collections::BTreeMap, sync::Arc};

/// A session's present state. `fold` alone makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The last record.
    pub revision: Revision,
    /// When the first record was written.
    pub opened_at: Timestamp,
    /// When the last record was written.
    pub last_record_at: Timestamp,
    /// Where the session works, with the boundary as last admitted.
    pub location: Location,
    /// The record that brought the session to its Location: what a boundary fences on (R-BND-8).
    pub generation: Revision,
    /// The record that says what the boundary around the Location is: a process's own look counts
    /// where it is later (R-BND-10).
    pub looked: Revision,
    /// Whether the project's files count.
    pub trust: Trust,
    /// What the model was told before told took part.
    pub prior: Prior,
    /// The highest epoch number ever used, reverted epochs included (R-EPO-3).
    pub epochs: EpochNumber,
    /// The last record after which a host's earlier briefing cannot be extended: a new epoch, a
    /// revert, a window, a declaration of holds, a fork.
    pub reset: Revision,
    /// The session's host-set values.
    pub values: BTreeMap<ApiKey, ContentRef>,
    /// What the model was told.
    pub told: Told,
}

/// The stored texts that a state names.
pub type Contents = BTreeMap<ContentHash, Arc<str>>;

impl State {
    /// Every stored text that a boundary of this state can need.
    #[must_use]
    pub fn needs(&self) -> Vec<ContentHash> {
        let mut needs: Vec<_> = self.values.values().map(|value| value.sha256).collect();
        needs.extend(self.told.epoch.iter().map(|epoch| epoch.baseline.sha256));
        needs.extend(self.told.updates.iter().map(|update| update.text.sha256));
        for entry in self.told.entries.values() {
            needs.extend(entry.baseline.iter().map(|admission| admission.value.sha256));
            needs.extend(entry.last.iter().filter_map(Telling::value).map(|a| a.value.sha256));
            if let Some(UnderHolds::Telling(telling)) = &entry.under_holds {
                needs.extend(telling.value().map(|admission| admission.value.sha256));
            }
        }
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    /// What the model believes of `key`.
    #[must_use]
    pub fn belief(&self, key: &SourceKey) -> Belief<'_> {
        self.told.entries.get(key).map_or(Belief::Nothing, |entry| self.told.belief(entry))
    }

    /// The position of a call that names none (R-BND-9).
    #[must_use]
    pub fn default_position(&self) -> Position {
        self.told.anchored.unwrap_or(Position::START).max(self.told.window)
    }
}

/// The value that the texts which the transcript still holds give in full, for one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief<'a> {
    /// Nothing at hand says anything of it, or says that it no longer applies.
    Nothing,
    /// This value, told by that record.
    Value(&'a Admission, Revision),
    /// Something at hand speaks of it, but no text gives it in full: it is told again (R-SES-7).
    Unclear,
}

impl Told {
    /// What `entry` makes the model believe, under this window and these losses.
    #[must_use]
    pub fn belief<'a>(&'a self, entry: &'a Entry) -> Belief<'a> {
        match &entry.under_holds {
            None => match &entry.last {
                Some(last) if self.in_window(last.position) => self.belief_in(last),
                Some(_) | None => self.belief_in_baseline(entry),
            },
            Some(UnderHolds::Nothing) => Belief::Nothing,
            Some(UnderHolds::Baseline) => self.belief_in_baseline(entry),
            Some(UnderHolds::Telling(telling)) if self.in_window(telling.position) => {
                self.belief_in(telling)
            }
            Some(UnderHolds::Unclear(position)) if self.in_window(*position) => Belief::Unclear,
            Some(UnderHolds::Telling(_) | UnderHolds::Unclear(_)) => self.belief_in_baseline(entry),
        }
    }

    /// What `entry` makes a model believe that gets the lost texts once more: the briefing after a
    /// declaration of holds is complete, and names them all (R-SES-9).
    #[must_use]
    pub fn belief_restored<'a>(&'a self, entry: &'a Entry) -> Belief<'a> {
        match (&entry.last, &entry.baseline) {
            (Some(last), _) if self.in_window(last.position) => self.belief_in(last),
            (_, Some(admission)) => Belief::Value(admission, self.baseline_revision()),
            (_, None) => Belief::Nothing,
        }
    }

    /// What was last admitted of a key, in the window or not: a value, or nothing (R-EPO-2).
    #[must_use]
    pub fn last_admitted<'a>(&'a self, entry: &'a Entry) -> Option<(&'a Admission, Revision)> {
        match &entry.last {
            Some(last) => last.value().map(|admission| (admission, last.revision)),
            None => entry.baseline.as_ref().map(|admission| (admission, self.baseline_revision())),
        }
    }

    /// Whether `believed` is what was told last of its key. A diff stands on nothing else, so that
    /// whoever reads the texts in order finds its base.
    pub(crate) fn is_told_last(&self, believed: &Admission) -> bool {
        let last = self.entries.get(&believed.key).and_then(|entry| self.last_admitted(entry));
        last.is_some_and(|(last, _)| std::ptr::eq(last, believed))
    }

    /// Whether a text at `position` is still in the transcript.
    #[must_use]
    pub fn in_window(&self, position: Position) -> bool {
        position >= self.window
    }

    fn belief_in<'a>(&self, telling: &'a Telling) -> Belief<'a> {
        match &telling.content {
            TellingContent::Removal(_) => Belief::Nothing,
            TellingContent::Value(_) if !self.in_window(telling.rests_on) => Belief::Unclear,
            TellingContent::Value(admission) => Belief::Value(admission, telling.revision),
        }
    }

    fn belief_in_baseline<'a>(&self, entry: &'a Entry) -> Belief<'a> {
        match &entry.baseline {
            Some(admission) if !self.baseline_lost() => {
                Belief::Value(admission, self.baseline_revision())
            }
            Some(_) | None => Belief::Nothing,
        }
    }

    fn baseline_lost(&self) -> bool {
        self.epoch.as_ref().is_some_and(|epoch| epoch.baseline_lost)
    }

    fn baseline_revision(&self) -> Revision {
        self.epoch.as_ref().map_or(Revision::NONE, |epoch| epoch.revision)
    }
}

impl Telling {
    /// The value told, unless it was a removal.
    #[must_use]
    pub const fn value(&self) -> Option<&Admission> {
        match &self.content {
            TellingContent::Value(admission) => Some(admission),
            TellingContent::Removal(_) => None,
        }
    }
}
