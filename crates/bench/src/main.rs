//! What told costs, as ratios to floors that are measured turn by turn in the same run: the plain
//! system calls that nobody can do without, and a bare commit of the same rows.
//!
//! **May depend on** everything that a host wires, and on redb, since its floor is the bare database.
//! **Start** with `SECTIONS`; then `scene` (what is laid out), `floor` (what is compared with),
//! `rounds` (how it is measured) and `figure` (what counts as broken).
//! `cargo xtask bench` runs it; `docs/performance.md` says what the numbers mean.

#[cfg(unix)]
mod changed;
#[cfg(unix)]
mod covered;
#[cfg(unix)]
mod figure;
#[cfg(unix)]
mod floor;
#[cfg(unix)]
mod history;
#[cfg(unix)]
mod log;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod recorder;
#[cfg(unix)]
mod rounds;
#[cfg(unix)]
mod scene;
#[cfg(unix)]
mod scopes;
#[cfg(unix)]
mod unchanged;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    command::run()
}

#[cfg(not(unix))]
fn main() {
    println!("the floors are Unix system calls: nothing is measured here");
}

#[cfg(unix)]
mod command {
    use crate::{changed, covered, figure::Figure, history, process, scopes, unchanged};
    use std::{path::PathBuf, process::ExitCode};

    /// Any trouble that keeps a section from measuring.
    pub(crate) type Trouble = Box<dyn std::error::Error + Send + Sync>;

    /// What a run was asked for.
    #[derive(Default)]
    pub(crate) struct Options {
        /// Where the files of the run lie; the system's temporary directory otherwise.
        pub(crate) directory: Option<PathBuf>,
        /// The `told` binary; otherwise the one beside this binary.
        pub(crate) told: Option<PathBuf>,
        /// Of the boundaries, only the cases whose names hold this.
        pub(crate) matching: String,
        /// The sections to run; all where none is named.
        only: Vec<String>,
    }

    struct Section {
        name: &'static str,
        about: &'static str,
        run: fn(&Options) -> Result<Vec<Figure>, Trouble>,
    }

    const SECTIONS: &[Section] = &[
        Section { name: "process", about: "`told sync` as a whole process", run: process::run },
        Section {
            name: "unchanged",
            about: "a boundary that finds nothing new / the looks and one store read",
            run: unchanged::run,
        },
        Section {
            name: "covered",
            about: "a boundary that finds nothing new, watched / looked at",
            run: covered::run,
        },
        Section {
            name: "scopes",
            about: "a boundary that finds nothing new in many tracked directories / the looks and one store read",
            run: scopes::run,
        },
        Section {
            name: "changed",
            about: "a boundary that tells something / the looks and a bare durable commit of the same rows",
            run: changed::run,
        },
        Section {
            name: "history",
            about: "the same boundary with much behind it or beside it / with little",
            run: history::run,
        },
    ];

    /// A section that breaks a bound is measured so often in all: only what breaks it each time
    /// counts, since a neighbour on the machine can slow one run down and cannot speed one up.
    const ATTEMPTS: usize = 3;

    pub(crate) fn run() -> ExitCode {
        if let Some(done) = process::alone() {
            return done;
        }
        let options = match options(std::env::args().skip(1)) {
            Ok(options) => options,
            Err(problem) => {
                eprintln!(
                    "{problem}\n\nUsage: told-bench [SECTION…] [--matching TEXT] [--told PATH] [--directory DIR]"
                );
                return ExitCode::from(2);
            }
        };
        let (mut figures, mut broken) = (0, 0);
        for section in SECTIONS.iter().filter(|section| options.wants(section.name)) {
            println!("== {}: {}", section.name, section.about);
            match measure(section, &options) {
                Ok(measured) => {
                    figures += measured.len();
                    for figure in measured.iter().filter(|figure| figure.is_broken()) {
                        println!("  BROKEN: {}", figure.name());
                        broken += 1;
                    }
                }
                Err(trouble) => {
                    println!("  {}: {trouble}", section.name);
                    broken += 1;
                }
            }
        }
        println!("bench: {figures} figures, {broken} broken");
        if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn measure(section: &Section, options: &Options) -> Result<Vec<Figure>, Trouble> {
        let mut best = (section.run)(options)?;
        for figure in &best {
            println!("  {figure}");
        }
        for _ in 1..ATTEMPTS {
            if !best.iter().any(Figure::is_broken) {
                break;
            }
            println!("  (once more)");
            for (best, again) in best.iter_mut().zip((section.run)(options)?) {
                if best.is_broken() {
                    println!("  {again}");
                    *best = again;
                }
            }
        }
        Ok(best)
    }

    impl Options {
        fn wants(&self, section: &str) -> bool {
            self.only.is_empty() || self.only.iter().any(|only| only == section)
        }
    }

    fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options::default();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{argument}: its value is missing"));
            match argument.as_str() {
                "--told" => options.told = Some(value()?.into()),
                "--directory" => options.directory = Some(value()?.into()),
                "--matching" => options.matching = value()?,
                name if SECTIONS.iter().any(|section| section.name == name) => {
                    options.only.push(argument);
                }
                _ => return Err(format!("there is no section or option `{argument}`")),
            }
        }
        Ok(options)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn parsed(line: &str) -> Result<Options, String> {
            options(line.split_whitespace().map(str::to_owned))
        }

        #[test]
        fn sections_and_paths_are_told_apart() {
            let options = parsed("changed --told /bin/told --matching thread").unwrap();
            assert!(options.wants("changed") && !options.wants("unchanged"));
            assert_eq!(options.told, Some("/bin/told".into()));
            assert_eq!(options.matching, "thread");
            assert!(parsed("").unwrap().wants("history"));
            assert!(parsed("--told").is_err() && parsed("nothing").is_err());
        }
    }
}
