//! `fold`: what a record makes of a state. It needs the state and the record, never history.

use crate::{
    key::SourceKey,
    look::Look,
    position::{Position, Revision},
    record::{Event, Record},
    session::SessionId,
    state::State,
    told::{
        Admission, Adoption, Change, ContextEpoch, Entry, EpochCause, FirstTold, Form,
        PendingEpoch, Scope, Telling, TellingContent, Told, UnderHolds, Update,
    },
};
use std::{collections::BTreeMap, sync::Arc};

/// A log that is not one: the store lost or damaged something (R-EPO-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// A record does not follow the one before it.
    #[error("record {found} stands where record {expected} belongs")]
    Gap {
        /// The revision that belongs there.
        expected: Revision,
        /// The revision that is there.
        found: Revision,
    },
    /// The log does not begin with `opened` or `forked`, or has one of them further on.
    #[error("record {0} cannot stand where it does")]
    Misplaced(Revision),
}

/// The state after `record`. `None` is the state of a session that does not exist.
///
/// # Errors
/// [`FoldError`] where the record cannot follow the state.
pub fn fold(state: Option<State>, record: &Record) -> Result<State, FoldError> {
    let expected = state.as_ref().map_or(Revision::NONE, |state| state.revision).next();
    if record.revision != expected {
        return Err(FoldError::Gap { expected, found: record.revision });
    }
    let mut state = match (state, &record.event) {
        (None, Event::Opened { .. } | Event::Forked { .. }) => begin(record)?,
        (Some(state), _) => state,
        (None, _) => return Err(FoldError::Misplaced(record.revision)),
    };
    apply(&mut state, record)?;
    state.revision = record.revision;
    state.last_record_at = record.at;
    Ok(state)
}

/// The state that a whole log makes.
///
/// # Errors
/// [`FoldError`] where a record cannot follow the ones before it.
pub fn replay<'a>(
    records: impl IntoIterator<Item = &'a Record>,
) -> Result<Option<State>, FoldError> {
    records.into_iter().try_fold(None, |state, record| fold(state, record).map(Some))
}

fn begin(record: &Record) -> Result<State, FoldError> {
    let blank = |location: &crate::session::Location, trust, prior| State {
        revision: Revision::NONE,
        opened_at: record.at,
        last_record_at: record.at,
        location: location.clone(),
        generation: record.revision,
        looked: record.revision,
        trust,
        prior,
        epochs: crate::position::EpochNumber(0),
        reset: record.revision,
        values: BTreeMap::new(),
        told: Told::default(),
    };
    match &record.event {
        Event::Opened { location, prior, trust, .. } => Ok(blank(location, *trust, *prior)),
        Event::Forked { parent, location, trust, prior, told, values, epochs, .. } => Ok(State {
            epochs: *epochs,
            values: values.clone(),
            told: inherited((**told).clone(), parent),
            ..blank(location, *trust, *prior)
        }),
        _ => Err(FoldError::Misplaced(record.revision)),
    }
}

fn apply(state: &mut State, record: &Record) -> Result<(), FoldError> {
    let revision = record.revision;
    match &record.event {
        Event::Opened { .. } | Event::Forked { .. } if revision == Revision::NONE.next() => {}
        Event::Opened { .. } | Event::Forked { .. } => return Err(FoldError::Misplaced(revision)),
        Event::EpochStarted { number, look, .. } => {
            state.epochs = state.epochs.max(*number);
            state.reset = revision;
            state.location.boundary = look.boundary.clone();
            state.looked = revision;
        }
        Event::ContextUpdated { look, .. } => {
            state.location.boundary = look.boundary.clone();
            state.looked = revision;
        }
        Event::WindowMoved { .. } | Event::HoldsDeclared { .. } => state.reset = revision,
        Event::Reverted { told, .. } => {
            state.told = (**told).clone();
            state.reset = revision;
        }
        Event::Moved { location } => {
            state.location = location.clone();
            (state.generation, state.looked) = (revision, revision);
        }
        Event::ValueSet { key, value } => {
            state.values.insert(key.clone(), *value);
        }
        Event::ValueUnset { key } => {
            state.values.remove(key);
        }
        Event::ScopesDiscovered { .. }
        | Event::Adopted { .. }
        | Event::Compacted { .. }
        | Event::Rebased { .. } => {}
    }
    state.told.apply(record);
    Ok(())
}

impl Told {
    /// What `record` makes of what was told. Records that are not about telling change nothing.
    pub(crate) fn apply(&mut self, record: &Record) {
        let revision = record.revision;
        match &record.event {
            Event::EpochStarted {
                number,
                cause,
                position,
                baseline,
                parts,
                sources,
                adopted,
                look,
            } => {
                let epoch = ContextEpoch {
                    number: *number,
                    revision,
                    cause: *cause,
                    position: *position,
                    baseline: *baseline,
                    parts: parts.clone(),
                    baseline_lost: false,
                    first_told: None,
                };
                self.start_epoch(epoch, sources, adopted, look);
            }
            Event::ContextUpdated { position, text, parts, changes, look } => {
                for change in changes {
                    self.tell(change, revision, *position);
                }
                self.updates.push(Arc::new(Update {
                    revision,
                    position: *position,
                    text: *text,
                    parts: parts.clone(),
                    changes: changes.clone(),
                    first_told: None,
                    lost: false,
                }));
                self.look = Some(look.clone());
                // What is told there is there: the window cannot begin after it.
                self.window = self.window.min(*position);
                self.anchor(*position);
            }
            Event::ScopesDiscovered { position, agent, scopes } => {
                for found in scopes {
                    let scope = Scope {
                        project: found.project.clone(),
                        agent: agent.clone(),
                        position: *position,
                        revision,
                    };
                    self.scopes.entry(found.directory.clone()).or_insert(scope);
                }
                self.anchor(*position);
            }
            Event::Adopted { position, sources } => {
                for admission in sources {
                    self.adopt(admission, revision, *position);
                }
                self.window = self.window.min(*position);
                self.anchor(*position);
            }
            Event::Compacted { position } => {
                self.request(EpochCause::Compacted, *position);
                self.anchor(*position);
            }
            Event::Rebased { position, .. } => self.request(EpochCause::Rebased, *position),
            Event::WindowMoved { from } => self.window = self.window.max(*from),
            Event::HoldsDeclared { lost, .. } => self.declare_lost(lost),
            Event::Moved { .. } => {
                self.scopes.clear();
                self.look = None;
            }
            Event::Opened { .. }
            | Event::Forked { .. }
            | Event::Reverted { .. }
            | Event::ValueSet { .. }
            | Event::ValueUnset { .. } => {}
        }
    }

