//! Threads that may wait for a medium. They are our own, because a look at a dead disk may never
//! come back: a runtime that waits for its blocking threads at its end would then never end.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// Threads at once, at most. Looks that hang hold one each until the system lets go of them.
const THREADS: usize = 32;

/// How long a thread without work stays.
const IDLE: Duration = Duration::from_secs(5);

type Job = Box<dyn FnOnce() + Send>;

/// A bounded set of threads, started when they are needed.
#[derive(Default)]
pub(crate) struct Crew {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Crew {
    /// Has `job` run by a thread that is free, a new one, or, at the limit, the next to be free.
    /// It never waits itself. A job that no thread can take is dropped.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut state = self.shared.lock();
        state.jobs.push_back(Box::new(job));
        if state.idle >= state.jobs.len() {
            self.shared.wake.notify_one();
        } else if state.threads < THREADS {
            let shared = Arc::clone(&self.shared);
            let started =
                thread::Builder::new().name("told-fs".into()).spawn(move || shared.serve());
            match started {
                Ok(_) => state.threads += 1,
                Err(error) if state.threads == 0 => {
                    tracing::warn!(%error, "no thread for file looks");
                    state.jobs.clear();
                }
                Err(error) => tracing::debug!(%error, "no further thread for file looks"),
            }
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        let _here = Here(self);
        while let Some(job) = self.next() {
            job();
        }
    }

    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state.idle += 1;
            let (woken, wait) =
                self.wake.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if wait.timed_out() && state.jobs.is_empty() {
                return None;
            }
        }
    }
}

/// Counts a thread out however it ends.
struct Here<'a>(&'a Shared);

impl Drop for Here<'_> {
    fn drop(&mut self) {
        self.0.lock().threads -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_job_that_never_returns_holds_up_no_other() {
        let crew = Crew::default();
        let (release, held) = mpsc::channel::<()>();
        crew.run(move || {
            let _ = held.recv();
        });
        let (answer, answers) = mpsc::channel();
        crew.run(move || answer.send(7).unwrap());
        assert_eq!(answers.recv().unwrap(), 7);
        drop(release);
    }

    #[test]
    fn the_threads_are_bounded_and_jobs_wait_their_turn() {
        let crew = Crew::default();
        let (release, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let (answer, answers) = mpsc::channel();
        for job in 0..THREADS * 2 {
            let (held, answer) = (Arc::clone(&held), answer.clone());
            crew.run(move || {
                let _ = held.lock().unwrap().recv();
                answer.send(job).unwrap();
            });
        }
        assert_eq!(crew.shared.lock().threads, THREADS);
        drop(release);
        let mut done: Vec<usize> = answers.iter().take(THREADS * 2).collect();
        done.sort_unstable();
        assert_eq!(done, (0..THREADS * 2).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_in_a_job_costs_its_own_thread_only() {
        let crew = Crew::default();
        crew.run(|| panic!("a job's own"));
        let (answer, answers) = mpsc::channel();
        crew.run(move || answer.send(1).unwrap());
        assert_eq!(answers.recv().unwrap(), 1);
    }
}
