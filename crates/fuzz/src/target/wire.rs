//! The protocol's input: lines, envelopes, parameters.

use super::{Came, Target, assert_one_line};
use serde_json::Value;
use std::io::Read;
use told_cli::edge::{self, Heard};

pub(super) const TARGET: Target = Target {
    name: "wire",
    holds: "lines come as they stand however they arrive, each is answered under its own id in one line of \
            JSON, a refusal is one sentence, and a call that was read is read again alike",
    words: &[
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"",
        "session/sync",
        "session/open",
        "session/settle",
        "session/adopt",
        "session/holds",
        "session/fork",
        "session/revert",
        "session/log",
        "context/set",
        "location/provide",
        "location/explain",
        "initialize",
        "\",\"params\":{",
        "}}\n",
        "\"session\":\"a/b\"",
        "\"position\":1",
        "\"directory\":\"/repo\"",
        "\"paths\":[{\"path\":\"a\",\"kind\":\"file\"}]",
        "\"held\":[1,2]",
        "\"revisions\":[1]",
        "\"sources\":[{\"path\":\"a\"}]",
        "\"since\":0",
        "\"mark\":true",
        "\"files\":[{\"path\":\"a\",\"content\":\"b\"}]",
        "\"value\":{\"a\":[1e9]}",
        "\"key\":\"k\"",
        "null",
        "true",
        "[]",
        "{}",
        "-1",
        "1.5",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\\n",
        "\r\n",
        "\n",
        ",",
        ":",
        "\u{1b}",
        "\u{202e}",
        "\u{feff}",
        "\u{2028}",
        "\"id\":null",
        "\"id\":\"x\"",
        "\"tool\":\"read\"",
        "\"ok\":true",
        "\"input\":{\"command\":\"cat a\"}",
        "\"trust\":\"untrusted\"",
        "\"config\":{}",
    ],
    bytes_max: 2048,
    check,
};

/// The longest line here.
const LINE_MAX: usize = 512;

fn check(input: &[u8]) -> Came {
    let lines = lines(input);
    let (mut calls, mut refusals, mut what) = (0_u32, 0_u32, String::new());
    for line in lines.iter().flatten() {
        match edge::heard(line) {
            Heard::Call(call, answer) => {
                calls += 1;
                what = call.split(['(', '{', '"']).take(2).collect();
                check_answer(line, answer.as_deref());
                let json: Value = serde_json::from_slice(line).expect("a call is JSON");
                let again = edge::heard(json.to_string().as_bytes());
                assert!(
                    matches!(&again, Heard::Call(same, _) if *same == call),
                    "{call} again: {again:?}"
                );
            }
            Heard::Refused(answer) => {
                refusals += 1;
                what = answer.as_deref().map(why).unwrap_or_default();
                check_answer(line, answer.as_deref());
            }
        }
    }
    if calls > 0 {
        Came::accepted((what, calls.min(3)))
    } else {
        Came::refused((what, refusals.min(3)))
    }
}

/// The lines as they come in small pieces, held against a plain splitting.
fn lines(input: &[u8]) -> Vec<Option<Vec<u8>>> {
    let read = edge::lines(Pieces(input), LINE_MAX).expect("no read fails");
    let blank = |line: &&[u8]| !line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    let naive = input.split(|byte| *byte == b'\n');
    // What is too long is no blank line, whatever it holds.
    let naive = naive.filter(|line| line.len() > LINE_MAX || blank(line));
    let naive: Vec<_> = naive.map(|line| (line.len() <= LINE_MAX).then(|| line.to_vec())).collect();
    assert_eq!(read, naive);
    read
}

/// Gives one to seven bytes at a time, as the bytes themselves have it.
struct Pieces<'a>(&'a [u8]);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some(first) = self.0.first() else { return Ok(0) };
        let count = usize::from(first % 7 + 1).min(self.0.len()).min(buffer.len());
        let (now, later) = self.0.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.0 = later;
        Ok(count)
    }
}

fn check_answer(line: &[u8], answer: Option<&[u8]>) {
    let Some(answer) = answer else { return };
    let text = std::str::from_utf8(answer).expect("UTF-8");
    assert!(text.ends_with('\n') && text.matches('\n').count() == 1, "one line: {text:?}");
    let answer: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(answer["jsonrpc"], "2.0");
    if !answer["id"].is_null() {
        let asked: Value = serde_json::from_slice(line).expect("it has an id");
        assert_eq!(answer["id"], asked["id"]);
    }
    if let Some(message) = answer["error"]["message"].as_str() {
        assert_one_line(message);
        assert!(message.chars().count() <= 1_001 && !message.is_empty());
    } else {
        assert_eq!(answer["result"], true);
    }
}

fn why(answer: &[u8]) -> String {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    let said = answer["error"]["message"].as_str().unwrap_or_default();
    let plain: String = said.split('`').step_by(2).collect();
    plain.chars().filter(char::is_ascii_alphabetic).take(80).collect()
}
