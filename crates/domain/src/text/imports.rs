//! Lines that other tools would take for imports. They are not followed here, and a person may not know
//! (R-CFG-7).

/// Whether a line of `text` begins with `@` and a path, outside code fences.
pub(super) fn seem_wanted(text: &str) -> bool {
    if !text.starts_with('@') && !text.contains("\n@") {
        return false;
    }
    let mut open: Option<&str> = None;
    for line in text.lines() {
        if let Some(mark) = fence(line) {
            match open {
                None => open = Some(mark),
                // Closed by a fence of the same kind that is as long, and says nothing more.
                Some(opened) if mark.starts_with(opened) && line.trim() == mark => open = None,
                Some(_) => {}
            }
        } else if open.is_none() && line.strip_prefix('@').is_some_and(begins_with_a_path) {
            return true;
        }
    }
    false
}

/// The backticks or tildes that open or close a code fence.
fn fence(line: &str) -> Option<&str> {
    let start = line.trim_start_matches(' ');
    if line.len() - start.len() > 3 {
        return None;
    }
    let mark = start.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let length = start.len() - start.trim_start_matches(mark).len();
    (length >= 3).then(|| &start[..length])
}

/// A word that starts at a root, a home or a relative directory, or ends as a file's name does.
fn begins_with_a_path(line: &str) -> bool {
    let word = line.split_whitespace().next().filter(|word| line.starts_with(word));
    let Some(word) = word else { return false };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~' | '+');
    if !word.chars().all(plain) {
        return false;
    }
    let rooted = ["/", "~/", "./", "../"].iter().any(|start| word.starts_with(start));
    let name = word.rsplit('/').next().unwrap_or(word);
    let ends_as_a_file = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=4).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    rooted && word.len() > 2 || ends_as_a_file
}

#[cfg(test)]
mod tests {
    use super::seem_wanted;

    #[test]
    fn r_cfg_7_a_line_that_begins_with_an_at_and_a_path_seems_to_import() {
        for (text, expect) in [
            ("@docs/rules.md", true),
            ("a\n@README.md\n", true),
            ("a\r\n@README.md\r\n", true),
            ("@~/.claude/mine.md", true),
            ("@./x", true),
            ("@../x/y and more", true),
            ("@/etc/rules", true),
            ("@AGENTS.md is read as well", true),
            ("see @README.md", false),
            (" @README.md", false),
            ("@ README.md", false),
            ("@dataclass", false),
            ("@app.route(\"/x\")", false),
            ("@scope/package", false),
            ("@you: do it", false),
            ("me@example.org", false),
            ("@", false),
            ("```\n@a.md\n```", false),
            ("```\n@a.md\n```\n@b.md", true),
            ("~~~~ md\n@a.md\n~~~\n@b.md\n~~~~\n", false),
            ("```\n@a.md\n``` x\n@b.md", false),
            ("    ```\n@a.md", true),
            ("``\n@a.md", true),
        ] {
            assert_eq!(seem_wanted(text), expect, "{text:?}");
        }
    }
}
