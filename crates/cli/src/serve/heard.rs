//! What the server makes of strangers' bytes before it does anything.

use super::{
    call::Call,
    line::{Line, read_lines},
    message::{self, Request},
};
use serde_json::value::RawValue;
use std::io::{self, Read};

/// What a line came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A call that can be made, as a debugger shows it; the line that would answer it with `true`, where
    /// it asks for an answer.
    Call(String, Option<Vec<u8>>),
    /// It is refused; the line that says why, where it asks for an answer.
    Refused(Option<Vec<u8>>),
}

/// The lines of `input`; nothing for one over `max` bytes.
pub(crate) fn lines(input: impl Read, max: usize) -> io::Result<Vec<Option<Vec<u8>>>> {
    let mut lines = Vec::new();
    read_lines(input, max, |line| {
        lines.push(match line {
            Line::Whole(line) => Some(line),
            Line::TooLong => None,
        });
        true
    })?;
    Ok(lines)
}

/// Opens a line and reads its parameters.
pub(crate) fn heard(line: &[u8]) -> Heard {
    let request = match Request::open(line) {
        Ok(request) => request,
        Err((id, error)) => return Heard::Refused(Some(message::line(&id, &Err(error)))),
    };
    let answer = |answer| request.id.as_ref().map(|id| message::line(id, &answer));
    match Call::read(&request) {
        Ok(call) => Heard::Call(format!("{call:?}"), answer(Ok(RawValue::TRUE.to_owned()))),
        Err(error) => Heard::Refused(answer(Err(error))),
    }
}
