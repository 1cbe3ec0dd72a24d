//! One look: plan it, let the file system answer, ask the other producers beside it, and compose.

use crate::{
    LocationServices,
    cover::Cover,
    engine::World,
    registry::{Contribution, Snapshot},
};
use std::{
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    sync::{Arc, LazyLock},
    task::Poll,
    time::Duration,
};
use told_domain::{
    context::{Contributed, DuplicateKey, Need, ObservedUrl, Parts, SystemContext},
    instruction::{BoundarySight, KnownBoundary},
    key::{ApiKey, Origin, SourceKey},
    look::Seen,
    observation::Observation,
    path::{AbsolutePath, CanonicalPath},
    plan::{Learned, Plan, Standpoint, Thoroughness, plan},
    policy::Builtin,
    reason::UnavailableReason,
    render::{Environment, Renderer, date_value},
    session::{Location, Trust},
    skill::{FormerSkills, SkillOffers, no_offers},
    told::Scope,
};

/// How often a look is planned again because the boundary came back different. Two are enough unless
/// someone moves markers about while we look.
const PLANS_MAX: usize = 4;

/// How often it is planned again because the project's configuration, or what globs match, did: a
/// configuration may name globs, and a glob matches files (R-CFG-6).
const FURTHER_MAX: usize = 2;

/// How long an emptied configuration is given to be filled again (R-OBS-4).
const FILLED_AFTER: Duration = Duration::from_millis(10);

/// What a look starts from.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) directory: &'a CanonicalPath,
    pub(crate) known: &'a KnownBoundary,
    pub(crate) learned: &'a Learned,
    pub(crate) trust: Trust,
    pub(crate) offers: &'a SkillOffers,
    pub(crate) scopes: &'a BTreeMap<CanonicalPath, Scope>,
    pub(crate) thoroughness: Thoroughness,
}

/// Nothing learned, and nothing made relevant.
static UNLEARNED: LazyLock<Learned> = LazyLock::new(Learned::default);
static NO_SCOPES: BTreeMap<CanonicalPath, Scope> = BTreeMap::new();

impl<'a> Ground<'a> {
    /// That of a directory of which nothing is known yet.
    pub(crate) fn unknown(directory: &'a CanonicalPath) -> Self {
        Self {
            directory,
            known: &KnownBoundary::No,
            learned: &UNLEARNED,
            trust: Trust::Trusted,
            offers: no_offers(),
            scopes: &NO_SCOPES,
            thoroughness: Thoroughness::Ordinary,
        }
    }
}

/// What the file system answered, and to which plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sight {
    directory: CanonicalPath,
    pub(crate) plan: Arc<Plan>,
    pub(crate) seen: Arc<Seen>,
    pub(crate) known: KnownBoundary,
    pub(crate) unknown: Option<(AbsolutePath, UnavailableReason)>,
    /// What it makes of `core/environment`.
    environment: Observation<Arc<str>>,
    /// What it taught beside the boundary.
    pub(crate) learned: Learned,
    /// What the plan was made from: not that, where it would not settle.
    basis: Learned,
    /// Whether the one wait of a boundary is over (R-OBS-4).
    pub(crate) waited: bool,
}

/// What was observed beside the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Beside {
    pub(crate) urls: Vec<ObservedUrl>,
    pub(crate) contributed: Vec<Contributed>,
}

