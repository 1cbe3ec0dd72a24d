//! The race that every cache loses: a write returns, and a boundary begins. On a real directory, with real
//! threads, because a simulator has blind spots.
//!
//! Writers change entries in every way that an editor, a version control system or an attacker does. Right after
//! a write has returned, the reader drains, loads again what it was told of, and compares all that it
//! believes with a direct look. While its subscription covers, not one belief may be stale; where it does
//! not, it says so. Another reader drains at the same time, and takes events away from the first as far
//! as an implementation lets it.

pub mod command;
mod ground;
mod reader;

use ground::{Ground, Step};
use reader::Reader;
use std::{
    collections::BTreeMap,
    fmt,
    path::Path,
    sync::{Arc, mpsc},
    thread,
};
use told_ports::{Uncovered, Watcher};

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How often a writer writes and the reader drains.
    pub rounds: u64,
    /// Decides what is written.
    pub seed: u64,
    /// In every so manieth round so much happens beside the entries that a queue overflows.
    pub flood_every: Option<u64>,
    /// How many changes that is.
    pub flood: u32,
    /// Another reader drains in every round, at the same time.
    pub thief: bool,
}

/// What was seen.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Rounds that were run.
    pub rounds: u64,
    /// Rounds in which the answer of the drain was relied on.
    pub covered: u64,
    /// Among them, rounds in which nothing was told.
    pub unchanged: u64,
    /// Rounds without coverage, by the reason that was said.
    pub direct: BTreeMap<Uncovered, u64>,
    /// Beliefs that were not what a direct look found, each with its round and the writes before it. The first ones.
    pub stale: Vec<String>,
}

/// Stale beliefs that are described; more are only more of the same.
const STALE_MAX: usize = 10;

/// Writers, on threads of their own.
const WRITERS: usize = 2;

/// Writes of one round, at most.
const WRITES: usize = 3;

/// Runs a plan in an empty directory.
///
/// # Errors
/// Whatever the file system refuses.
pub fn run(root: &Path, watcher: &Arc<dyn Watcher>, plan: Plan) -> std::io::Result<Outcome> {
    let mut random = fastrand::Rng::with_seed(plan.seed);
    let mut ground = Ground::new(root)?;
    // Not before the ground is there.
    let entries = ground::entries(root);
    thread::scope(|scope| {
        let (now, moments) = mpsc::sync_channel(1);
        if plan.thief {
            let mut thief = Reader::new(watcher, entries.clone());
            scope.spawn(move || moments.iter().for_each(|()| thief.steal()));
        }
        let writers: Vec<_> = (0..WRITERS).map(|_| Writer::new(scope)).collect();
        let mut reader = Reader::new(watcher, entries.clone());
        let mut outcome = Outcome::default();
        for round in 0..plan.rounds {
            let mut steps = Vec::new();
            for _ in 0..random.usize(1..=WRITES) {
                let step = ground.next(&mut random);
                writers[random.usize(..WRITERS)].does(&step)?;
                steps.push(step);
            }
            if plan.flood_every.is_some_and(|every| round % every == every - 1) {
                ground.flood(plan.flood)?;
            }
            outcome.rounds += 1;
            // Busy with the last round, or not there: this one goes without.
            now.try_send(()).ok();
            reader.round(&mut outcome, || format!("round {round}: {steps:?}"));
        }
        Ok(outcome)
    })
}

/// A thread that writes when it is told to.
struct Writer {
    work: mpsc::Sender<Step>,
    done: mpsc::Receiver<std::io::Result<()>>,
}

impl Writer {
    fn new<'s>(scope: &'s thread::Scope<'s, '_>) -> Self {
        let (work, steps) = mpsc::channel::<Step>();
        let (tell, done) = mpsc::channel();
        scope.spawn(move || {
            // Ends with the one who tells it.
            while let Ok(step) = steps.recv() {
                if tell.send(step.take()).is_err() {
                    return;
                }
            }
        });
        Self { work, done }
    }

    /// Until the write has returned.
    fn does(&self, step: &Step) -> std::io::Result<()> {
        let gone = |_| std::io::Error::other("a writer ended");
        self.work.send(step.clone()).map_err(|_| std::io::Error::other("a writer ended"))?;
        self.done.recv().map_err(gone)?
    }
}

impl Outcome {
    /// Whether no belief was stale, and coverage was relied on in half of the rounds or more.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.stale.is_empty() && self.covered * 2 >= self.rounds
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rounds, covered, unchanged, direct, stale } = self;
        write!(f, "{rounds} rounds, {covered} covered ({unchanged} unchanged), direct")?;
        for (reason, count) in direct {
            write!(f, " {reason} {count}")?;
        }
        write!(f, ", {} stale", stale.len())
    }
}
