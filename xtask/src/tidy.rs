//! `tidy`: what no lint of the compiler says. Files of one idea, no stubs, no test that is skipped,
//! and nothing that reaches out of the project.

use crate::{
    project::{Project, SourceFile, code_lines},
    report::{Report, Trouble, no_arguments},
};

/// Reads every Rust file, manifest and Markdown file.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Result<Report, Trouble> {
    no_arguments(arguments)?;
    let mut findings = Vec::new();
    let mut count = 0;
    let code = project.files(".rs")?;
    for kind in [".rs", ".toml", ".md"] {
        let files = project.files(kind)?;
        count += files.len();
        findings.extend(files.iter().flat_map(check));
    }
    let pages = project.files(PROMISES)?;
    findings.extend(pages.iter().flat_map(|page| uncited(page, &code)));
    Ok(Report::of("tidy", &format!("{count} files"), findings))
}

/// Longer files hold more than one idea.
const LINES_MAX: usize = 500;

/// The page whose promises name their tests.
const PROMISES: &str = "docs/security.md";

/// Tests that the page names and that no code has.
fn uncited(page: &SourceFile, code: &[SourceFile]) -> Vec<String> {
    let quoted = page.text.split('`').skip(1).step_by(2);
    let named = quoted.filter(|name| name.matches('_').count() >= 4 && is_name(name));
    let is_there = |name: &&str| {
        let function = format!("fn {name}(");
        code.iter().any(|file| file.text.contains(&function))
    };
    let missing = named.filter(|name| !is_there(name));
    missing.map(|name| format!("{}: no test is called `{name}`", page.path)).collect()
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// Written in two parts, so that this file does not find itself.
const STUBS: &[&str] = &[concat!("to", "do!"), concat!("unimple", "mented!")];
const SKIPPED: &[&str] =
    &[concat!("#[ign", "ore"), concat!("#![ign", "ore"), concat!(", ign", "ore")];

/// What names a file in a text, by the kind of file.
fn openers(path: &str) -> (&'static [&'static str], char) {
    if path.ends_with(".rs") {
        (&["include!(\"", "include_str!(\"", "include_bytes!(\"", "#[path = \""], '"')
    } else if path.ends_with(".toml") {
        (&["path = \""], '"')
    } else {
        (&["]("], ')')
    }
}

fn check(file: &SourceFile) -> Vec<String> {
    let mut findings = Vec::new();
    let rust = file.path.ends_with(".rs");
    let lines = file.text.lines().count();
    if rust && lines > LINES_MAX {
        findings.push(format!("{}: {lines} lines, {LINES_MAX} at most", file.path));
    }
    for (number, line) in code_lines(&file.text) {
        let place = format!("{}:{number}", file.path);
        if rust && STUBS.iter().any(|stub| line.contains(stub)) {
            findings.push(format!("{place}: a stub"));
        }
        let attribute = line.trim_start().starts_with('#');
        if rust && attribute && SKIPPED.iter().any(|skipped| line.contains(skipped)) {
            findings.push(format!("{place}: a test that is skipped"));
        }
        let (openers, closer) = openers(&file.path);
        for opener in openers {
            for named in line.split(opener).skip(1).filter_map(|rest| rest.split(closer).next()) {
                if leaves_project(&file.path, named) {
                    findings.push(format!("{place}: `{named}` is outside the project"));
                }
            }
        }
    }
    findings
}

/// Whether `named`, seen from the file at `path`, is above the root or absolute.
fn leaves_project(path: &str, named: &str) -> bool {
    let drive = named.as_bytes().get(1) == Some(&b':');
    if named.starts_with(['/', '\\', '~']) || drive || named.starts_with("file:") {
        return true;
    }
    let mut depth = path.matches('/').count();
    for part in named.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&SourceFile { path: path.into(), text: text.into() })
    }

    #[test]
    fn a_long_file_is_found_and_a_full_one_is_not() {
        assert_eq!(found("a.rs", &"x\n".repeat(LINES_MAX)), [""; 0]);
        assert_eq!(found("a.rs", &"x\n".repeat(LINES_MAX + 1)), ["a.rs: 501 lines, 500 at most"]);
        assert_eq!(found("a.md", &"x\n".repeat(LINES_MAX + 1)), [""; 0]);
    }

    #[test]
    fn a_promise_whose_test_is_gone_is_found() {
        let file = |path: &str, text: &str| SourceFile { path: path.into(), text: text.into() };
        let code = [file("a.rs", "#[test]\nfn r_a_1_it_is_so() {}\n")];
        let page = |text: &str| uncited(&file("p.md", text), &code);
        assert_eq!(page("| `r_a_1_it_is_so` | `urls.ttl_s` | `look_ms` |"), [""; 0]);
        assert_eq!(page("| `r_a_1_it_is` |"), ["p.md: no test is called `r_a_1_it_is`"]);
    }

    #[test]
    fn stubs_and_skipped_tests_are_found() {
        for stub in STUBS {
            assert_eq!(found("a.rs", &format!("fn a() {{\n    {stub}()\n}}")), ["a.rs:2: a stub"]);
        }
        for attribute in ["]", " = \"why\"]"] {
            let text = format!("#[test]\n{}{attribute}\nfn a() {{}}", SKIPPED[0]);
            assert_eq!(found("a.rs", &text), ["a.rs:2: a test that is skipped"]);
        }
        let conditional = format!("#[cfg_attr(unix{})]", SKIPPED[2]);
        assert_eq!(found("a.rs", &conditional), ["a.rs:1: a test that is skipped"]);
    }

    #[test]
    fn words_in_comments_and_calls_are_no_findings() {
        assert_eq!(found("a.rs", &format!("// {}", STUBS[0])), [""; 0]);
        assert_eq!(found("a.rs", &format!("f(a{});", SKIPPED[2])), [""; 0]);
    }

    #[test]
    fn a_path_out_of_the_project_is_found() {
        for (path, text, outside) in [
            ("crates/a/src/lib.rs", "include_str!(\"../../../README.md\")", false),
            ("crates/a/src/lib.rs", "include_str!(\"../../../../secret\")", true),
            ("crates/a/src/lib.rs", "#[path = \"/etc/a.rs\"]", true),
            ("Cargo.toml", "a = { path = \"crates/a\" }", false),
            ("Cargo.toml", "a = { path = \"../a\" }", true),
            ("docs/a.md", "[a](../README.md#b) and [c](https://example.org/)", false),
            ("docs/a.md", "[a](../../b.md)", true),
            ("docs/a.md", "[a](C:/b.md)", true),
        ] {
            assert_eq!(!found(path, text).is_empty(), outside, "{path}: {text}");
        }
    }
}