    fn start_epoch(
        &mut self,
        epoch: ContextEpoch,
        sources: &[Admission],
        adopted: &[SourceKey],
        look: &Look,
    ) {
        self.anchor(epoch.position);
        let mut entries = std::mem::take(&mut self.entries);
        entries.retain(|key, _| adopted.contains(key));
        for entry in entries.values_mut().map(Arc::make_mut) {
            entry.adopted.iter_mut().for_each(|adoption| adoption.after = 0);
        }
        for admission in sources {
            let baseline = Some(admission.clone());
            let entry = Entry { baseline, ..Entry::default() };
            entries.insert(admission.key.clone(), Arc::new(entry));
        }
        self.entries = entries;
        self.epoch = Some(epoch);
        self.updates.clear();
        self.pending = None;
        self.overtaken.clear();
        self.look = Some(look.clone());
    }

    /// What one change of an update makes of its key.
    pub(crate) fn tell(&mut self, change: &Change, revision: Revision, position: Position) {
        let (content, rests_on) = match change {
            Change::Added { admission } | Change::Changed { admission, form: Form::Full } => {
                (TellingContent::Value(admission.clone()), position)
            }
            Change::Changed { admission, form: Form::Diff } => {
                // A diff stands on what was told last, and so on whatever that stands on. Where
                // nothing was, its base lies before all that is known.
                let rests_on = match self.entries.get(&admission.key).map(|entry| &entry.last) {
                    Some(Some(last)) => last.rests_on,
                    Some(None) => position,
                    None => Position::START,
                };
                (TellingContent::Value(admission.clone()), rests_on)
            }
            Change::Removed { place, .. } => (TellingContent::Removal(place.clone()), position),
        };
        let entry = Arc::make_mut(self.entries.entry(change.key().clone()).or_default());
        entry.last = Some(Telling { content, revision, position, rests_on });
        entry.under_holds = None;
    }

    fn adopt(&mut self, admission: &Admission, revision: Revision, position: Position) {
        let content = TellingContent::Value(admission.clone());
        let telling = Telling { content, revision, position, rests_on: position };
        self.retell(admission.key.clone(), Adoption { telling, after: self.updates.len() });
    }

    /// What another channel told of `key` is what was told last.
    pub(crate) fn retell(&mut self, key: SourceKey, adoption: Adoption) {
        let entry = Arc::make_mut(self.entries.entry(key).or_default());
        entry.last = Some(adoption.telling.clone());
        entry.under_holds = None;
        entry.adopted.push(adoption);
    }

    /// Positions of requests do not go down.
    fn request(&mut self, cause: EpochCause, position: Position) {
        let position = self.pending.map_or(position, |pending| pending.position.max(position));
        self.overtaken.extend(self.pending.filter(|pending| pending.position < position));
        self.pending = Some(PendingEpoch { cause, position });
    }

    fn declare_lost(&mut self, lost: &[Revision]) {
        for update in &mut self.updates {
            let is_lost = lost.contains(&update.revision);
            if update.lost != is_lost {
                Arc::make_mut(update).lost = is_lost;
            }
        }
        if let Some(epoch) = &mut self.epoch {
            epoch.baseline_lost = lost.contains(&epoch.revision);
        }
        self.settle_holds();
    }

    pub(crate) fn anchor(&mut self, position: Position) {
        self.anchored = Some(self.anchored.map_or(position, |anchored| anchored.max(position)));
    }
}

/// A parent's telling as its child holds it: told by the child's first record (R-SES-1).
pub(crate) fn inherited(mut told: Told, parent: &SessionId) -> Told {
    let first = Revision::NONE.next();
    if let Some(epoch) = &mut told.epoch {
        first_told_by(parent, &mut epoch.first_told, epoch.revision);
        epoch.revision = first;
    }
    for update in told.updates.iter_mut().map(Arc::make_mut) {
        first_told_by(parent, &mut update.first_told, update.revision);
        update.revision = first;
    }
    for entry in told.entries.values_mut().map(Arc::make_mut) {
        if let Some(last) = &mut entry.last {
            last.revision = first;
        }
        if let Some(UnderHolds::Telling(telling)) = &mut entry.under_holds {
            telling.revision = first;
        }
        for adoption in &mut entry.adopted {
            adoption.telling.revision = first;
        }
    }
    for scope in told.scopes.values_mut() {
        scope.revision = first;
    }
    for held in told.look.iter_mut().flat_map(|look| &mut look.held) {
        held.since = held.since.map(|_| first);
    }
    told
}

#[cfg(test)]
mod tests;

/// What a parent inherited itself keeps the name of the session that told it.
fn first_told_by(parent: &SessionId, first: &mut Option<FirstTold>, revision: Revision) {
    first.get_or_insert_with(|| FirstTold { session: parent.clone(), revision });
}
