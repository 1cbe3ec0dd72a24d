//! The adapter: what needs no waiting at once, the rest with a hop and a deadline.

use crate::{
    batch::{Answers, Ground, observation},
    cause::Miss,
    crew::Crew,
    desk,
    pass::{Handed, Pass, start_worker},
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

    /// Waits for what was handed over, until the deadline.
    async fn wait_for(&self, handed: Handed, answered: Answers, start: Instant) -> Seen {
        let batch = &handed.0;
        let limit = Duration::from_millis(batch.look_ms()).min(LONGEST);
        let part = (limit / PARTS).max(Duration::from_millis(1));
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
                    start_worker(&self.crew, batch);
                    workers += 1;
                }
            }
            before = now;
        }
        batch.close(answered, UnavailableReason::Timeout)
    }
}

#[async_trait]
impl FileSystem for LocalFileSystem {
    async fn observe(&self, looks: &Looks) -> Seen {
        let start = Instant::now();
        let pass = Pass::over(looks, &self.ground, &self.crew);
        match pass.handed {
            None => pass.answers.all(UnavailableReason::IoError),
            Some(handed) => self.wait_for(handed, pass.answers, start).await,
        }
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
