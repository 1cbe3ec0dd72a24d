//! What a person sees of whatever a repository holds.

use super::{Came, Target};
use crate::tale::Tale;
use told_cli::edge;

pub(super) const TARGET: Target = Target {
    name: "view",
    holds: "no control character, no mark of direction and nothing invisible comes out, but line ends and our \
            own colours; showing twice is showing once, and JSON says the same",
    words: &[
        "\n\n",
        "\n",
        "\u{1b}[2J",
        "\u{1b}]0;x\u{7}",
        "\u{9b}31m",
        "\r",
        "\u{8}",
        "\u{7f}",
        "\u{85}",
        "\u{202e}",
        "\u{2066}",
        "\u{200b}",
        "\u{200f}",
        "\u{feff}",
        "\u{e0041}",
        "\u{2028}",
        "\u{2029}",
        "\u{61c}",
        "日本",
        "e\u{301}",
        "\u{1f469}\u{200d}\u{1f4bb}",
        "\\u{1b}",
        "name",
        "very long name of a directory",
        "..",
        "/",
        "\u{ad}",
        "\u{180e}",
        "\u{fff9}",
        "\t",
    ],
    bytes_max: 1024,
    check,
};

/// The tale first; behind an empty line names of directories, and what files hold, a line each.
fn check(input: &[u8]) -> Came {
    let end = input.windows(2).position(|two| two == b"\n\n");
    let (script, rest) = end.map_or((input, &[][..]), |end| (&input[..end], &input[end + 2..]));
    let text = String::from_utf8_lossy(rest);
    let lines: Vec<&str> = text.split('\n').filter(|line| !line.is_empty()).take(8).collect();
    for line in lines.iter().copied().chain([&*text]) {
        plain_text(line);
    }
    let contents: Vec<&str> = lines.iter().copied().chain(["Be brief.\n"]).collect();
    let tale = Tale::told(script, &lines, &contents);
    let Some(briefing) = tale.briefing() else {
        return Came::refused((lines.len(), tale.came.len().min(4)));
    };
    let (sources, log) = (tale.sources(), tale.log_lines());
    for columns in [40, 80] {
        let page = edge::pages(&briefing, &sources, &log, columns, false);
        for line in page.lines() {
            assert_tame(line);
            assert_eq!(line, line.trim_end(), "ends in blanks");
        }
    }
    let coloured = edge::pages(&briefing, &sources, &log, 80, true);
    assert_eq!(without_colours(&coloured), edge::pages(&briefing, &sources, &log, 80, false));
    let mut came = tale.came;
    came.truncate(3);
    Came::accepted((came, lines.len()))
}

fn plain_text(text: &str) {
    let shown = edge::shown(text);
    assert_tame(&shown);
    assert_eq!(edge::shown(&shown), shown, "shown twice");
    let on_terminal = edge::on_terminal(text);
    for line in on_terminal.split_inclusive('\n') {
        let line =
            line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        let steers = |c: char| c != '\t' && c.is_control() || told_domain::text::is_invisible(c);
        assert_eq!(line.find(steers), None, "{line:?}");
    }
    assert!(on_terminal.is_empty() || on_terminal.ends_with('\n'));
    let json = edge::json(serde_json::to_string(text).expect("a text"));
    assert_tame(&json);
    assert_eq!(serde_json::from_str::<String>(&json).ok().as_deref(), Some(text));
}

/// What a terminal, or a reader's eye, could be led astray by.
#[track_caller]
fn assert_tame(line: &str) {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || matches!(c, '\u{e0000}'..='\u{e007f}' | '\u{feff}' | '\u{200b}')
    };
    assert_eq!(line.find(steers), None, "{line:?}");
}

/// Without sequences of our own shape: an escape, a bracket, digits and semicolons, an `m`.
fn without_colours(page: &str) -> String {
    let mut parts = page.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (codes, rest) = part.split_once('m').expect("a whole sequence");
        assert!(codes.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{codes:?}");
        plain.push_str(rest);
    }
    plain
}
