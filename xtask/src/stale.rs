//! `stale`: a write returns and a boundary begins, on a real directory, for each watcher. The adapters'
//! examples run and judge; this builds them and hands their last lines on.

use crate::{
    listen::{Heard, listen},
    project::Project,
    report::{Report, Trouble},
};

/// The crates that have such an example, and its name.
const WATCHERS: &[(&str, &str)] =
    &[("told-inotify", "stale_inotify"), ("told-notify", "stale_notify")];

/// Runs as released. Arguments go to the examples: `--rounds N`, `--seed S`.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Result<Report, Trouble> {
    let (mut findings, mut numbers) = (Vec::new(), Vec::new());
    for (watcher, example) in WATCHERS {
        let run = ["run", "--release", "--locked", "--quiet", "-p", watcher, "--example", example];
        let mut cargo = project.cargo(&run);
        cargo.arg("--").args(arguments);
        let Heard { numbers: last, status } =
            listen(cargo, "stale", |line| println!("{watcher}: {line}"))?;
        numbers.push(format!("{watcher} {last}"));
        match status.code() {
            Some(0) => {}
            Some(1) => findings.push(format!("{watcher} believes what is not so, see above")),
            code => return Err(Trouble::new(format!("{watcher} ended with {code:?}"))),
        }
    }
    Ok(Report::of("stale", &numbers.join("; "), findings))
}
