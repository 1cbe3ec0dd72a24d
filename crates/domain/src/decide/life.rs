//! What befalls a session between boundaries: discoveries, moves, windows, losses, adoptions, and the
//! fork that begins another.

use super::{commit, position};
use crate::{
    command::{Adoption, Claimed, Decision, Standing},
    context::{Source, SystemContext},
    hash::Blob,
    position::{Position, Revision},
    record::{DiscoveredScope, Event, Record},
    rewind::rewind,
    session::{Location, SessionId},
    state::Belief,
    time::Timestamp,
    told::Admission,
    url::NamedUrl,
};
use serde::Serialize;
use std::{collections::BTreeSet, sync::Arc};

/// Only scopes that are new to the session write. A position below the last anchored one is raised to
/// it: a settlement never fails a tool call (R-LOC-1, R-LOC-3).
pub(super) fn discover(
    standing: &Standing,
    given: Option<Position>,
    agent: Option<&Arc<str>>,
    found: &[DiscoveredScope],
    now: Timestamp,
) -> Decision {
    let told = &standing.state.told;
    let mut seen = BTreeSet::new();
    let new = |scope: &&DiscoveredScope| {
        !told.scopes.contains_key(&scope.directory) && seen.insert(scope.directory.clone())
    };
    let scopes: Vec<_> = found.iter().filter(new).cloned().collect();
    if scopes.is_empty() {
        return Decision::Unchanged;
    }
    let position = given.unwrap_or_else(|| standing.state.default_position());
    let position = position.max(told.anchored.unwrap_or(Position::START));
    commit(standing, now, Event::ScopesDiscovered { position, agent: agent.cloned(), scopes })
}

/// A move to where the session works already is none (R-SES-3).
pub(super) fn move_to(standing: &Standing, location: &Location, now: Timestamp) -> Decision {
    if standing.state.location.directory == location.directory {
        return Decision::Unchanged;
    }
    commit(standing, now, Event::Moved { location: location.clone() })
}

/// A window never goes back (R-SES-7).
pub(super) fn window(standing: &Standing, from: Position, now: Timestamp) -> Decision {
    if from <= standing.state.told.window {
        return Decision::Unchanged;
    }
    commit(standing, now, Event::WindowMoved { from })
}

/// A declaration that says nothing new writes nothing (R-SES-9).
pub(super) fn holds(standing: &Standing, held: &[Revision], now: Timestamp) -> Decision {
    let told = &standing.state.told;
    let (lost, declared) = (lost(standing, held), declared_lost(standing));
    if told.epoch.is_none() || lost == declared {
        return Decision::Unchanged;
    }
    commit(standing, now, Event::HoldsDeclared { held: held.to_vec(), lost })
}

/// The epoch's texts that a host which holds `held` has lost, by revision.
#[must_use]
pub fn lost(standing: &Standing, held: &[Revision]) -> Vec<Revision> {
    let told = &standing.state.told;
    let baseline = told.epoch.iter().map(|epoch| epoch.revision);
    let texts: BTreeSet<_> = baseline.chain(told.updates.iter().map(|u| u.revision)).collect();
    texts.into_iter().filter(|revision| !held.contains(revision)).collect()
}

fn declared_lost(standing: &Standing) -> Vec<Revision> {
    let told = &standing.state.told;
    let baseline =
        told.epoch.iter().filter(|epoch| epoch.baseline_lost).map(|epoch| epoch.revision);
    let updates = told.updates.iter().filter(|update| update.lost).map(|update| update.revision);
    baseline.chain(updates).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What becomes of each source that a host says it told by another channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Those whose present value is believed from now on.
    pub sources: Vec<Admission>,
    /// Those that are not, each by its place in the request.
    pub refused: Vec<(usize, NotAdopted)>,
}

/// Why a source cannot be adopted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NotAdopted {
    /// What stands there now is not what the host told.
    OtherContent,
    /// Nothing that would be told stands there.
    UnknownSource,
}

/// Which of `requests` can be adopted: the value that stands now, with a hash only that value
/// (R-SES-10).
#[must_use]
pub fn adoptable(context: &SystemContext, requests: &[Adoption]) -> Adopted {
    let mut adopted = Adopted::default();
    for (index, request) in requests.iter().enumerate() {
        let Some(source) = claimed(context, &request.source) else {
            adopted.refused.push((index, NotAdopted::UnknownSource));
            continue;
        };
        let blob = Blob::new(source.value.clone());
        if request.sha256.is_some_and(|sha256| sha256 != blob.name().sha256) {
            adopted.refused.push((index, NotAdopted::OtherContent));
        } else if !adopted.sources.iter().any(|known| known.key == source.key) {
            adopted.sources.push(super::boundary::admission(source, blob.name()));
        }
    }
    adopted
}

fn claimed<'a>(context: &'a SystemContext, claimed: &Claimed) -> Option<&'a Source> {
    match claimed {
        Claimed::Key(key) => context.sources.iter().find(|source| {
            source.key == *key || key.path().is_some_and(|path| source.via.contains(path))
        }),
        Claimed::Url(url) => {
            let mut named = context.urls.iter();
            // Of those that look alike the first: the others are named in full.
            let same = |named: &&NamedUrl| {
                named.url == *url || url.is_redacted() && named.url.redacted() == url.redacted()
            };
            named.find(same).and_then(|named| context.source(&named.key))
        }
    }
}

/// What is believed already needs no record.
pub(super) fn adopt(
    standing: &Standing,
    given: Option<Position>,
    context: &SystemContext,
    requests: &[Adoption],
    now: Timestamp,
) -> Decision {
    let position = match position(standing, given) {
        Ok(position) => position,
        Err(refusal) => return Decision::Refused(refusal),
    };
    let believed = |admission: &Admission| match standing.state.belief(&admission.key) {
        Belief::Value(believed, _) => believed.value == admission.value,
        Belief::Nothing | Belief::Unclear => false,
    };
    let mut sources = adoptable(context, requests).sources;
    sources.retain(|admission| !believed(admission));
    if sources.is_empty() {
        return Decision::Unchanged;
    }
    let blob = |admission: &Admission| {
        context.source(&admission.key).map(|source| Blob::new(source.value.clone()))
    };
    let blobs = sources.iter().filter_map(blob).collect();
    let record =
        Record { revision: standing.next(), at: now, event: Event::Adopted { position, sources } };
    Decision::Commit { records: vec![record], blobs }
}

/// The first record of a child that has what its parent had at a position (R-SES-1).
///
/// `log` is the parent's whole log. Without a position the child has all that the parent has.
#[must_use]
pub fn fork(
    parent: &SessionId,
    standing: &Standing,
    log: &[Record],
    given: Option<Position>,
    now: Timestamp,
) -> Record {
    let state = &standing.state;
    let position = given.unwrap_or_else(|| state.default_position());
    let event = Event::Forked {
        parent: parent.clone(),
        position,
        location: state.location.clone(),
        trust: state.trust,
        prior: state.prior,
        told: Box::new(rewind(log, position)),
        values: state.values.clone(),
        epochs: state.epochs,
    };
    Record { revision: Revision::NONE.next(), at: now, event }
}

/// Whether a child that exists already is what this fork would make: a repeated call answers as the
/// first, before the child has a record of its own.
#[must_use]
pub fn is_same_fork(child: &[Record], parent: &SessionId, position: Position) -> bool {
    match child {
        [Record { event: Event::Forked { parent: of, position: at, .. }, .. }] => {
            of == parent && position == *at
        }
        _ => false,
    }
}
