//! A store in memory, stricter than a real one, with a script of faults.

use super::store_medium::{Damage, Medium};
use async_trait::async_trait;
use std::{
    collections::BTreeMap,
    fmt,
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
};
use tokio::sync::oneshot;
use told_domain::{
    hash::ContentHash, key::ApiKey, path::CanonicalPath, position::Revision, record::Record,
    session::SessionId, state::Contents,
};
use told_ports::{
    Append, Loaded, LocationValues, Mark, Revisions, SessionSummary, Store, StoreError,
};

/// A store in memory. Clones share one medium and one script, as the handles of one process do;
/// [`FakeStore::restarted`] shares the medium alone, as another process does.
///
/// It refuses what a real store would let pass: an append whose head change does not make exactly
/// the state of the records, whose summary says something else, or that sends a text which no record
/// needs. It gives back the texts that a state needs and no others. Every call lets other tasks run
/// before it takes effect and before it answers.
#[derive(Clone, Default)]
pub struct FakeStore {
    medium: Arc<Mutex<Medium>>,
    gate: Arc<Mutex<Gate>>,
}

/// The calls of the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    /// [`Store::load`].
    Load,
    /// [`Store::revisions`].
    Revisions,
    /// [`Store::append`].
    Append,
    /// [`Store::records`].
    Records,
    /// [`Store::contents`].
    Contents,
    /// [`Store::sessions`].
    Sessions,
    /// [`Store::delete`].
    Delete,
    /// [`Store::values`].
    Values,
    /// [`Store::set_value`].
    SetValue,
}

/// What happens to one call.
pub enum Fault {
    /// Another process holds the store; nothing is written.
    Busy,
    /// The medium is full; nothing is written.
    Full,
    /// The medium cannot be written; nothing is written.
    ReadOnly,
    /// The medium fails; nothing is written.
    Failed,
    /// The outcome is unknown, and nothing was written.
    LostBefore,
    /// The outcome is unknown, and all was written.
    LostAfter,
    /// The outcome is unknown; reading back shows nothing of it, and then the next write of whatever
    /// process finds it done. So it is where a commit is cut off just before its end.
    LostUntilAWrite,
    /// Something happens first (another process commits, the session moves); then the call goes on.
    Meanwhile(Box<dyn FnOnce(&FakeStore) + Send>),
    /// The call waits until the sender is dropped or used; then it goes on.
    Until(oneshot::Receiver<()>),
}

/// The faults to come, and what was called.
#[derive(Default)]
struct Gate {
    calls: Vec<Call>,
    seen: BTreeMap<Call, u64>,
    script: BTreeMap<(Call, u64), Fault>,
}

/// What a fault leaves to do before and after the effect.
enum Passage {
    /// The call takes effect.
    Open,
    /// It does not.
    Closed(StoreError),
    /// It does, and its answer is lost.
    AnswerLost,
    /// It does later, and its answer is lost.
    EffectLate,
}

