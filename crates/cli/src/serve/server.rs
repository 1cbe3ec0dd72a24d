//! The server: from lines to calls, and from answers to lines.

use super::{
    call::{BesideCall, Call, Initialize, SessionCall, methods},
    error::RpcError,
    gate::{Gate, Slot},
    host::Host,
    lanes::Lanes,
    line::{LINE_MAX, Line, read_lines},
    message::{self, Answer, Id, Request},
    outbox::{Broken, Outbox, STALL},
};
use serde_json::{json, value::to_raw_value};
use std::{
    io::{self, Read, Write},
    path::PathBuf,
    sync::Arc,
};
use tokio::{sync::mpsc, task::JoinHandle};
use told::{
    ConnectError, Engine,
    configuration::{Configuration, Loaded},
    domain::{path::on_one_line, position::Position, session::SessionId},
    ports::Provision,
};

/// The protocols that are spoken here.
const PROTOCOLS: &[u64] = &[1];
/// What can be asked beside the methods.
const FEATURES: &[&str] = &["blocks", "mark", "since"];

/// Wires an engine for a configuration.
pub(super) type Connect = Box<dyn Fn(&Configuration) -> Result<Engine, ConnectError> + Send + Sync>;

/// Why a server ended before its input did, or did not begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    /// The configuration cannot be used.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The system gives no thread.
    #[error("the server cannot start: {0}")]
    Start(#[source] io::Error),
    /// The input failed before its end.
    #[error("the requests cannot be read: {0}")]
    Input(#[source] io::Error),
    /// Nobody takes the answers.
    #[error("{0}")]
    Output(Broken),
}

/// Serves the protocol until the end of `input`, when all that was begun is answered; or until
/// nobody takes the answers. Before `initialize`, and without a `config` in it, `loaded` counts.
/// Needs a tokio runtime with time.
pub(crate) async fn serve(
    loaded: Loaded,
    connect: Connect,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), ServeError> {
    let engine = connect(loaded.configuration())?;
    let outbox = Outbox::start(output, STALL).map_err(ServeError::Start)?;
    let (lines, ended) = lines_of(input).map_err(ServeError::Start)?;
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "serving on standard input and output");
    let host = Host::new(engine, loaded.configuration()).await;
    let server = Server {
        loaded,
        connect,
        host: Arc::new(host),
        gate: Gate::new(),
        lanes: Lanes::default(),
        provisions: Lanes::default(),
        outbox,
        initialized: false,
    };
    server.run(lines, ended).await
}

/// Reads on a thread of its own: no read of standard input can be taken back.
fn lines_of(
    input: impl Read + Send + 'static,
) -> io::Result<(mpsc::Receiver<Line>, tokio::sync::oneshot::Receiver<io::Result<()>>)> {
    let (send, lines) = mpsc::channel(1);
    let (end, ended) = tokio::sync::oneshot::channel();
    std::thread::Builder::new().name("told-input".to_owned()).spawn(move || {
        let read = read_lines(input, LINE_MAX, |line| send.blocking_send(line).is_ok());
        // A server that ended first does not ask.
        end.send(read).ok();
    })?;
    Ok((lines, ended))
}

struct Server {
    loaded: Loaded,
    connect: Connect,
    host: Arc<Host>,
    gate: Gate,
    lanes: Lanes<SessionId>,
    /// What is provided for a directory, by the directory as the host names it.
    provisions: Lanes<PathBuf>,
    outbox: Outbox,
    initialized: bool,
}

impl Server {
    async fn run(
        mut self,
        mut lines: mpsc::Receiver<Line>,
        ended: tokio::sync::oneshot::Receiver<io::Result<()>>,
    ) -> Result<(), ServeError> {
        let outbox = self.outbox.clone();
        let broken = loop {
            tokio::select! {
                biased;
                broken = outbox.broken() => break Some(broken),
                line = lines.recv() => match line {
                    Some(line) => self.take(line).await,
                    None => break None,
                },
            }
        };
        drop(outbox);
        let Self { host, gate, outbox, .. } = self;
        drop(gate.close().await);
        tracing::info!("the input ended, and all that was begun is answered");
        // The store's thread ends with the last commit.
        tokio::task::spawn_blocking(move || drop(host)).await.ok();
        if let Some(broken) = broken {
            return Err(ServeError::Output(broken));
        }
        outbox.finish().await.map_err(ServeError::Output)?;
        ended.await.unwrap_or(Ok(())).map_err(ServeError::Input)
    }

