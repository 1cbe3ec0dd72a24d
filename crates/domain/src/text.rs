//! From a file's bytes to the text that is delivered (R-OBS-5, R-OBS-6).

mod imports;

use crate::reason::Warning;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use std::{borrow::Cow, sync::Arc};

/// The text that the model gets of a file, and what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveredText {
    /// The value: the exact text, cut and marked as cut where the file is too large.
    pub text: Arc<str>,
    /// What a reader may want to know of it.
    pub warnings: Vec<Warning>,
}

/// Decodes the first `bytes` of a file of `size` bytes.
///
/// A byte-order mark is dropped and decides the encoding; what is no valid text, NUL included, becomes
/// U+FFFD with a warning. Where `size` is more than what was read, the text is cut at its last line
/// end, or where there is none at a character, and its first line says so.
#[must_use]
pub fn deliver(bytes: &[u8], size: u64) -> DeliveredText {
    deliver_as(bytes, size, UTF_8)
}

/// Decodes the whole of a text whose sender names its charset. A byte-order mark knows better; a
/// charset that nobody knows is UTF-8.
#[must_use]
pub fn deliver_in(bytes: &[u8], charset: Option<&str>) -> DeliveredText {
    let named = charset.and_then(|charset| Encoding::for_label(charset.as_bytes()));
    deliver_as(bytes, bytes.len() as u64, named.unwrap_or(UTF_8))
}

fn deliver_as(bytes: &[u8], size: u64, unmarked: &'static Encoding) -> DeliveredText {
    if unmarked == UTF_8
        && size == bytes.len() as u64
        && is_plain(bytes)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        let warnings = imports::seem_wanted(text).then_some(Warning::UnexpandedImport);
        return DeliveredText { text: text.into(), warnings: warnings.into_iter().collect() };
    }
    let decoded = decode_in(bytes, size, unmarked);
    decoded.deliver(&decoded.text, size)
}

/// The text of the first bytes of a file.
pub(crate) struct Decoded<'a> {
    /// Without its byte-order mark; what is no valid text is U+FFFD.
    pub(crate) text: Cow<'a, str>,
    invalid: bool,
    /// Whether there is more, and it was cut at a line end or a character.
    pub(crate) truncated: bool,
    /// How many bytes the text comes from.
    kept: usize,
}

impl Decoded<'_> {
    /// `part` of the text, to its end, as it is delivered.
    pub(crate) fn deliver(&self, part: &str, size: u64) -> DeliveredText {
        let mut warnings = Vec::new();
        if self.invalid && part.contains('\u{fffd}') {
            warnings.push(Warning::InvalidText);
        }
        if part.chars().any(is_invisible) {
            warnings.push(Warning::InvisibleCharacters);
        }
        if imports::seem_wanted(part) {
            warnings.push(Warning::UnexpandedImport);
        }
        if !self.truncated {
            return DeliveredText { text: part.into(), warnings };
        }
        warnings.push(Warning::Truncated);
        let before = self.text.len() - part.len();
        let (follow, of) = (self.kept.saturating_sub(before), size.saturating_sub(before as u64));
        let text = format!("[Only the first {follow} of {of} bytes follow.]\n{part}").into();
        DeliveredText { text, warnings }
    }
}

/// Decodes the first `bytes` of a file of `size` bytes, without a word about what was found.
pub(crate) fn decode(bytes: &[u8], size: u64) -> Decoded<'_> {
    decode_in(bytes, size, UTF_8)
}

fn decode_in<'a>(bytes: &'a [u8], size: u64, unmarked: &'static Encoding) -> Decoded<'a> {
    let (encoding, mark) = Encoding::for_bom(bytes).unwrap_or((unmarked, 0));
    let truncated = size > bytes.len() as u64;
    let kept = if truncated { cut(bytes, mark, encoding) } else { bytes };
    let body = kept.get(mark..).unwrap_or(&[]);
    let (decoded, had_errors) = encoding.decode_without_bom_handling(body);
    let invalid = had_errors || decoded.contains('\0');
    let text = match decoded {
        text if text.contains('\0') => Cow::Owned(text.replace('\0', "\u{fffd}")),
        text => text,
    };
    Decoded { text, invalid, truncated, kept: kept.len() }
}

/// Whether two values differ in nothing but their line endings, CRLF or LF (R-OBS-5).
#[must_use]
pub fn same_but_for_line_endings(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let (mut one, mut other) = (one.bytes().peekable(), other.bytes().peekable());
    loop {
        for side in [&mut one, &mut other] {
            // A CR before an LF is part of the line's end; any other CR is content.
            let mut ahead = side.clone();
            if ahead.next() == Some(b'\r') && ahead.next() == Some(b'\n') {
                side.next();
            }
        }
        match (one.next(), other.next()) {
            (None, None) => return true,
            (a, b) if a != b => return false,
            _ => {}
        }
    }
}

/// Whether all is ASCII without NUL, as most files are: nothing to decode, nothing to warn of. One
/// pass without a branch, since every boundary that finds a change takes it over every file.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |plain, byte| plain & matches!(byte, 1..=0x7F))
}

fn cut<'a>(bytes: &'a [u8], mark: usize, encoding: &'static Encoding) -> &'a [u8] {
    let end = if encoding == UTF_16LE || encoding == UTF_16BE {
        cut_utf16(bytes, mark, encoding == UTF_16LE)
    } else {
        cut_utf8(bytes)
    };
    &bytes[..end.max(mark).min(bytes.len())]
}

