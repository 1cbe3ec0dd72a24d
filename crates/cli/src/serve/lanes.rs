//! One session's calls take turns, in the order sent; sessions run side by side. So do the calls that
//! provide files, by directory.

use std::{
    collections::{HashMap, VecDeque},
    future::Future,
    hash::Hash,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::oneshot;

/// What is to be done for one request. The gate bounds how many there are.
pub(super) type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A lane a session that has something to do: made by its first job, gone after its last.
pub(super) struct Lanes<K> {
    waiting: Waiting<K>,
}

type Waiting<K> = Arc<Mutex<HashMap<K, VecDeque<Job>>>>;

impl<K> Default for Lanes<K> {
    fn default() -> Self {
        Self { waiting: Waiting::default() }
    }
}

impl<K> Clone for Lanes<K> {
    fn clone(&self) -> Self {
        Self { waiting: self.waiting.clone() }
    }
}

impl<K: Clone + Eq + Hash + Send + 'static> Lanes<K> {
    /// Does `job` after all that was given for the same session before.
    pub(super) fn submit(&self, session: &K, job: Job) {
        let mut waiting = self.lock();
        if let Some(lane) = waiting.get_mut(session) {
            lane.push_back(job);
            return;
        }
        waiting.insert(session.clone(), VecDeque::from([job]));
        tokio::spawn(self.clone().run(session.clone()));
    }

    /// Does `job` after all that was given for either session before, and before all that is given
    /// for either after it.
    ///
    /// Two such jobs stand in the same order in every lane that they share: none waits for another
    /// that waits for it. Only one caller at a time may give jobs.
    pub(super) fn submit_to_both(&self, [first, second]: [&K; 2], job: Job) {
        if first == second {
            return self.submit(first, job);
        }
        let (free, turn) = oneshot::channel::<()>();
        let (done, wait) = oneshot::channel::<()>();
        let joint = async move {
            turn.await.ok();
            job.await;
            // A job that panics lets go of it as well.
            drop(done);
        };
        let stand_still = async move {
            free.send(()).ok();
            wait.await.ok();
        };
        self.submit(first, Box::pin(joint));
        self.submit(second, Box::pin(stand_still));
    }

    /// How many sessions have something to do.
    #[cfg(test)]
    pub(super) fn open(&self) -> usize {
        self.lock().len()
    }

    async fn run(self, session: K) {
        while let Some(job) = self.next(&session) {
            // A task of its own: a job that panics does not end the lane.
            tokio::spawn(job).await.ok();
        }
    }

    /// The lane's next job. Where there is none the lane goes, under the same lock.
    fn next(&self, session: &K) -> Option<Job> {
        let mut waiting = self.lock();
        let job = waiting.get_mut(session).and_then(VecDeque::pop_front);
        if job.is_none() {
            waiting.remove(session);
        }
        job
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, VecDeque<Job>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc;
    use told::domain::session::SessionId;

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

    #[tokio::test]
    async fn a_job_of_two_sessions_stands_in_both_lanes() {
        let lanes = Lanes::default();
        let (done, mut order) = mpsc::unbounded_channel();
        let (open, gate) = oneshot::channel::<()>();
        let (a, b) = (session("a"), session("b"));
        let note = |text: &'static str| -> Job {
            let done = done.clone();
            Box::pin(async move {
                done.send(text).ok();
            })
        };
        let wait = async move {
            gate.await.ok();
        };
        lanes.submit(&b, Box::pin(wait));
        lanes.submit(&a, note("before"));
        lanes.submit_to_both([&a, &b], note("a and b"));
        lanes.submit_to_both([&b, &a], Box::pin(async { panic!("a job that fails") }));
        lanes.submit_to_both([&b, &a], note("b and a"));
        lanes.submit_to_both([&a, &a], note("a and a"));
        lanes.submit(&a, note("after"));
        assert_eq!(order.recv().await, Some("before"));
        assert!(order.try_recv().is_err(), "b is not there yet");
        open.send(()).unwrap();
        for expected in ["a and b", "b and a", "a and a", "after"] {
            assert_eq!(order.recv().await, Some(expected));
        }
        while lanes.open() > 0 {
            tokio::task::yield_now().await;
        }
    }
}
