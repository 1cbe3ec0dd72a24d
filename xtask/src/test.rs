//! `test`: everything that proves a change, on a machine with only the Rust toolchain.

use crate::{
    contracts, fuzz, layers,
    project::Project,
    report::{Report, Trouble, no_arguments},
    sim, tidy,
};
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    time::Instant,
};

/// What a step does.
enum Step {
    /// A cargo command that runs tests; each test counts.
    Tests { name: &'static str, cargo: &'static [&'static str] },
    /// A guard of our own.
    Guard { name: &'static str, run: fn(&Project, &[String]) -> Result<Report, Trouble> },
}

/// The steps, in order. All run, so that one failure does not hide another.
const STEPS: &[Step] = &[
    Step::Tests {
        name: "tests",
        cargo: &["test", "--workspace", "--all-targets", "--locked", "--no-fail-fast"],
    },
    Step::Tests {
        name: "doc tests",
        cargo: &["test", "--workspace", "--doc", "--locked", "--no-fail-fast"],
    },
    Step::Guard { name: "layers", run: layers::run },
    Step::Guard { name: "contracts", run: contracts::run },
    Step::Guard { name: "tidy", run: tidy::run },
    Step::Guard { name: "sim", run: sim::smoke },
    Step::Guard { name: "fuzz", run: fuzz::smoke },
];

/// Runs every step.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Result<Report, Trouble> {
    no_arguments(arguments)?;
    let mut findings = Vec::new();
    let mut passed = 0;
    for step in STEPS {
        let name = match step {
            Step::Tests { name, .. } | Step::Guard { name, .. } => name,
        };
        println!("== {name}");
        let start = Instant::now();
        let ok = match step {
            Step::Tests { cargo, .. } => run_tests(project, cargo, &mut passed),
            Step::Guard { run, .. } => run(project, &[]).map(|report| {
                report.print();
                report.is_clean()
            }),
        };
        match ok {
            Ok(true) => {}
            Ok(false) => findings.push(format!("{name} failed")),
            Err(trouble) => findings.push(format!("{name} failed: {trouble}")),
        }
        println!("== {name}: {:.1} s\n", start.elapsed().as_secs_f64());
    }
    let looked_at = format!("{} steps, {passed} tests passed", STEPS.len());
    Ok(Report::of("test", &looked_at, findings))
}

/// Runs cargo, shows what it says, and counts the tests that passed.
fn run_tests(project: &Project, arguments: &[&str], passed: &mut u64) -> Result<bool, Trouble> {
    let cannot = |error: std::io::Error| Trouble::new(format!("cannot run cargo: {error}"));
    let mut child = project.cargo(arguments).stdout(Stdio::piped()).spawn().map_err(cannot)?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line.map_err(cannot)?;
            println!("{line}");
            *passed += passed_in(&line);
        }
    }
    Ok(child.wait().map_err(cannot)?.success())
}

/// The count of `test result: ok. 12 passed; 0 failed; …`, 0 of any other line.
fn passed_in(line: &str) -> u64 {
    line.strip_prefix("test result: ")
        .and_then(|result| result.split_once(" passed;"))
        .and_then(|(before, _)| before.rsplit(' ').next())
        .and_then(|count| count.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_are_counted_from_the_result_line_alone() {
        let check = |line: &str, count: u64| assert_eq!(passed_in(line), count, "{line}");
        check("test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out", 12);
        check("test result: FAILED. 3 passed; 1 failed; 0 ignored", 3);
        check("test result_line ... ok", 0);
        check("running 12 tests", 0);
    }
}
