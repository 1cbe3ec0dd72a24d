//! One line a case. Begun in `/work`. `cat a` gives `a` (a file whose reading the success proves),
//! `a?` (it surely ran), `a/` (a directory), `a|` (either).

use told_domain::path::AbsolutePath;
use told_shell::{Evidence, ReadKind, reads};

const ROOT: &str = if cfg!(windows) { "C:/" } else { "/" };

fn found(line: &str) -> String {
    let cwd = AbsolutePath::new(format!("{ROOT}work")).expect("absolute");
    let mut words = Vec::new();
    for read in reads(line, &cwd) {
        let path = read.path.as_str().replace('\\', "/");
        let mut word = match path.strip_prefix(&format!("{ROOT}work/")) {
            Some(below) => below.to_owned(),
            None if path == format!("{ROOT}work") => ".".to_owned(),
            None => format!("/{}", path.trim_start_matches(ROOT)),
        };
        word.push_str(match read.kind {
            ReadKind::File => "",
            ReadKind::Directory => "/",
            ReadKind::Either => "|",
        });
        word.push_str(match read.evidence {
            Evidence::Success => "",
            Evidence::Run => "?",
        });
        words.push(word);
    }
    words.join(" ")
}

/// All that differ, at once.
pub(super) fn check(table: &[(&str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(line, expected)| {
            let found = found(line);
            (found != *expected)
                .then(|| format!("{line:?}\n   gives {found:?}\n  not    {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), table.len(), wrong.join("\n"));
}
