//! `told show`: the briefing as it stood, from the log alone.

use super::{Desk, Output};
use crate::{
    arguments::ask::Show,
    failure::Failure,
    view::briefing::{News, Sight, Tense},
};

pub(crate) async fn run(desk: &Desk<'_>, asked: Show) -> Result<Output, Failure> {
    let session = desk.engine()?.session(&desk.session(&asked.named)?).await?;
    let briefing = session.show(asked.revision).await?;
    // What each source came to is known as it stands, not as it stood.
    let sources = match asked.revision {
        None => Some(session.sources(false).await?),
        Some(_) => None,
    };
    desk.briefing(asked.form, &briefing, || {
        let sight = Sight {
            briefing: &briefing,
            sources: sources.as_deref(),
            news: News::Nothing,
            tense: Tense::Stood(briefing.revision),
            places: desk.places(Some(&briefing.location.boundary)),
        };
        sight.page(desk.screen)
    })
}
