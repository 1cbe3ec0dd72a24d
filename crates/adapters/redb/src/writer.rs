//! The one thread that writes. It takes all that is queued into one transaction, so that sessions
//! which commit at once share one flush; no commit runs on a thread of the async runtime.

use crate::{
    backend::{PAUSE_MAX, waiting_until},
    file::StoreFile,
    open::{Handle, guarded},
    trouble::{Error, repeated, shown},
    write::{Done, Tables, Work},
};
use redb::WriteTransaction;
use std::{
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
    time::Instant,
};
use tokio::sync::{mpsc, oneshot};
use told_ports::StoreError;

/// The queue to the thread, which starts with the first job.
#[derive(Debug)]
pub(crate) struct Writer {
    file: Arc<StoreFile>,
    running: Mutex<Option<(mpsc::Sender<Job>, JoinHandle<()>)>>,
}

/// One job and who waits for it.
struct Job {
    work: Work,
    /// Until when it waits for other processes.
    until: Instant,
    answer: oneshot::Sender<Result<Done, StoreError>>,
}

/// Jobs that wait at most; a caller beyond them waits for room.
const QUEUE: usize = 256;
/// Jobs of one transaction at most.
const BATCH: usize = 256;
/// After so many transactions in a row, other processes get a turn: who holds the file for most of
/// the time would win every race for it.
const TURN: u32 = 8;

impl Writer {
    pub(crate) const fn new(file: Arc<StoreFile>) -> Self {
        Self { file, running: Mutex::new(None) }
    }

    /// Does the job, or gives up after the time to wait.
    pub(crate) async fn write(&self, work: Work) -> Result<Done, StoreError> {
        let (answer, answered) = oneshot::channel();
        let job = Job { work, until: self.file.deadline(), answer };
        let queue = self.queue().map_err(|error| self.no_thread(error))?;
        let gone = || StoreError::OutcomeUnknown(Some("the writing thread is gone".into()));
        queue.send(job).await.map_err(|_| gone())?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }

    fn queue(&self) -> std::io::Result<mpsc::Sender<Job>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((queue, thread)) = &*running
            && !thread.is_finished()
        {
            return Ok(queue.clone());
        }
        let (queue, jobs) = mpsc::channel(QUEUE);
        let file = Arc::clone(&self.file);
        let thread = std::thread::Builder::new()
            .name("told-store".to_owned())
            .spawn(move || run(&file, jobs))?;
        *running = Some((queue.clone(), thread));
        Ok(queue)
    }

    fn no_thread(&self, error: std::io::Error) -> StoreError {
        StoreError::Failed { path: shown(self.file.path()), cause: Box::new(error) }
    }
}

impl Drop for Writer {
    /// Ends the thread after what is queued and lets the file go, so that the next process finds it
    /// closed. It waits for other processes no longer than any call.
    fn drop(&mut self) {
        let running = self.running.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((queue, thread)) = running {
            drop(queue);
            // A panic of the thread was told to its callers.
            drop(thread.join());
        }
        self.file.close();
    }
}

fn run(file: &StoreFile, mut jobs: mpsc::Receiver<Job>) {
    let mut in_a_row = 0;
    while let Some(first) = jobs.blocking_recv() {
        let mut waiting = vec![first];
        while !waiting.is_empty() {
            take_queued(&mut jobs, &mut waiting);
            waiting = batch(file, waiting, &mut jobs);
        }
        in_a_row = if jobs.is_empty() { 0 } else { in_a_row + 1 };
        if in_a_row >= TURN {
            in_a_row = 0;
            std::thread::sleep(PAUSE_MAX * 2);
        }
    }
}

fn take_queued(jobs: &mut mpsc::Receiver<Job>, waiting: &mut Vec<Job>) {
    while waiting.len() < BATCH
        && let Ok(job) = jobs.try_recv()
    {
        waiting.push(job);
    }
}

/// Does the jobs in one transaction and answers them. Gives back those that may wait longer, where
/// another process holds the store.
fn batch(file: &StoreFile, mut jobs: Vec<Job>, queued: &mut mpsc::Receiver<Job>) -> Vec<Job> {
    jobs.retain(is_waited_for);
    let Some(until) = jobs.iter().map(|job| job.until).min() else { return jobs };
    match begin(file, until, &mut jobs) {
        Ok(Some((handle, transaction))) => {
            // What came while the transaction was waited for shares it.
            take_queued(queued, &mut jobs);
            jobs.retain(is_waited_for);
            write(file, &handle, transaction, jobs);
            Vec::new()
        }
        Ok(None) => jobs,
        Err(Error::NotFree) => {
            // At least the one that had the least time left; it is never done.
            let now = Instant::now();
            let (waited, others): (Vec<_>, Vec<_>) =
                jobs.into_iter().partition(|job| job.until <= now);
            answer_all(waited, &file.told(Error::NotFree, None));
            others
        }
        Err(error) => {
            let error = file.told(error, None);
            answer_all(jobs, &error);
            Vec::new()
        }
    }
}

