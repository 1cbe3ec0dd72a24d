//! `bench`: what told costs beside the system calls that nobody can do without. `told-bench` measures
//! and judges; this builds it and the binary that it starts, both as they are released.

use crate::{
    project::Project,
    report::{Report, Trouble},
};

/// Builds, measures, and says whether a bound is broken. Arguments go to `told-bench`: the sections
/// to run, and `--directory` for the disk to measure on.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Result<Report, Trouble> {
    let cannot = |error: std::io::Error| Trouble::new(format!("cannot run cargo: {error}"));
    let build = ["build", "--release", "--locked", "-p", "told-cli", "-p", "told-bench"];
    if !project.cargo(&build).status().map_err(cannot)?.success() {
        return Err(Trouble::new("the binaries do not build"));
    }
    // It finds the other binary beside its own.
    let mut bench =
        project.cargo(&["run", "--release", "--locked", "--quiet", "-p", "told-bench", "--"]);
    bench.args(arguments);
    let status = bench.status().map_err(cannot)?;
    let findings = match status.code() {
        Some(0) => Vec::new(),
        Some(1) => vec!["a bound is broken, see above".to_owned()],
        _ => return Err(Trouble::new(format!("told-bench ended with {status}"))),
    };
    Ok(Report::of("bench", "told-bench ran", findings))
}