impl FakeStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A store with a medium as it was.
    #[must_use]
    pub fn on(medium: Medium) -> Self {
        Self { medium: Arc::new(Mutex::new(medium)), gate: Arc::default() }
    }

    /// Another process's handle of the same store, also after a crash of this one: the medium is
    /// shared, the script and the list of calls are its own.
    #[must_use]
    pub fn restarted(&self) -> Self {
        Self { medium: Arc::clone(&self.medium), gate: Arc::default() }
    }

    /// All that is stored, as it is now.
    #[must_use]
    pub fn snapshot(&self) -> Medium {
        self.medium().clone()
    }

    /// Has the `nth` next call of that kind (1 is the next one) meet a fault.
    ///
    /// # Panics
    /// Where `nth` is 0.
    pub fn script(&self, call: Call, nth: u64, fault: Fault) {
        assert!(nth > 0, "the next call is the first");
        let mut gate = self.gate();
        let seen = gate.seen.get(&call).copied().unwrap_or_default();
        gate.script.insert((call, seen + nth), fault);
    }

    /// Has the `nth` next `append` lose a race against another process's append.
    pub fn overtake(&self, nth: u64, session: SessionId, winner: Append) {
        let win = move |store: &Self| {
            // Whoever wrote the winner sees to it that it can win.
            store.medium().append(&session, &winner).expect("the winner is appended");
        };
        self.script(Call::Append, nth, Fault::Meanwhile(Box::new(win)));
    }

    /// Every call so far, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.gate().calls.clone()
    }

    /// How many commits changed the medium, by whatever process.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.medium().commits()
    }

    /// Damages what is stored.
    ///
    /// # Panics
    /// Where there is nothing of that name to damage.
    pub fn damage(&self, damage: &Damage) {
        self.medium().damage(damage);
    }

    /// Every text that is stored.
    #[must_use]
    pub fn texts(&self) -> Vec<Arc<str>> {
        self.medium().texts()
    }

    fn medium(&self) -> MutexGuard<'_, Medium> {
        self.medium.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn enter(&self, call: Call) -> Passage {
        let fault = {
            let mut gate = self.gate();
            gate.calls.push(call);
            let seen = gate.seen.entry(call).or_default();
            *seen += 1;
            let nth = *seen;
            gate.script.remove(&(call, nth))
        };
        others_run().await;
        let Some(fault) = fault else { return Passage::Open };
        let path = || "fake".to_owned();
        Passage::Closed(match fault {
            Fault::Busy => StoreError::Busy { path: path(), waited_ms: 0 },
            Fault::Full => StoreError::Full { path: path() },
            Fault::ReadOnly => {
                let cause = std::io::ErrorKind::ReadOnlyFilesystem.into();
                StoreError::ReadOnly { path: path(), cause }
            }
            Fault::Failed => StoreError::Failed { path: path(), cause: "scripted".into() },
            Fault::LostBefore => StoreError::OutcomeUnknown(None),
            Fault::LostAfter => return Passage::AnswerLost,
            Fault::LostUntilAWrite => return Passage::EffectLate,
            Fault::Meanwhile(something) => {
                something(self);
                return Passage::Open;
            }
            Fault::Until(released) => {
                // A dropped sender releases as well.
                released.await.ok();
                return Passage::Open;
            }
        })
    }

    async fn call<T>(
        &self,
        call: Call,
        effect: impl FnOnce(&mut Medium) -> Result<T, StoreError> + Send,
    ) -> Result<T, StoreError> {
        let passage = self.enter(call).await;
        if matches!(call, Call::Append | Call::Delete | Call::SetValue) {
            self.medium().settle();
        }
        let result = match passage {
            Passage::Open => effect(&mut self.medium()),
            Passage::Closed(error) => Err(error),
            Passage::AnswerLost => {
                // Refused or written: the caller hears neither.
                drop(effect(&mut self.medium()));
                Err(StoreError::OutcomeUnknown(None))
            }
            Passage::EffectLate => {
                self.medium().later(|medium| drop(effect(medium)));
                Err(StoreError::OutcomeUnknown(None))
            }
        };
        others_run().await;
        result
    }
}

/// Lets every other task run once, on whatever runtime.
async fn others_run() {
    let mut polled = false;
    poll_fn(move |context| {
        if std::mem::replace(&mut polled, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

impl fmt::Debug for FakeStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeStore").field("medium", &*self.medium()).finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for FakeStore {
    async fn load(&self, session: &SessionId) -> Result<Option<Loaded>, StoreError> {
        self.call(Call::Load, |medium| medium.load(session)).await
    }

    async fn revisions(
        &self,
        session: &SessionId,
        directory: &CanonicalPath,
    ) -> Result<Revisions, StoreError> {
        self.call(Call::Revisions, |medium| Ok(medium.revisions(session, directory))).await
    }

    async fn append(&self, session: &SessionId, append: Append) -> Result<Mark, StoreError> {
        self.call(Call::Append, |medium| medium.append(session, &append)).await
    }

    async fn records(
        &self,
        session: &SessionId,
        after: Revision,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError> {
        self.call(Call::Records, |medium| medium.records(session, after, limit)).await
    }

    async fn contents(&self, hashes: &[ContentHash]) -> Result<Contents, StoreError> {
        self.call(Call::Contents, |medium| medium.contents(hashes)).await
    }

    async fn sessions(
        &self,
        directory: Option<&CanonicalPath>,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        self.call(Call::Sessions, |medium| Ok(medium.sessions(directory))).await
    }

    async fn delete(
        &self,
        session: &SessionId,
        expected: Option<Mark>,
    ) -> Result<bool, StoreError> {
        self.call(Call::Delete, |medium| medium.delete(session, expected)).await
    }

    async fn values(&self, directory: &CanonicalPath) -> Result<LocationValues, StoreError> {
        self.call(Call::Values, |medium| medium.values(directory)).await
    }

    async fn set_value(
        &self,
        directory: &CanonicalPath,
        key: &ApiKey,
        value: Option<Arc<str>>,
    ) -> Result<(), StoreError> {
        self.call(Call::SetValue, |medium| {
            medium.set_value(directory, key, value);
            Ok(())
        })
        .await
    }
}
