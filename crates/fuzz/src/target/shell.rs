//! What a shell line reads (R-LOC-1).

use super::{Came, Target};
use told_domain::path::AbsolutePath;
use told_shell::{Evidence, limits, reads};

pub(super) const TARGET: Target = Target {
    name: "shell",
    holds: "every path is made of the directory it began in and of letters of the line in their order, the \
            answer is bounded and the same again, and a line that may not have run proves nothing by success",
    words: &[
        "cat",
        "sed -n 1p",
        "grep -r x",
        "cd",
        "cd /a",
        "cd sub && ",
        "ls",
        "find",
        "set -e",
        "exit 1",
        "exec",
        "env",
        "sh -c",
        "bash -lc 'cat a'",
        "jq .",
        "awk '{print}'",
        "head -5",
        "a",
        "b/c",
        "..",
        "../..",
        "~",
        "-",
        "--",
        "-n",
        "5",
        "&&",
        "||",
        ";",
        "|",
        "|&",
        "&",
        "\n",
        "!",
        "(",
        ")",
        "{",
        "}",
        "((",
        "))",
        "[[",
        "]]",
        "if",
        "then",
        "elif",
        "else",
        "fi",
        "while",
        "until",
        "for",
        "in",
        "do",
        "done",
        "case",
        "esac",
        ";;",
        "select",
        "function",
        "f()",
        "<",
        "> out",
        "<<E\n",
        "<<-E\n",
        "E\n",
        "<<<",
        "2>&1",
        "<(",
        ">(",
        "&>",
        "'",
        "\"",
        "`",
        "\\",
        "\\\n",
        "$",
        "$x",
        "${",
        "$(",
        "$((",
        "$'",
        "\\x41",
        "*",
        "?",
        "[",
        "{a,b}",
        "=",
        "x=1",
        "x=(",
        "x+=",
        "#",
        "# note\n",
        "\t",
        "\0",
        "\u{7f}",
        "é",
        "\u{2028}",
        "@(",
        "+5",
        "time",
        "coproc",
        "\r\n",
        "%",
        "^",
        "!!",
        "1>",
        "0<",
        "-f",
        "-e",
        "xargs",
        "sudo",
        "timeout 5",
        "nice",
        "nohup",
        "command",
        "builtin",
        "eval",
        ".",
        "source",
        "true",
        "false",
        "pwd",
        "pushd",
        "popd",
    ],
    bytes_max: 512,
    check,
};

fn check(input: &[u8]) -> Came {
    let line = String::from_utf8_lossy(input);
    let cwd = AbsolutePath::new("/w0rk/pr0ject").expect("a path");
    let found = reads(&line, &cwd);
    assert!(found.len() <= limits::PATHS);
    assert_eq!(reads(&line, &cwd), found, "the same again");
    for read in &found {
        let path = read.path.as_path();
        assert!(path.is_absolute());
        let below = path.strip_prefix(cwd.as_path()).or_else(|_| path.strip_prefix("/w0rk"));
        let below = below.or_else(|_| path.strip_prefix("/")).expect("a root");
        for name in below.iter() {
            let name = name.to_str().expect("UTF-8");
            assert!(
                is_named(name, &line) || name == "w0rk" || name == "pr0ject",
                "{name:?} in {line:?}"
            );
        }
    }
    // Where nobody knows whether it ran, it proves nothing by having succeeded.
    if !line.contains(['\n', '\\', '\'', '"', '`', '<', '#', '\0']) {
        let unsure = reads(&format!("x || {{ {line}\n}}"), &cwd);
        assert!(unsure.iter().all(|read| read.evidence == Evidence::Run), "{unsure:?} of {line:?}");
    }
    let mut kinds: Vec<_> = found.iter().map(|read| (read.kind, read.evidence)).collect();
    kinds.sort();
    kinds.dedup();
    if found.is_empty() {
        Came::refused(line.split_whitespace().next().map(str::len).unwrap_or_default().min(8))
    } else {
        Came::accepted((kinds, found.len().min(6)))
    }
}

/// Whether the letters of `name` stand in `line` in this order, whatever quotes stand between.
fn is_named(name: &str, line: &str) -> bool {
    let mut letters = line.chars();
    name.chars().all(|wanted| letters.any(|letter| letter == wanted))
}
