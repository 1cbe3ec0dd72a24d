//! A session's life on the protocol: settlements, windows, holds, adoptions, forks, reverts, moves.

use super::{
    call::{Call, SessionCall},
    error::RpcError,
    host::give,
    message::Answer,
    params::{Param, Params, plain},
};
use crate::answer::{self, Claim, Claimed, GivenUrl};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use std::path::PathBuf;
use told::{
    Outcome, ReadKind, ResourceOrigin, Session, SettledPath, ToolSettlement,
    domain::{
        hash::ContentHash,
        position::{Position, Revision},
    },
};

/// What befalls a session between two boundaries.
#[derive(Debug)]
pub(super) enum LifeCall {
    Settle(ToolSettlement),
    Window(Position),
    Holds(Vec<Revision>),
    Adopt(Vec<Claim>, Option<Position>),
    Revert(Position),
    Move(PathBuf),
}

type Read = Result<Call, RpcError>;

fn of(params: &Params<'_>, call: LifeCall) -> Read {
    Ok(Call::OfSession(params.required("session")?, SessionCall::Life(call)))
}

pub(super) fn settle(method: &'static str, raw: Option<&RawValue>) -> Read {
    let known = &["session", "tool", "position", "agent", "paths", "input", "output", "ok"];
    let params = Params::open(method, raw, known)?;
    let Settlements(resources) = params.required("paths")?;
    let settlement = ToolSettlement {
        agent: params.optional::<String>("agent")?.map(Into::into),
        tool: params.required::<String>("tool")?.into(),
        input: params.optional("input")?.unwrap_or(Value::Null),
        output: params.optional("output")?.unwrap_or(Value::Null),
        resources,
        outcome: match params.optional("ok")? {
            Some(true) | None => Outcome::Succeeded,
            Some(false) => Outcome::Failed,
        },
        position: params.optional("position")?,
    };
    of(&params, LifeCall::Settle(settlement))
}

pub(super) fn window(method: &'static str, raw: Option<&RawValue>) -> Read {
    let params = Params::open(method, raw, &["session", "from"])?;
    of(&params, LifeCall::Window(params.required("from")?))
}

pub(super) fn holds(method: &'static str, raw: Option<&RawValue>) -> Read {
    let params = Params::open(method, raw, &["session", "revisions"])?;
    of(&params, LifeCall::Holds(params.required("revisions")?))
}

pub(super) fn adopt(method: &'static str, raw: Option<&RawValue>) -> Read {
    let params = Params::open(method, raw, &["session", "sources", "position"])?;
    let Claims(claims) = params.required("sources")?;
    of(&params, LifeCall::Adopt(claims, params.optional("position")?))
}

pub(super) fn fork(method: &'static str, raw: Option<&RawValue>) -> Read {
    let params = Params::open(method, raw, &["session", "child", "position"])?;
    Ok(Call::Fork {
        parent: params.required("session")?,
        child: params.required("child")?,
        position: params.optional("position")?,
    })
}

pub(super) fn revert(method: &'static str, raw: Option<&RawValue>) -> Read {
    let params = Params::open(method, raw, &["session", "position"])?;
    of(&params, LifeCall::Revert(params.required("position")?))
}

pub(super) fn move_to(method: &'static str, raw: Option<&RawValue>) -> Read {
    let params = Params::open(method, raw, &["session", "directory"])?;
    of(&params, LifeCall::Move(params.required("directory")?))
}

/// Does what is asked of a session.
pub(super) async fn done(session: &Session, call: LifeCall) -> Answer {
    match call {
        LifeCall::Settle(settlement) => give(answer::settled(&session.settle(&settlement).await?)),
        LifeCall::Window(from) => revision(session.window(from).await?),
        LifeCall::Holds(revisions) => give(answer::held(&session.holds(&revisions).await?)),
        LifeCall::Adopt(claims, position) => give(answer::adopt(session, claims, position).await?),
        LifeCall::Revert(position) => revision(session.revert(position).await?),
        LifeCall::Move(directory) => {
            let (revision, location) = session.move_to(&directory).await?;
            give(answer::moved(revision, &location))
        }
    }
}

fn revision(revision: Revision) -> Answer {
    give(json!({ "revision": revision }))
}

/// What a settled call read.
struct Settlements(Vec<SettledPath>);

impl Param for Settlements {
    fn read(raw: &RawValue) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Given {
            path: PathBuf,
            kind: Kind,
            origin: Option<Origin>,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Kind {
            File,
            Directory,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Origin {
            Local,
            Managed,
            External,
        }
        let given: Vec<Given> = plain(
            raw,
            "a list of {path, kind: \"file\" or \"directory\", origin?: \"local\", \"managed\" or \
             \"external\"}",
        )?;
        let settled = given.into_iter().map(|given| SettledPath {
            path: given.path,
            kind: match given.kind {
                Kind::File => ReadKind::File,
                Kind::Directory => ReadKind::Directory,
            },
            origin: match given.origin {
                Some(Origin::Local) | None => ResourceOrigin::Local,
                Some(Origin::Managed) => ResourceOrigin::Managed,
                Some(Origin::External) => ResourceOrigin::External,
            },
        });
        Ok(Self(settled.collect()))
    }
}

/// What a host says it told by another channel.
struct Claims(Vec<Claim>);

impl Param for Claims {
    fn read(raw: &RawValue) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Given {
            path: Option<PathBuf>,
            url: Option<String>,
            sha256: Option<ContentHash>,
        }
        const MUST: &str = "a list of {path, sha256?} and {url, sha256?}, where a hash is of 64 \
                            lower-case hex digits";
        let given: Vec<Given> = plain(raw, MUST)?;
        let claims = given.into_iter().map(|given| {
            let source = match (given.path, given.url) {
                (Some(path), None) => Claimed::Path(path),
                (None, Some(url)) => Claimed::Url(GivenUrl(url)),
                (Some(_), Some(_)) | (None, None) => return Err(format!("must be {MUST}")),
            };
            Ok(Claim { source, sha256: given.sha256 })
        });
        claims.collect::<Result<_, _>>().map(Self)
    }
}
