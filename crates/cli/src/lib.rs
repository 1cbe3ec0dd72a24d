//! `told`, the command line and the protocol's server: a host like any other, through the facade
//! alone.
//!
//! **May depend on** `told`, clap, and what shows text on a terminal. **Start** with `arguments` (what
//! can be typed), `command` (what it does) and `view` (what a person sees). The binary is [`main`], and
//! [`edge`] is what fuzz targets reach; all else is private.

mod answer;
mod arguments;
mod command;
pub mod edge;
mod failure;
mod keep;
mod serve;
mod view;

use arguments::{Arguments, Command};
use clap::{CommandFactory, Parser, error::ErrorKind};
use command::{Output, Status, Terminal};
use failure::Failure;
use std::{
    io::{IsTerminal, Write},
    process::ExitCode,
};
use told::configuration::Surroundings;

/// The process: reads what was typed, does it, and says how it went.
#[must_use]
pub fn main() -> ExitCode {
    quiet_panics();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return misused(&error),
    };
    if arguments.command.is_some() && (arguments.form.text || arguments.form.json) {
        let what = "--text and --json stand behind the command";
        return misused(&Arguments::command().error(ErrorKind::ArgumentConflict, what));
    }
    let surroundings = Surroundings::of_this_process();
    if let Some(Command::Serve(_)) = arguments.command {
        return match serve::run(&arguments.everywhere.chosen(), &surroundings) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => failed(&failure),
        };
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return failed(&Failure::Refused(format!("no runtime starts: {error}"))),
    };
    let done = runtime.block_on(command::run(arguments, &surroundings, terminal()));
    // A look that hangs, as on a dead network disk, keeps no one waiting.
    runtime.shutdown_background();
    match done {
        Ok(output) => print(&output),
        Err(failure) => failed(&failure),
    }
}

/// A worker's panic is caught and told as an error, in a sentence; what it printed would stand beside it.
fn quiet_panics() {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name() == Some("main") {
            loud(panic);
        } else {
            tracing::debug!(%panic, "a worker panicked");
        }
    }));
}

fn terminal() -> Terminal {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let out = std::io::stdout();
    Terminal {
        present: out.is_terminal(),
        columns: terminal_size::terminal_size_of(&out).map(|(width, _)| usize::from(width.0)),
        plain: variable("NO_COLOR").is_some()
            || variable("TERM").is_some_and(|term| term == "dumb"),
    }
}

/// Who no longer reads is no failure.
fn print(output: &Output) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(output.text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            failed(&Failure::Refused(format!("standard output cannot be written: {error}")))
        }
        _ => match output.status {
            Status::Done => ExitCode::SUCCESS,
            Status::Failed => ExitCode::from(1),
            Status::WouldTell => ExitCode::from(3),
        },
    }
}

/// What was typed stands in the sentence, and must not move the terminal's cursor.
fn misused(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        error.exit();
    }
    let said = error.to_string();
    let lines = said.lines().map(|line| view::Shown::from(line.to_owned()).to_string() + "\n");
    let _ = write!(std::io::stderr(), "{}", lines.collect::<String>());
    ExitCode::from(2)
}

fn failed(failure: &Failure) -> ExitCode {
    // Standard error may be gone as well; the exit status still says it.
    let _ = writeln!(std::io::stderr(), "told: {}", view::Shown::from(failure.to_string()));
    ExitCode::from(failure.exit_status())
}
