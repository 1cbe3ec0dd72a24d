//! The simulator: one seed fixes the operations, the faults and the order of a single-threaded
//! executor; what a host gets is held against an oracle after every step.
//!
//! **What happens.** Sessions live their whole life: boundaries, previews, settlements of tool calls,
//! forks (of forks), reverts, moves, windows, declarations of holds, adoptions, compactions, host-set
//! values, deletes and openings. Two processes share the store and the disk, their calls interleave at
//! every call of a port, and edits fall between any two.
//!
//! **The fault model.** Looks fail by path, files change while they are read, and directories refuse to
//! be entered, until they are healed; a process is killed before or after the effect of any call of its
//! ports; the store is busy, full or broken at any of a call's calls, or loses an answer with the
//! commit made or not. The promises must hold under any mixture of these. What the store has answered
//! it keeps: a medium that loses what was written is for the stores' own tests.
//!
//! **Watching.** In three seeds of four each process has a watcher. It is truthful, and a nuisance: it overflows,
//! dies, reaches limits, refuses, tells things twice and answers late. The disk has the changes that no
//! watcher hears of: another name of a file, a mapping, directories that change places or move away, mounts.
//! Processes change files themselves and say so, let Locations go, and hosts drop calls half-way. A
//! covered boundary must tell what a direct look would tell in the same instant. What a mapping hides may be
//! missed until the sixteenth boundary verifies, and by no process that said it itself.
//!
//! **The oracle** is a second, naive model: `disk` notes every change and knows what a look must find,
//! `naive` says what a session must see of it and `settling` what a tool call discovers,
//! `transcript_text` reads belief back from the exact texts, `told` knows which of them are at hand
//! and takes them back, `due` and `fate` say what must come of a call, and `shown` holds briefings
//! against what was told. It uses nothing of the rules that it checks: no `plan`, `compare`,
//! `decide`, `fold`, `rewind` or `render`. Only a planted mistake may use them, to be plausible.
//!
//! `lookout` is the watcher, `silent` the changes that nothing tells of, `watch` what must come of both.
//!
//! Start with [`plan::Plan`]: what a seed means. [`run()`] runs it, [`shrink()`] makes it shorter.

mod calls;
mod disk;
mod draw;
mod draw_watch;
mod due;
mod face;
mod fate;
mod judge;
mod kin;
mod ledger;
mod lookout;
mod mistaken;
mod mistaken_watch;
mod naive;
pub mod plan;
pub mod plant;
mod ports;
mod process;
mod questions;
mod race;
mod request;
mod run;
pub mod schedule;
mod settling;
mod shop;
mod shown;
mod shrink;
mod silent;
mod told;
mod transcript_text;
mod watch;

pub use run::{Failure, Numbers, run};
pub use shrink::shrink;

use plan::Plan;
use plant::Plant;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a plan; a panic is a failure like any other.
///
/// # Errors
/// [`Failure`].
pub fn check(plan: &Plan, plant: Option<Plant>) -> Result<Numbers, Failure> {
    catch_unwind(AssertUnwindSafe(|| run(plan, plant))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        let what = format!("panic: {}", text.unwrap_or_default());
        Err(Failure { step: plan.steps.len(), what })
    })
}

/// Runs what `seed` means; every 16th seed twice, since one seed must be one run.
///
/// # Errors
/// [`Failure`].
pub fn check_seed(seed: u64) -> Result<Numbers, Failure> {
    let plan = Plan::of(seed);
    let numbers = check(&plan, None)?;
    if seed.is_multiple_of(16) && check(&plan, None)? != numbers {
        let what = "the same seed ran another way".to_owned();
        return Err(Failure { step: plan.steps.len(), what });
    }
    Ok(numbers)
}