fn cut_utf8(bytes: &[u8]) -> usize {
    if let Some(line_end) = bytes.iter().rposition(|byte| *byte == b'\n') {
        return line_end + 1;
    }
    // A character has at most four bytes: look back for the start of one that the limit splits.
    let tail = bytes.len().saturating_sub(3);
    let Some(start) = (tail..bytes.len()).rev().find(|&i| bytes[i] & 0b1100_0000 != 0b1000_0000)
    else {
        return bytes.len();
    };
    let width = match bytes[start] {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    };
    if start + width > bytes.len() { start } else { bytes.len() }
}

fn cut_utf16(bytes: &[u8], mark: usize, little: bool) -> usize {
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    };
    let units: Vec<u16> = bytes[mark..].chunks_exact(2).map(unit).collect();
    if let Some(line_end) = units.iter().rposition(|unit| *unit == 0x0A) {
        return mark + 2 * (line_end + 1);
    }
    let split = units.last().is_some_and(|unit| (0xD800..0xDC00).contains(unit));
    mark + 2 * (units.len() - usize::from(split))
}

/// Tag characters and the bidirectional controls: they change what a reader sees, or hide from it
/// (R-OBS-5).
#[must_use]
pub const fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{e0000}'..='\u{e007f}'
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivered(bytes: &[u8]) -> (String, Vec<Warning>) {
        let delivered = deliver(bytes, bytes.len() as u64);
        (delivered.text.to_string(), delivered.warnings)
    }

    #[test]
    fn r_obs_5_bytes_become_text() {
        let utf16 = |text: &str, little: bool| -> Vec<u8> {
            let unit = |u: u16| if little { u.to_le_bytes() } else { u.to_be_bytes() };
            text.encode_utf16().flat_map(unit).collect()
        };
        let cases: &[(&str, Vec<u8>, &str, &[Warning])] = &[
            ("plain", b"Be brief.\n".to_vec(), "Be brief.\n", &[]),
            ("empty", vec![], "", &[]),
            ("line endings stay", b"a\r\nb\rc\n".to_vec(), "a\r\nb\rc\n", &[]),
            ("utf-8 mark", b"\xEF\xBB\xBFa".to_vec(), "a", &[]),
            ("lone utf-8 mark", b"\xEF\xBB\xBF".to_vec(), "", &[]),
            ("lone utf-16 mark", b"\xFF\xFE".to_vec(), "", &[]),
            ("utf-16 little", utf16("\u{feff}hé😀", true), "hé😀", &[]),
            ("utf-16 big", utf16("\u{feff}hé😀", false), "hé😀", &[]),
            ("utf-16 odd", b"\xFF\xFEa\0b".to_vec(), "a\u{fffd}", &[Warning::InvalidText]),
            ("no utf-8", b"a\xFFb".to_vec(), "a\u{fffd}b", &[Warning::InvalidText]),
            ("latin-1", b"caf\xE9".to_vec(), "caf\u{fffd}", &[Warning::InvalidText]),
            ("nul", b"a\0b".to_vec(), "a\u{fffd}b", &[Warning::InvalidText]),
            ("a replacement character of the file's own", "\u{fffd}".into(), "\u{fffd}", &[]),
            ("tag", "a\u{e0041}".into(), "a\u{e0041}", &[Warning::InvisibleCharacters]),
            ("bidi", "a\u{202e}b".into(), "a\u{202e}b", &[Warning::InvisibleCharacters]),
            ("joiners are visible text", "👩\u{200d}💻".into(), "👩\u{200d}💻", &[]),
        ];
        for (name, bytes, text, warnings) in cases {
            assert_eq!(delivered(bytes), ((*text).to_owned(), warnings.to_vec()), "{name}");
        }
    }

    #[test]
    fn r_obs_6_a_cut_is_visible_and_never_splits_a_character() {
        let cases: &[(&[u8], u64, &str)] = &[
            (b"one\ntwo\nthr", 13, "[Only the first 8 of 13 bytes follow.]\none\ntwo\n"),
            (b"no line end", 20, "[Only the first 11 of 20 bytes follow.]\nno line end"),
            (b"caf\xC3", 5, "[Only the first 3 of 5 bytes follow.]\ncaf"),
            (b"x\xF0\x9F\x98", 5, "[Only the first 1 of 5 bytes follow.]\nx"),
            ("é".as_bytes(), 9, "[Only the first 2 of 9 bytes follow.]\né"),
            (b"\xEF\xBB\xBFab", 9, "[Only the first 5 of 9 bytes follow.]\nab"),
            (b"\xFF\xFEa\0\n\0b\0", 12, "[Only the first 6 of 12 bytes follow.]\na\n"),
            (b"\xFF\xFEa\0\x3D\xD8", 8, "[Only the first 4 of 8 bytes follow.]\na"),
            (b"", 7, "[Only the first 0 of 7 bytes follow.]\n"),
        ];
        for (bytes, size, text) in cases {
            let delivered = deliver(bytes, *size);
            assert_eq!(
                (&*delivered.text, &*delivered.warnings),
                (*text, &[Warning::Truncated][..])
            );
        }
    }

    #[test]
    fn r_obs_5_line_endings_alone_are_no_change() {
        for (one, other, same) in [
            ("a\nb\n", "a\r\nb\r\n", true),
            ("a\r\nb\n", "a\nb\r\n", true),
            ("", "", true),
            ("a\n", "a", false),
            ("a\r", "a", false),
            ("a\rb", "a\nb", false),
            ("a\r\r\n", "a\r\n", false),
            ("a\n\n", "a\n", false),
            ("a", "b", false),
        ] {
            assert_eq!(same_but_for_line_endings(one, other), same, "{one:?} {other:?}");
            assert_eq!(same_but_for_line_endings(other, one), same, "{other:?} {one:?}");
        }
    }
}
