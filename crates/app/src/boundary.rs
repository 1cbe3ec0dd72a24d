//! The safe boundary: look, decide, append; again where others were first.

use crate::{
    Engine, Error, Session, SyncRequest,
    known::{Appended, Known},
    observe::{Beside, Ground, Sight, compose},
    registry::Snapshot,
    turn::Fence,
    urls::UrlSight,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};
use told_domain::{
    briefing::{Briefing, SourceState, SourceView},
    command::{Command, Decision, OnUnavailable, SecondLook, Standing},
    compare::{compare, held},
    context::SystemContext,
    decide::{decide, position},
    hash::Blob,
    key::{ApiKey, PluginKey, SourceKey},
    look::Look,
    plan::Thoroughness,
    position::{Position, Revision},
    record::Record,
    render::{Marks, briefing, extent_since, marked, sources},
    session::SessionId,
    skill::FormerSkills,
    state::State,
    url::{Counts, of_user},
};

/// A boundary that found nothing to tell. Looking again and finding the same, it is that again: the
/// rules are pure.
pub(crate) struct Memo {
    sight: Arc<Sight>,
    beside: Beside,
    dropped: BTreeSet<PluginKey>,
    request: SyncRequest,
    briefing: Briefing,
}

/// All that one look found.
struct Found {
    sight: Arc<Sight>,
    beside: Beside,
    snapshot: Snapshot,
}

/// What a look came to.
struct Verdict {
    context: SystemContext,
    found: Found,
    decision: Decision,
}

pub(crate) async fn sync(session: &Session, request: SyncRequest) -> Result<Briefing, Error> {
    let mut turn = session.turn(Fence::Location).await;
    let mut urls = UrlSight::new(Counts::Counted);
    loop {
        let known = turn.known(session).await?;
        let values = session.values(known).await?;
        let thoroughness = thoroughness(&known.standing.state);
        let ordinary = thoroughness == Thoroughness::Ordinary;
        let found = session.look(known, &values, thoroughness, &mut urls).await;
        if let Some(memo) = &known.memo
            && memo.stands(&found, request)
            && is_current(&known.standing, request.position)
        {
            let briefing = memo.briefing.clone();
            if session.still(known).await? {
                return Ok(briefing);
            }
            continue;
        }
        let Verdict { context, found, decision } =
            session.judge(&known.standing, known, found, request).await?;
        known.boundary = found.sight.known.clone();
        known.learned = found.sight.learned.clone();
        let sight = ordinary.then(|| found.sight.clone());
        known.sight.clone_from(&sight);
        match decision {
            Decision::Refused(refusal) => return Err(Error::refused(session.id(), refusal)),
            Decision::LookAgain { .. } => {}
            Decision::Unchanged => {
                session.core.found.remember(&context);
                if session.still(known).await? {
                    return session.unchanged(known, context, found, request);
                }
            }
            Decision::Commit { records, blobs } => {
                let admitted = records.last().map(|record| record.revision);
                let tell = |standing: &Standing| {
                    session.core.found.remember(&context);
                    let look = look_of(&standing.state, &context);
                    let told = session.tell(standing, &look, admitted, request);
                    (look, told)
                };
                match session.append_beside(&mut turn.guard, records, blobs, tell).await? {
                    Appended::Overtaken => {}
                    Appended::Done((look, told)) => {
                        if let Some(known) = turn.guard.as_mut() {
                            known.look = Some(look);
                            // What a boundary tells makes no path relevant: the scopes are as planned.
                            known.sight = sight;
                        }
                        return told;
                    }
                }
            }
        }
    }
}

pub(crate) async fn preview(
    session: &Session,
    request: SyncRequest,
    paths: &[PathBuf],
) -> Result<Briefing, Error> {
    let mut turn = session.turn(Fence::Location).await;
    let known = turn.known(session).await?;
    let values = session.values(known).await?;
    let revision = known.mark.revision;
    let read;
    let known = if paths.is_empty() {
        &*known
    } else {
        read = session.imagine(session.after_reading(&known.standing, paths).await?);
        &read
    };
    Ok(Briefing { revision, ..session.foreseen(known, &values, request).await? })
}

