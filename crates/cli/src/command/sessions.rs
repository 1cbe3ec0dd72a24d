//! `told sessions`.

use super::{Desk, Output, json};
use crate::{arguments::ask::Sessions, failure::Failure, view};
use serde_json::{Value, json};
use told::ports::SessionSummary;

pub(crate) async fn run(desk: &Desk<'_>, asked: Sessions) -> Result<Output, Failure> {
    let here = (asked.here || desk.named).then_some(desk.directory.as_path());
    let sessions = desk.engine()?.sessions(here).await?;
    if asked.json.json {
        let sessions = sessions.iter().map(listed).collect::<Vec<_>>();
        return json(&json!({ "sessions": sessions }));
    }
    Ok(desk.page(&view::sessions::listed(&sessions, desk.places(None), desk.screen)))
}

fn listed(session: &SessionSummary) -> Value {
    json!({
        "session": session.session,
        "location": { "directory": session.directory, "boundary": session.boundary },
        "revision": session.revision,
        "opened_at": session.opened_at,
        "last_record_at": session.last_record_at,
    })
}
