//! One simulated process: an engine over its ports, the sessions it holds, and the face that a host
//! sees, which may be made wrong on purpose.

use super::{
    disk::Disk,
    naive::{Around, Found, Plugin},
    plan::{Edit, PLUGIN, SESSIONS, Setup, Speech},
    plant::Plant,
    ports::{Files, Hours, Shop, locked},
};
use crate::fake::{clock::FakeClock, store::FakeStore};
use async_trait::async_trait;
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
};
use told_app::{
    Contribute, Contribution, Engine, Error, Ports, Registration, Session, SyncRequest,
};
use told_domain::{
    briefing::Briefing,
    context::Need,
    observation::{Absence, Observation},
    path::AbsolutePath,
    policy::{Builtin, FileName, Links, Order, Policy, UpdateText},
    position::{Position, Revision},
    reason::UnavailableReason,
    render::Verbatim,
    session::{Location, SessionId},
};

/// One process.
pub(super) struct Process {
    pub(super) engine: Engine,
    pub(super) shop: Arc<Shop>,
    plant: Option<Plant>,
    sessions: BTreeMap<usize, Session>,
    guard: Option<Registration>,
    spoken: Arc<Spoken>,
    pub(super) plugin: Plugin,
    /// What its own looks last found around each session, and at which revision.
    pub(super) around: [Option<(Vec<Around>, u64)>; 2],
    /// Through which candidates it last found each file; several where that is not known for sure.
    pub(super) found: [Vec<Found>; 2],
    /// What its last boundary of each session listed as held, and at which revision.
    pub(super) held: [Option<(Vec<String>, u64)>; 2],
    /// Whether it has not answered anything yet.
    fresh: Mutex<bool>,
}

struct Spoken(Mutex<Observation<Arc<str>>>);

#[async_trait]
impl Contribute for Spoken {
    async fn observe(&self, _: &Location) -> Observation<Arc<str>> {
        super::schedule::others_run().await;
        locked(&self.0).clone()
    }
}

/// What every process works on.
#[derive(Clone)]
pub(super) struct Ground {
    pub(super) disk: Arc<Mutex<Disk>>,
    pub(super) clock: Arc<FakeClock>,
    pub(super) refill: Arc<Mutex<Option<Edit>>>,
    pub(super) policy: Policy,
}

impl Process {
    pub(super) fn new(ground: &Ground, medium: &FakeStore, plant: Option<Plant>) -> Self {
        let shop = Arc::new(Shop::new(medium.restarted(), plant));
        let Ground { disk, clock, refill, policy } = ground;
        let ports = Ports {
            files: Arc::new(Files::new(disk.clone(), plant)),
            store: shop.clone(),
            clock: Arc::new(Hours::new(clock.clone(), disk.clone(), refill.clone(), plant)),
        };
        Self {
            engine: Engine::new(ports, policy.clone(), "sim"),
            shop,
            plant,
            sessions: BTreeMap::new(),
            guard: None,
            spoken: Arc::new(Spoken(Mutex::new(Observation::Absent(Absence::NotFound)))),
            plugin: Plugin::Never,
            around: [None, None],
            found: [vec![Found::new()], vec![Found::new()]],
            held: [None, None],
            fresh: Mutex::new(true),
        }
    }

    /// The session's handle, kept from the first call on.
    pub(super) async fn session(&mut self, session: usize) -> Result<Session, Error> {
        if let Some(known) = self.sessions.get(&session) {
            return Ok(known.clone());
        }
        let handle = self.engine.session(&name(session)).await?;
        self.sessions.insert(session, handle.clone());
        Ok(handle)
    }

    /// Lets the plugin say something else, register or leave. False where its Location is out of reach.
    pub(super) async fn speak(&mut self, speech: Speech) -> bool {
        let (said, plugin) = match speech {
            Speech::Says(n) => {
                let text = format!("guidance {n}");
                (Observation::Available(text.as_str().into()), Plugin::Says(text))
            }
            Speech::Fails => (Observation::Unavailable(UnavailableReason::IoError), Plugin::Fails),
            Speech::Silent => (Observation::Absent(Absence::NotFound), Plugin::Silent),
            Speech::Leaves => {
                if self.guard.take().is_some() {
                    self.plugin = Plugin::Dropped;
                }
                return true;
            }
        };
        if self.guard.is_none() {
            let Ok(services) = self.engine.location(Path::new(SESSIONS[0].1)).await else {
                return false;
            };
            let contribution = Contribution {
                key: PLUGIN.parse().expect("a plugin's key"),
                need: Need::Optional,
                guidance: Arc::new(Verbatim),
                source: self.spoken.clone(),
            };
            self.guard = services.registry().register(contribution).ok();
        }
        *locked(&self.spoken.0) = said;
        self.plugin = plugin;
        true
    }