impl World {
    /// Looks until the boundary is as planned. The last sight spares planning where the boundary is the
    /// same, and `cover` looking at what is proven unchanged.
    pub(crate) async fn look(
        &self,
        ground: Ground<'_>,
        last: Option<&Arc<Sight>>,
        cover: Option<&Cover>,
    ) -> Arc<Sight> {
        let files = self.files_at(ground.directory);
        let cover = cover.filter(|_| self.is_disk(&files));
        let mut known = ground.known.clone();
        let mut learned = ground.learned.clone();
        let mut unknown = None;
        let (mut attempt, mut further) = (0, 0);
        let mut waited = false;
        loop {
            attempt += 1;
            let as_planned = |last: &&Arc<Sight>| {
                attempt == 1
                    && last.known == known
                    && last.basis.plans_as(&learned)
                    && last.plan.has_offers(ground.offers)
            };
            let plan = last.filter(as_planned).map_or_else(
                || {
                    let standpoint = Standpoint {
                        directory: ground.directory,
                        boundary: &known,
                        learned: &learned,
                        trust: ground.trust,
                        offers: ground.offers,
                        scopes: ground.scopes,
                        thoroughness: ground.thoroughness,
                    };
                    Arc::new(plan(&standpoint, &self.policy))
                },
                |last| last.plan.clone(),
            );
            let seen = match cover {
                Some(cover) => cover.look(&plan, &files).await,
                None => Arc::new(files.observe(&plan.looks).await),
            };
            if let Some(last) = last
                && Arc::ptr_eq(&last.seen, &seen)
            {
                return last.clone();
            }
            let sight = plan.boundary(&seen, &self.policy);
            let settled = known != KnownBoundary::No;
            let next = match sight {
                BoundarySight::Found(found) if found == known => None,
                BoundarySight::Found(found) => Some(found),
                // A failed look keeps the last boundary; without one, the narrowest stands.
                BoundarySight::LookAbove if unknown.is_some() => None,
                BoundarySight::LookAbove => Some(KnownBoundary::No),
                BoundarySight::Unknown(marker, reason) => {
                    unknown = Some((marker, reason));
                    (!settled).then(|| fallback(ground))
                }
            };
            match next {
                Some(next) if attempt < PLANS_MAX + further => known = next,
                Some(_) | None if settled => {
                    if !waited && plan.project_was_emptied(&seen, &learned) {
                        waited = true;
                        self.clock.sleep(FILLED_AFTER).await;
                        continue;
                    }
                    let taught = plan.learned(&seen, &learned);
                    let basis = std::mem::replace(&mut learned, taught);
                    if further < FURTHER_MAX && !learned.plans_as(&basis) {
                        further += 1;
                        continue;
                    }
                    let directory = ground.directory.clone();
                    let environment = self.environment(&directory, &known, unknown.as_ref());
                    let sight = Sight {
                        directory,
                        plan,
                        seen,
                        known,
                        unknown,
                        learned,
                        basis,
                        waited,
                        environment,
                    };
                    return Arc::new(sight);
                }
                Some(_) | None => known = fallback(ground),
            }
        }
    }

    /// The boundary around a directory, before any session works there.
    pub(crate) async fn boundary(&self, ground: Ground<'_>) -> CanonicalPath {
        let plan = plan(
            &Standpoint {
                directory: ground.directory,
                boundary: &KnownBoundary::No,
                learned: ground.learned,
                trust: ground.trust,
                offers: ground.offers,
                scopes: ground.scopes,
                thoroughness: ground.thoroughness,
            },
            &self.policy,
        );
        let seen = self.files_at(ground.directory).observe(&plan.looks).await;
        match plan.boundary(&seen, &self.policy) {
            BoundarySight::Found(known) => known.of(ground.directory),
            BoundarySight::LookAbove | BoundarySight::Unknown(..) => None,
        }
        .unwrap_or_else(|| ground.directory.clone())
    }

    /// Looks at `paths` alone once more, and puts the answers in their places (R-OBS-4).
    pub(crate) async fn look_again(&self, sight: &mut Arc<Sight>, paths: &[AbsolutePath]) {
        let (looks, places) = sight.plan.only(paths);
        let again = self.files_at(&sight.directory).observe(&looks).await;
        let seen = Arc::make_mut(&mut Arc::make_mut(sight).seen);
        for (place, file) in places.into_iter().zip(again.files) {
            if let Some(seen) = seen.files.get_mut(place) {
                *seen = file;
            }
        }
    }

    /// Where nobody could tell the boundary, nobody can tell the environment either.
    fn environment(
        &self,
        directory: &CanonicalPath,
        known: &KnownBoundary,
        unknown: Option<&(AbsolutePath, UnavailableReason)>,
    ) -> Observation<Arc<str>> {
        if let Some((_, reason)) = unknown {
            return Observation::Unavailable(*reason);
        }
        let environment = Environment {
            directory: directory.clone(),
            boundary: known.of(directory).unwrap_or_else(|| directory.clone()),
            platform: self.platform.clone(),
            repository: matches!(known, KnownBoundary::Marked(_)),
        };
        Observation::Available(environment.encode())
    }

