//! `told compact` and `told rebase`: the next sync starts a new epoch.

use super::{Desk, Output, json, sentence};
use crate::{
    arguments::{Compact, Json, Rebase},
    failure::Failure,
};
use serde_json::json;
use told::domain::{position::Revision, session::SessionId};

pub(crate) async fn compact(desk: &Desk<'_>, asked: Compact) -> Result<Output, Failure> {
    let id = desk.session(&asked.named)?;
    let revision = desk.engine()?.session(&id).await?.compact(asked.at.position).await?;
    said(&id, revision, asked.json)
}

pub(crate) async fn rebase(desk: &Desk<'_>, asked: Rebase) -> Result<Output, Failure> {
    let id = desk.session(&asked.named)?;
    let session = desk.engine()?.session(&id).await?;
    let revision = session.rebase(asked.reason.as_deref()).await?;
    said(&id, revision, asked.json)
}

fn said(session: &SessionId, revision: Revision, form: Json) -> Result<Output, Failure> {
    if form.json {
        return json(&json!({ "revision": revision }));
    }
    Ok(sentence(format!("the next sync of {session} starts a new epoch (revision {revision})")))
}
