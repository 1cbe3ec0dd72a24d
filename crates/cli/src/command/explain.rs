//! `told explain`.

use super::{Desk, Output, json};
use crate::{
    arguments::Explain,
    failure::Failure,
    view::{self, Shown},
};
use serde_json::json;

pub(crate) async fn run(desk: &Desk<'_>, asked: Explain) -> Result<Output, Failure> {
    let explained = desk.engine()?.explain(&desk.directory, &asked.path).await?;
    if asked.json.json {
        return json(&json!({
            "applies": explained.applies, "withheld": explained.withheld,
        }));
    }
    let path = Shown::from(asked.path.to_string_lossy());
    let page = view::sources::explained(
        path.as_str(),
        &explained.applies,
        &explained.withheld,
        desk.places(None),
        desk.screen,
    );
    Ok(desk.page(&page))
}
