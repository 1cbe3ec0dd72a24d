//! The one door for text on its way to a terminal.

use std::fmt;
use told::domain::path::on_one_line;
use unicode_width::UnicodeWidthStr;

/// Text that stands on one line and steers nothing: control characters, and those that turn the
/// direction of writing or show nothing, are escaped as `\u{1b}`. Showing twice is showing once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown(String);

impl Shown {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// In columns of a terminal.
    pub(crate) fn width(&self) -> usize {
        self.0.width()
    }
}

impl<T: AsRef<str>> From<T> for Shown {
    fn from(text: T) -> Self {
        let line = on_one_line(text.as_ref());
        if !line.contains(steers_reading) {
            return Self(line);
        }
        let mut shown = String::with_capacity(line.len());
        for character in line.chars() {
            if steers_reading(character) {
                shown.extend(character.escape_unicode());
            } else {
                shown.push(character);
            }
        }
        Self(shown)
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One line of JSON in which nothing steers a terminal either: what would is escaped as JSON has it, so
/// that the value is the same.
pub(crate) fn tame_json(json: String) -> String {
    let ends_a_line = |character| matches!(character, '\u{2028}' | '\u{2029}');
    let steers = |character: char| {
        character.is_control() || ends_a_line(character) || steers_reading(character)
    };
    if !json.contains(steers) {
        return json;
    }
    let mut tame = String::with_capacity(json.len());
    for character in json.chars() {
        if steers(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                tame.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            tame.push(character);
        }
    }
    tame
}

/// Marks and overrides of direction, tags, and marks of no width: each can make one name look like
/// another.
const fn steers_reading(character: char) -> bool {
    matches!(character,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_steers_nothing_and_says_the_same() {
        let value = "a\u{9b}31m\u{202e}b\u{e0041}\u{1b}\u{2028}é";
        let json = tame_json(serde_json::to_string(value).unwrap());
        assert_eq!(json, r#""a\u009b31m\u202eb\udb40\udc41\u001b\u2028é""#);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), value);
    }

    #[test]
    fn nothing_steers_the_terminal() {
        for (text, shown) in [
            ("AGENTS.md", "AGENTS.md"),
            ("a\u{1b}[31mb", "a\\u{1b}[31mb"),
            ("a\r\nb\tc", "a\\u{d}\\u{a}b\\u{9}c"),
            ("a\u{9b}b\u{85}c", "a\\u{9b}b\\u{85}c"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("e\u{301}日本", "e\u{301}日本"),
        ] {
            assert_eq!(Shown::from(text).as_str(), shown);
            assert_eq!(Shown::from(Shown::from(text).as_str()).as_str(), shown, "shown twice");
        }
    }
}
