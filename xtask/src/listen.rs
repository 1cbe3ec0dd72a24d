//! Runs a program of the project that judges by itself: shows what it says, and takes the numbers of its
//! last line.

use crate::report::Trouble;
use std::{
    io::{BufRead, BufReader},
    process::{Command, ExitStatus, Stdio},
};

/// What a program said at its end.
pub(crate) struct Heard {
    /// Its last line, without the name that it begins with.
    pub(crate) numbers: String,
    pub(crate) status: ExitStatus,
}

/// Runs `cargo` to its end. The line that begins with `name: ` is the last one; `show` gets the others.
pub(crate) fn listen(
    mut cargo: Command,
    name: &str,
    show: impl Fn(&str),
) -> Result<Heard, Trouble> {
    let cannot = |error: std::io::Error| Trouble::new(format!("cannot run cargo: {error}"));
    let mut child = cargo.stdout(Stdio::piped()).spawn().map_err(cannot)?;
    let last = format!("{name}: ");
    let mut numbers = "no numbers".to_owned();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line.map_err(cannot)?;
            match line.strip_prefix(&last) {
                Some(said) => numbers = said.to_owned(),
                None => show(&line),
            }
        }
    }
    Ok(Heard { numbers, status: child.wait().map_err(cannot)? })
}
