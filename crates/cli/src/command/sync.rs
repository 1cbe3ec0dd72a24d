//! `told sync`: one safe boundary.

use super::{Desk, Output, request};
use crate::{
    arguments::Sync,
    failure::Failure,
    keep,
    view::briefing::{News, Sight, Tense},
};
use told::{
    Engine, Error, OpenRequest, Session,
    domain::{
        briefing::Briefing,
        session::{Prior, Trust},
    },
};

pub(crate) async fn run(desk: &Desk<'_>, asked: Sync) -> Result<Output, Failure> {
    let engine = desk.engine()?;
    let id = desk.session(&asked.named)?;
    let session = match asked.named.session {
        // A session that was named works where it works.
        Some(_) if !desk.named => match engine.session(&id).await {
            Err(Error::UnknownSession(_)) => opened(desk, &engine, id).await?,
            found => found?,
        },
        _ => opened(desk, &engine, id).await?,
    };
    let briefing = session.sync(request(&asked.boundary)).await?;
    let sources = if asked.form.json || asked.form.text {
        Vec::new()
    } else {
        session.sources(false).await?
    };
    desk.briefing(asked.form, &briefing, || {
        let sight = Sight {
            briefing: &briefing,
            sources: Some(&sources),
            news: admitted(&briefing),
            tense: Tense::Told,
            places: desk.places(Some(&briefing.location.boundary)),
        };
        sight.page(desk.screen)
    })
}

async fn opened(
    desk: &Desk<'_>,
    engine: &Engine,
    session: told::domain::session::SessionId,
) -> Result<Session, Failure> {
    let request = OpenRequest {
        session: session.clone(),
        directory: desk.directory.clone(),
        position: None,
        prior: Prior::None,
        trust: Trust::Trusted,
    };
    if engine.open(request).await?.created {
        keep::delete_unused(engine, desk.loaded.configuration()).await;
    }
    Ok(engine.session(&session).await?)
}

/// What this sync told.
fn admitted(briefing: &Briefing) -> News<'_> {
    let Some(admitted) = briefing.admitted else { return News::Nothing };
    let update = briefing.updates.iter().find(|update| update.revision == admitted);
    update.map_or(News::Baseline, News::Update)
}
