//! Runs a target: the corpus first, then inputs made of it, until a property breaks or the plan ends.

use crate::{
    mutate, shrink,
    target::{Came, Target},
};
use std::{
    cell::RefCell,
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Once,
    time::{Duration, Instant},
};

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Decides every input.
    pub seed: u64,
    /// When it ends.
    pub until: Until,
}

/// When a run ends that finds nothing.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After so many inputs.
    Executions(u64),
    /// After this time.
    Elapsed(Duration),
}

/// What was seen.
#[derive(Debug, Default)]
pub struct Run {
    /// Inputs that were read.
    pub executions: u64,
    /// Among them, those that were accepted, so that the property had something to say.
    pub accepted: u64,
    /// Different things that inputs came to.
    pub kinds: usize,
    /// The longest that one input took.
    pub slowest: Duration,
    /// The input that broke the property, made short.
    pub finding: Option<Finding>,
}

/// An input that breaks a target's property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The shortest one that was found.
    pub input: Vec<u8>,
    /// What it broke.
    pub why: String,
}

/// Inputs that are kept to make others of.
#[derive(Default)]
pub(crate) struct Pool {
    /// Those that were accepted: most others are made of these.
    pub(crate) accepted: Vec<Vec<u8>>,
    /// Those that were refused, each in its own way.
    pub(crate) refused: Vec<Vec<u8>>,
}

/// Inputs that are kept of each kind, at most.
const POOL_MAX: usize = 4_096;

/// Runs `target` on `corpus` and on what comes of it. `before` sees each input before it is read.
pub fn run(
    target: &Target,
    corpus: Vec<Vec<u8>>,
    plan: Plan,
    mut before: impl FnMut(u64, &[u8]),
) -> Run {
    let mut random = fastrand::Rng::with_seed(plan.seed);
    let (mut run, mut kinds) = (Run::default(), HashSet::new());
    let (mut pool, mut seeds) = (Pool::default(), corpus.into_iter());
    let start = Instant::now();
    let mut now = start;
    loop {
        let (input, seed) = match seeds.next() {
            Some(input) => (input, true),
            None => (mutate::next(&mut random, target, &pool), false),
        };
        before(run.executions, &input);
        let came = try_one(target, &input);
        let then = now;
        now = Instant::now();
        run.slowest = run.slowest.max(now - then);
        run.executions += 1;
        let (new, pool) = match came {
            Ok(came) => {
                run.accepted += u64::from(came.accepted);
                let pool = if came.accepted { &mut pool.accepted } else { &mut pool.refused };
                (kinds.insert((came.accepted, came.kind)), pool)
            }
            Err(why) => {
                let input = shrink::shrink(&input, |shorter| try_one(target, shorter).is_err());
                let why = try_one(target, &input).err().unwrap_or(why);
                run.finding = Some(Finding { input, why });
                break;
            }
        };
        if (seed || new) && pool.len() < POOL_MAX {
            pool.push(input);
        }
        let ended = match plan.until {
            Until::Executions(most) => run.executions >= most,
            Until::Elapsed(time) => now - start >= time,
        };
        if ended && seeds.len() == 0 {
            break;
        }
    }
    run.kinds = kinds.len();
    run
}

thread_local! {
    /// What the last panic of this thread said, while an input is read.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Reads one input; what breaks says why.
///
/// # Errors
/// The sentence of the assertion, or of the panic.
pub fn try_one(target: &Target, input: &[u8]) -> Result<Came, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            SAID.with(|said| match &mut *said.borrow_mut() {
                Some(said) => *said = panic.to_string(),
                None => loud(panic),
            });
        }));
    });
    SAID.set(Some(String::new()));
    let came = catch_unwind(AssertUnwindSafe(|| (target.check)(input)));
    let said = SAID.take().unwrap_or_default();
    came.map_err(|_| said)
}
