//! `told open` and `told delete`: a session's beginning and end.

use super::{Desk, Output, json, sentence};
use crate::{
    arguments::{Age, Delete, Open, PriorWord},
    failure::Failure,
};
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};
use told::{
    Engine, Error, OpenRequest,
    domain::session::{Prior, SessionId, Trust},
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
    let opened = desk.engine()?.open(request).await?;
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
        (None, Some(age)) => delete_older(&engine, age).await?,
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

async fn delete_older(engine: &Engine, age: Age) -> Result<Vec<SessionId>, Failure> {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX);
    let latest = now.saturating_sub(age.milliseconds);
    let mut deleted = Vec::new();
    for session in engine.sessions(None).await? {
        if session.last_record_at.as_millisecond() >= latest {
            continue;
        }
        match engine.delete(&session.session).await {
            // Somebody else was faster.
            Err(Error::UnknownSession(_)) => {}
            done => {
                done?;
                deleted.push(session.session);
            }
        }
    }
    Ok(deleted)
}