/// A job whose caller has left is not done.
fn is_waited_for(job: &Job) -> bool {
    !job.answer.is_closed()
}

/// A write transaction, waited for until `until`. `None` where there is no store and no job left
/// that makes one: those are answered.
fn begin(
    file: &StoreFile,
    until: Instant,
    jobs: &mut Vec<Job>,
) -> Result<Option<(Arc<Handle>, WriteTransaction)>, Error> {
    if !file.is_there(until)? {
        *jobs = std::mem::take(jobs).into_iter().filter_map(without_store).collect();
        if jobs.is_empty() {
            return Ok(None);
        }
    }
    // Twice at most: a handle that failed earlier is opened anew.
    let mut anew = true;
    loop {
        let handle = file.for_writing(until)?;
        let begun = waiting_until(until, || {
            guarded(file.path(), || {
                let database = handle.database().ok_or(Error::NotFree)?;
                Ok(database.begin_write()?)
            })
        });
        match begun {
            Ok(transaction) => return Ok(Some((handle, transaction))),
            Err(Error::NotFree) => return Err(Error::NotFree),
            Err(_) if std::mem::take(&mut anew) => file.forget(&handle),
            Err(error) => {
                file.forget(&handle);
                return Err(Error::Told(file.told(error, Some(&handle))));
            }
        }
    }
}

fn without_store(job: Job) -> Option<Job> {
    match job.work.without_store() {
        Some(outcome) => {
            // A caller that left needs no answer.
            job.answer.send(outcome).ok();
            None
        }
        None => Some(job),
    }
}

/// Does the jobs and commits them. Their callers wait for what comes of it.
fn write(file: &StoreFile, handle: &Arc<Handle>, transaction: WriteTransaction, jobs: Vec<Job>) {
    handle.beside.begin_commit();
    let outcomes = waiting_until(file.deadline(), || {
        guarded(file.path(), || apply(file, handle, transaction, &jobs))
    });
    match outcomes {
        Ok(outcomes) => {
            for (job, outcome) in jobs.into_iter().zip(outcomes) {
                job.answer.send(outcome).ok();
            }
        }
        Err(error) => {
            // redb keeps a handle whose commit failed from writing.
            file.forget(handle);
            let error = file.told(error, Some(handle));
            if handle.beside.published() {
                settle(file);
                answer_all(jobs, &StoreError::OutcomeUnknown(Some(Box::new(error))));
            } else {
                answer_all(jobs, &error);
            }
        }
    }
}

/// Ends a commit that was cut off just before its end, so that who reads back is told the truth:
/// until somebody writes again, redb shows the commit before it.
fn settle(file: &StoreFile) {
    let until = file.deadline();
    let begun = file.for_writing(until).and_then(|handle| {
        waiting_until(until, || {
            guarded(file.path(), || {
                let database = handle.database().ok_or(Error::NotFree)?;
                Ok(database.begin_write()?.abort()?)
            })
        })
    });
    if let Err(error) = begun {
        let error = file.told(error, None);
        tracing::warn!(%error, "a commit of unknown outcome could not be settled yet");
    }
}

type Outcome = Result<Done, StoreError>;

fn apply(
    file: &StoreFile,
    handle: &Handle,
    transaction: WriteTransaction,
    jobs: &[Job],
) -> Result<Vec<Outcome>, Error> {
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(jobs.len());
    let mut tables = Tables::open(&transaction, file.path())?;
    for job in jobs {
        outcomes.push(match tables.apply(&job.work) {
            Ok(done) => Ok(done),
            Err(Error::Told(refusal)) => Err(refusal),
            Err(error) => return Err(error),
        });
    }
    // What cannot be answered is asked of redb when it is wanted.
    let answers = jobs.iter().filter_map(|job| tables.after(&job.work).ok().flatten()).collect();
    drop(tables);
    if outcomes.iter().flatten().any(|done| done.wrote()) {
        transaction.commit()?;
        if let Some(header) = handle.beside.committed() {
            handle.memo.renew(&header, answers);
        }
    } else {
        transaction.abort()?;
    }
    Ok(outcomes)
}

fn answer_all(jobs: Vec<Job>, error: &StoreError) {
    for job in jobs {
        job.answer.send(Err(repeated(error))).ok();
    }
}
