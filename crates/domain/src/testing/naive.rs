//! A second, naive reader: it goes through the texts that the transcript still holds, in order.

use crate::{
    hash::ContentHash,
    key::SourceKey,
    position::{Position, Revision},
    record::{Event, Record},
    told::{Admission, Change, Form, TellingContent, Told},
};
use std::collections::{BTreeMap, BTreeSet};

/// What the texts at hand say of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naive {
    Nothing,
    Value(ContentHash),
    /// A diff whose base is not at hand.
    Unclear,
}

#[derive(Clone, Copy)]
enum Line {
    Full(ContentHash),
    Diff(ContentHash),
    Removed,
}

struct Text {
    /// Nothing for what another channel told.
    revision: Option<Revision>,
    position: Position,
    lost: bool,
    lines: Vec<(SourceKey, Line)>,
}

#[derive(Default)]
struct Transcript {
    baseline: BTreeMap<SourceKey, ContentHash>,
    baseline_revision: Revision,
    baseline_lost: bool,
    texts: Vec<Text>,
    window: Position,
}

/// What the model believes after `log`, for each key that was ever told.
pub(crate) fn beliefs(log: &[Record]) -> BTreeMap<SourceKey, Naive> {
    let mut live: Vec<(&Record, Option<Position>)> = Vec::new();
    let mut cut = Position(u64::MAX);
    for record in log {
        match &record.event {
            Event::Reverted { to, .. } => {
                live.retain(|(_, at)| at.is_none_or(|at| at <= *to));
                cut = cut.min(*to);
            }
            // It is about the texts of its epoch alone.
            Event::HoldsDeclared { .. } => {
                let begun = |event: &Event| matches!(event, Event::EpochStarted { .. });
                let epoch = live.iter().rev().find(|(record, _)| begun(&record.event));
                live.push((record, epoch.and_then(|(_, at)| *at)));
            }
            event => live.push((record, place(event))),
        }
    }
    let mut transcript = Transcript::default();
    for (record, _) in live {
        transcript.hear(record, cut);
    }
    let mut keys: BTreeSet<_> = transcript.baseline.keys().collect();
    keys.extend(transcript.texts.iter().flat_map(|text| &text.lines).map(|(key, _)| key));
    keys.into_iter().map(|key| (key.clone(), transcript.belief(key))).collect()
}

fn place(event: &Event) -> Option<Position> {
    match event {
        Event::EpochStarted { position, .. }
        | Event::ContextUpdated { position, .. }
        | Event::Adopted { position, .. }
        | Event::WindowMoved { from: position } => Some(*position),
        _ => None,
    }
}

impl Transcript {
    fn hear(&mut self, record: &Record, cut: Position) {
        match &record.event {
            Event::EpochStarted { sources, adopted, .. } => {
                self.baseline = sources.iter().map(|a| (a.key.clone(), a.value.sha256)).collect();
                (self.baseline_revision, self.baseline_lost) = (record.revision, false);
                self.texts.retain(|text| text.revision.is_none());
                for text in &mut self.texts {
                    text.lines.retain(|(key, _)| adopted.contains(key));
                }
            }
            Event::ContextUpdated { position, changes, .. } => {
                self.window = self.window.min(*position);
                let lines = changes.iter().map(line).collect();
                let revision = Some(record.revision);
                self.texts.push(Text { revision, position: *position, lost: false, lines });
            }
            Event::Adopted { position, sources } => {
                self.window = self.window.min(*position);
                sources.iter().for_each(|source| self.adopt(source, *position));
            }
            Event::WindowMoved { from } => self.window = self.window.max(*from),
            Event::HoldsDeclared { lost, .. } => {
                self.baseline_lost = lost.contains(&self.baseline_revision);
                for text in &mut self.texts {
                    text.lost = text.revision.is_some_and(|revision| lost.contains(&revision));
                }
            }
            Event::Forked { told, .. } => self.inherit(told, cut),
            _ => {}
        }
    }

    fn adopt(&mut self, source: &Admission, position: Position) {
        let lines = vec![(source.key.clone(), Line::Full(source.value.sha256))];
        self.texts.push(Text { revision: None, position, lost: false, lines });
    }

    fn inherit(&mut self, told: &Told, cut: Position) {
        self.window = told.window.min(cut);
        let epoch = told.epoch.as_ref().filter(|epoch| epoch.position <= cut);
        let first = Revision(1);
        if let Some(epoch) = epoch {
            (self.baseline_revision, self.baseline_lost) = (first, epoch.baseline_lost);
            let baselines = told.entries.values().filter_map(|entry| entry.baseline.as_ref());
            self.baseline = baselines.map(|a| (a.key.clone(), a.value.sha256)).collect();
            for update in told.updates.iter().filter(|update| update.position <= cut) {
                let lines = update.changes.iter().map(line).collect();
                let (position, lost) = (update.position, update.lost);
                self.texts.push(Text { revision: Some(first), position, lost, lines });
            }
        }
        // The last first, so that what stands before them keeps its index.
        let mut adoptions: Vec<_> = told.adoptions().collect();
        adoptions.retain(|(_, adoption)| adoption.telling.position <= cut);
        for (_, adoption) in adoptions.into_iter().rev() {
            let TellingContent::Value(value) = &adoption.telling.content else { continue };
            let lines = vec![(value.key.clone(), Line::Full(value.value.sha256))];
            let position = adoption.telling.position;
            let text = Text { revision: None, position, lost: false, lines };
            self.texts.insert(adoption.after, text);
        }
    }

    fn belief(&self, key: &SourceKey) -> Naive {
        let of = |hash: Option<&ContentHash>| hash.map_or(Naive::Nothing, |h| Naive::Value(*h));
        // Each telling has a number, so that a diff is read only on top of the one before it.
        let mut number = 0_usize;
        let at_hand = !self.baseline_lost;
        let mut belief = if at_hand { of(self.baseline.get(key)) } else { Naive::Nothing };
        let mut read = if at_hand { Some(number) } else { None };
        for text in &self.texts {
            for (_, line) in text.lines.iter().filter(|(other, _)| other == key) {
                let before = number;
                number += 1;
                if text.lost || text.position < self.window {
                    continue;
                }
                (belief, read) = match line {
                    Line::Full(hash) => (Naive::Value(*hash), Some(number)),
                    Line::Removed => (Naive::Nothing, Some(number)),
                    Line::Diff(hash) if read == Some(before) => (Naive::Value(*hash), Some(number)),
                    Line::Diff(_) => (Naive::Unclear, None),
                };
            }
        }
        belief
    }
}

fn line(change: &Change) -> (SourceKey, Line) {
    let line = match change {
        Change::Added { admission } | Change::Changed { admission, form: Form::Full } => {
            Line::Full(admission.value.sha256)
        }
        Change::Changed { admission, form: Form::Diff } => Line::Diff(admission.value.sha256),
        Change::Removed { .. } => Line::Removed,
    };
    (change.key().clone(), line)
}