    /// Begins what one line asks for. Waits where too much is in flight.
    async fn take(&mut self, line: Line) {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong => {
                let message = format!("a line has at most {LINE_MAX} bytes: send less at once");
                let answer = Err(RpcError::invalid_request(&message));
                return self.outbox.send(message::line(&Id::null(), &answer)).await;
            }
        };
        let (id, call) = match Request::open(&line) {
            Ok(request) => (request.id.clone(), Call::read(&request)),
            Err((id, error)) => {
                return self.outbox.send(message::line(&id, &Err(error))).await;
            }
        };
        match call {
            Err(error) => answer(&self.outbox, id, Err(error)).await,
            Ok(Call::Initialize(call)) => {
                let answered = self.initialize(call).await;
                answer(&self.outbox, id, answered).await;
            }
            Ok(Call::OfSession(session, call)) => {
                let slot = self.gate.enter(line.len()).await;
                self.of_session(id, session, call, slot);
            }
            Ok(Call::Fork { parent, child, position }) => {
                let slot = self.gate.enter(line.len()).await;
                self.fork(id, [parent, child], position, slot);
            }
            Ok(Call::Provide { directory, files }) => {
                let slot = self.gate.enter(line.len()).await;
                self.provide(id, directory, files, slot);
            }
            Ok(Call::Beside(call)) => {
                let slot = self.gate.enter(line.len()).await;
                self.beside(id, call, slot);
            }
        }
    }

    fn of_session(&self, id: Option<Id>, session: SessionId, call: SessionCall, slot: Slot) {
        let (host, outbox) = (self.host.clone(), self.outbox.clone());
        let named = session.clone();
        self.lanes.submit(
            &session,
            Box::pin(async move {
                let work = {
                    let (host, session) = (host.clone(), named.clone());
                    async move { host.of_session(&session, call).await }
                };
                let answered = guarded(tokio::spawn(work)).await.unwrap_or_else(|error| {
                    host.forget(&named);
                    Err(error)
                });
                drop(host);
                answer(&outbox, id, answered).await;
                drop(outbox);
                drop(slot);
            }),
        );
    }

    fn fork(
        &self,
        id: Option<Id>,
        [parent, child]: [SessionId; 2],
        position: Option<Position>,
        slot: Slot,
    ) {
        let (host, outbox) = (self.host.clone(), self.outbox.clone());
        let both = [parent.clone(), child.clone()];
        let job = async move {
            let work = {
                let (host, parent, child) = (host.clone(), parent.clone(), child.clone());
                async move { host.fork(&parent, &child, position).await }
            };
            let answered = guarded(tokio::spawn(work)).await.unwrap_or_else(|error| {
                host.forget(&parent);
                host.forget(&child);
                Err(error)
            });
            drop(host);
            answer(&outbox, id, answered).await;
            drop(outbox);
            drop(slot);
        };
        self.lanes.submit_to_both([&both[0], &both[1]], Box::pin(job));
    }

    fn provide(&self, id: Option<Id>, directory: PathBuf, files: Vec<Provision>, slot: Slot) {
        let (host, outbox) = (self.host.clone(), self.outbox.clone());
        let named = directory.clone();
        let job = async move {
            let work = async move { host.provide(&named, files).await };
            let answered = guarded(tokio::spawn(work)).await.unwrap_or_else(Err);
            answer(&outbox, id, answered).await;
            drop(outbox);
            drop(slot);
        };
        self.provisions.submit(&directory, Box::pin(job));
    }

    fn beside(&self, id: Option<Id>, call: BesideCall, slot: Slot) {
        let (host, outbox) = (self.host.clone(), self.outbox.clone());
        tokio::spawn(async move {
            let work = async move { host.beside(call).await };
            let answered = guarded(tokio::spawn(work)).await.unwrap_or_else(Err);
            answer(&outbox, id, answered).await;
            drop(outbox);
            drop(slot);
        });
    }

    /// Sets what counts for this process, once: a host that wants another configuration starts
    /// another server. Waits until all that was begun before is answered, and nothing runs beside
    /// it, so that no call sees two configurations.
    async fn initialize(&mut self, call: Initialize) -> Answer {
        if self.initialized {
            let message = "this server is initialized: start another one for another configuration";
            return Err(RpcError::invalid_request(message));
        }
        let spoken = |protocols: &[u64]| protocols.iter().any(|one| PROTOCOLS.contains(one));
        if call.protocols.is_some_and(|protocols| !spoken(&protocols)) {
            return Err(RpcError::unsupported_protocol(PROTOCOLS));
        }
        let closed = self.gate.close().await;
        if let Some(config) = call.config {
            self.reconfigure(&config).await?;
        }
        drop(closed);
        self.initialized = true;
        if let Some(client) = call.client {
            let (name, version) = (on_one_line(&client.name), on_one_line(&client.version));
            tracing::info!(name, version, "initialized");
        }
        let result = to_raw_value(&json!({
            "server": { "name": "told", "version": env!("CARGO_PKG_VERSION") },
            "protocol": PROTOCOLS[0],
            "methods": methods().collect::<Vec<_>>(),
            "features": FEATURES,
        }));
        result.map_err(|_| RpcError::internal())
    }

    async fn reconfigure(&mut self, config: &serde_json::Value) -> Result<(), RpcError> {
        let wrong = |error: &dyn std::error::Error| {
            RpcError::invalid_params(&["config"], &format!("`config`: {error}"))
        };
        let loaded = self.loaded.clone().overlaid(config).map_err(|error| wrong(&error))?;
        let mut engine = (self.connect)(loaded.configuration()).map_err(|error| wrong(&error))?;
        // What was provided counts as long as this server lives.
        if let Some(files) = self.host.provided_files() {
            engine = engine.providing(files);
        }
        let host = Host::new(engine, loaded.configuration()).await;
        let before = std::mem::replace(&mut self.host, Arc::new(host));
        // The store's thread ends with it.
        tokio::task::spawn_blocking(move || drop(before)).await.ok();
        self.loaded = loaded;
        Ok(())
    }
}

/// A notification is not answered.
async fn answer(outbox: &Outbox, id: Option<Id>, answered: Answer) {
    if let Err(error) = &answered {
        tracing::debug!(code = error.code, "a request is refused");
    }
    if let Some(id) = id {
        outbox.send(message::line(&id, &answered)).await;
    }
}

/// The answer of a task; one that panicked is told's own fault, and the server goes on.
pub(super) async fn guarded(task: JoinHandle<Answer>) -> Result<Answer, RpcError> {
    task.await.map_err(|error| {
        tracing::error!(panicked = error.is_panic(), "a request failed inside");
        RpcError::internal()
    })
}
