//! A `SKILL.md` (R-CFG-3).

use super::{Came, Target, assert_one_line, project::shape};
use told_domain::skill::SkillFile;

pub(super) const TARGET: Target = Target {
    name: "skill",
    holds: "an accepted file has its directory's name, a description that is short and not empty, and the \
            body as it stands; written anew it says the same; a fault is one short line",
    words: &[
        "---\n",
        "---\r\n",
        "name: pdf\n",
        "name: 'pdf'\n",
        "description: Reads PDFs.\n",
        "description: |\n  a\n  b\n",
        "description: >-\n",
        "license: MIT\n",
        "metadata:\n  a: b\n",
        "allowed-tools: [a, b]\n",
        "? ",
        "- ",
        "&a ",
        "*a",
        "!!str ",
        "<<: *a\n",
        "{",
        "}",
        "[",
        "]",
        ":",
        "#",
        "\"",
        "'",
        "...\n",
        "%YAML 1.2\n",
        "\t",
        "\u{feff}",
        "\\u001b",
        "\u{1b}",
        "null",
        "~",
        "true",
        "0x1f",
        "\n",
        "body",
        "\0",
        "\u{85}",
        "\u{2028}",
    ],
    bytes_max: 4096,
    check,
};

const DIRECTORY: &str = "pdf";

fn check(input: &[u8]) -> Came {
    let read = |bytes: &[u8], size: u64| SkillFile::read(bytes, size, Some(DIRECTORY));
    // As its first half, of a file that was cut.
    let half = read(&input[..input.len() / 2], input.len() as u64);
    let whole = read(input, input.len() as u64);
    for fault in [&half, &whole].into_iter().filter_map(|read| read.as_ref().err()) {
        let said = fault.to_string();
        assert_one_line(&said);
        assert!(said.chars().count() <= 400, "a short line: {said}");
    }
    if let Ok(skill) = &half
        && let Ok(whole) = &whole
    {
        assert_eq!((&skill.name, &skill.description), (&whole.name, &whole.description));
    }
    match whole {
        Ok(skill) => {
            assert_eq!(skill.name.as_str(), DIRECTORY);
            let description = &*skill.description;
            assert!((1..=1024).contains(&description.chars().count()));
            assert_eq!(description, description.trim());
            let text = told_domain::text::deliver(input, input.len() as u64).text;
            assert!(text.ends_with(&*skill.body.text), "the body as it stands");
            let quoted = serde_json::to_string(description).expect("a text");
            let written =
                format!("---\nname: {DIRECTORY}\ndescription: {quoted}\n---\n{}", skill.body.text);
            let again = read(written.as_bytes(), written.len() as u64);
            let again = again.expect("what was written is read");
            let said = (&again.name, &again.description, &again.body.text);
            assert_eq!(said, (&skill.name, &skill.description, &skill.body.text), "{written:?}");
            Came::accepted((
                skill.body.text.is_empty(),
                description.contains('\n'),
                skill.body.warnings.len(),
            ))
        }
        Err(fault) => Came::refused((std::mem::discriminant(&fault), shape(&fault.to_string()))),
    }
}
