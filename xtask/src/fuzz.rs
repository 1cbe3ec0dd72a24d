//! `fuzz`: strangers' bytes against every reader of them. `told-fuzz` runs and judges; this builds it and
//! hands its last line on.

use crate::{
    listen::{Heard, listen},
    project::Project,
    report::{Report, Trouble, no_arguments},
};

/// Runs optimised, with every check of the code on, and keeps what fails in the corpus. Arguments go to
/// `told-fuzz`: a target, `--seconds N`, `--executions N`, `--seed S`, `--trace FILE`.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Result<Report, Trouble> {
    let mut all = vec!["--keep"];
    all.extend(arguments.iter().map(String::as_str));
    fuzz(project, &["--profile", "fuzz"], &all)
}

/// A few inputs a target, as built for tests: that the targets run, and nothing more. The corpora are
/// replayed by the crate's own tests.
pub(crate) fn smoke(project: &Project, arguments: &[String]) -> Result<Report, Trouble> {
    no_arguments(arguments)?;
    fuzz(project, &[], &["--executions", "120"])
}

fn fuzz(project: &Project, profile: &[&str], arguments: &[&str]) -> Result<Report, Trouble> {
    let run = ["run", "--locked", "--quiet", "-p", "told-fuzz", "--bin", "told-fuzz"];
    let mut cargo = project.cargo(&run);
    cargo.args(profile).arg("--").args(arguments);
    let Heard { numbers, status } = listen(cargo, "fuzz", |line| println!("{line}"))?;
    let findings = match status.code() {
        Some(0) => Vec::new(),
        Some(1) => vec!["a property is broken, see above".to_owned()],
        Some(_) => return Err(Trouble::new(format!("told-fuzz ended with {status}"))),
        None => vec![format!("told-fuzz ended with {status}: `--trace FILE` keeps the last input")],
    };
    Ok(Report::of("fuzz", &numbers, findings))
}
