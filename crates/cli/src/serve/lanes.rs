//! One session's calls take turns, in the order sent; sessions run side by side.

use std::{
    collections::{HashMap, VecDeque},
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use told::domain::session::SessionId;

/// What is to be done for one request. The gate bounds how many there are.
pub(super) type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A lane a session that has something to do: made by its first job, gone after its last.
#[derive(Clone, Default)]
pub(super) struct Lanes {
    waiting: Arc<Mutex<HashMap<SessionId, VecDeque<Job>>>>,
}

impl Lanes {
    /// Does `job` after all that was given for the same session before.
    pub(super) fn submit(&self, session: &SessionId, job: Job) {
        let mut waiting = self.lock();
        if let Some(lane) = waiting.get_mut(session) {
            lane.push_back(job);
            return;
        }
        waiting.insert(session.clone(), VecDeque::from([job]));
        tokio::spawn(self.clone().run(session.clone()));
    }

    /// How many sessions have something to do.
    #[cfg(test)]
    pub(super) fn open(&self) -> usize {
        self.lock().len()
    }

    async fn run(self, session: SessionId) {
        while let Some(job) = self.next(&session) {
            // A task of its own: a job that panics does not end the lane.
            tokio::spawn(job).await.ok();
        }
    }

    /// The lane's next job. Where there is none the lane goes, under the same lock.
    fn next(&self, session: &SessionId) -> Option<Job> {
        let mut waiting = self.lock();
        let job = waiting.get_mut(session).and_then(VecDeque::pop_front);
        if job.is_none() {
            waiting.remove(session);
        }
        job
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, VecDeque<Job>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::{mpsc, oneshot};

    fn session(name: &str) -> SessionId {
        name.parse().unwrap()
    }

    #[tokio::test]
    async fn one_session_in_order_and_others_beside_it() {
        let lanes = Lanes::default();
        let (done, mut order) = mpsc::unbounded_channel();
        let (open, gate) = oneshot::channel::<()>();
        let note = |text: &'static str| {
            let done = done.clone();
            move || {
                done.send(text).ok();
            }
        };
        let (first, second, beside) = (note("first"), note("second"), note("beside"));
        let wait = async move {
            gate.await.ok();
            first();
        };
        lanes.submit(&session("a"), Box::pin(wait));
        lanes.submit(&session("a"), Box::pin(async { panic!("a job that fails") }));
        lanes.submit(&session("a"), Box::pin(async move { second() }));
        lanes.submit(&session("b"), Box::pin(async move { beside() }));
        assert_eq!(order.recv().await, Some("beside"));
        open.send(()).unwrap();
        assert_eq!(order.recv().await, Some("first"));
        assert_eq!(order.recv().await, Some("second"));
        while lanes.open() > 0 {
            tokio::task::yield_now().await;
        }
    }
}
