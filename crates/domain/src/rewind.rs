//! `rewind`: what the model had been told at an earlier position (R-SES-1, R-SES-2).

use crate::{
    fold::inherited,
    position::Position,
    record::{Event, Record},
    told::Told,
};

/// What was told as it stood at `to`: of the log's records those that no revert took back and that
/// are anchored at or before `to`.
///
/// Moves and host-set values are not undone: what a move cleared stays cleared. A window that begins
/// after `to` is undone with the messages that it kept.
#[must_use]
pub fn rewind(log: &[Record], to: Position) -> Told {
    let mut live: Vec<Anchored<'_>> = Vec::with_capacity(log.len());
    // The earliest position that this session was ever taken back to.
    let mut earliest = to;
    for record in log {
        match &record.event {
            Event::Reverted { to, .. } => {
                live.retain(|live| live.stands_at(*to));
                earliest = earliest.min(*to);
            }
            // What a host holds of an epoch says nothing of the texts of another.
            Event::HoldsDeclared { .. } => {
                let epoch = live.iter().rev().find(|live| live.begins_an_epoch());
                let anchor = epoch.and_then(|epoch| epoch.anchor);
                live.push(Anchored { record, anchor });
            }
            event => live.push(Anchored { record, anchor: anchor(event) }),
        }
    }
    live.retain(|live| live.stands_at(to));
    let mut told = Told::default();
    for Anchored { record, .. } in live {
        match &record.event {
            // What a child inherited is cut like a log of its own.
            Event::Forked { parent, told: left, .. } => {
                told = cut(inherited((**left).clone(), parent), earliest);
            }
            _ => told.apply(record),
        }
    }
    told
}

/// A record and where it stands in the transcript; nothing for one that has no place in it.
struct Anchored<'a> {
    record: &'a Record,
    anchor: Option<Position>,
}

impl Anchored<'_> {
    /// Whether a revert to `position` leaves the record standing.
    fn stands_at(&self, position: Position) -> bool {
        self.anchor.is_none_or(|anchor| anchor <= position)
    }

    const fn begins_an_epoch(&self) -> bool {
        matches!(self.record.event, Event::EpochStarted { .. })
    }
}

/// Where a record stands in the transcript; nothing for one that has no place in it.
const fn anchor(event: &Event) -> Option<Position> {
    match event {
        Event::EpochStarted { position, .. }
        | Event::ContextUpdated { position, .. }
        | Event::ScopesDiscovered { position, .. }
        | Event::Adopted { position, .. }
        | Event::Compacted { position }
        | Event::Rebased { position, .. }
        | Event::WindowMoved { from: position } => Some(*position),
        Event::Opened { .. }
        | Event::HoldsDeclared { .. }
        | Event::Reverted { .. }
        | Event::Moved { .. }
        | Event::Forked { .. }
        | Event::ValueSet { .. }
        | Event::ValueUnset { .. } => None,
    }
}

/// What was told, taken back to `to` without the log that led to it. An epoch that starts after `to`
/// leaves nothing: the next boundary is a first one.
fn cut(mut told: Told, to: Position) -> Told {
    // Where the window began at an earlier time is not known here: what may be gone is told again.
    told.window = told.window.min(to);
    if told.anchored.is_none_or(|anchored| anchored <= to) {
        return told;
    }
    let begun = told.epoch.as_ref().is_some_and(|epoch| epoch.position <= to);
    let mut left = if begun { told.at_epoch_start() } else { Told::default() };
    if let Some(epoch) = &left.epoch {
        left.anchored = Some(epoch.position);
        left.look.clone_from(&told.look);
        left.overtaken = std::mem::take(&mut told.overtaken);
        left.overtaken.extend(told.pending);
        left.overtaken.retain(|request| request.position <= to);
        left.pending = left.overtaken.pop();
    }
    if let Some(pending) = left.pending {
        left.anchor(pending.position);
    }
    let mut adoptions = told.adoptions().filter(|(_, a)| a.telling.position <= to).peekable();
    let updates = if begun { &told.updates[..] } else { &[] };
    let updates: Vec<_> = updates.iter().filter(|update| update.position <= to).collect();
    for index in 0..=updates.len() {
        while let Some((key, adoption)) = adoptions.next_if(|(_, a)| a.after <= index) {
            left.anchor(adoption.telling.position);
            left.retell(key.clone(), adoption.clone());
        }
        let Some(update) = updates.get(index) else { break };
        for change in &update.changes {
            left.tell(change, update.revision, update.position);
        }
        left.anchor(update.position);
        left.updates.push((*update).clone());
    }
    drop(adoptions);
    left.settle_holds();
    for (key, entry) in told.entries {
        // What nothing was cut from stands as it was.
        if entry.last.as_ref().is_some_and(|last| last.position <= to) {
            left.entries.insert(key, entry);
        }
    }
    for (directory, scope) in told.scopes {
        if scope.position <= to {
            left.anchor(scope.position);
            left.scopes.insert(directory, scope);
        }
    }
    left.window = told.window;
    left
}

#[cfg(test)]
mod tests;
