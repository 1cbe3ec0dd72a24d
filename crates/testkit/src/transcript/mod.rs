//! Transcript tests: a small language of steps, and under each step what the model was told.
//!
//! A text holds cases. `=== <rule>: <what it shows>` begins one; a line of its own is a step; lines
//! that begin with `|` are what came of the step above them; `#` is a remark. [`replay`] runs the
//! steps and gives the text back with what comes of them now: a test compares the two.
//!
//! Every case begins with a directory `/repo` that holds `.git`, built-in sources off, and a session
//! `s` that works in `/repo` once it is opened. `steps` says what every step does.

mod line;
mod print;
mod stage;
mod steps;

pub use stage::Stage;

use crate::simulator::schedule::block_on;

/// Runs every case of `text` and gives the text back, with what came of each step.
///
/// # Panics
/// Where a line is no step: the text is at fault.
#[must_use]
pub fn replay(text: &str) -> String {
    let mut stage = Stage::new();
    let mut replayed = String::new();
    for (number, line) in text.lines().enumerate() {
        if line.starts_with('|') {
            continue;
        }
        replayed.push_str(line);
        replayed.push('\n');
        if line.starts_with("===") {
            stage = Stage::new();
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            let out = match line::Line::parse(line) {
                Ok(line) => block_on(stage.step(&line)),
                Err(why) => Err(why),
            };
            match out {
                Ok(out) => {
                    for line in out.lines() {
                        replayed.push_str(if line.is_empty() { "|" } else { "| " });
                        replayed.push_str(line);
                        replayed.push('\n');
                    }
                }
                Err(why) => panic!("line {}: `{line}`: {why}", number + 1),
            }
        }
    }
    replayed
}

/// The titles of a text's cases.
#[must_use]
pub fn titles(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("=== ")).collect()
}
