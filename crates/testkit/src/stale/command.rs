//! The command line of the examples that run this: `--rounds N` (10,000), `--seed S` (1).

use super::{Outcome, Plan, run};
use std::{path::PathBuf, process::ExitCode, sync::Arc};
use told_ports::Watcher;

/// Changes that pass the bound of an inotify queue, twice.
const FLOOD: u32 = 40_000;

/// A flood takes as long as hundreds of rounds.
const FLOOD_EVERY: u64 = 1_000;

/// So few watches that a subscription of the ground never gets all it needs, or the second one never does.
const FEW: usize = 12;

/// Three runs: as it is, with a queue that overflows, and with few watches, of which each says
/// where it did not cover. Ends with one line that holds the numbers.
pub fn main(watcher: impl Fn(Option<usize>) -> Arc<dyn Watcher>) -> ExitCode {
    let (rounds, seed) = match arguments(std::env::args().skip(1)) {
        Ok(numbers) => numbers,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let plain = Plan { rounds, seed, flood_every: None, flood: FLOOD, thief: true };
    let every = FLOOD_EVERY.min(rounds / 40).max(1);
    // Nobody drains during the flood, or no queue would overflow.
    let flooded = Plan {
        rounds: rounds / 10,
        seed: seed + 1,
        flood_every: Some(every),
        thief: false,
        ..plain
    };
    let few = Plan { rounds: rounds / 10, seed: seed + 2, ..plain };
    let mut stale = 0;
    let mut fails = false;
    for (name, limit, plan) in
        [("as it is", None, plain), ("overflowing", None, flooded), ("few watches", Some(FEW), few)]
    {
        let outcome = match in_new_directory(&watcher(limit), plan) {
            Ok(outcome) => outcome,
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::from(2);
            }
        };
        println!("{name}: {outcome}");
        outcome.stale.iter().for_each(|stale| println!("  {stale}"));
        stale += outcome.stale.len();
        // With few watches it may cover nothing, and with a flood it loses what it must.
        fails |= !outcome.stale.is_empty() || (limit.is_none() && !outcome.holds());
    }
    println!("stale: {rounds} rounds, {stale} stale");
    if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// In a directory of its own, that is gone afterwards.
fn in_new_directory(watcher: &Arc<dyn Watcher>, plan: Plan) -> std::io::Result<Outcome> {
    let name = format!("told-stale-{}-{}", std::process::id(), plan.seed);
    let root = std::env::temp_dir().canonicalize()?.join(name);
    std::fs::create_dir(&root)?;
    let _gone = Gone(root.clone());
    run(&root, watcher, plan)
}

struct Gone(PathBuf);

impl Drop for Gone {
    fn drop(&mut self) {
        // Best effort: what is left of a temporary directory hurts nobody.
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn arguments(mut arguments: impl Iterator<Item = String>) -> Result<(u64, u64), String> {
    let (mut rounds, mut seed) = (10_000, 1);
    while let Some(name) = arguments.next() {
        let number = arguments.next().and_then(|number| number.replace('_', "").parse().ok());
        let number = number.ok_or_else(|| format!("{name} needs a number"))?;
        match name.as_str() {
            "--rounds" => rounds = number,
            "--seed" => seed = number,
            _ => return Err(format!("no option `{name}`; there are --rounds N and --seed S")),
        }
    }
    Ok((rounds, seed))
}
