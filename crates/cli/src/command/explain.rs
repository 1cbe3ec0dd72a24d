//! `told explain`.

use super::{Desk, Output, json};
use crate::{
    answer,
    arguments::{Named, ask::Explain},
    failure::Failure,
    view::{self, Shown},
};
use told::Error;

pub(crate) async fn run(desk: &Desk<'_>, asked: Explain) -> Result<Output, Failure> {
    let engine = desk.engine()?;
    let mut explained = engine.explain(&desk.directory, &asked.path).await?;
    let session = desk.session(&Named { session: asked.session.clone() })?;
    let told = match engine.session(&session).await {
        Ok(session) => session.sources(false).await?,
        // Nothing was told here yet.
        Err(Error::UnknownSession(_)) if asked.session.is_none() => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    for source in explained.applies.iter_mut().chain(&mut explained.held) {
        if let Some(told) = told.iter().find(|told| told.source == source.source) {
            source.told_at = told.told_at;
            source.in_window = told.in_window;
        }
    }
    if asked.json.json {
        return json(&answer::explained(&explained));
    }
    let path = Shown::from(asked.path.to_string_lossy());
    let places = desk.places(None);
    Ok(desk.page(&view::sources::explained(path.as_str(), &explained, places, desk.screen)))
}
