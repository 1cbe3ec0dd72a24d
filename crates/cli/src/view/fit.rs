//! Text in the room there is.

use unicode_width::UnicodeWidthChar;

/// Less room than this is not used for words.
pub(super) const WORDS_MIN: usize = 20;

/// `text` in at most `room` columns: of a longer one the end stays, where a path says most.
pub(super) fn ending(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let mut left = room.saturating_sub(1);
    let mut start = text.len();
    for (at, character) in text.char_indices().rev() {
        let wide = character.width().unwrap_or(0);
        if wide > left {
            break;
        }
        left -= wide;
        start = at;
    }
    format!("…{}", &text[start..])
}

/// `text` in lines of at most `room` columns, broken at blanks; a longer word is cut.
pub(super) fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let wide = columns(word);
        let blank = usize::from(used > 0);
        if used > 0 && used + blank + wide > room {
            lines.push(String::new());
            used = 0;
        } else if blank > 0 {
            push(&mut lines, " ");
            used += 1;
        }
        for character in word.chars() {
            let wide = character.width().unwrap_or(0);
            if used + wide > room && used > 0 {
                lines.push(String::new());
                used = 0;
            }
            push(&mut lines, character.encode_utf8(&mut [0; 4]));
            used += wide;
        }
    }
    lines
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}

fn columns(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_path_stays() {
        assert_eq!(ending("a/b/AGENTS.md", 13), "a/b/AGENTS.md");
        assert_eq!(ending("aa/b/AGENTS.md", 13), "…/b/AGENTS.md");
        assert_eq!(ending("日本/日本.md", 8), "…日本.md");
        assert_eq!(ending("abc", 0), "…");
    }

    #[test]
    fn lines_break_at_blanks_and_hold_what_they_can() {
        assert_eq!(wrapped("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrapped("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("日本語", 4), ["日本", "語"]);
        for line in wrapped("the quick brown fox jumps over it", 9) {
            assert!(columns(&line) <= 9, "{line}");
        }
    }
}