    /// What told itself and the host provide: host-set values and built-ins.
    pub(crate) fn provided(
        &self,
        values: &BTreeMap<ApiKey, Arc<str>>,
        sight: &Sight,
    ) -> Vec<Contributed> {
        let mut provided: Vec<_> = values.iter().map(host_value).collect();
        if self.policy.builtins.environment == Builtin::Told {
            let observation = sight.environment.clone();
            provided.push(builtin(SourceKey::Environment, Renderer::Environment, observation));
        }
        if self.policy.builtins.date == Builtin::Told {
            let value = Observation::Available(date_value(self.clock.today()));
            provided.push(builtin(SourceKey::Date, Renderer::Date, value));
        }
        provided
    }

    /// Asks all plugins at once; one that does not answer in time is unavailable (R-OBS-10).
    pub(crate) async fn plugins(
        &self,
        present: &[Contribution],
        location: &Location,
    ) -> Vec<Contributed> {
        let limit = Duration::from_millis(self.policy.limits.look_ms);
        let ask = |contribution: &Contribution| {
            let contribution = contribution.clone();
            async move {
                let observation = tokio::select! {
                    biased;
                    answer = contribution.source.observe(location) => answer,
                    () = self.clock.sleep(limit) => {
                        Observation::Unavailable(UnavailableReason::Timeout)
                    }
                };
                Contributed {
                    key: SourceKey::Plugin(contribution.key),
                    origin: Origin::Host,
                    need: contribution.need,
                    renderer: Renderer::Plugin(contribution.guidance),
                    observation,
                }
            }
        };
        all(present.iter().map(ask)).await
    }
}

/// Composes what was seen with what was contributed.
pub(crate) fn compose(
    world: &World,
    services: &LocationServices,
    sight: &Sight,
    beside: Beside,
    snapshot: &Snapshot,
    former: &FormerSkills,
    believed: impl Iterator<Item = SourceKey>,
) -> Result<SystemContext, DuplicateKey> {
    let present = |key: &_| snapshot.present.iter().any(|contribution| contribution.key == *key);
    let not_registered = believed.filter_map(|key| match key {
        SourceKey::Plugin(key) if !present(&key) && !snapshot.dropped.contains(&key) => Some(key),
        _ => None,
    });
    let directory = services.directory();
    let context = SystemContext::compose(Parts {
        boundary: sight.known.of(directory).unwrap_or_else(|| directory.clone()),
        unknown_boundary: sight.unknown.clone(),
        project: sight.learned.project.clone(),
        instructions: sight.plan.read(&sight.seen, &world.policy),
        skills: sight.plan.skills(&sight.seen, former),
        urls: beside.urls,
        contributed: beside.contributed,
        not_registered: not_registered.collect(),
    })?;
    for empty in context
        .withheld
        .iter()
        .filter(|withheld| withheld.reason == told_domain::reason::WithheldReason::EmptyText)
    {
        tracing::error!(source = %empty.key, "a renderer gave an empty text: the source is left out");
    }
    Ok(context)
}

/// The boundary that stands where a look could not tell: the last one, else the Location itself.
fn fallback(ground: Ground<'_>) -> KnownBoundary {
    match ground.known {
        KnownBoundary::No => KnownBoundary::Marked(ground.directory.clone()),
        known @ (KnownBoundary::Marked(_) | KnownBoundary::Unmarked) => known.clone(),
    }
}

fn host_value((key, value): (&ApiKey, &Arc<str>)) -> Contributed {
    Contributed {
        key: SourceKey::Api(key.clone()),
        origin: Origin::Host,
        need: Need::Optional,
        renderer: Renderer::Api(key.clone()),
        observation: Observation::Available(value.clone()),
    }
}

fn builtin(key: SourceKey, renderer: Renderer, observation: Observation<Arc<str>>) -> Contributed {
    Contributed { key, origin: Origin::Builtin, need: Need::Required, renderer, observation }
}

/// Waits for all of `futures` at once, and gives their answers in order.
pub(crate) async fn all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    enum Slot<F: Future> {
        Waiting(Pin<Box<F>>),
        Done(F::Output),
    }
    let mut slots: Vec<_> = futures.map(|future| Slot::Waiting(Box::pin(future))).collect();
    std::future::poll_fn(|task| {
        let mut waiting = false;
        for slot in &mut slots {
            if let Slot::Waiting(future) = slot {
                match future.as_mut().poll(task) {
                    Poll::Ready(answer) => *slot = Slot::Done(answer),
                    Poll::Pending => waiting = true,
                }
            }
        }
        if waiting { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    let answer = |slot| match slot {
        Slot::Done(answer) => Some(answer),
        Slot::Waiting(_) => None,
    };
    slots.into_iter().filter_map(answer).collect()
}
