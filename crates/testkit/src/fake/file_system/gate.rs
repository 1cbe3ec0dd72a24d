//! The one gate that every operation passes. It alone decides what fails, waits or changes, and
//! it keeps the log.

use crate::change::Change;
use std::path::{Path, PathBuf};
use told_domain::reason::UnavailableReason;

/// What kind of operation asks the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A whole batch; it has no path.
    Batch,
    /// A file to open and read.
    Read,
    /// An entry's kind.
    Probe,
    /// A directory's names.
    Listing,
    /// What lies below a directory, and each directory below it.
    Scan,
    /// A directory's canonical path.
    Directory,
}

/// A moment at which the gate is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A batch was asked; no look of it has begun.
    Asked,
    /// A look begins: what happens now happened before it.
    Looking,
    /// A file is open and its place and size are known; its bytes are not read.
    Reading,
    /// The bytes are read; whether the file is still the same is not known.
    Stamping,
    /// All looks of a batch are made; the caller has not got the answer.
    Answering,
}

/// What goes wrong at a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The look fails with this cause.
    Fail(UnavailableReason),
    /// Somebody changes the tree just now: swaps, tears or truncates the file, or another one.
    Change(Change),
    /// The look takes so many milliseconds, and beside it the rest goes on.
    Delay(u64),
    /// The look gives no answer in its batch's time.
    Hang,
    /// The batch waits here for a release; at another step than `Asked` and `Answering` it is a `Hang`.
    Hold,
}

/// When what goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    step: Step,
    kind: Option<Kind>,
    path: Option<PathBuf>,
    skip: u32,
    times: u32,
    fault: Fault,
}

impl Rule {
    /// `fault` at the next such step, once.
    #[must_use]
    pub fn new(step: Step, fault: Fault) -> Self {
        Self { step, kind: None, path: None, skip: 0, times: 1, fault }
    }

    /// Only for operations of this kind.
    #[must_use]
    pub fn for_kind(mut self, kind: Kind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Only for looks at this path, as it was asked.
    #[must_use]
    pub fn at(mut self, path: impl Into<PathBuf>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Lets so many pass before.
    #[must_use]
    pub fn after(mut self, passes: u32) -> Self {
        self.skip = passes;
        self
    }

    /// Strikes so many times, one step after another.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.times = times;
        self
    }

    /// Strikes for ever.
    #[must_use]
    pub fn always(self) -> Self {
        self.times(u32::MAX)
    }
}

/// One line of the log: a step that the gate was asked about, and what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// What asked.
    pub kind: Kind,
    /// When in its life.
    pub step: Step,
    /// The path asked for; empty for a batch.
    pub path: PathBuf,
    /// What went wrong.
    pub faults: Vec<Fault>,
}

/// Failures by chance, from a seed.
struct Chance {
    random: fastrand::Rng,
    per_thousand: u16,
}

/// Lines that the log keeps, at most; a simulation's log is the seed.
const LINES: usize = 100_000;

#[derive(Default)]
pub(super) struct Gate {
    rules: Vec<Rule>,
    chance: Option<Chance>,
    pub(super) log: Vec<Passed>,
}

impl Gate {
    pub(super) fn add(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    pub(super) fn clear(&mut self) {
        self.rules.clear();
        self.chance = None;
    }

    pub(super) fn fail_by_chance(&mut self, seed: u64, per_thousand: u16) {
        self.chance = Some(Chance { random: fastrand::Rng::with_seed(seed), per_thousand });
    }

    /// Every fault that strikes here, in the order of the script.
    pub(super) fn pass(&mut self, kind: Kind, step: Step, path: &Path) -> Vec<Fault> {
        let mut faults = Vec::new();
        for rule in &mut self.rules {
            if rule.step != step
                || rule.kind.is_some_and(|wanted| wanted != kind)
                || rule.path.as_deref().is_some_and(|wanted| wanted != path)
                || rule.times == 0
            {
                continue;
            }
            if rule.skip > 0 {
                rule.skip -= 1;
                continue;
            }
            if rule.times != u32::MAX {
                rule.times -= 1;
            }
            faults.push(rule.fault.clone());
        }
        self.rules.retain(|rule| rule.times > 0);
        if step == Step::Looking
            && let Some(chance) = &mut self.chance
            && chance.random.u16(..1000) < chance.per_thousand
        {
            let reasons = [
                UnavailableReason::Timeout,
                UnavailableReason::PermissionDenied,
                UnavailableReason::IoError,
                UnavailableReason::TooManyLinks,
                UnavailableReason::NameTooLong,
                UnavailableReason::ChangedWhileRead,
            ];
            faults.push(Fault::Fail(reasons[chance.random.usize(..reasons.len())]));
        }
        if self.log.len() < LINES {
            let (path, faults) = (path.to_path_buf(), faults.clone());
            self.log.push(Passed { kind, step, path, faults });
        }
        faults
    }
}
