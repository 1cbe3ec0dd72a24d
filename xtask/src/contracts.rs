//! `contracts`: a port's guarantees are numbered clauses (`- **FS-3** text`). Each clause has a test
//! of its name in the contract suite (`fs_3_…`), and each implementation, fake or real, runs the
//! suite of its port.

use crate::{
    project::{Project, SourceFile, code_lines},
    report::{Report, Trouble, no_arguments},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Compares the clauses with the suites, and the suites with who runs them.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Result<Report, Trouble> {
    no_arguments(arguments)?;
    let files = project.files(".rs")?;
    let (clauses, tests) = (clauses(&files), tests(&files));
    let mut findings = unproven(&clauses, &tests);
    findings.extend(not_run(&files));
    let looked_at = format!("{} clauses, {} tests", clauses.len(), tests.len());
    Ok(Report::of("contracts", &looked_at, findings))
}

/// One suite: the macro that runs it, and who must.
struct Suite {
    /// Its files are `contract/<stem>*`.
    stem: &'static str,
    runs_by: &'static str,
    /// The trait whose implementers owe the suite.
    port: &'static str,
    owed_by: &'static [&'static str],
}

const SUITES: &[Suite] = &[
    Suite {
        stem: "file_system",
        runs_by: "file_system_contract!",
        port: "FileSystem",
        owed_by: &["crates/adapters/fs", "crates/testkit"],
    },
    Suite {
        stem: "store",
        runs_by: "store_contract!",
        port: "Store",
        owed_by: &["crates/adapters/redb", "crates/testkit"],
    },
    Suite {
        stem: "provided",
        runs_by: "provided_files_contract!",
        port: "ProvidedFiles",
        owed_by: &["crates/adapters/overlay"],
    },
    Suite {
        stem: "clock",
        runs_by: "clock_contract!",
        port: "Clock",
        owed_by: &["crates/adapters/clock", "crates/testkit"],
    },
    Suite {
        stem: "watcher",
        runs_by: "watcher_contract!",
        port: "Watcher",
        owed_by: &["crates/adapters/inotify", "crates/adapters/notify", "crates/testkit"],
    },
    Suite {
        stem: "url_fetcher",
        runs_by: "url_fetcher_contract!",
        port: "UrlFetcher",
        owed_by: &["crates/adapters/reqwest", "crates/testkit"],
    },
];

const PORTS: &str = "crates/ports/src/";
const CONTRACT: &str = "crates/testkit/src/contract";

/// The name of a clause.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Clause {
    prefix: String,
    number: u32,
}

impl Clause {
    /// From `**FS-3** text`.
    fn at_start(text: &str) -> Option<Self> {
        let (name, _) = text.strip_prefix("**")?.split_once("**")?;
        let (prefix, number) = name.split_once('-')?;
        let letters = prefix.len() >= 2 && prefix.bytes().all(|byte| byte.is_ascii_uppercase());
        letters.then_some(())?;
        Some(Self { prefix: prefix.to_owned(), number: number.parse().ok()? })
    }

    /// From `fs_3_text`.
    fn of_test(name: &str) -> Option<Self> {
        let (prefix, rest) = name.split_once('_')?;
        let (number, text) = rest.split_once('_')?;
        (!text.is_empty()).then_some(())?;
        Some(Self { prefix: prefix.to_ascii_uppercase(), number: number.parse().ok()? })
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.prefix, self.number)
    }
}

/// Every clause, with each place that states it.
fn clauses(files: &[SourceFile]) -> BTreeMap<Clause, Vec<String>> {
    let mut found: BTreeMap<Clause, Vec<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path.starts_with(PORTS)) {
        for (index, line) in file.text.lines().enumerate() {
            let Some(text) = comment(line).and_then(|text| text.strip_prefix("- ")) else {
                continue;
            };
            if let Some(clause) = Clause::at_start(text) {
                found.entry(clause).or_default().push(format!("{}:{}", file.path, index + 1));
            }
        }
    }
    found
}

fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim_start)
}

/// A function of the suites that is named after a clause.
#[derive(Debug, Default, PartialEq, Eq)]
struct ClauseTest {
    /// Where it is defined.
    places: Vec<String>,
    /// A test in itself, or named by the macro that makes one: a plain function proves nothing.
    called: bool,
}

