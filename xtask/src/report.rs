//! What a command hands back.

use std::fmt;

/// What a command found, and the line it ends with.
#[derive(Debug)]
pub(crate) struct Report {
    /// What is wrong, one finding a line; empty when all is well.
    pub(crate) findings: Vec<String>,
    /// The last line: names the command and holds a number.
    pub(crate) summary: String,
}

impl Report {
    /// A report whose last line tells what was looked at and how much of it is wrong.
    pub(crate) fn of(command: &str, looked_at: &str, findings: Vec<String>) -> Self {
        let count = findings.len();
        let plural = if count == 1 { "" } else { "s" };
        let summary = format!("{command}: {looked_at}, {count} finding{plural}");
        Self { findings, summary }
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// Findings first: whoever reads only the end still sees the number.
    pub(crate) fn print(&self) {
        for finding in &self.findings {
            println!("  {finding}");
        }
        println!("{}", self.summary);
    }
}

/// Why a command could not look at all.
#[derive(Debug)]
pub(crate) struct Trouble(String);

impl Trouble {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Refuses arguments, for a command that takes none.
pub(crate) fn no_arguments(arguments: &[String]) -> Result<(), Trouble> {
    match arguments.first() {
        None => Ok(()),
        Some(first) => Err(Trouble::new(format!("takes no argument, got `{first}`"))),
    }
}
