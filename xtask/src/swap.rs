//! `swap`: files and directories change places with links out of the project, FIFOs and each other, while
//! boundaries run. An example of the scenarios runs and judges; this builds it and hands its last line on.

use crate::{
    listen::{Heard, listen},
    project::Project,
    report::{Report, Trouble},
};

/// Runs as released. Arguments go to the example: `--rounds N`, `--seed S`, `--in DIR`.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Result<Report, Trouble> {
    let run = ["run", "--release", "--locked", "--quiet", "-p", "told-scenarios"];
    let mut cargo = project.cargo(&run);
    cargo.args(["--example", "swap", "--"]).args(arguments);
    let Heard { numbers, status } = listen(cargo, "swap", |line| println!("{line}"))?;
    let findings = match status.code() {
        Some(0) => Vec::new(),
        Some(1) => vec!["a text held what it must not, or no race was run: see above".to_owned()],
        _ => return Err(Trouble::new(format!("the swaps ended with {status}"))),
    };
    Ok(Report::of("swap", &numbers, findings))
}
