//! Runs targets: `told-fuzz [TARGET] [--seconds N | --executions N] [--seed S] [--keep] [--trace FILE]`.
//! Prints the shortest failing input found of each, and ends with one line of numbers.

use std::{
    path::PathBuf,
    process::ExitCode,
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};
use told_fuzz::{
    Plan, Run, Target, Until, corpus,
    engine::{self, Finding},
    target::TARGETS,
};

const USAGE: &str =
    "Usage: told-fuzz [TARGET] [--seconds N | --executions N] [--seed S] [--keep] [--trace FILE]";

/// A worker's stack in the product.
const STACK_BYTES: usize = 2 * 1024 * 1024;

/// An input that takes longer than this is a finding.
const HANGS_AFTER: Duration = Duration::from_secs(20);

struct Arguments {
    target: Option<String>,
    plan: Plan,
    /// Failing inputs go into the corpus.
    keep: bool,
    /// Each input is written there before it is read: the last one is what killed the process.
    trace: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("{why}\n{USAGE}\n\nTargets:");
            for target in TARGETS {
                eprintln!("  {:<14} {}", target.name, target.holds);
            }
            return ExitCode::from(2);
        }
    };
    let chosen =
        |target: &&Target| arguments.target.as_ref().is_none_or(|name| name == target.name);
    let (mut executions, mut findings, mut targets) = (0, 0, 0);
    for target in TARGETS.iter().filter(chosen) {
        let run = match one(target, &arguments) {
            Ok(run) => run,
            Err(error) => {
                eprintln!("{}: the corpus cannot be read: {error}", target.name);
                return ExitCode::from(2);
            }
        };
        (executions, targets) = (executions + run.executions, targets + 1);
        let accepted = run.accepted * 100 / run.executions.max(1);
        println!(
            "{:<14} {} executions, {accepted} % accepted, {} kinds, slowest {:.1} ms, {} findings",
            target.name,
            run.executions,
            run.kinds,
            run.slowest.as_secs_f64() * 1000.0,
            u8::from(run.finding.is_some()),
        );
        if let Some(finding) = &run.finding {
            findings += 1;
            show(target, finding, &arguments);
        }
    }
    let seed = arguments.plan.seed;
    println!("fuzz: {targets} targets, seed {seed}, {executions} executions, {findings} failures");
    if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn show(target: &Target, finding: &Finding, arguments: &Arguments) {
    println!("  breaks: {}", finding.why.replace('\n', "\n    "));
    println!("  shortest input found: \"{}\"", finding.input.escape_ascii());
    if arguments.keep {
        match corpus::keep(target, &finding.input) {
            Ok(file) => println!("  kept as {}", file.display()),
            Err(error) => println!("  cannot be kept: {error}"),
        }
    }
}

/// Runs one target on a thread of its own, and sees to it that each input gets an answer.
fn one(target: &'static Target, arguments: &Arguments) -> std::io::Result<Run> {
    let inputs = corpus::read(target)?.into_iter().map(|(_, input)| input).collect();
    let now: Mutex<(u64, Vec<u8>)> = Mutex::default();
    let (tell, done) = mpsc::channel();
    thread::scope(|scope| {
        thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || {
            let run = engine::run(target, inputs, arguments.plan, |number, input| {
                let mut now = now.lock().unwrap_or_else(PoisonError::into_inner);
                now.0 = number;
                now.1.clear();
                now.1.extend_from_slice(input);
                if let Some(file) = &arguments.trace {
                    // Without it there is only less to see.
                    let _ = std::fs::write(file, input);
                }
            });
            // Who no longer waits has ended the process.
            let _ = tell.send(run);
        })?;
        let mut last = u64::MAX;
        loop {
            match done.recv_timeout(HANGS_AFTER) {
                Ok(run) => return Ok(run),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(std::io::Error::other("the worker ended"));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    let now = now.lock().unwrap_or_else(PoisonError::into_inner);
                    if now.0 == last {
                        println!("{:<14} no answer in {HANGS_AFTER:?}", target.name);
                        println!("  input: \"{}\"", now.1.escape_ascii());
                        std::process::exit(1);
                    }
                    last = now.0;
                }
            }
        }
    })
}

fn arguments() -> Result<Arguments, String> {
    let until = Until::Elapsed(Duration::from_secs(10));
    let mut arguments =
        Arguments { target: None, plan: Plan { seed: 1, until }, keep: false, trace: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        let number = |value: Result<String, String>| {
            value?.parse::<u64>().map_err(|_| format!("{word} needs a number"))
        };
        match word.as_str() {
            "--seconds" => {
                arguments.plan.until = Until::Elapsed(Duration::from_secs(number(value())?));
            }
            "--executions" => arguments.plan.until = Until::Executions(number(value())?),
            "--seed" => arguments.plan.seed = number(value())?,
            "--keep" => arguments.keep = true,
            "--trace" => arguments.trace = Some(value()?.into()),
            name if TARGETS.iter().any(|target| target.name == name) => {
                arguments.target = Some(word);
            }
            _ => return Err(format!("`{word}` is no target and no argument")),
        }
    }
    Ok(arguments)
}
