//! What a server does, and what a resolver says, as data: one script for the fake and for a real
//! server on loopback.

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::watch;

/// What becomes of one request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// An answer.
    Answer(Answer),
    /// The request is taken, and nothing is said.
    Silence,
    /// The connection is closed without a word.
    HangUp,
    /// Something that is no HTTP.
    Noise,
}

/// One answer, exactly as it is sent.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its headers, but for those that the body brings.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Body,
}

/// How a body comes.
#[derive(Clone, Debug)]
pub enum Body {
    /// With its length.
    Whole(Vec<u8>),
    /// In chunks.
    Chunked(Vec<u8>),
    /// Until the connection is closed.
    UntilClosed(Vec<u8>),
    /// A length is announced, other bytes are sent, and the connection is closed.
    Announced(u64, Vec<u8>),
    /// Some chunks, but not the last one.
    BrokenOff(Vec<u8>),
    /// A length is announced and nothing is sent.
    Stalls,
    /// A byte every few milliseconds, without end.
    Drips,
    /// As fast as it is read, without end; a length may be announced.
    Endless(Option<u64>),
}

impl Answer {
    /// An answer with this status and no body.
    #[must_use]
    pub const fn new(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Body::Whole(Vec::new()) }
    }

    /// An answer of success with this text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::new(200).with("content-type", "text/plain").body(Body::Whole(text.into()))
    }

    /// A redirect to `location`.
    #[must_use]
    pub fn to(status: u16, location: &str) -> Self {
        Self::new(status).with("location", location)
    }

    /// With one more header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// With this body.
    #[must_use]
    pub fn body(mut self, body: Body) -> Self {
        self.body = body;
        self
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Method and target: `GET /a?b`.
    pub line: String,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Asked {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What a server does, by the target of a request, and what it was asked.
#[derive(Debug)]
pub struct Script {
    replies: Mutex<HashMap<String, VecDeque<Reply>>>,
    asked: Mutex<Vec<Asked>>,
    /// Bytes of endless bodies that left.
    pub(crate) sent: AtomicU64,
    /// Connections that are open.
    pub(crate) open: watch::Sender<usize>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            replies: Mutex::default(),
            asked: Mutex::default(),
            sent: AtomicU64::new(0),
            open: watch::Sender::new(0),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Script {
    /// Requests of `target` get these replies in turn, and then the last one for ever.
    pub fn at<R: Into<Reply>>(&self, target: &str, replies: impl IntoIterator<Item = R>) {
        let replies = replies.into_iter().map(Into::into).collect();
        lock(&self.replies).insert(target.into(), replies);
    }

    /// Every request so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.asked).clone()
    }

    /// Bytes of endless bodies that were sent so far.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// The number of open connections, to wait for.
    #[must_use]
    pub fn open(&self) -> watch::Receiver<usize> {
        self.open.subscribe()
    }

    /// Takes a request down and gives what becomes of it; 404 where nothing is said of its target.
    pub(crate) fn reply(&self, asked: Asked) -> Reply {
        let target = asked.line.split_once(' ').map_or("", |(_, target)| target).to_owned();
        lock(&self.asked).push(asked);
        let mut replies = lock(&self.replies);
        let Some(replies) = replies.get_mut(&target) else {
            return Answer::new(404).into();
        };
        let next = if replies.len() > 1 { replies.pop_front() } else { replies.front().cloned() };
        next.unwrap_or_else(|| Answer::new(404).into())
    }
}

/// What a resolver says of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// These addresses.
    To(Vec<IpAddr>),
    /// There is no such name.
    Nothing,
    /// It never answers.
    Hangs,
}

/// A resolver by script. It counts how often it is asked.
#[derive(Debug, Default)]
pub struct Names {
    answers: Mutex<HashMap<String, VecDeque<Resolved>>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    /// The name resolves to these in turn, and then to the last one for ever.
    pub fn at(&self, name: &str, answers: impl IntoIterator<Item = Resolved>) {
        lock(&self.answers).insert(name.into(), answers.into_iter().collect());
    }

    /// Every name that was asked for so far.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        lock(&self.asked).clone()
    }

    /// Asks for a name; one of which nothing is said is none.
    #[must_use]
    pub fn resolve(&self, name: &str) -> Resolved {
        lock(&self.asked).push(name.into());
        let mut answers = lock(&self.answers);
        let Some(answers) = answers.get_mut(name) else { return Resolved::Nothing };
        let next = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        next.unwrap_or(Resolved::Nothing)
    }
}
