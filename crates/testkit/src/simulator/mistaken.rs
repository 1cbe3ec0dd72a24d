//! Records and loads made wrong on purpose, so that they look like right ones.

use super::plant::Plant;
use crate::fake::store::FakeStore;
use std::sync::Arc;
use told_domain::{
    fold::fold,
    head::HeadChange,
    position::Revision,
    record::{Event, Record},
    session::SessionId,
    state::{Contents, State},
    told::{Entry, Told},
};
use told_ports::{Append, Loaded, Mark, SessionSummary, Store, StoreError};

/// Whether an append notes a discovery.
pub(super) fn discovers(append: &Append) -> bool {
    append.records.iter().any(|record| matches!(record.event, Event::ScopesDiscovered { .. }))
}

/// Whether an append moves its session.
pub(super) fn moves(append: &Append) -> bool {
    append.records.iter().any(|record| matches!(record.event, Event::Moved { .. }))
}

/// What a process reads of a session.
pub(super) fn load(plant: Plant, loaded: &mut Loaded) {
    let told = &mut loaded.state.told;
    match plant {
        Plant::SwappedContents => swap(&mut loaded.contents),
        Plant::HeadRowLost => {
            told.entries.pop_first();
        }
        Plant::DiffNeedsNoBase => told.entries.values_mut().for_each(rest_on_itself),
        Plant::AdoptionForgotten => {
            told.entries.retain(|_, entry| entry.adopted.is_empty());
        }
        _ => {}
    }
}

fn rest_on_itself(entry: &mut Arc<Entry>) {
    if let Some(last) = &mut Arc::make_mut(entry).last {
        last.rests_on = last.position;
    }
}

/// An append whose records say something else, and whether they do.
pub(super) async fn append(
    plant: Plant,
    store: &FakeStore,
    session: &SessionId,
    mut append: Append,
) -> Result<(Append, bool), StoreError> {
    let before = store.load(session).await?.map(|loaded| loaded.state);
    // Who loads something wrong writes nothing that its store would refuse.
    let mut changed = matches!(
        plant,
        Plant::HeadRowLost
            | Plant::DiffNeedsNoBase
            | Plant::AdoptionForgotten
            | Plant::MoveKeepsDiscoveries
    );
    for record in &mut append.records {
        changed |= mistake(plant, store, before.as_ref(), record).await?;
    }
    let follows =
        before.as_ref().map(|state| state.revision) == append.expected.map(|mark| mark.revision);
    if !changed || !follows {
        return Ok((append, false));
    }
    let mut state = before;
    for record in &append.records {
        state = fold(state, record).map(Some).unwrap_or_default();
    }
    if let Some(state) = state {
        append.head = HeadChange::whole(&state);
        append.summary = summary(append.summary, &state);
    }
    Ok((append, true))
}

/// Makes one record wrong.
async fn mistake(
    plant: Plant,
    store: &FakeStore,
    before: Option<&State>,
    record: &mut Record,
) -> Result<bool, StoreError> {
    match (plant, &mut record.event) {
        (Plant::ForkSharesLater, Event::Forked { parent, told, .. }) => {
            let parent = store.load(parent).await?;
            **told = parent.map(|parent| parent.state.told).unwrap_or_default();
        }
        (Plant::ForkForgetsDiscoveries, Event::Forked { told, .. }) => told.scopes.clear(),
        (Plant::ChildBeginsAnew, Event::Forked { told, .. }) => **told = Told::default(),
        (Plant::RevertKeepsDiscoveries, Event::Reverted { told, .. }) => {
            told.scopes = before.map(|state| state.told.scopes.clone()).unwrap_or_default();
        }
        (Plant::RevertKeepsPosition, Event::Reverted { told, .. }) => {
            told.anchored = before.and_then(|state| state.told.anchored);
        }
        (Plant::RevertKeepsUpdates, Event::Reverted { told, .. }) => {
            let now = before.map(|state| state.told.clone()).unwrap_or_default();
            told.entries = now.entries;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Appends records again behind whatever stands there now.
pub(super) async fn append_behind(
    store: &FakeStore,
    session: &SessionId,
    append: Append,
) -> Result<Mark, StoreError> {
    let Some(loaded) = store.load(session).await? else {
        return store.append(session, append).await;
    };
    let mut state = loaded.state;
    let mut records = Vec::new();
    for record in append.records {
        let record = Record { revision: state.revision.next(), ..record };
        state = match fold(Some(state), &record) {
            Ok(state) => state,
            Err(_) => return Err(StoreError::Refused("it cannot be appended")),
        };
        records.push(record);
    }
    let append = Append {
        expected: Some(loaded.mark),
        records,
        head: HeadChange::whole(&state),
        summary: summary(append.summary, &state),
        blobs: append.blobs,
    };
    store.append(session, append).await
}

/// A deleted session lives on under another name, where nobody finds it.
pub(super) async fn keep_a_copy(store: &FakeStore, session: &SessionId) -> Result<(), StoreError> {
    let Some(loaded) = store.load(session).await? else { return Ok(()) };
    let name: SessionId = match format!("deleted/{session}").parse() {
        Ok(name) => name,
        Err(_) => return Ok(()),
    };
    let records = store.records(session, Revision::NONE, usize::MAX).await?;
    let summary = SessionSummary::of(&name, &loaded.state);
    let head = HeadChange::whole(&loaded.state);
    let append = Append { expected: None, records, head, summary, blobs: Vec::new() };
    store.append(&name, append).await.map(drop)
}

fn summary(summary: SessionSummary, state: &State) -> SessionSummary {
    SessionSummary {
        boundary: state.location.boundary.clone(),
        revision: state.revision,
        last_record_at: state.last_record_at,
        ..summary
    }
}

/// Two texts take each other's name.
pub(super) fn swap(contents: &mut Contents) {
    let hashes: Vec<_> = contents.keys().copied().collect();
    if let [one, .., other] = hashes[..]
        && let (Some(first), Some(second)) = (contents.remove(&one), contents.remove(&other))
    {
        contents.insert(one, second);
        contents.insert(other, first);
    }
}
