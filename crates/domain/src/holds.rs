//! What the texts at hand say, where the host declared that it lost some (R-SES-9).

use crate::{
    key::SourceKey,
    told::{Adoption, Change, Entry, Form, Telling, Told, UnderHolds},
};
use std::{collections::BTreeMap, sync::Arc};

/// One key's tale over the epoch's texts.
struct Tale {
    /// What the texts at hand say.
    at_hand: UnderHolds,
    /// Whether that is also what was told last: only then can a diff stand on it.
    current: bool,
}

impl Told {
    /// Notes, for each key, what the texts at hand say where that is not what was told last.
    pub(crate) fn settle_holds(&mut self) {
        let mut tales: BTreeMap<SourceKey, Tale> = BTreeMap::new();
        let baseline_lost = self.epoch.as_ref().is_some_and(|epoch| epoch.baseline_lost);
        for (key, _) in self.entries.iter().filter(|(_, entry)| entry.baseline.is_some()) {
            let at_hand = if baseline_lost { UnderHolds::Nothing } else { UnderHolds::Baseline };
            tales.insert(key.clone(), Tale { at_hand, current: !baseline_lost });
        }
        let mut replayed = self.at_epoch_start();
        let mut adoptions = self.adoptions().peekable();
        for index in 0..=self.updates.len() {
            while let Some((key, adoption)) = adoptions.next_if(|(_, a)| a.after <= index) {
                let at_hand = UnderHolds::Telling(Box::new(adoption.telling.clone()));
                tales.insert(key.clone(), Tale { at_hand, current: true });
                replayed.retell(key.clone(), adoption.clone());
            }
            let Some(update) = self.updates.get(index) else { break };
            for change in &update.changes {
                replayed.tell(change, update.revision, update.position);
                let told = replayed.entries.get(change.key()).and_then(|entry| entry.last.clone());
                let tale = tales
                    .entry(change.key().clone())
                    .or_insert(Tale { at_hand: UnderHolds::Nothing, current: true });
                tale.hear(change, told, update.lost);
            }
        }
        drop(adoptions);
        for (key, entry) in &mut self.entries {
            let under_holds = match tales.remove(key) {
                Some(tale) if !tale.current => Some(tale.at_hand),
                Some(_) | None => None,
            };
            if entry.under_holds != under_holds {
                Arc::make_mut(entry).under_holds = under_holds;
            }
        }
    }

    /// What another channel told, in the order told.
    pub(crate) fn adoptions(&self) -> impl Iterator<Item = (&SourceKey, &Adoption)> {
        let mut adoptions = Vec::new();
        for (key, entry) in &self.entries {
            adoptions.extend(entry.adopted.iter().map(|adoption| (key, adoption)));
        }
        adoptions.sort_by_key(|(_, adoption)| adoption.after);
        adoptions.into_iter()
    }

    /// What was told as it stood when the epoch's baseline alone had been.
    pub(crate) fn at_epoch_start(&self) -> Self {
        let baseline_only = |(key, entry): (&SourceKey, &Arc<Entry>)| {
            let baseline = Some(entry.baseline.clone()?);
            Some((key.clone(), Arc::new(Entry { baseline, ..Entry::default() })))
        };
        Self {
            epoch: self.epoch.clone(),
            entries: self.entries.iter().filter_map(baseline_only).collect(),
            ..Self::default()
        }
    }
}

impl Tale {
    fn hear(&mut self, change: &Change, told: Option<Telling>, lost: bool) {
        match (lost, change.form(), told) {
            (true, _, _) | (false, _, None) => self.current = false,
            (false, Form::Full, Some(told)) => {
                *self = Self { at_hand: UnderHolds::Telling(Box::new(told)), current: true };
            }
            (false, Form::Diff, Some(told)) if self.current => {
                self.at_hand = UnderHolds::Telling(Box::new(told));
            }
            (false, Form::Diff, Some(told)) => {
                *self = Self { at_hand: UnderHolds::Unclear(told.position), current: false };
            }
        }
    }
}

#[cfg(test)]
mod tests;
