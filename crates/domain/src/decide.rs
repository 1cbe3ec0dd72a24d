//! `decide`: what a command does to a session. Pure: it is given what was found and what time it is.

mod boundary;
mod life;

pub use life::{Adopted, NotAdopted, adoptable, fork, is_same_fork, lost};

use crate::{
    command::{Command, Decision, Refusal, Standing},
    hash::Blob,
    key::ApiKey,
    policy::Policy,
    position::{Position, Revision},
    record::{Event, Record},
    render::HostValue,
    rewind::rewind,
    session::{Location, Prior, Trust},
    time::Timestamp,
};
use std::sync::Arc;

/// Decides `command` for a session that stands as `standing` (`None`: there is none).
#[must_use]
pub fn decide(
    standing: Option<&Standing>,
    command: &Command<'_>,
    now: Timestamp,
    policy: &Policy,
) -> Decision {
    let Some(standing) = standing else {
        return match command {
            Command::Open { location, position, prior, trust } => {
                begin(location, *position, *prior, *trust, now)
            }
            _ => Decision::Refused(Refusal::UnknownSession),
        };
    };
    match command {
        Command::Open { location, .. }
            if location.directory != standing.state.location.directory =>
        {
            Decision::Refused(Refusal::OtherLocation(standing.state.location.clone()))
        }
        Command::Open { .. } => Decision::Unchanged,
        Command::Sync { position, on_unavailable, context, second_look } => {
            let boundary = boundary::Boundary { standing, context, policy, now };
            boundary.decide(*position, *on_unavailable, *second_look)
        }
        Command::Compact { position } => compact(standing, *position, now),
        Command::Rebase { reason } => rebase(standing, reason.clone(), now),
        Command::Revert { to, log } => revert(standing, *to, log, now),
        Command::Discover { position, agent, scopes } => {
            life::discover(standing, *position, agent.as_ref(), scopes, now)
        }
        Command::Move { location } => life::move_to(standing, location, now),
        Command::Window { from } => life::window(standing, *from, now),
        Command::Holds { held } => life::holds(standing, held, now),
        Command::Adopt { position, context, sources } => {
            life::adopt(standing, *position, context, sources, now)
        }
        Command::SetValue { key, value } => set_value(standing, key, value, now, policy),
        Command::UnsetValue { key } => unset_value(standing, key, now),
    }
}

/// The position that a call means (R-BND-9).
///
/// # Errors
/// [`Refusal::PositionRegressed`] where it lies below the last anchored one.
pub fn position(standing: &Standing, given: Option<Position>) -> Result<Position, Refusal> {
    let position = given.unwrap_or_else(|| standing.state.default_position());
    match standing.state.told.anchored {
        Some(anchored) if position < anchored => {
            Err(Refusal::PositionRegressed { position, anchored })
        }
        Some(_) | None => Ok(position),
    }
}

/// Whether a host's value is small enough (R-API-1).
///
/// # Errors
/// [`Refusal::ValueTooLarge`] where its encoded JSON is over the limit.
pub fn admit_value(value: &HostValue, policy: &Policy) -> Result<Arc<str>, Refusal> {
    let (limit, bytes) = (policy.limits.value_bytes, value.value_bytes());
    let title = value.title.as_ref().map_or(0, String::len) as u64;
    if bytes > limit || title > limit {
        return Err(Refusal::ValueTooLarge { limit, bytes: bytes.max(title) });
    }
    Ok(value.encode())
}

fn commit(standing: &Standing, now: Timestamp, event: Event) -> Decision {
    let record = Record { revision: standing.next(), at: now, event };
    Decision::Commit { records: vec![record], blobs: Vec::new() }
}

fn begin(
    location: &Location,
    position: Option<Position>,
    prior: Prior,
    trust: Trust,
    now: Timestamp,
) -> Decision {
    let event = Event::Opened { location: location.clone(), position, prior, trust };
    let record = Record { revision: Revision::NONE.next(), at: now, event };
    Decision::Commit { records: vec![record], blobs: Vec::new() }
}

/// A compaction never blocks; before the first epoch there is nothing to end (R-EPO-2, R-EPO-3).
fn compact(standing: &Standing, given: Option<Position>, now: Timestamp) -> Decision {
    match position(standing, given) {
        Err(refusal) => Decision::Refused(refusal),
        Ok(_) if standing.state.told.epoch.is_none() => Decision::Unchanged,
        Ok(position) => commit(standing, now, Event::Compacted { position }),
    }
}

fn rebase(standing: &Standing, reason: Option<Arc<str>>, now: Timestamp) -> Decision {
    let told = &standing.state.told;
    match (&told.epoch, told.anchored) {
        (Some(_), Some(position)) => commit(standing, now, Event::Rebased { position, reason }),
        (None, _) | (_, None) => Decision::Unchanged,
    }
}

/// A revert past the last anchored position takes nothing back, unless it takes a window with it
/// (R-SES-2).
fn revert(standing: &Standing, to: Position, log: &[Record], now: Timestamp) -> Decision {
    let told = &standing.state.told;
    if told.anchored.is_some_and(|anchored| to < anchored) || to < told.window {
        let told = Box::new(rewind(log, to));
        return commit(standing, now, Event::Reverted { to, told });
    }
    Decision::Unchanged
}

fn set_value(
    standing: &Standing,
    key: &ApiKey,
    value: &HostValue,
    now: Timestamp,
    policy: &Policy,
) -> Decision {
    let blob = match admit_value(value, policy) {
        Ok(encoded) => Blob::new(encoded),
        Err(refusal) => return Decision::Refused(refusal),
    };
    if standing.state.values.get(key) == Some(&blob.name()) {
        return Decision::Unchanged;
    }
    let event = Event::ValueSet { key: key.clone(), value: blob.name() };
    let record = Record { revision: standing.next(), at: now, event };
    Decision::Commit { records: vec![record], blobs: vec![blob] }
}

fn unset_value(standing: &Standing, key: &ApiKey, now: Timestamp) -> Decision {
    if standing.state.values.contains_key(key) {
        commit(standing, now, Event::ValueUnset { key: key.clone() })
    } else {
        Decision::Unchanged
    }
}

#[cfg(test)]
mod tests;
