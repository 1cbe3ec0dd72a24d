//! What can be asked, and the reading of its parameters.

use super::{
    error::RpcError,
    life::{self, LifeCall},
    message::Request,
    params::{Client, Count, Params},
    provide,
    watch::{self, WatchCall},
};
use serde_json::{Value, value::RawValue};
use std::path::PathBuf;
use told::{
    SyncRequest, ValueScope,
    domain::{
        command::OnUnavailable,
        key::ApiKey,
        position::{Position, Revision},
        render::{Blocks, HostValue, Marks},
        session::{Prior, SessionId, Trust},
    },
    ports::Provision,
};

/// One call, its parameters read.
#[derive(Debug)]
pub(super) enum Call {
    /// About the server itself; nothing runs beside it.
    Initialize(Initialize),
    /// About one session; those of one take turns.
    OfSession(SessionId, SessionCall),
    /// About two sessions, and takes its turn with the calls of both.
    Fork { parent: SessionId, child: SessionId, position: Option<Position> },
    /// About the files of one Location; those of one directory take turns.
    Provide { directory: PathBuf, files: Vec<Provision> },
    /// About no session; runs beside all others.
    Beside(BesideCall),
}

/// `initialize`.
#[derive(Debug)]
pub(super) struct Initialize {
    pub(super) client: Option<Client>,
    pub(super) protocols: Option<Vec<u64>>,
    pub(super) config: Option<Value>,
}

#[derive(Debug)]
pub(super) enum SessionCall {
    Open { directory: PathBuf, position: Option<Position>, prior: Prior, trust: Trust },
    Sync(SyncRequest),
    Preview(SyncRequest),
    Compact(Option<Position>),
    Rebase(Option<String>),
    Delete,
    Show(Option<Revision>),
    Log { after: Revision, limit: Option<usize> },
    Sources { look: bool },
    Set(ApiKey, HostValue),
    Unset(ApiKey),
    Life(LifeCall),
}

#[derive(Debug)]
pub(super) enum BesideCall {
    List(Option<PathBuf>),
    Set(PathBuf, ApiKey, HostValue),
    Unset(PathBuf, ApiKey),
    Preview { directory: PathBuf, paths: Vec<PathBuf> },
    Explain { directory: PathBuf, path: PathBuf },
    Watch(WatchCall),
    Skills(PathBuf),
    Skill { directory: PathBuf, name: String },
}

type Read = fn(&'static str, Option<&RawValue>) -> Result<Call, RpcError>;

/// Every method there is, in the protocol's order.
const METHODS: &[(&str, Read)] = &[
    ("initialize", initialize),
    ("session/open", open),
    ("session/sync", |method, raw| {
        sync(method, raw).map(|(session, sync)| of(session, SessionCall::Sync(sync)))
    }),
    ("session/preview", |method, raw| {
        sync(method, raw).map(|(session, sync)| of(session, SessionCall::Preview(sync)))
    }),
    ("session/settle", life::settle),
    ("session/compact", compact),
    ("session/rebase", rebase),
    ("session/window", life::window),
    ("session/holds", life::holds),
    ("session/adopt", life::adopt),
    ("session/fork", life::fork),
    ("session/revert", life::revert),
    ("session/move", life::move_to),
    ("session/delete", delete),
    ("session/list", list),
    ("session/show", show),
    ("session/log", log),
    ("session/sources", sources),
    ("context/set", set),
    ("context/unset", unset),
    ("location/preview", preview),
    ("location/explain", explain),
    ("location/mutated", watch::mutated),
    ("location/provide", provide::read),
    ("location/status", watch::status),
    ("location/close", watch::close),
    ("skill/list", skill_list),
    ("skill/load", skill_load),
];

/// The methods' names.
pub(super) fn methods() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|(name, _)| *name)
}

impl Call {
    pub(super) fn read(request: &Request<'_>) -> Result<Self, RpcError> {
        match METHODS.iter().find(|(name, _)| *name == request.method) {
            Some((name, read)) => read(name, request.params),
            None => Err(RpcError::method_not_found(&request.method)),
        }
    }
}

const fn of(session: SessionId, call: SessionCall) -> Call {
    Call::OfSession(session, call)
}

fn initialize(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["client", "protocols", "config"])?;
    Ok(Call::Initialize(Initialize {
        client: params.optional("client")?,
        protocols: params.optional("protocols")?,
        config: params.optional("config")?,
    }))
}

