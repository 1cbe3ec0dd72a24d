//! A project's own configuration (R-CFG-6).

use super::{Came, Target, assert_one_line};
use told_domain::{
    configuration::{PROJECT_BYTES_MAX, PROJECT_FILE, ProjectConfiguration},
    path::{AbsolutePath, CanonicalPath},
};

pub(super) const TARGET: Target = Target {
    name: "project",
    holds: "what is accepted prints back to itself, and what is not says why on one line that names the file",
    words: &[
        "[instructions]\n",
        "[skills]\n",
        "[instructions.names]\n",
        "names",
        "include",
        "exclude",
        "directories",
        " = ",
        "[",
        "]",
        "[[\"AGENTS.md\"]]",
        "[\"docs/*.md\"]",
        "\"**/x\"",
        "\"~/a\"",
        "\"/etc/x\"",
        "\"../x\"",
        "\"https://u:p@h/a?b#c\"",
        "'''",
        "\"\"\"",
        "\\u0000",
        "\\u001b",
        "\n",
        "#",
        ",",
        "{",
        "}",
        "{a,b}",
        "[!a-z]",
        "\\\\",
        "true",
        "1979-05-27",
        "0x1f",
        "1.5",
        "inf",
        "instructions.names = [[\"A\"]]\n",
        "\u{feff}",
        "\r\n",
        "\u{202e}",
        "\u{2028}",
    ],
    bytes_max: 2048,
    check,
};

fn check(input: &[u8]) -> Came {
    let boundary = AbsolutePath::new("/repo/é\n").map(CanonicalPath::observed).expect("a path");
    let read = |text: &[u8]| ProjectConfiguration::read(&boundary, text, text.len() as u64);
    match read(input) {
        Ok(project) => {
            let printed = print(&project);
            let again = read(printed.as_bytes());
            let again = again.unwrap_or_else(|error| panic!("{printed} is refused: {error}"));
            assert_eq!(print(&again), printed, "printed again");
            let stored = serde_json::to_string(&project).expect("it can be stored");
            let recalled = serde_json::from_str::<ProjectConfiguration>(&stored);
            let recalled = recalled.unwrap_or_else(|error| panic!("{stored} is lost: {error}"));
            // What is hidden does not come back.
            if !printed.contains("***") {
                assert_eq!((&again, &recalled), (&project, &project), "{printed}");
            }
            for entry in project.skills.iter().flatten() {
                assert!(
                    !entry.starts_with(['/', '~']) || entry.starts_with('~') && entry.len() > 1
                );
            }
            let said = [
                project.names.as_ref().map_or(9, |names| names.len().min(3)),
                project.include.len().min(3),
                project.exclude.len().min(3),
                project.skills.as_ref().map_or(9, |skills| skills.len().min(3)),
            ];
            Came::accepted(said)
        }
        Err(error) => {
            let said = error.to_string();
            assert_one_line(&said);
            assert!(said.contains(PROJECT_FILE), "it names the file: {said}");
            Came::refused(shape(&said))
        }
    }
}

/// As a person would write it. What JSON quotes, TOML reads alike, but for one character.
fn print(project: &ProjectConfiguration) -> String {
    let line = |name: &str, json: serde_json::Result<String>| {
        format!("{name} = {}\n", json.expect("texts").replace('\u{7f}', "\\u007f"))
    };
    let mut text = "[instructions]\n".to_owned();
    if let Some(names) = &project.names {
        text += &line("names", serde_json::to_string(names));
    }
    text += &line("include", serde_json::to_string(&project.include));
    text += &line("exclude", serde_json::to_string(&project.exclude));
    if let Some(skills) = &project.skills {
        text += "[skills]\n";
        text += &line("directories", serde_json::to_string(skills));
    }
    assert!(text.len() as u64 <= PROJECT_BYTES_MAX);
    text
}

/// A sentence without what the input says: its plain words.
pub(super) fn shape(said: &str) -> String {
    let quoted = |(at, part): (usize, &'_ str)| (at % 2 == 0).then_some(part.to_owned());
    let plain: String = said.split('`').enumerate().filter_map(quoted).collect();
    plain.chars().filter(|c| c.is_ascii_alphabetic() || *c == ' ').take(120).collect()
}
