//! Runs the simulator's seeds: `told-sim --seeds N [--from S]`, or `told-sim --seed S` for one, with
//! its steps. Prints each failing seed with the shortest script found, and ends with one line of
//! numbers.

use std::{
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};
use told_testkit::simulator::{Failure, Numbers, check_seed, plan::Plan, shrink};

/// Failing seeds that are shown: the first few say enough.
const FAILURES_MAX: usize = 3;

struct Arguments {
    seeds: u64,
    from: u64,
    show: bool,
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("{why}\nUsage: told-sim [--seeds N] [--from S] [--seed S]");
            return ExitCode::from(2);
        }
    };
    // A broken invariant is a finding, not a crash: panics are shown with their seed.
    std::panic::set_hook(Box::new(|_| {}));
    if arguments.show {
        print!("seed {}\n{}", arguments.from, Plan::of(arguments.from));
    }
    let start = Instant::now();
    let (numbers, failures) = run(&arguments);
    for (seed, failure) in &failures {
        let (plan, shrunk) = shrink(&Plan::of(*seed), failure.clone(), None);
        println!("seed {seed} fails at step {}: {}", failure.step, failure.what);
        println!("shortest script found:\n{plan}  fails at step {}: {}", shrunk.step, shrunk.what);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "sim: {} seeds, {} steps, {} boundaries, {} covered, {} calls, {} faults, {} records, \
         {seconds:.1} s, {:.0} seeds/s, {} failures",
        arguments.seeds,
        numbers.steps,
        numbers.boundaries,
        numbers.covered,
        numbers.calls,
        numbers.faults,
        numbers.records,
        arguments.seeds as f64 / seconds,
        failures.len(),
    );
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(arguments: &Arguments) -> (Numbers, Vec<(u64, Failure)>) {
    let next = AtomicU64::new(0);
    let found = Mutex::new((Numbers::default(), Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    if turn >= arguments.seeds {
                        return;
                    }
                    let seed = arguments.from + turn;
                    let result = check_seed(seed);
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    match result {
                        Ok(numbers) => found.0.add(numbers),
                        Err(failure) => found.1.push((seed, failure)),
                    }
                    if found.1.len() >= FAILURES_MAX {
                        return;
                    }
                }
            });
        }
    });
    let (numbers, mut failures) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    failures.sort_by_key(|(seed, _)| *seed);
    (numbers, failures)
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments { seeds: 1_000, from: 0, show: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || {
            let value = words.next().and_then(|value| value.parse().ok());
            value.ok_or_else(|| format!("{word} needs a number"))
        };
        match word.as_str() {
            "--seeds" => arguments.seeds = number()?,
            "--from" => arguments.from = number()?,
            "--seed" => {
                (arguments.from, arguments.seeds, arguments.show) = (number()?, 1, true);
            }
            _ => return Err(format!("`{word}` is no argument")),
        }
    }
    Ok(arguments)
}
