//! The project's one door: `cargo xtask <command>`. Each command looks at the whole checkout, prints
//! what it found, and ends with one line that holds a number.
//!
//! **May depend on** serde_json and nothing else, so that the door opens on a machine with only the
//! Rust toolchain.
//! **Start** with [`COMMANDS`]: a new command is a module and one line there; what `test` runs is
//! the list in `test.rs`.

mod bench;
mod contracts;
mod fuzz;
mod layers;
mod listen;
mod project;
mod report;
mod sim;
mod stale;
mod swap;
mod test;
mod tidy;

use project::Project;
use report::{Report, Trouble};
use std::process::ExitCode;

/// One thing the door can do.
struct Command {
    name: &'static str,
    about: &'static str,
    run: fn(&Project, &[String]) -> Result<Report, Trouble>,
}

/// Every command, in the order the usage text shows them.
const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        about: "everything that proves a change: tests, doc tests, then the guards",
        run: test::run,
    },
    Command {
        name: "layers",
        about: "each crate depends only on what its layer allows",
        run: layers::run,
    },
    Command {
        name: "contracts",
        about: "each clause of a port has a test, each implementation runs the suite",
        run: contracts::run,
    },
    Command {
        name: "tidy",
        about: "no long files, no stubs, no ignored tests, no path out of the project",
        run: tidy::run,
    },
    Command {
        name: "sim",
        about: "the simulator: `--seeds N` (1,000), `--from S`, or `--seed S` with its steps",
        run: sim::run,
    },
    Command {
        name: "stale",
        about: "each watcher against writers on a real directory: `--rounds N` (10,000), `--seed S`",
        run: stale::run,
    },
    Command {
        name: "fuzz",
        about: "strangers' bytes: `[TARGET] --seconds N` (10 a target), `--seed S`, `--trace FILE`",
        run: fuzz::run,
    },
    Command {
        name: "swap",
        about: "links out, FIFOs and other files swapped under boundaries: `--rounds N` (100,000), `--seed S`",
        run: swap::run,
    },
    Command {
        name: "bench",
        about: "what told costs, as ratios to what nobody can do without, and which bound is broken",
        run: bench::run,
    },
];

/// A usage error, as opposed to a finding (1).
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        eprint!("{}", usage());
        return ExitCode::from(EXIT_USAGE);
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprint!("xtask: no command `{name}`\n\n{}", usage());
        return ExitCode::from(EXIT_USAGE);
    };
    match Project::here().and_then(|project| (command.run)(&project, rest)) {
        Ok(report) => {
            report.print();
            if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(trouble) => {
            eprintln!("{name}: {trouble}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let mut text = String::from("Usage: cargo xtask <command>\n\nCommands:\n");
    for Command { name, about, .. } in COMMANDS {
        text.push_str(&format!("  {name:<10} {about}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usage_names_every_command_once() {
        let usage = usage();
        for Command { name, .. } in COMMANDS {
            let lines = usage.lines().filter(|line| line.starts_with(&format!("  {name} ")));
            assert_eq!(lines.count(), 1, "{name}");
        }
    }
}
