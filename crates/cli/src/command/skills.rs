//! `told skills`.

use super::{Desk, Output, Status, json};
use crate::{
    answer,
    arguments::ask::Skills,
    failure::Failure,
    view::{self, text},
};

pub(crate) async fn run(desk: &Desk<'_>, asked: Skills) -> Result<Output, Failure> {
    let engine = desk.engine()?;
    let Some(name) = asked.name else {
        let found = engine.skills(&desk.directory).await?;
        if asked.json.json {
            return json(&answer::skills(&found));
        }
        let places = desk.places(None);
        return Ok(desk.page(&view::skills::all(&found, places, desk.screen)));
    };
    let skill = engine.load_skill(&desk.directory, &name).await?;
    if asked.json.json {
        return json(&answer::skill(&skill));
    }
    // Whoever wrote it steers no terminal.
    Ok(Output { text: text::on_terminal(&skill.body), status: Status::Done })
}