fn open(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let known = &["session", "directory", "position", "prior", "trust"];
    let params = Params::open(method, raw, known)?;
    let open = SessionCall::Open {
        directory: params.required("directory")?,
        position: params.optional("position")?,
        prior: params.optional("prior")?.unwrap_or_default(),
        trust: params.optional("trust")?.unwrap_or_default(),
    };
    Ok(of(params.required("session")?, open))
}

fn sync(
    method: &'static str,
    raw: Option<&RawValue>,
) -> Result<(SessionId, SyncRequest), RpcError> {
    let known = &["session", "position", "since", "on_unavailable", "mark", "blocks"];
    let params = Params::open(method, raw, known)?;
    let on_unavailable = match params.optional::<String>("on_unavailable")?.as_deref() {
        None | Some("block") => OnUnavailable::Block,
        Some("proceed") => OnUnavailable::Proceed,
        Some(_) => {
            let message = "`on_unavailable` must be \"block\" or \"proceed\"";
            return Err(RpcError::invalid_params(&["on_unavailable"], message));
        }
    };
    let request = SyncRequest {
        position: params.optional("position")?,
        since: params.optional("since")?,
        on_unavailable,
        blocks: match params.optional("blocks")? {
            Some(true) => Blocks::Apart,
            Some(false) | None => Blocks::Joined,
        },
        marks: match params.optional("mark")? {
            Some(true) => Marks::Shown,
            Some(false) | None => Marks::None,
        },
    };
    Ok((params.required("session")?, request))
}

fn compact(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["session", "position"])?;
    let position = params.optional("position")?;
    Ok(of(params.required("session")?, SessionCall::Compact(position)))
}

fn rebase(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["session", "reason"])?;
    let reason = params.optional("reason")?;
    Ok(of(params.required("session")?, SessionCall::Rebase(reason)))
}

fn delete(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["session"])?;
    Ok(of(params.required("session")?, SessionCall::Delete))
}

fn list(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["directory"])?;
    Ok(Call::Beside(BesideCall::List(params.optional("directory")?)))
}

fn show(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["session", "revision"])?;
    let revision = params.optional("revision")?;
    Ok(of(params.required("session")?, SessionCall::Show(revision)))
}

fn log(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["session", "after", "limit"])?;
    let log = SessionCall::Log {
        after: params.optional("after")?.unwrap_or(Revision::NONE),
        limit: params.optional("limit")?.map(|Count(limit)| limit),
    };
    Ok(of(params.required("session")?, log))
}

fn sources(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["session", "look"])?;
    let look = params.optional("look")?.unwrap_or(false);
    Ok(of(params.required("session")?, SessionCall::Sources { look }))
}

fn set(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["key", "value", "title", "session", "directory"])?;
    let key = params.required("key")?;
    let value = HostValue { title: params.optional("title")?, value: params.required("value")? };
    Ok(match scope(&params)? {
        ValueScope::Session(session) => of(session, SessionCall::Set(key, value)),
        ValueScope::Directory(directory) => Call::Beside(BesideCall::Set(directory, key, value)),
    })
}

fn unset(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["key", "session", "directory"])?;
    let key = params.required("key")?;
    Ok(match scope(&params)? {
        ValueScope::Session(session) => of(session, SessionCall::Unset(key)),
        ValueScope::Directory(directory) => Call::Beside(BesideCall::Unset(directory, key)),
    })
}

fn scope(params: &Params<'_>) -> Result<ValueScope, RpcError> {
    match (params.has("session"), params.has("directory")) {
        (true, false) => params.required("session").map(ValueScope::Session),
        (false, true) => params.required("directory").map(ValueScope::Directory),
        (true, true) | (false, false) => {
            let message = "give exactly one of `session` and `directory`";
            Err(RpcError::invalid_params(&["session", "directory"], message))
        }
    }
}

fn preview(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["directory", "paths"])?;
    let paths = params.optional("paths")?.unwrap_or_default();
    Ok(Call::Beside(BesideCall::Preview { directory: params.required("directory")?, paths }))
}

fn explain(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["directory", "path"])?;
    let (directory, path) = (params.required("directory")?, params.required("path")?);
    Ok(Call::Beside(BesideCall::Explain { directory, path }))
}

fn skill_list(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["directory"])?;
    Ok(Call::Beside(BesideCall::Skills(params.required("directory")?)))
}

fn skill_load(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["directory", "name"])?;
    let (directory, name) = (params.required("directory")?, params.required("name")?);
    Ok(Call::Beside(BesideCall::Skill { directory, name }))
}