/// What a session that `open` would begin would be told; nothing is written, and nothing blocks it.
pub(crate) async fn preview_new(
    engine: &Engine,
    id: &SessionId,
    open: &Command<'_>,
    request: SyncRequest,
    paths: &[PathBuf],
) -> Result<Briefing, Error> {
    let session = Session { engine: engine.clone(), core: crate::known::Core::alone(id) };
    let world = &engine.world;
    let opened = decide(None, open, world.clock.now(), &world.policy);
    let Decision::Commit { records, blobs } = opened else { return Err(session.unknown()) };
    let opened = session.after(None, &records, blobs)?;
    let known = session.imagine(session.after_reading(&opened, paths).await?);
    let values = session.values_of(&known).await?;
    let request = SyncRequest { on_unavailable: OnUnavailable::Proceed, ..request };
    let revision = Revision::NONE;
    Ok(Briefing { revision, ..session.foreseen(&known, &values, request).await? })
}

/// Every source by a look now: what would be told is pending.
pub(crate) async fn look_at_sources(session: &Session) -> Result<Vec<SourceView>, Error> {
    let mut turn = session.turn(Fence::Location).await;
    let known = turn.known(session).await?;
    let values = session.values(known).await?;
    let mut urls = UrlSight::new(Counts::Uncounted);
    let found = session.look(known, &values, Thoroughness::NearMisses, &mut urls).await;
    let request = SyncRequest { on_unavailable: OnUnavailable::Proceed, ..SyncRequest::default() };
    let verdict = session.judge(&known.standing, known, found, request).await?;
    let look = look_of(&known.standing.state, &verdict.context);
    let mut views = sources(&known.standing.state, &look);
    let comparison = compare(&known.standing.state, &known.standing.contents, &verdict.context);
    let mut pending: Vec<SourceKey> = Vec::new();
    pending.extend(comparison.additions.iter().map(|addition| addition.key().clone()));
    pending.extend(comparison.changes.iter().map(|change| change.source.key.clone()));
    pending.extend(comparison.removals.iter().map(|removal| removal.key.clone()));
    for key in pending {
        match views.iter_mut().find(|view| view.source == key) {
            Some(view) => view.state = SourceState::Pending,
            None => views.push(SourceView::new(key, SourceState::Pending)),
        }
    }
    Ok(views)
}

impl Memo {
    fn stands(&self, found: &Found, request: SyncRequest) -> bool {
        // The position is checked apart: an unchanged boundary does not anchor.
        let same_question = SyncRequest { position: self.request.position, ..request };
        self.request == same_question
            && self.sight == found.sight
            && self.beside == found.beside
            && self.dropped == found.snapshot.dropped
    }
}

impl Session {
    /// Whether the session stands as it did when the look began (R-BND-8).
    async fn still(&self, known: &Known) -> Result<bool, Error> {
        let now = self.revisions(known).await?;
        match now.session {
            None => Err(self.unknown()),
            Some(mark) => Ok(mark == known.mark && now.values == known.values),
        }
    }

    /// The host-set values that count: the session's over its Location's (R-API-1).
    async fn values(&self, known: &mut Known) -> Result<BTreeMap<ApiKey, Arc<str>>, Error> {
        let services = known.services.clone();
        let values = match services.values_at(known.values) {
            Some(values) => values,
            None => {
                let read = self.world().store.values(services.directory()).await?;
                services.keep_values(read)
            }
        };
        known.values = values.revision;
        Ok(overlay(&values.values, &known.standing))
    }

    async fn values_of(&self, known: &Known) -> Result<BTreeMap<ApiKey, Arc<str>>, Error> {
        let read = self.world().store.values(known.services.directory()).await?;
        Ok(overlay(&read.values, &known.standing))
    }

