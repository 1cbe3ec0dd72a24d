//! Fixtures for the domain's own tests: a disk that is a map, a session that is a log, and a naive
//! reader of texts to hold beliefs against. No I/O.

mod naive;
mod session;
mod world;

pub(crate) use naive::{Naive, beliefs};
pub(crate) use session::Session;
pub(crate) use world::{Ground, World};

use crate::{
    hash::{Blob, ContentRef},
    key::{Origin, SourceKey},
    look::Look,
    path::{AbsolutePath, CanonicalPath},
    place::Place,
    policy::{FileName, Policy},
    position::{Position, Revision},
    record::{Event, Record},
    session::{Location, Prior, Trust},
    time::Timestamp,
    told::{Admission, Change, EpochCause, Form, Scope},
};

pub(crate) fn path(text: &str) -> AbsolutePath {
    AbsolutePath::new(text).unwrap()
}

pub(crate) fn canonical(text: &str) -> CanonicalPath {
    CanonicalPath::observed(path(text))
}

/// A key; a text that begins with `/` is a file's.
pub(crate) fn key(text: &str) -> SourceKey {
    if text.starts_with('/') { SourceKey::File(path(text)) } else { text.parse().unwrap() }
}

/// A key as short as it can be read: a file's without its `file:`.
pub(crate) fn short(key: &SourceKey) -> String {
    let text = key.to_string();
    text.strip_prefix("file:").unwrap_or(&text).to_owned()
}

pub(crate) fn names(groups: &[&[&str]]) -> Vec<Vec<FileName>> {
    let group = |names: &&[&str]| names.iter().map(|name| FileName::new(name).unwrap()).collect();
    groups.iter().map(group).collect()
}

pub(crate) fn policy(change: impl FnOnce(&mut Policy)) -> Policy {
    let mut policy = Policy::default();
    change(&mut policy);
    policy
}

pub(crate) fn location(directory: &str, boundary: &str) -> Location {
    Location { directory: canonical(directory), boundary: canonical(boundary) }
}

pub(crate) fn scope(project: &str, position: u64) -> Scope {
    Scope {
        project: canonical(project),
        agent: None,
        position: Position(position),
        revision: Revision(1),
    }
}

pub(crate) fn record(revision: u64, event: Event) -> Record {
    let at = Timestamp::from_millisecond(1_000 * i64::try_from(revision).unwrap());
    Record { revision: Revision(revision), at, event }
}

pub(crate) fn opened() -> Event {
    let location = location("/repo", "/repo");
    Event::Opened { location, position: None, prior: Prior::None, trust: Trust::Trusted }
}

pub(crate) fn blob(text: &str) -> ContentRef {
    Blob::new(text).name()
}

pub(crate) fn look() -> Look {
    Look { boundary: canonical("/repo"), project: None, held: Vec::new(), withheld: Vec::new() }
}

/// The admission of the file `at` with `text`.
pub(crate) fn admission(at: &str, text: &str) -> Admission {
    Admission {
        key: key(at),
        place: Place::Ambient { step: 0, group: 0 },
        value: blob(text),
        size: text.len() as u64,
        origin: Origin::Project,
        warnings: Vec::new(),
        via: vec![path(at)],
        scope: None,
        removal: None,
    }
}

pub(crate) fn epoch_started(number: u64, position: u64, sources: Vec<Admission>) -> Event {
    Event::EpochStarted {
        number: crate::position::EpochNumber(number),
        cause: EpochCause::Initial,
        position: Position(position),
        baseline: blob("baseline"),
        parts: Vec::new(),
        sources,
        adopted: Vec::new(),
        look: look(),
    }
}

pub(crate) fn updated(position: u64, changes: Vec<Change>) -> Event {
    let (text, parts, look) = (blob("update"), Vec::new(), look());
    Event::ContextUpdated { position: Position(position), text, parts, changes, look }
}

pub(crate) fn full(at: &str, text: &str) -> Change {
    Change::Changed { admission: admission(at, text), form: Form::Full }
}

pub(crate) fn diffed(at: &str, text: &str) -> Change {
    Change::Changed { admission: admission(at, text), form: Form::Diff }
}

pub(crate) fn removed(at: &str) -> Change {
    Change::Removed { key: key(at), place: Place::Ambient { step: 0, group: 0 } }
}
