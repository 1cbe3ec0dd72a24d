//! What went wrong, in the protocol's numbers and words.

use serde::Serialize;
use serde_json::{Map, Value, json};
use told::{
    Error,
    domain::{path::on_one_line, reason::Retry},
    ports::{ProvideError, StoreError},
};

/// An error as a host gets it: a number, one sentence, and data.
#[derive(Debug, Serialize)]
pub(super) struct RpcError {
    pub(super) code: i32,
    message: String,
    data: Map<String, Value>,
}

pub(super) const PARSE: i32 = -32700;
pub(super) const INVALID_REQUEST: i32 = -32600;
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
pub(super) const INVALID_PARAMS: i32 = -32602;
pub(super) const INTERNAL: i32 = -32603;
const UNSUPPORTED_PROTOCOL: i32 = -32011;

/// A message is for a person: what a host sent is shown up to so many characters.
const MESSAGE_MAX: usize = 1_000;

impl RpcError {
    fn new(code: i32, kind: &str, retry: Retry, message: &str) -> Self {
        let line = on_one_line(message);
        let message = match line.char_indices().nth(MESSAGE_MAX) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        };
        let mut data = Map::new();
        data.insert("kind".to_owned(), kind.into());
        data.insert("retry".to_owned(), retry.as_str().into());
        Self { code, message, data }
    }

    fn with(mut self, name: &str, value: impl Serialize) -> Self {
        // What is told here are names and numbers: they serialize.
        self.data.insert(name.to_owned(), json!(value));
        self
    }

    /// Whether what this process remembers of the session may be why.
    pub(super) fn doubts_what_is_known(&self) -> bool {
        let doubtful = ["unknown_session", "store_damaged", "internal_error"];
        doubtful.into_iter().any(|kind| self.code == code(kind))
    }

    /// The line is no JSON.
    pub(super) fn parse(message: &str) -> Self {
        Self::new(PARSE, "parse_error", Retry::No, message)
    }

    /// The line is JSON, and no request.
    pub(super) fn invalid_request(message: &str) -> Self {
        Self::new(INVALID_REQUEST, "invalid_request", Retry::No, message)
    }

    pub(super) fn method_not_found(method: &str) -> Self {
        let message = format!("there is no method `{method}`: `initialize` lists those there are");
        Self::new(METHOD_NOT_FOUND, "method_not_found", Retry::No, &message)
    }

    /// `params` names those that are wrong.
    pub(super) fn invalid_params(params: &[&str], message: &str) -> Self {
        Self::new(INVALID_PARAMS, "invalid_params", Retry::No, message).with("params", params)
    }

    pub(super) fn unsupported_protocol(supported: &[u64]) -> Self {
        let message = "this server speaks none of the protocols asked for: offer one it supports";
        Self::new(UNSUPPORTED_PROTOCOL, "unsupported_protocol", Retry::No, message)
            .with("supported", supported)
    }

    /// told failed where it must not.
    pub(super) fn internal() -> Self {
        let message = "told failed inside; the server's log says where: send the request again";
        Self::new(INTERNAL, "internal_error", Retry::Now, message)
    }
}

impl From<Error> for RpcError {
    fn from(error: Error) -> Self {
        let (kind, retry, message) = (error.kind(), error.retry(), error.to_string());
        if let Error::UnknownRevision { last, .. } = error {
            return Self::invalid_params(&["revision"], &message).with("last", last);
        }
        if let Error::Provide(ProvideError::Path { .. }) = error {
            return Self::invalid_params(&["files"], &message);
        }
        if let Error::UnknownSkill { .. } = error {
            return Self::invalid_params(&["name"], &message);
        }
        if let Error::SkillNotLoaded { reason, .. } = error {
            return Self::new(INVALID_PARAMS, "invalid_params", retry, &message)
                .with("params", ["name"])
                .with("reason", reason);
        }
        let base = Self::new(code(kind), kind, retry, &message);
        match error {
            Error::Blocked(sources) => base.with("sources", sources),
            Error::PositionRegressed { position, anchored } => {
                base.with("position", position).with("anchored", anchored)
            }
            Error::Damaged { session, record, .. }
            | Error::Store(StoreError::DamagedLog { session, record, .. }) => {
                base.with("session", session).with("record", record)
            }
            Error::ValueTooLarge { limit, bytes } => base.with("limit", limit).with("bytes", bytes),
            Error::Provide(ProvideError::Bytes { limit, bytes }) => {
                base.with("limit", limit).with("bytes", bytes)
            }
            Error::Provide(ProvideError::Files { limit, files }) => {
                base.with("limit", limit).with("files", files)
            }
            _ => base,
        }
    }
}

fn code(kind: &str) -> i32 {
    match kind {
        "blocked" => -32001,
        "unknown_session" => -32002,
        "session_exists" => -32003,
        "position_regressed" => -32004,
        "location_changed" => -32005,
        "store_unavailable" => -32006,
        "store_damaged" => -32007,
        "value_too_large" => -32008,
        "unknown_directory" => -32009,
        "unsupported" => -32010,
        _ => INTERNAL,
    }
}