    async fn look(
        &self,
        known: &Known,
        values: &BTreeMap<ApiKey, Arc<str>>,
        thoroughness: Thoroughness,
        urls: &mut UrlSight,
    ) -> Found {
        let state = &known.standing.state;
        let snapshot = known.services.registry().snapshot_with(&self.core.registry);
        let ground = Ground {
            directory: &state.location.directory,
            known: &known.boundary,
            learned: &known.learned,
            trust: state.trust,
            offers: &snapshot.offers,
            scopes: &state.told.scopes,
            thoroughness,
        };
        let last = known.sight.as_ref();
        let last = last.filter(|_| thoroughness == Thoroughness::Ordinary);
        let (world, known_urls) = (self.world(), of_user(&self.world().policy));
        // Kinds of source are looked at side by side (R-OBS-10).
        let (sight, plugins, _) = tokio::join!(
            world.look(ground, last, known.services.cover()),
            world.plugins(&snapshot.present, &state.location),
            world.look_at_urls(known.services.urls(), &known_urls, urls),
        );
        // Which URLs the project names, the look has found.
        let named = &sight.plan.candidates().urls;
        let urls = world.look_at_urls(known.services.urls(), named, urls).await;
        let mut contributed = self.world().provided(values, &sight);
        contributed.extend(plugins);
        Found { sight, beside: Beside { urls, contributed }, snapshot }
    }

    /// Decides on what was found; an emptied file is looked at once more (R-OBS-4).
    async fn judge(
        &self,
        standing: &Standing,
        known: &Known,
        mut found: Found,
        request: SyncRequest,
    ) -> Result<Verdict, Error> {
        let world = self.world();
        let mut second_look = match found.sight.waited {
            true => SecondLook::Done,
            false => SecondLook::Pending,
        };
        loop {
            let believed = standing
                .state
                .told
                .entries
                .iter()
                .filter(|(_, entry)| standing.state.told.last_admitted(entry).is_some());
            let mut context = compose(
                world,
                &known.services,
                &found.sight,
                found.beside.clone(),
                &found.snapshot,
                &self.former_skills(standing),
                believed.map(|(key, _)| key.clone()),
            )?;
            self.core.found.hold(&mut context);
            let command = Command::Sync {
                position: request.position,
                on_unavailable: request.on_unavailable,
                context: &context,
                second_look,
            };
            match decide(Some(standing), &command, world.clock.now(), &world.policy) {
                Decision::LookAgain { paths, after } => {
                    world.clock.sleep(after).await;
                    world.look_again(&mut found.sight, &paths).await;
                    // What is cached of them was seen before this look.
                    if let Some(cover) = known.services.cover() {
                        cover.mutated(&paths);
                    }
                    second_look = SecondLook::Done;
                }
                decision => return Ok(Verdict { context, found, decision }),
            }
        }
    }

    /// What a look now finds, whatever it would come to.
    pub(crate) async fn context_now(&self, known: &mut Known) -> Result<SystemContext, Error> {
        let values = self.values(known).await?;
        let mut urls = UrlSight::new(Counts::Uncounted);
        let found = self.look(known, &values, Thoroughness::Ordinary, &mut urls).await;
        let request =
            SyncRequest { on_unavailable: OnUnavailable::Proceed, ..SyncRequest::default() };
        Ok(self.judge(&known.standing, known, found, request).await?.context)
    }

    /// The skills that the session was told of, each where this process found it last.
    pub(crate) fn former_skills(&self, standing: &Standing) -> FormerSkills {
        let found = self.core.found.skills();
        FormerSkills::of(&standing.state, &standing.contents, found.as_ref())
    }

    fn unchanged(
        &self,
        known: &mut Known,
        context: SystemContext,
        found: Found,
        request: SyncRequest,
    ) -> Result<Briefing, Error> {
        let look = look_of(&known.standing.state, &context);
        let briefing = self.tell(&known.standing, &look, None, request)?;
        known.look = Some(look);
        known.memo = is_current(&known.standing, request.position).then(|| Memo {
            sight: found.sight,
            beside: found.beside,
            dropped: found.snapshot.dropped,
            request,
            briefing: briefing.clone(),
        });
        Ok(briefing)
    }

