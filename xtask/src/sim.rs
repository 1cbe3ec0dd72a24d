//! `sim`: the simulator on many seeds. `told-sim` runs and judges; this builds it and hands its last
//! line on.

use crate::{
    listen::{Heard, listen},
    project::Project,
    report::{Report, Trouble, no_arguments},
};

/// Runs seeds as released. Arguments go to `told-sim`: `--seeds N`, `--from S`, `--seed S`.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Result<Report, Trouble> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    simulate(project, &["--release"], &arguments)
}

/// A few seeds, as built for tests: that the simulator runs, and nothing more.
pub(crate) fn smoke(project: &Project, arguments: &[String]) -> Result<Report, Trouble> {
    no_arguments(arguments)?;
    simulate(project, &[], &["--seeds", "70"])
}

fn simulate(project: &Project, profile: &[&str], arguments: &[&str]) -> Result<Report, Trouble> {
    let run = ["run", "--locked", "--quiet", "-p", "told-testkit", "--bin", "told-sim"];
    let mut cargo = project.cargo(&run);
    cargo.args(profile).arg("--").args(arguments);
    let Heard { numbers, status } = listen(cargo, "sim", |line| println!("{line}"))?;
    let findings = match status.code() {
        Some(0) => Vec::new(),
        Some(1) => vec!["an invariant is broken, see above".to_owned()],
        _ => return Err(Trouble::new(format!("told-sim ended with {status}"))),
    };
    Ok(Report::of("sim", &numbers, findings))
}
