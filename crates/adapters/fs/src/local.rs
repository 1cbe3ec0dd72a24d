//! The adapter: first without waiting, then with a hop and a deadline.

use crate::{
    batch::{Batch, Ground, delivered, observation},
    cause::Miss,
    crew::Crew,
    desk::{self, Desk, Pace},
    step::Hook,
};
use async_trait::async_trait;
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{sync::oneshot, time::timeout};
use told_domain::{
    look::{Looks, Seen},
    observation::Observation,
    path::CanonicalPath,
    reason::UnavailableReason,
};
use told_ports::FileSystem;

/// Looks and bytes that one batch answers on the caller's own thread, at most: together well under
/// a millisecond, so that the runtime's other tasks do not notice.
const INLINE_LOOKS: usize = 512;
const INLINE_BYTES: u64 = 1024 * 1024;

/// Threads that one batch has at once, at most: all but one may hang.
const WORKERS: u32 = 8;

/// A batch's deadline is cut into so many parts; one that passes without an answer calls for
/// another thread.
const PARTS: u32 = 16;

/// No batch waits longer, whatever it asks for.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// No single write call of an instruction file is under way for longer.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// How long the question for a directory may take (R-OBS-10).
const DIRECTORY_LIMIT: Duration = Duration::from_secs(10);

/// The files of this machine. It remembers where looking cannot block and nothing else: each look
/// is a new one. Its waiting needs a tokio runtime with time.
pub struct LocalFileSystem {
    ground: Arc<Ground>,
    crew: Crew,
}

impl Default for LocalFileSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl LocalFileSystem {
    /// The local file system.
    #[must_use]
    pub fn new() -> Self {
        Self::settled_after(SETTLED_AFTER)
    }

    /// One that takes a file to have no write under way, and so looks at it on the caller's own
    /// thread, once it has not changed for this long; the default is two seconds. A file that
    /// changed later takes the hop, where a write is waited for (R-OBS-9).
    #[must_use]
    pub fn settled_after(age: Duration) -> Self {
        Self { ground: Arc::new(Ground::new(age, None)), crew: Crew::default() }
    }

    /// One whose looks tell `hook` each step, for tests that step in between (R-OBS-7, R-OBS-9).
    /// Since a hook may wait, all looks take the hop.
    #[must_use]
    pub fn with_hook(hook: Hook) -> Self {
        let ground = Ground::new(SETTLED_AFTER, Some(hook));
        Self { ground: Arc::new(ground), crew: Crew::default() }
    }

    /// Answers what needs no waiting, in order, up to the first look that does.
    fn look_inline(&self, looks: &Looks) -> Seen {
        let mut seen = Seen::default();
        if self.ground.hook.is_some() {
            return seen;
        }
        let mut desk = Desk::new(Pace::Inline, &self.ground.trust, None);
        seen.files.reserve_exact(looks.reads.len());
        let mut spent = 0;
        for read in looks.reads.iter().take(INLINE_LOOKS) {
            // A file that the inline bytes cannot hold goes with the hop.
            let left = looks.total_bytes.saturating_sub(spent);
            match desk.read(read, left) {
                Err(Miss::WouldBlock) => return seen,
                found => seen.files.push(observation(found)),
            }
            spent += seen.files.last().map_or(0, delivered);
            if spent > INLINE_BYTES {
                return seen;
            }
        }
        let rest = INLINE_LOOKS - seen.files.len();
        if seen.files.len() < looks.reads.len() {
            return seen;
        }
        for path in looks.probes.iter().take(rest) {
            match desk.probe(path) {
                Err(Miss::WouldBlock) => return seen,
                found => seen.probes.push(observation(found)),
            }
        }
        seen
    }

    /// Has the rest answered by threads that may wait, until the deadline.
    async fn look_waiting(&self, looks: &Looks, begun: Seen, start: Instant) -> Seen {
        let limit = Duration::from_millis(looks.look_ms).min(LONGEST);
        let part = (limit / PARTS).max(Duration::from_millis(1));
        let batch = Arc::new(Batch::new(looks.clone(), begun, Arc::clone(&self.ground)));
        let closing = Closing(batch);
        let batch = &closing.0;
        self.start_worker(batch);
        let mut workers = 1;
        let mut before = batch.answered().unwrap_or_default();
        // Bounded by the parts of the deadline: each round but the last waits for one.
        loop {
            let left = limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                batch.suspect();
                break;
            }
            if timeout(part.min(left), batch.finished.notified()).await.is_ok() {
                break;
            }
            let Some(now) = batch.answered() else { break };
            if now == before {
                batch.suspect();
                if workers < WORKERS && batch.has_more() {
                    tracing::debug!(answered = now, "a look hangs; the rest goes on beside it");
                    self.start_worker(batch);
                    workers += 1;
                }
            }
            before = now;
        }
        batch.close(UnavailableReason::Timeout)
    }

    fn start_worker(&self, batch: &Arc<Batch>) {
        let batch = Arc::clone(batch);
        self.crew.run(move || batch.work());
    }
}

/// Ends a batch also where its caller no longer waits, so that no thread goes on with it.
struct Closing(Arc<Batch>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close(UnavailableReason::Timeout);
    }
}

#[async_trait]
impl FileSystem for LocalFileSystem {
    async fn observe(&self, looks: &Looks) -> Seen {
        let start = Instant::now();
        let seen = self.look_inline(looks);
        if seen.files.len() == looks.reads.len()
            && seen.probes.len() == looks.probes.len()
            && looks.listings.is_empty()
        {
            return seen;
        }
        self.look_waiting(looks, seen, start).await
    }

    async fn directory(&self, path: &Path) -> Observation<CanonicalPath> {
        if !path.is_absolute() {
            return Observation::Unavailable(UnavailableReason::IoError);
        }
        if self.ground.hook.is_none() {
            match desk::directory_inline(path) {
                Err(Miss::WouldBlock) => {}
                found => return observation(found),
            }
        }
        let (answer, answered) = oneshot::channel();
        let path = path.to_path_buf();
        self.crew.run(move || {
            // The caller may have stopped waiting: then nobody is told.
            let _ = answer.send(observation(desk::directory(&path)));
        });
        match timeout(DIRECTORY_LIMIT, answered).await {
            Ok(Ok(found)) => found,
            Ok(Err(_)) => Observation::Unavailable(UnavailableReason::IoError),
            Err(_) => Observation::Unavailable(UnavailableReason::Timeout),
        }
    }
}