    fn tell(
        &self,
        standing: &Standing,
        look: &Look,
        admitted: Option<Revision>,
        request: SyncRequest,
    ) -> Result<Briefing, Error> {
        let Standing { state, contents } = standing;
        let extent = extent_since(state, request.since);
        let made = briefing(self.id(), state, contents, look, admitted, extent, request.blocks);
        let made = made.and_then(|briefing| match request.marks {
            Marks::None => Ok(briefing),
            Marks::Shown => marked(briefing, state, contents),
        });
        made.map_err(|error| Error::missing(self.id(), state.revision, error))
    }

    /// What a boundary now would tell.
    async fn foreseen(
        &self,
        known: &Known,
        values: &BTreeMap<ApiKey, Arc<str>>,
        request: SyncRequest,
    ) -> Result<Briefing, Error> {
        let mut urls = UrlSight::new(Counts::Uncounted);
        let found = self.look(known, values, Thoroughness::NearMisses, &mut urls).await;
        let verdict = self.judge(&known.standing, known, found, request).await?;
        let standing = self.would_be(&known.standing, verdict.decision)?;
        let look = look_of(&standing.state, &verdict.context);
        self.tell(&standing, &look, None, request)
    }

    /// The session as it would stand after reading `paths`.
    async fn after_reading(
        &self,
        standing: &Standing,
        paths: &[PathBuf],
    ) -> Result<Standing, Error> {
        let world = self.world();
        let read = self.as_if_read(&standing.state.location, paths).await;
        let discover = Command::Discover { position: None, agent: None, scopes: &read.scopes };
        let discovered = decide(Some(standing), &discover, world.clock.now(), &world.policy);
        self.would_be(standing, discovered)
    }

    /// The session as it would stand after `decision`.
    fn would_be(&self, standing: &Standing, decision: Decision) -> Result<Standing, Error> {
        match decision {
            Decision::Commit { records, blobs } => self.after(Some(standing), &records, blobs),
            Decision::Refused(refusal) => Err(Error::refused(self.id(), refusal)),
            Decision::Unchanged | Decision::LookAgain { .. } => Ok(standing.clone()),
        }
    }

    fn after(
        &self,
        standing: Option<&Standing>,
        records: &[Record],
        blobs: Vec<Blob>,
    ) -> Result<Standing, Error> {
        let state = self.folded(standing.map(|standing| standing.state.clone()), records)?;
        let contents = standing.map(|standing| standing.contents.clone()).unwrap_or_default();
        Ok(Standing::new(state.ok_or_else(|| self.unknown())?, contents, &blobs))
    }
}

/// Whether a boundary at this position has before it what is believed now: one before the window's
/// start has more.
fn is_current(standing: &Standing, given: Option<Position>) -> bool {
    position(standing, given).is_ok_and(|position| standing.state.told.in_window(position))
}

/// An epoch's start also looks for near misses (R-AMB-2).
fn thoroughness(state: &State) -> Thoroughness {
    match (&state.told.epoch, &state.told.pending) {
        (Some(_), None) => Thoroughness::Ordinary,
        (None, _) | (Some(_), Some(_)) => Thoroughness::NearMisses,
    }
}

fn look_of(state: &State, context: &SystemContext) -> Look {
    Look {
        boundary: context.boundary.clone(),
        project: context.project.clone(),
        held: held(state, context),
        withheld: context.withheld.clone(),
    }
}

fn overlay(
    location: &BTreeMap<ApiKey, Arc<str>>,
    standing: &Standing,
) -> BTreeMap<ApiKey, Arc<str>> {
    let mut values = location.clone();
    for (key, value) in &standing.state.values {
        if let Some(text) = standing.contents.get(&value.sha256) {
            values.insert(key.clone(), text.clone());
        }
    }
    values
}
