//! `--text`: exactly what the model is to be sent.

use told::domain::{briefing::Briefing, text::is_invisible};

/// The baseline, and behind it each update that is still in the transcript, each after two line
/// feeds; nothing at the end. So the output after one more update begins, byte for byte, with the
/// output before it, and with `--since` the output is what goes behind the earlier one.
pub(crate) fn sent(briefing: &Briefing) -> String {
    let mut text = briefing.epoch.baseline.text.as_deref().unwrap_or_default().to_owned();
    for update in briefing.updates.iter().filter(|update| update.in_window) {
        text.push_str("\n\n");
        text.push_str(&update.text);
    }
    text
}

/// The same for a terminal: it ends its line, and what would steer it or hide from a reader (control
/// characters other than line ends and tabs, bidirectional controls, tags) is escaped as `\u{1b}`.
pub(crate) fn on_terminal(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 1);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let line_end = character == '\r' && characters.peek() == Some(&'\n');
        match character {
            '\n' | '\t' => shown.push(character),
            _ if line_end => shown.push(character),
            _ if character.is_control() || is_invisible(character) => {
                shown.extend(character.escape_unicode())
            }
            _ => shown.push(character),
        }
    }
    if !shown.is_empty() && !shown.ends_with('\n') {
        shown.push('\n');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_control_characters() {
        for (text, shown) in [
            ("", ""),
            ("a", "a\n"),
            ("a\n", "a\n"),
            ("a\tb\r\nc", "a\tb\r\nc\n"),
            ("a\rb", "a\\u{d}b\n"),
            ("\u{1b}[2J\u{9b}1m\u{8}", "\\u{1b}[2J\\u{9b}1m\\u{8}\n"),
            ("a\u{202e}b\u{2066}c\u{200f}", "a\\u{202e}b\\u{2066}c\\u{200f}\n"),
            ("a\u{e0041}\u{e007f}b", "a\\u{e0041}\\u{e007f}b\n"),
            ("می\u{200c}خواهم 👩\u{200d}💻", "می\u{200c}خواهم 👩\u{200d}💻\n"),
            ("e\u{301}日本", "e\u{301}日本\n"),
        ] {
            assert_eq!(on_terminal(text), shown);
        }
    }
}