fn tests(files: &[SourceFile]) -> BTreeMap<String, ClauseTest> {
    let mut found: BTreeMap<String, ClauseTest> = BTreeMap::new();
    let mut mentioned = BTreeSet::new();
    for file in files.iter().filter(|file| file.path.starts_with(CONTRACT)) {
        let mut under_test_attribute = false;
        for (number, line) in code_lines(&file.text) {
            let mut after_fn = false;
            for word in line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
                if after_fn && Clause::of_test(word).is_some() {
                    let test = found.entry(word.to_owned()).or_default();
                    test.places.push(format!("{}:{number}", file.path));
                    test.called |= under_test_attribute;
                } else if Clause::of_test(word).is_some() {
                    mentioned.insert(word.to_owned());
                }
                after_fn = word == "fn" || (after_fn && word.is_empty());
            }
            let line = line.trim();
            if line.starts_with("#[") || line.starts_with("#![") {
                under_test_attribute |= line.contains("test]") || line.contains("test(");
            } else if !line.is_empty() {
                under_test_attribute = false;
            }
        }
    }
    for (name, test) in &mut found {
        test.called |= mentioned.contains(name);
    }
    found
}

/// Clauses without a test, and tests without a clause.
fn unproven(
    clauses: &BTreeMap<Clause, Vec<String>>,
    tests: &BTreeMap<String, ClauseTest>,
) -> Vec<String> {
    let mut findings = Vec::new();
    let proven: BTreeSet<_> =
        tests.iter().filter(|(_, t)| t.called).filter_map(|(n, _)| Clause::of_test(n)).collect();
    for (clause, places) in clauses {
        let place = places.join(", ");
        if places.len() > 1 {
            findings.push(format!("{clause} is stated more than once: {place}"));
        }
        if !proven.contains(clause) {
            findings.push(format!("{clause} has no test in the contract suite ({place})"));
        }
    }
    for (name, test) in tests {
        let place = test.places.join(", ");
        if !test.called {
            findings.push(format!("{name} is called by no suite ({place})"));
        }
        if Clause::of_test(name).is_some_and(|clause| !clauses.contains_key(&clause)) {
            findings.push(format!("{name} proves a clause that no port states ({place})"));
        }
        if test.places.iter().any(|place| suite_of(place).is_none()) {
            findings.push(format!("{name} is in a file of no known suite ({place})"));
        }
    }
    findings
}

fn suite_of(place: &str) -> Option<&'static Suite> {
    let file = place.strip_prefix(CONTRACT)?.strip_prefix('/')?;
    SUITES.iter().find(|suite| file.starts_with(suite.stem))
}

/// Crates that owe a suite and do not run it: those named in the table, and every adapter that
/// implements the port.
fn not_run(files: &[SourceFile]) -> Vec<String> {
    let mut findings = Vec::new();
    for suite in SUITES {
        let mut owing: BTreeSet<&str> = suite.owed_by.iter().copied().collect();
        owing.extend(
            files.iter().filter(|file| implements(file, suite.port)).filter_map(adapter_crate),
        );
        for owner in owing {
            let own = |file: &&SourceFile| {
                let inside = file.path.strip_prefix(owner);
                inside.is_some_and(|rest| rest.starts_with('/')) && !file.path.starts_with(CONTRACT)
            };
            if !files.iter().filter(own).any(|file| invokes(file, suite.runs_by)) {
                findings.push(format!("{owner} does not run {}", suite.runs_by));
            }
        }
    }
    findings
}

/// `crates/adapters/fs` of a file below it.
fn adapter_crate(file: &SourceFile) -> Option<&str> {
    let rest = file.path.strip_prefix("crates/adapters/")?;
    let name_len = rest.find('/')?;
    Some(&file.path[..file.path.len() - rest.len() + name_len])
}

fn implements(file: &SourceFile, port: &str) -> bool {
    code_lines(&file.text).any(|(_, line)| {
        let before = line.split_once(" for ").map_or("", |(before, _)| before.trim());
        before.starts_with("impl")
            && before.strip_suffix(port).is_some_and(|rest| rest.ends_with([' ', ':', '>']))
    })
}

