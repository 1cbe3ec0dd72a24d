//! `told log`.

use super::{Desk, Output, json};
use crate::{arguments::ask::Log, failure::Failure, view};
use serde_json::json;

/// Records asked for at once.
const PAGE: usize = 500;

pub(crate) async fn run(desk: &Desk<'_>, asked: Log) -> Result<Output, Failure> {
    let session = desk.engine()?.session(&desk.session(&asked.named)?).await?;
    let wanted = asked.limit.unwrap_or(usize::MAX);
    let mut records = Vec::new();
    let mut after = asked.after;
    let mut more = true;
    // Each round gets further in a log that has an end.
    while more && records.len() < wanted {
        let page = session.log(after, PAGE.min(wanted - records.len())).await?;
        let Some(last) = page.records.last() else {
            more = false;
            break;
        };
        after = last.revision;
        more = page.more;
        records.extend(page.records);
    }
    if asked.json.json {
        return json(&json!({ "records": records, "more": more }));
    }
    let location = session.show(None).await?.location;
    let places = desk.places(Some(&location.boundary));
    Ok(desk.page(&view::history::log(&records, places, desk.screen)))
}
