//! What `revisions` last answered, as long as nobody committed since. Every commit of whatever
//! process changes the first bytes of the file: while they are as they were, so is the answer, and
//! one small read tells. Any difference, also a header read in the midst of its writing, leads to
//! redb itself. A commit of our own is known by the header that it wrote.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};
use told_domain::{path::CanonicalPath, session::SessionId};
use told_ports::Revisions;

/// The part of a file that every commit changes: redb's header with both of its commit slots.
pub(crate) type Header = [u8; HEADER];

pub(crate) const HEADER: usize = 320;

/// Which question an answer is to.
pub(crate) type Asked = (SessionId, CanonicalPath);

/// The answers under one header.
#[derive(Debug)]
pub(crate) struct Memo(Mutex<Known>);

#[derive(Debug)]
struct Known {
    header: Header,
    answers: HashMap<Asked, Revisions>,
}

/// Answers kept at most: the sessions that are active at once.
const ANSWERS: usize = 1024;

impl Memo {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Known { header: [0; HEADER], answers: HashMap::new() }))
    }

    /// The answer, where it was given under this header.
    pub(crate) fn recall(&self, header: &Header, asked: &Asked) -> Option<Revisions> {
        let known = self.known();
        (known.header == *header).then(|| known.answers.get(asked).copied()).flatten()
    }

    /// Keeps an answer that was read after the header was.
    pub(crate) fn keep(&self, header: &Header, asked: Asked, answer: Revisions) {
        let mut known = self.known();
        if known.header != *header || known.answers.len() >= ANSWERS {
            known.answers.clear();
            known.header = *header;
        }
        known.answers.insert(asked, answer);
    }

    /// Keeps what a commit made so: whoever finds its header finds nothing newer.
    pub(crate) fn renew(&self, header: &Header, answers: Vec<(Asked, Revisions)>) {
        let mut known = self.known();
        known.answers.clear();
        known.header = *header;
        known.answers.extend(answers);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
