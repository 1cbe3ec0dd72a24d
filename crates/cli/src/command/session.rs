//! `told open` and `told delete`: a session's beginning and end.

use super::{Desk, Output, json, sentence};
use crate::{
    arguments::{Delete, Open, PriorWord},
    failure::Failure,
    keep,
};
use serde_json::json;
use told::{
    OpenRequest,
    domain::session::{Prior, Trust},
};

pub(crate) async fn open(desk: &Desk<'_>, asked: Open) -> Result<Output, Failure> {
    let request = OpenRequest {
        session: desk.session(&asked.named)?,
        directory: desk.directory.clone(),
        position: asked.at.position,
        prior: match asked.prior {
            PriorWord::None => Prior::None,
            PriorWord::Unknown => Prior::Unknown,
        },
        trust: if asked.untrusted { Trust::Untrusted } else { Trust::Trusted },
    };
    let engine = desk.engine()?;
    let opened = engine.open(request).await?;
    if opened.created {
        keep::delete_unused(&engine, desk.loaded.configuration()).await;
    }
    if asked.json.json {
        return json(&json!({
            "session": opened.session, "revision": opened.revision,
            "location": opened.location, "created": opened.created,
        }));
    }
    let how = if opened.created { "opened" } else { "was open already" };
    let directory = desk.places(None).directory(opened.location.directory.as_path());
    let (session, revision) = (opened.session, opened.revision);
    Ok(sentence(format!("session {session} {how} in {directory}, at revision {revision}")))
}

pub(crate) async fn delete(desk: &Desk<'_>, asked: Delete) -> Result<Output, Failure> {
    let engine = desk.engine()?;
    let deleted = match (asked.session, asked.older_than) {
        (Some(session), _) => {
            engine.delete(&session).await?;
            vec![session]
        }
        (None, Some(age)) => engine.delete_older_than(age.duration()).await?,
        (None, None) => Vec::new(),
    };
    if asked.json.json {
        return json(&json!({ "deleted": deleted }));
    }
    if deleted.is_empty() {
        return Ok(sentence("no session is that old: nothing was deleted"));
    }
    let lines = deleted.iter().map(|session| sentence(format!("deleted {session}")).text);
    Ok(Output { text: lines.collect(), ..Output::default() })
}
