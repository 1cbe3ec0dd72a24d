//! A session as a test writes it: what an application would append, without an application.

use std::sync::Arc;
use told_domain::{
    fold::fold,
    hash::Blob,
    head::HeadChange,
    key::ApiKey,
    path::{AbsolutePath, CanonicalPath},
    position::Revision,
    record::{Event, Record},
    session::{Location, Prior, SessionId, Trust},
    state::State,
    time::Timestamp,
};
use told_ports::{Append, Mark, SessionSummary};

/// What a test knows of a session.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Its name.
    pub id: SessionId,
    /// Where it stands.
    pub mark: Option<Mark>,
    /// What its records made.
    pub state: Option<State>,
    /// Its records.
    pub records: Vec<Record>,
}

/// An event with the texts that it needs.
pub type Told = (Event, Vec<Blob>);

impl Draft {
    /// A session that does not exist yet.
    #[must_use]
    pub const fn new(id: SessionId) -> Self {
        Self { id, mark: None, state: None, records: Vec::new() }
    }

    /// The append that makes the session.
    #[must_use]
    pub fn open(&self, place: &CanonicalPath) -> Append {
        let location = Location { directory: place.clone(), boundary: directory("/repo") };
        let (prior, trust) = (Prior::None, Trust::Trusted);
        self.append(vec![(Event::Opened { location, position: None, prior, trust }, Vec::new())])
    }

    /// The next append of these events.
    ///
    /// # Panics
    /// Where the events cannot follow.
    #[must_use]
    pub fn append(&self, events: Vec<Told>) -> Append {
        let mut state = self.state.clone();
        let (mut records, mut blobs) = (Vec::new(), Vec::<Blob>::new());
        for (event, texts) in events {
            let revision = state.as_ref().map_or(Revision::NONE, |state| state.revision).next();
            let at = Timestamp::from_millisecond(1_700_000_000_000 + revision.0.cast_signed());
            let record = Record { revision, at, event };
            state = Some(fold(state, &record).expect("the event can follow"));
            records.push(record);
            blobs.extend(texts);
        }
        let state = state.expect("a session has a record");
        let head = match &self.state {
            Some(old) => HeadChange::between(old, &state),
            None => HeadChange::whole(&state),
        };
        let summary = summary(&self.id, &state);
        Append { expected: self.mark, records, blobs, head, summary }
    }

    /// The whole head after an append.
    ///
    /// # Panics
    /// Where its records cannot follow.
    #[must_use]
    pub fn whole(&self, append: &Append) -> HeadChange {
        HeadChange::whole(&self.after(append))
    }

    /// Takes over what a store accepted.
    ///
    /// # Panics
    /// Where its records cannot follow.
    pub fn took(&mut self, append: &Append, mark: Mark) {
        self.state = Some(self.after(append));
        self.mark = Some(mark);
        self.records.extend(append.records.iter().cloned());
    }

    /// What a store's list says of it.
    ///
    /// # Panics
    /// Where the session does not exist.
    #[must_use]
    pub fn summary(&self) -> SessionSummary {
        summary(&self.id, self.state.as_ref().expect("the session exists"))
    }

    fn after(&self, append: &Append) -> State {
        let records = append.records.iter();
        let state = records.fold(self.state.clone(), |state, record| {
            Some(fold(state, record).expect("the record can follow"))
        });
        state.expect("a session has a record")
    }
}

fn summary(id: &SessionId, state: &State) -> SessionSummary {
    SessionSummary {
        session: id.clone(),
        directory: state.location.directory.clone(),
        boundary: state.location.boundary.clone(),
        revision: state.revision,
        opened_at: state.opened_at,
        last_record_at: state.last_record_at,
    }
}

/// A session's name.
///
/// # Panics
/// Where it is none.
#[must_use]
pub fn id(name: &str) -> SessionId {
    name.parse().expect("a session's name")
}

/// A directory.
///
/// # Panics
/// Where it is not absolute.
#[must_use]
pub fn directory(path: &str) -> CanonicalPath {
    CanonicalPath::observed(AbsolutePath::new(path).expect("an absolute path"))
}

/// The key of a value.
///
/// # Panics
/// Where it is none.
#[must_use]
pub fn key(name: &str) -> ApiKey {
    name.parse().expect("a key")
}

/// A text of several pages that begins with `word`; the empty one is empty.
#[must_use]
pub fn text_of(word: &str) -> Arc<str> {
    if word.is_empty() { "".into() } else { format!("{word}\n{}", "- a line\n".repeat(700)).into() }
}

/// A value is set for the session, to the text of `word`.
#[must_use]
pub fn set(name: &str, word: &str) -> Told {
    let blob = Blob::new(text_of(word));
    (Event::ValueSet { key: key(name), value: blob.name() }, vec![blob])
}

/// A value is taken back.
#[must_use]
pub fn unset(name: &str) -> Told {
    (Event::ValueUnset { key: key(name) }, Vec::new())
}
