//! Lines off a stream, in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

/// The longest line, without its end.
pub(super) const LINE_MAX: usize = 8 * 1024 * 1024;
const CHUNK: usize = 64 * 1024;

/// One line of the input that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Its bytes, without the line feed.
    Whole(Vec<u8>),
    /// It was longer than can be, and is gone.
    TooLong,
}

/// Reads to the end of the input, or until `take` wants no more. No line is longer than `max`.
pub(crate) fn read_lines(
    input: impl Read,
    max: usize,
    mut take: impl FnMut(Line) -> bool,
) -> io::Result<()> {
    let mut input = BufReader::with_capacity(CHUNK, input);
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let (used, ended) = match input.fill_buf() {
            Ok([]) => break,
            Ok(chunk) => {
                let end = chunk.iter().position(|byte| *byte == b'\n');
                let part = &chunk[..end.unwrap_or(chunk.len())];
                too_long |= line.len() + part.len() > max;
                if too_long {
                    line = Vec::new();
                } else {
                    line.extend_from_slice(part);
                }
                (part.len() + usize::from(end.is_some()), end.is_some())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        input.consume(used);
        if ended
            && let Some(line) = whole(std::mem::take(&mut line), std::mem::take(&mut too_long))
            && !take(line)
        {
            return Ok(());
        }
    }
    // The last line may have no end.
    if let Some(line) = whole(line, too_long) {
        take(line);
    }
    Ok(())
}

fn whole(line: Vec<u8>, too_long: bool) -> Option<Line> {
    if too_long {
        Some(Line::TooLong)
    } else if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
        None
    } else {
        Some(Line::Whole(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: impl Read) -> Vec<Line> {
        let mut lines = Vec::new();
        read_lines(input, LINE_MAX, |line| {
            lines.push(line);
            true
        })
        .unwrap();
        lines
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.into())
    }

    #[test]
    fn blank_lines_are_ignored_and_the_last_needs_no_end() {
        let read = lines(&b"\n \t\r\n{}\r\n\n{\"a\"\n:1}"[..]);
        assert_eq!(read, [whole("{}\r"), whole("{\"a\""), whole(":1}")]);
        assert_eq!(lines(&b""[..]), []);
    }

    #[test]
    fn a_line_at_the_limit_is_read_and_one_over_it_is_not() {
        let most = "x".repeat(LINE_MAX);
        let input = format!("{most}\n{most}y\n{{}}\n{most}yy");
        let read = lines(input.as_bytes());
        assert_eq!(read, [whole(&most), Line::TooLong, whole("{}"), Line::TooLong]);
    }

    #[test]
    fn a_line_without_end_costs_no_memory() {
        // 64 MiB of one line: read, never kept.
        let endless = io::repeat(b'x').take(1 << 26);
        assert_eq!(lines(endless.chain(&b"\n1\n"[..])), [Line::TooLong, whole("1")]);
    }
}
