//! What a host says and asks of the files that are watched.

use super::{
    call::{BesideCall, Call},
    error::RpcError,
    host::give,
    message::Answer,
    params::Params,
};
use serde::Serialize;
use serde_json::{json, value::RawValue};
use std::path::PathBuf;
use told::{Engine, RootStatus, WatchStatus};

/// A call about what is watched in one Location.
#[derive(Debug)]
pub(super) enum WatchCall {
    Mutated { directory: PathBuf, paths: Vec<PathBuf> },
    Status(PathBuf),
    Close(PathBuf),
}

pub(super) fn mutated(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["directory", "paths"])?;
    let (directory, paths) = (params.required("directory")?, params.required("paths")?);
    Ok(Call::Beside(BesideCall::Watch(WatchCall::Mutated { directory, paths })))
}

pub(super) fn status(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["directory"])?;
    Ok(Call::Beside(BesideCall::Watch(WatchCall::Status(params.required("directory")?))))
}

pub(super) fn close(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["directory"])?;
    Ok(Call::Beside(BesideCall::Watch(WatchCall::Close(params.required("directory")?))))
}

pub(super) async fn done(engine: &Engine, call: WatchCall) -> Answer {
    match call {
        WatchCall::Mutated { directory, paths } => {
            let invalidated = engine.mutated(&directory, &paths).await?;
            give(json!({ "invalidated": invalidated }))
        }
        WatchCall::Status(directory) => give(shown(&engine.watch_status(&directory).await?)),
        WatchCall::Close(directory) => {
            engine.close_location(&directory).await?;
            give(json!({}))
        }
    }
}

fn shown(status: &WatchStatus) -> impl Serialize {
    let root = |RootStatus { root, coverage }: &RootStatus| match coverage.reason() {
        None => json!({ "root": root, "coverage": "covered" }),
        Some(reason) => json!({ "root": root, "coverage": "direct", "reason": reason }),
    };
    let roots: Vec<_> = status.roots.iter().map(root).collect();
    let caches = &status.caches;
    json!({
        "roots": roots,
        "caches": { "fresh": caches.fresh, "stale": caches.stale, "empty": caches.empty },
    })
}
