//! From bytes to the text that is delivered (R-OBS-5, R-OBS-6).

use super::{Came, Target};
use told_domain::{
    reason::Warning,
    text::{DeliveredText, deliver, deliver_in, is_invisible, same_but_for_line_endings},
};

pub(super) const TARGET: Target = Target {
    name: "text",
    holds: "valid text is delivered as it is, nothing holds a NUL, and a cut splits no character and is told",
    words: &[
        "\u{feff}",
        "\r\n",
        "\n",
        "\r",
        "é",
        "😀",
        "\u{e0041}",
        "\u{202e}",
        "\u{fffd}",
        "\0",
        "@a.md\n",
        "```\n",
        "~~~~",
        "plain",
    ],
    bytes_max: 2048,
    check,
};

/// Charsets that a server may name; some keep a state, some have no NUL.
const CHARSETS: &[&str] =
    &["utf-16le", "utf-16", "windows-1252", "shift_jis", "iso-2022-jp", "gb18030", "big5", "x", ""];

/// A byte-order mark has so many bytes at most: cut in the middle of it, nobody knows what it is.
const MARK_BYTES: usize = 3;

fn check(input: &[u8]) -> Came {
    let whole = deliver(input, input.len() as u64);
    of_whole(input, &whole);
    // Every byte count at which a cut can be interesting, of short inputs.
    let step = input.len() / 48 + 1;
    for limit in (MARK_BYTES..input.len()).step_by(step) {
        of_cut(&input[..limit], input);
    }
    for charset in CHARSETS {
        said_of(&deliver_in(input, Some(charset)));
    }
    line_endings(&whole.text, input.len() / 2);
    let marked = input.starts_with(b"\xff\xfe") || input.starts_with(b"\xfe\xff");
    Came::accepted((whole.warnings, marked, input.is_empty()))
}

fn of_whole(input: &[u8], whole: &DeliveredText) {
    said_of(whole);
    assert!(!whole.warnings.contains(&Warning::Truncated));
    let invalid = whole.warnings.contains(&Warning::InvalidText);
    let body = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
    let units =
        |of: fn([u8; 2]) -> u16| input[2..].chunks_exact(2).map(move |two| of([two[0], two[1]]));
    let naive = match input {
        [0xFF, 0xFE, ..] => wide(units(u16::from_le_bytes), input),
        [0xFE, 0xFF, ..] => wide(units(u16::from_be_bytes), input),
        _ => std::str::from_utf8(body).ok().map(str::to_owned),
    };
    match naive.filter(|text| !text.contains('\0')) {
        Some(text) => assert!(!invalid && *whole.text == *text, "valid text is delivered as it is"),
        None => {
            assert!(invalid && whole.text.contains('\u{fffd}'), "invalid text is said to be so")
        }
    }
}

fn wide(units: impl Iterator<Item = u16>, input: &[u8]) -> Option<String> {
    let text = char::decode_utf16(units).collect::<Result<String, _>>();
    text.ok().filter(|_| input.len().is_multiple_of(2))
}

fn said_of(delivered: &DeliveredText) {
    assert!(!delivered.text.contains('\0'));
    let invisible = delivered.text.chars().any(is_invisible);
    assert_eq!(delivered.warnings.contains(&Warning::InvisibleCharacters), invisible);
}

fn of_cut(head: &[u8], all: &[u8]) {
    let cut = deliver(head, all.len() as u64);
    said_of(&cut);
    assert!(cut.warnings.contains(&Warning::Truncated));
    let (line, rest) = cut.text.split_once('\n').expect("a line says so");
    let kept = line.strip_prefix("[Only the first ").and_then(|line| line.split_once(" of "));
    let (kept, size) = kept.expect("it says how much");
    assert_eq!(size, format!("{} bytes follow.]", all.len()));
    let kept: usize = kept.parse().expect("a number");
    let before = deliver(&head[..kept], kept as u64);
    assert_eq!(*rest, *before.text, "the kept bytes as they would be alone");
    if !deliver(all, all.len() as u64).warnings.contains(&Warning::InvalidText) {
        assert!(!cut.warnings.contains(&Warning::InvalidText), "a cut splits no character");
    }
    if std::str::from_utf8(all).is_ok() {
        let end = head.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        let mark = head.starts_with(b"\xef\xbb\xbf");
        match end {
            Some(end) => assert_eq!(kept, end, "the last line end"),
            None => assert!(kept + 3 >= head.len() || mark, "no more than a character is lost"),
        }
    }
}

fn line_endings(text: &str, middle: usize) {
    let middle =
        (0..=middle.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (one, other) = text.split_at(middle);
    let plain = |text: &str| text.replace("\r\n", "\n");
    for (one, other) in [(one, other), (other, one), (text, &*plain(text)), (text, text)] {
        let same = plain(one) == plain(other);
        assert_eq!(same_but_for_line_endings(one, other), same, "{one:?} {other:?}");
    }
}
