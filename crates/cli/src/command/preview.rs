//! Bare `told` and `told preview`: what would be told. Nothing is written.

use super::{Desk, Output, Status, request};
use crate::{
    arguments::{Form, Preview},
    failure::Failure,
    view::briefing::{News, Sight, Tense},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};
use told::{
    Engine, Error, OpenRequest, SyncRequest,
    domain::{
        briefing::{
            Briefing, BriefingUpdate, ChangeKind, SourceState, SourceView, estimated_tokens,
        },
        hash::ContentHash,
        render::Blocks,
        session::{Prior, SessionId, Trust},
    },
};

pub(crate) async fn run(desk: &Desk<'_>, asked: Preview) -> Result<Output, Failure> {
    let paths = asked.paths.iter().map(|path| desk.directory.join(path)).collect::<Vec<_>>();
    let new = New { paths: &paths, check: asked.check, ..New::of(asked.form) };
    if asked.fresh {
        return new_session(desk, new).await;
    }
    let engine = desk.engine()?;
    let id = desk.session(&asked.named)?;
    let session = match engine.session(&id).await {
        // A session that a sync would begin.
        Err(Error::UnknownSession(_)) => {
            let request = request(&asked.boundary);
            return new_session(desk, New { session: Some(id), request, ..new }).await;
        }
        found => found?,
    };
    let shown = !asked.form.json && !asked.form.text;
    let mut request = request(&asked.boundary);
    request.blocks = if shown { Blocks::Apart } else { Blocks::Joined };
    let briefing = session.preview_after_reading(request, &paths).await?;
    let news = pending(&briefing);
    let sources = match news {
        _ if !shown => Vec::new(),
        News::Baseline => in_parts(&engine, &briefing, &paths).await?,
        News::Update(update) => after(session.sources(true).await?, update),
        News::Nothing => session.sources(false).await?,
    };
    let mut output = desk.briefing(asked.form, &briefing, || {
        let sight = Sight {
            briefing: &briefing,
            sources: Some(&sources),
            news,
            tense: Tense::WouldBe,
            places: desk.places(Some(&briefing.location.boundary)),
        };
        sight.page(desk.screen)
    })?;
    if asked.check && !matches!(news, News::Nothing) {
        output.status = Status::WouldTell;
    }
    Ok(output)
}

/// What a new session here would be told.
pub(crate) async fn fresh(desk: &Desk<'_>, form: Form) -> Result<Output, Failure> {
    new_session(desk, New::of(form)).await
}

/// A session that there is not yet.
struct New<'a> {
    /// Its name, where it has one.
    session: Option<SessionId>,
    request: SyncRequest,
    paths: &'a [PathBuf],
    form: Form,
    check: bool,
}

impl New<'_> {
    fn of(form: Form) -> Self {
        let request = SyncRequest::default();
        Self { session: None, request, paths: &[], form, check: false }
    }
}

async fn new_session(desk: &Desk<'_>, new: New<'_>) -> Result<Output, Failure> {
    let New { session, request, paths, form, check } = new;
    let engine = desk.engine()?;
    let directory = &desk.directory;
    let blocks = Blocks::Apart;
    let mut briefing = match session {
        Some(session) => {
            let open = OpenRequest {
                session,
                directory: directory.clone(),
                position: None,
                prior: Prior::None,
                trust: Trust::Trusted,
            };
            engine.preview_first(&open, SyncRequest { blocks, ..request }, paths).await?
        }
        None => engine.preview_as(directory, Trust::Trusted, paths, blocks).await?,
    };
    let shown = !form.json && !form.text;
    let sources = if shown { in_parts(&engine, &briefing, paths).await? } else { Vec::new() };
    // A host that asked for no parts gets none.
    briefing.epoch.baseline.blocks = None;
    let mut output = desk.briefing(form, &briefing, || {
        let sight = Sight {
            briefing: &briefing,
            sources: Some(&sources),
            news: News::Baseline,
            tense: Tense::WouldBeInNew,
            places: desk.places(Some(&briefing.location.boundary)),
        };
        sight.page(desk.screen)
    })?;
    if check && briefing.epoch.baseline.bytes > 0 {
        output.status = Status::WouldTell;
    }
    Ok(output)
}

/// The baseline's parts as sources; what a look knows beside of a file is added.
async fn in_parts(
    engine: &Engine,
    briefing: &Briefing,
    paths: &[PathBuf],
) -> Result<Vec<SourceView>, Failure> {
    let directory = briefing.location.directory.as_path();
    let mut files = BTreeMap::new();
    for path in std::iter::once(directory).chain(paths.iter().map(PathBuf::as_path)) {
        let explained = engine.explain(directory, path).await?;
        files.extend(explained.applies.into_iter().map(|view| (view.source.clone(), view)));
    }
    let blocks = briefing.epoch.baseline.blocks.iter().flatten();
    let told = blocks.filter_map(|block| {
        let key = block.source.clone()?;
        Some(files.remove(&key).unwrap_or_else(|| {
            let bytes = block.text.len() as u64;
            SourceView {
                sha256: Some(ContentHash::of(&block.text)),
                bytes: Some(bytes),
                tokens: Some(estimated_tokens(bytes)),
                ..SourceView::new(key, SourceState::Pending)
            }
        }))
    });
    Ok(told.collect())
}

/// What the session was not told yet: a preview's own records come after its revision.
fn pending(briefing: &Briefing) -> News<'_> {
    let newer = |revision| revision > briefing.revision;
    match briefing.updates.iter().rfind(|update| newer(update.revision)) {
        Some(update) => News::Update(update),
        None if newer(briefing.epoch.revision) => News::Baseline,
        None => News::Nothing,
    }
}

/// The sources as they would stand after `update`: with the sizes that it tells, without what it
/// removes, and with what nobody looked at before.
fn after(sources: Vec<SourceView>, update: &BriefingUpdate) -> Vec<SourceView> {
    let changes = update.changes.iter().map(|change| (&change.source, change));
    let changes = changes.collect::<BTreeMap<_, _>>();
    let known = sources.iter().map(|source| source.source.clone()).collect::<BTreeSet<_>>();
    let new = update.changes.iter().filter(|change| !known.contains(&change.source));
    let new = new.map(|change| SourceView {
        bytes: change.bytes,
        tokens: change.bytes.map(estimated_tokens),
        ..SourceView::new(change.source.clone(), SourceState::Pending)
    });
    let stands = sources.into_iter().filter_map(|mut source| {
        let Some(change) = changes.get(&source.source) else { return Some(source) };
        source.bytes = change.bytes;
        source.tokens = change.bytes.map(estimated_tokens);
        (change.kind != ChangeKind::Removed).then_some(source)
    });
    stands.chain(new).collect()
}