    /// The face: what a host gets of `sync`.
    pub(super) async fn sync(
        &self,
        session: &Session,
        mut request: SyncRequest,
    ) -> Result<Briefing, Error> {
        match self.plant {
            Some(Plant::PositionCorrected) => {
                let shown = session.show(None).await?;
                let last = shown.updates.last().map_or(shown.epoch.position, |u| u.position);
                request.position = request.position.map(|position| position.max(last));
            }
            Some(Plant::SinceBelieved) if request.since.is_some() => {
                request.since = Some(Revision(request.since.unwrap_or_default().0 + 1));
            }
            _ => {}
        }
        let foretold = match self.plant {
            Some(Plant::TextBeforeCommit) => session.preview(request).await.ok(),
            _ => None,
        };
        let mut briefing = match (session.sync(request).await, foretold) {
            (Err(Error::Store(_)), Some(foretold)) => foretold,
            (result, _) => result?,
        };
        let fresh = std::mem::replace(&mut *locked(&self.fresh), false);
        match self.plant {
            Some(Plant::BaselineRenderedAnew) if fresh && briefing.complete => {
                let directory = briefing.location.directory.as_path().to_owned();
                let anew = self.engine.preview(&directory).await?;
                briefing.epoch.baseline = anew.epoch.baseline;
            }
            Some(Plant::UpdateDropped) if briefing.updates.len() > 1 => {
                briefing.updates = briefing.updates.split_off(briefing.updates.len() - 1);
            }
            Some(Plant::UpdateRepeated) => {
                briefing.updates.extend(briefing.updates.last().cloned());
            }
            Some(Plant::ToldAgainAfterResume) if fresh => {
                briefing.updates.extend(briefing.updates.last().cloned());
            }
            Some(Plant::UpdatesReordered) => briefing.updates.reverse(),
            Some(Plant::HeldUnsaid) => briefing.held.clear(),
            Some(Plant::AdmittedAlways) => briefing.admitted = Some(briefing.revision),
            _ => {}
        }
        Ok(briefing)
    }

    pub(super) async fn preview(
        &self,
        session: &Session,
        request: SyncRequest,
    ) -> Result<Briefing, Error> {
        match self.plant {
            Some(Plant::PreviewWrites) => session.sync(request).await,
            _ => session.preview(request).await,
        }
    }

    pub(super) async fn compact(&self, session: &Session, at: u64) -> Result<Revision, Error> {
        match self.plant {
            Some(Plant::CompactionIgnored) => Ok(session.show(None).await?.revision),
            _ => session.compact(Some(Position(at))).await,
        }
    }
}

/// A session's name.
pub(super) fn name(session: usize) -> SessionId {
    SESSIONS[session].0.parse().expect("a session's name")
}

/// The policy that a setup means.
pub(super) fn policy(setup: &Setup) -> Policy {
    let mut policy = Policy::default();
    let names = setup.names.iter().map(|group| {
        group.iter().map(|name| FileName::new(name).expect("a file's name")).collect()
    });
    policy.instructions.names = names.collect();
    if setup.nearest_first {
        policy.instructions.order = Order::NearestFirst;
    }
    policy.instructions.update_text = match setup.update_text {
        0 => UpdateText::Full,
        1 => UpdateText::Diff,
        _ => UpdateText::Auto,
    };
    if setup.global {
        policy.instructions.global =
            vec![AbsolutePath::new(super::plan::GLOBAL).expect("an absolute path")];
    }
    if setup.links_anywhere {
        policy.instructions.links = Links::Anywhere;
    }
    let builtin = |told| if told { Builtin::Told } else { Builtin::Off };
    policy.builtins.date = builtin(setup.date);
    policy.builtins.environment = builtin(setup.environment);
    policy
}
