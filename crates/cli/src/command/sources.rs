//! `told sources`.

use super::{Desk, Output, json};
use crate::{arguments::ask::Sources, failure::Failure, view};
use serde_json::json;

pub(crate) async fn run(desk: &Desk<'_>, asked: Sources) -> Result<Output, Failure> {
    let session = desk.engine()?.session(&desk.session(&asked.named)?).await?;
    let sources = session.sources(asked.look).await?;
    if asked.json.json {
        return json(&json!({ "sources": sources }));
    }
    let location = session.show(None).await?.location;
    let places = desk.places(Some(&location.boundary));
    Ok(desk.page(&view::sources::all(&sources, places, desk.screen)))
}
