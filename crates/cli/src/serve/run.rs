//! The server as a process: its configuration, its log, its threads.

use super::{ServeError, serve};
use crate::failure::Failure;
use told::{
    configuration::{Chosen, Loaded, Surroundings},
    connect,
};
use tracing_subscriber::EnvFilter;

/// Threads that answer; what waits for the disk has threads of its own.
const THREADS: usize = 4;

/// Serves on standard input and output until the input ends. Logs to standard error what
/// `RUST_LOG` asks for, `info` by default: never what a source or a request holds.
///
/// # Errors
/// [`Failure`] where the server does not begin, or ends before its input does.
pub(crate) fn run(chosen: &Chosen, surroundings: &Surroundings) -> Result<(), Failure> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_env_filter(filter)
        .init();
    let loaded = Loaded::read(surroundings, chosen)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .map_err(|error| Failure::Refused(format!("no runtime starts: {error}")))?;
    let served =
        runtime.block_on(serve(loaded, Box::new(connect), std::io::stdin(), std::io::stdout()));
    // A look that hangs, as on a dead network disk, keeps no one waiting.
    runtime.shutdown_background();
    served.map_err(|error| match error {
        ServeError::Connect(error) => error.into(),
        other => Failure::Refused(other.to_string()),
    })
}
