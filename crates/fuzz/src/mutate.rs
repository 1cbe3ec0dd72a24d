//! How one input becomes another: by bytes, by lines, by numbers, and by the words of its target.

use crate::{engine::Pool, target::Target};
use fastrand::Rng;

/// Changes of one input, at most.
const CHANGES_MAX: u32 = 6;

/// One fresh input in so many.
const FRESH_EVERY: u32 = 24;

/// Numbers at which something may break.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "7",
    "8",
    "16",
    "64",
    "255",
    "256",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
    "1e3",
    "0.5",
];

/// The next input, out of `pool`.
pub(crate) fn next(random: &mut Rng, target: &Target, pool: &Pool) -> Vec<u8> {
    let chosen = |random: &mut Rng| {
        let (some, others) = match random.u8(..8) {
            0 => (&pool.refused, &pool.accepted),
            _ => (&pool.accepted, &pool.refused),
        };
        let from = if some.is_empty() { others } else { some };
        (!from.is_empty()).then(|| &from[random.usize(..from.len())])
    };
    let mut input = match chosen(random).filter(|_| random.u32(..FRESH_EVERY) > 0) {
        None => fresh(random, target),
        Some(input) => {
            let mut input = input.clone();
            // One change in half of the cases: what was accepted is refused soon enough.
            let most = if random.bool() { 1 } else { CHANGES_MAX };
            for _ in 0..random.u32(1..=most) {
                let other = chosen(random).map_or(&[][..], Vec::as_slice);
                change(random, target, &mut input, other);
            }
            input
        }
    };
    input.truncate(target.bytes_max);
    input
}

/// Words in any order, or any bytes.
fn fresh(random: &mut Rng, target: &Target) -> Vec<u8> {
    if target.words.is_empty() || random.u8(..4) == 0 {
        return (0..random.usize(..80)).map(|_| random.u8(..)).collect();
    }
    let mut input = Vec::new();
    for _ in 0..random.usize(1..24) {
        input.extend_from_slice(word(random, target).as_bytes());
        if random.bool() {
            input.push(b' ');
        }
    }
    input
}

fn word(random: &mut Rng, target: &Target) -> &'static str {
    let words = if target.words.is_empty() { NUMBERS } else { target.words };
    words[random.usize(..words.len())]
}

fn change(random: &mut Rng, target: &Target, input: &mut Vec<u8>, other: &[u8]) {
    match random.u8(..16) {
        0 => {
            let at = place(random, input);
            input.insert(at, random.u8(..));
        }
        1 if !input.is_empty() => {
            let at = random.usize(..input.len());
            input[at] ^= 1 << random.u8(..8);
        }
        2 if !input.is_empty() => {
            let at = random.usize(..input.len());
            input[at] = random.u8(..);
        }
        3 | 4 => {
            let gone = range(random, input);
            input.drain(gone);
        }
        5 => {
            let again = input[range(random, input)].to_vec();
            let times = if random.u8(..8) == 0 { random.usize(2..60) } else { 1 };
            let at = place(random, input);
            input.splice(at..at, again.repeat(times));
        }
        6 => {
            let taken = other[range(random, other)].to_vec();
            let at = range(random, input);
            input.splice(at, taken);
        }
        7 => {
            let (at, from) = (place(random, input), place(random, other));
            input.truncate(at);
            input.extend_from_slice(&other[from..]);
        }
        8 | 9 => change_number(random, input),
        10 | 11 => change_lines(random, input, other),
        12 => {
            let at = range(random, input);
            input.splice(at, word(random, target).bytes());
        }
        _ => {
            let at = place(random, input);
            input.splice(at..at, word(random, target).bytes());
        }
    }
}

fn place(random: &mut Rng, input: &[u8]) -> usize {
    random.usize(..=input.len())
}

/// Short ones more often than long ones.
fn range(random: &mut Rng, input: &[u8]) -> std::ops::Range<usize> {
    let start = place(random, input);
    let left = input.len() - start;
    let most = if random.bool() { left.min(8) } else { left };
    start..start + random.usize(..=most)
}

/// A number of the text becomes another, often one beside it.
fn change_number(random: &mut Rng, input: &mut Vec<u8>) {
    let digits: Vec<usize> = (0..input.len()).filter(|at| input[*at].is_ascii_digit()).collect();
    if digits.is_empty() {
        return;
    }
    let at = digits[random.usize(..digits.len())];
    let start =
        input[..at].iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |before| before + 1);
    let end = input[at..].iter().position(|b| !b.is_ascii_digit()).map_or(input.len(), |n| at + n);
    let number = std::str::from_utf8(&input[start..end]).ok().and_then(|n| n.parse::<u64>().ok());
    let other = match (number, random.u8(..4)) {
        (Some(number), 0) => number.wrapping_add(1).to_string(),
        (Some(number), 1) => number.wrapping_sub(1).to_string(),
        (Some(_), 2) => random.u8(..12).to_string(),
        _ => NUMBERS[random.usize(..NUMBERS.len())].to_owned(),
    };
    input.splice(start..end, other.into_bytes());
}

/// A line goes, comes twice, changes places, or comes from another input.
fn change_lines(random: &mut Rng, input: &mut Vec<u8>, other: &[u8]) {
    let mut lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let theirs: Vec<&[u8]> = other.split(|byte| *byte == b'\n').collect();
    let at = random.usize(..lines.len());
    match random.u8(..4) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(random.usize(..=lines.len()), lines[at]),
        2 => {
            let with = random.usize(..lines.len());
            lines.swap(at, with);
        }
        _ => lines.insert(at, theirs[random.usize(..theirs.len())]),
    }
    *input = lines.join(&b'\n');
}
