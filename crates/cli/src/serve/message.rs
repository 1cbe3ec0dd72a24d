//! The envelope of JSON-RPC 2.0: a request out of a line, a line out of an answer.

use super::error::RpcError;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{error::Category, value::RawValue};
use std::borrow::Cow;

/// A request, or a notification where it has no id.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) id: Option<Id>,
    pub(super) method: Cow<'a, str>,
    /// As sent; nothing where left out or null.
    pub(super) params: Option<&'a RawValue>,
}

/// A request's id, exactly as the host wrote it: a string, a number, or null.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Id(Box<RawValue>);

/// What a host gets back.
pub(super) type Answer = Result<Box<RawValue>, RpcError>;

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
}

/// Tells `null` from what is left out.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl Id {
    /// The id of an answer to what could not be read.
    pub(super) fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    fn of(raw: &RawValue) -> Option<Self> {
        let plain = matches!(raw.get().as_bytes(), [b'"' | b'-' | b'n' | b'0'..=b'9', ..]);
        plain.then(|| Self(raw.to_owned()))
    }
}

impl<'a> Request<'a> {
    /// Opens a line; where it is no request, gives the id to answer under as far as it is known.
    pub(super) fn open(line: &'a [u8]) -> Result<Self, (Id, RpcError)> {
        let nobody = |error| (Id::null(), error);
        let text = std::str::from_utf8(line)
            .map_err(|_| nobody(RpcError::parse("the line is no UTF-8: send JSON in UTF-8")))?;
        let raw: &RawValue = serde_json::from_str(text)
            .map_err(|error| nobody(RpcError::parse(&format!("the line is no JSON: {error}"))))?;
        let wrong = |id: &Option<Id>, why: &str| {
            (id.clone().unwrap_or_else(Id::null), RpcError::invalid_request(why))
        };
        match raw.get().as_bytes().first() {
            Some(b'{') => {}
            Some(b'[') => return Err(wrong(&None, "there are no batches: send one object a line")),
            _ => return Err(wrong(&None, "a request is a JSON object")),
        }
        let envelope: Envelope<'_> = serde_json::from_str(raw.get()).map_err(|error| {
            debug_assert_eq!(error.classify(), Category::Data);
            wrong(&None, &format!("the request cannot be read: {error}"))
        })?;
        let id = match envelope.id.map(Id::of) {
            None => None,
            Some(Some(id)) => Some(id),
            Some(None) => return Err(wrong(&None, "`id` must be a string, a number or null")),
        };
        if text_of(envelope.jsonrpc).as_deref() != Some("2.0") {
            return Err(wrong(&id, "`jsonrpc` must be \"2.0\""));
        }
        let Some(method) = text_of(envelope.method) else {
            return Err(wrong(&id, "`method` must be the name of a method"));
        };
        let params = envelope.params.filter(|params| params.get() != "null");
        Ok(Self { id, method, params })
    }
}

fn text_of(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    serde_json::from_str::<Text<'_>>(raw?.get()).ok().map(|Text(text)| text)
}

/// The line that answers `id`.
pub(super) fn line(id: &Id, answer: &Answer) -> Vec<u8> {
    #[derive(Serialize)]
    struct Response<'a> {
        jsonrpc: &'static str,
        id: &'a Id,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<&'a RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a RpcError>,
    }
    let (result, error) = match answer {
        Ok(result) => (Some(&**result), None),
        Err(error) => (None, Some(error)),
    };
    let response = Response { jsonrpc: "2.0", id, result, error };
    // Strings, numbers and raw JSON always serialize.
    let mut line = serde_json::to_vec(&response).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(line: &str) -> String {
        let id = Request::open(line.as_bytes()).unwrap().id.unwrap();
        String::from_utf8(super::line(&id, &Ok(RawValue::TRUE.to_owned()))).unwrap()
    }

    #[test]
    fn an_id_comes_back_exactly_as_it_was_sent() {
        for id in
            ["1", "-1", "1.50", "1e3", "123456789012345678901234567890", "null", r#""a\u0041ü""#]
        {
            let line = format!(r#"{{"jsonrpc":"2.0","id": {id} ,"method":"m"}}"#);
            let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":true}}\n");
            assert_eq!(id_of(&line), answer);
        }
    }

    #[test]
    fn what_is_no_request_says_why_under_the_id_that_is_known() {
        use super::super::error::{INVALID_REQUEST, PARSE};
        for (line, code, id) in [
            (&b"nonsense"[..], PARSE, "null"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"} {}", PARSE, "null"),
            (b"{\"id\":1", PARSE, "null"),
            (b"\xff{}", PARSE, "null"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", PARSE, "null"),
            (b"\xef\xbb\xbf{}", PARSE, "null"),
            (b"[]", INVALID_REQUEST, "null"),
            (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}]", INVALID_REQUEST, "null"),
            (b"1", INVALID_REQUEST, "null"),
            (b"{}", INVALID_REQUEST, "null"),
            (b"{\"id\":7,\"method\":\"m\"}", INVALID_REQUEST, "7"),
            (b"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"m\"}", INVALID_REQUEST, "7"),
            (b"{\"jsonrpc\":2.0,\"id\":7,\"method\":\"m\"}", INVALID_REQUEST, "7"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":\"x\"}", INVALID_REQUEST, "\"x\""),
            (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":3}", INVALID_REQUEST, "7"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}", INVALID_REQUEST, "7"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"m\"}", INVALID_REQUEST, "null"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"m\"}", INVALID_REQUEST, "null"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"m\"}", INVALID_REQUEST, "null"),
        ] {
            let (found, error) = Request::open(line).unwrap_err();
            let line = String::from_utf8_lossy(line);
            assert_eq!((found.0.get(), error.code), (id, code), "{line}");
        }
    }

    #[test]
    fn nesting_without_end_is_no_fault_of_the_envelope() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{deep}}}"#);
        assert!(Request::open(line.as_bytes()).is_ok());
    }
}