fn invokes(file: &SourceFile, call: &str) -> bool {
    code_lines(&file.text).any(|(_, line)| {
        line.find(call).is_some_and(|at| {
            !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Clause, ClauseTest, SUITES, clauses, not_run, tests as suite_tests, unproven};
    use crate::project::SourceFile;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.into(), text: text.into() }
    }

    const PORT: &str =
        "/// - **FS-1** One.\n///   More of it, **FS-9** in passing.\n/// - **FS-2** Two.\n";

    fn check(suite: &str) -> Vec<String> {
        let files = [
            file("crates/ports/src/file_system.rs", PORT),
            file("crates/testkit/src/contract/file_system.rs", suite),
        ];
        unproven(&clauses(&files), &suite_tests(&files))
    }

    #[test]
    fn each_clause_with_a_called_test_is_no_finding() {
        let listed = "pub async fn fs_1_index() {}\nmacro!(fs_1_index, fs_2_a);\nfn fs_2_a() {}\n";
        assert_eq!(check(listed), [""; 0]);
        let marked =
            "#[tokio::test]\n#[cfg(unix)]\nasync fn fs_1_index() {}\n\n#[test]\nfn fs_2_a() {}\n";
        assert_eq!(check(marked), [""; 0]);
    }

    #[test]
    fn a_clause_without_a_test_is_found_with_its_place() {
        assert_eq!(
            check("#[test]\nfn fs_1_index() {}\n// #[test]\n// fn fs_2_a() {}\n"),
            ["FS-2 has no test in the contract suite (crates/ports/src/file_system.rs:3)"]
        );
    }

    #[test]
    fn a_longer_number_is_another_clause() {
        let findings = check("#[test]\nfn fs_1_index() {}\n#[test]\nfn fs_20_a() {}\n");
        assert_eq!(findings.len(), 2);
        assert!(findings[0].starts_with("FS-2 has no test"));
        assert!(findings[1].starts_with("fs_20_a proves a clause that no port states"));
    }

    #[test]
    fn a_function_that_no_suite_calls_proves_nothing() {
        let findings = check("#[test]\nfn fs_1_index() {}\nfn fs_2_a() {}\n");
        assert_eq!(findings.len(), 2);
        assert!(findings[0].starts_with("FS-2 has no test"));
        assert!(findings[1].starts_with("fs_2_a is called by no suite"));
    }

    #[test]
    fn a_clause_stated_twice_is_found() {
        let files = [file("crates/ports/src/a.rs", "//! - **ST-1** A.\n//! - **ST-1** B.\n")];
        let findings = unproven(&clauses(&files), &suite_tests(&files));
        assert_eq!(
            findings[0],
            "ST-1 is stated more than once: crates/ports/src/a.rs:1, crates/ports/src/a.rs:2"
        );
    }

    #[test]
    fn a_test_outside_the_known_suites_is_found() {
        let files = [
            file("crates/ports/src/a.rs", "/// - **XX-1** A.\n"),
            file("crates/testkit/src/contract/odd.rs", "#[test]\nfn xx_1_a() {}\n"),
        ];
        assert_eq!(
            unproven(&clauses(&files), &suite_tests(&files)),
            ["xx_1_a is in a file of no known suite (crates/testkit/src/contract/odd.rs:2)"]
        );
    }

    fn runners() -> Vec<SourceFile> {
        vec![
            file("crates/adapters/fs/tests/main.rs", "told_testkit::file_system_contract!(fs);"),
            file("crates/adapters/redb/tests/main.rs", "store_contract!(redb);"),
            file("crates/adapters/clock/tests/main.rs", "clock_contract!(clock);"),
            file("crates/adapters/inotify/tests/main.rs", "watcher_contract!(inotify);"),
            file("crates/adapters/notify/tests/main.rs", "watcher_contract!(notify);"),
            file("crates/adapters/overlay/tests/main.rs", "provided_files_contract!(overlays);"),
            file("crates/adapters/reqwest/src/tests.rs", "url_fetcher_contract!(Real::new);"),
            file(
                "crates/testkit/tests/main.rs",
                "file_system_contract!(a);\nstore_contract!(b);\nclock_contract!(c);\nwatcher_contract!(d);\n\
                 url_fetcher_contract!(e);",
            ),
        ]
    }

    #[test]
    fn an_implementation_that_does_not_run_its_suite_is_found() {
        let mut files = runners();
        assert_eq!(not_run(&files), [""; 0]);
        files[1].text = "// store_contract!(redb);\nmy_store_contract!(redb);".into();
        assert_eq!(not_run(&files), ["crates/adapters/redb does not run store_contract!"]);
    }

    #[test]
    fn a_new_adapter_owes_the_suite_of_the_port_it_implements() {
        let mut files = runners();
        files.push(file(
            "crates/adapters/sql/src/lib.rs",
            "impl<C: told_ports::Clock> Store for Sql<C> {\nimpl Storekeeper for Sql {\n",
        ));
        assert_eq!(not_run(&files), ["crates/adapters/sql does not run store_contract!"]);
    }

    #[test]
    fn defining_the_suite_is_not_running_it() {
        let mut files = runners();
        let testkit = files.last_mut().expect("the fakes run suites");
        testkit.path = "crates/testkit/src/contract/mod.rs".into();
        // An overlay is the only one of its port, and no fake is owed.
        assert_eq!(not_run(&files).len(), SUITES.len() - 1);
    }

    #[test]
    fn names_are_read_exactly() {
        assert_eq!(Clause::of_test("fs_x_a"), None);
        assert_eq!(Clause::of_test("fs_1_"), None);
        assert_eq!(Clause::at_start("**Fs-1** a"), None);
        let files = [file("crates/testkit/src/contract/store.rs", "fn st_12_a() {}")];
        let expected = ClauseTest {
            places: vec!["crates/testkit/src/contract/store.rs:1".into()],
            called: false,
        };
        assert_eq!(suite_tests(&files)["st_12_a"], expected);
    }
}
