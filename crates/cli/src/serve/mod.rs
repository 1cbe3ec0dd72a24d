//! `told serve`: the protocol on two streams, JSON-RPC 2.0, one object a line.
//!
//! The way of a line: `line` cuts it off the input, on a thread of its own; `message` opens the
//! envelope; `call` reads the parameters; `gate` bounds what is in flight; `lanes` keeps one
//! session's calls in order; `host` does what is asked, `life` the rarer things; `outbox` writes the answer, on another
//! thread. Each step is bounded, and waits for the next one: a host that does not read its answers
//! stops the reading of its requests, and costs no memory.

mod call;
mod error;
mod gate;
mod heard;
mod host;
mod lanes;
mod life;
mod line;
mod message;
mod outbox;
mod params;
mod provide;
mod run;
mod server;
#[cfg(test)]
mod tests;
mod watch;

pub use heard::Heard;
pub(crate) use heard::{heard, lines};
pub(crate) use run::run;
use server::{ServeError, serve};
