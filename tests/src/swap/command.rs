//! The command line of the example that runs this: `--rounds N` swaps (100,000), `--seed S` (1), `--in DIR`.

use super::{Plan, run};
use std::{path::PathBuf, process::ExitCode};

struct Arguments {
    rounds: u64,
    seed: u64,
    directory: PathBuf,
}

/// Two runs: every boundary looks directly, then with files watched where that is proven. Ends with one line
/// that holds the numbers.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match arguments(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let (mut broken, mut fails) = (0, false);
    for (name, watched) in [("direct", false), ("watched", true)] {
        let plan = Plan { swaps: arguments.rounds, seed: arguments.seed, watched };
        let outcome =
            tempfile::tempdir_in(&arguments.directory).and_then(|root| run(root.path(), plan));
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::from(2);
            }
        };
        println!("{name}: {outcome}");
        for (what, count) in &outcome.became {
            println!("  {count:>9} {what}");
        }
        outcome.broken.iter().for_each(|what| println!("  BROKEN: {what}"));
        broken += outcome.broken.len();
        fails |= !outcome.holds();
    }
    println!("swap: {} swaps each, seed {}, {broken} broken", arguments.rounds, arguments.seed);
    if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn arguments(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments { rounds: 100_000, seed: 1, directory: std::env::temp_dir() };
    while let Some(name) = words.next() {
        let value = words.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number =
            || value.replace('_', "").parse().map_err(|_| format!("{name} needs a number"));
        match name.as_str() {
            "--rounds" => arguments.rounds = number()?,
            "--seed" => arguments.seed = number()?,
            "--in" => arguments.directory = value.into(),
            _ => {
                return Err(format!(
                    "no option `{name}`; there are --rounds N, --seed S and --in DIR"
                ));
            }
        }
    }
    Ok(arguments)
}
