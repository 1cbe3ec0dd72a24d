//! One simulated process: an engine over its ports, the sessions it holds, and what it remembers by the
//! oracle's reading. [`super::face`] is what a host sees of it.

use super::{
    disk::Disk,
    lookout::Lookout,
    naive::{Around, Found, Plugin},
    plan::{Edit, LOCATIONS, PLUGIN, SESSIONS, Setup, Speech, Watch},
    plant::Plant,
    ports::{Files, FirstSeen, Hours, Journal, locked},
    shop::Shop,
};
use crate::fake::{clock::FakeClock, store::FakeStore};
use async_trait::async_trait;
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
};
use told_app::{Contribute, Contribution, Engine, Error, Ports, Registration, Session};
use told_domain::{
    context::Need,
    observation::{Absence, Observation},
    path::AbsolutePath,
    policy::{Builtin, FileName, Links, NestedProjects, Order, Policy, UpdateText},
    reason::UnavailableReason,
    render::Verbatim,
    session::{Location, SessionId},
};

/// One process.
pub(super) struct Process {
    pub(super) engine: Engine,
    pub(super) shop: Arc<Shop>,
    /// Where its files are watched.
    pub(super) lookout: Option<Lookout>,
    pub(super) files: Arc<Files>,
    pub(super) plant: Option<Plant>,
    sessions: Mutex<BTreeMap<usize, Session>>,
    guard: Option<Registration>,
    spoken: Arc<Spoken>,
    required_plugin: bool,
    pub(super) plugin: Plugin,
    /// Whether it has not answered anything yet.
    pub(super) fresh: Mutex<bool>,
    pub(super) memory: [Memory; SESSIONS.len()],
}

/// What a process remembers of one session.
#[derive(Clone)]
pub(super) struct Memory {
    /// What its own looks last found around the session, and at which revision.
    pub(super) around: Option<(Vec<Around>, u64)>,
    /// Through which candidates it last found each file; several where that is not known for sure.
    pub(super) found: Vec<Found>,
    /// What its last boundary listed as held, and at which revision.
    pub(super) held: Option<(Vec<String>, u64)>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { around: None, found: vec![Found::new()], held: None }
    }
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
    /// What calls of a race first saw of their sessions.
    pub(super) saw: Arc<Mutex<FirstSeen>>,
    /// What a planted mistake writes down before it does it.
    pub(super) journal: Journal,
    pub(super) policy: Policy,
    pub(super) required_plugin: bool,
    pub(super) watch: Option<Watch>,
}

impl Process {
    pub(super) fn new(ground: &Ground, medium: &FakeStore, plant: Option<Plant>) -> Self {
        let shop = Arc::new(Shop::new(medium.restarted(), plant, ground));
        let Ground { disk, clock, refill, policy, required_plugin, watch, .. } = ground;
        let lookout = watch.map(|watch| Lookout::new(disk, watch, plant));
        let files = Arc::new(Files::new(disk.clone(), lookout.clone(), plant));
        let ports = Ports {
            files: files.clone(),
            store: shop.clone(),
            clock: Arc::new(Hours::new(clock.clone(), disk.clone(), refill.clone(), plant)),
        };
        let engine = Engine::new(ports, policy.clone(), "sim");
        Self {
            engine: match &lookout {
                Some(lookout) => engine.watching(Arc::new(lookout.clone())),
                None => engine,
            },
            shop,
            lookout,
            files,
            plant,
            sessions: Mutex::default(),
            guard: None,
            spoken: Arc::new(Spoken(Mutex::new(Observation::Absent(Absence::NotFound)))),
            required_plugin: *required_plugin,
            plugin: Plugin::Never,
            fresh: Mutex::new(true),
            memory: Default::default(),
        }
    }

    /// The session's handle, kept from the first call on.
    pub(super) async fn session(&self, session: usize) -> Result<Session, Error> {
        if let Some(known) = locked(&self.sessions).get(&session) {
            return Ok(known.clone());
        }
        let handle = self.engine.session(&name(session)).await?;
        locked(&self.sessions).insert(session, handle.clone());
        Ok(handle)
    }

    /// Lets go of a session that is no more.
    pub(super) fn forget(&self, session: usize) {
        locked(&self.sessions).remove(&session);
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
            let Ok(services) = self.engine.location(Path::new(LOCATIONS[0])).await else {
                return false;
            };
            let required = self.required_plugin && self.plant != Some(Plant::NothingIsRequired);
            let contribution = Contribution {
                key: PLUGIN.parse().expect("a plugin's key"),
                need: if required { Need::Required } else { Need::Optional },
                guidance: Arc::new(Verbatim),
                source: self.spoken.clone(),
            };
            self.guard = services.registry().register(contribution).ok();
        }
        *locked(&self.spoken.0) = said;
        self.plugin = plugin;
        true
    }
}

/// A session's name.
pub(super) fn name(session: usize) -> SessionId {
    SESSIONS[session].parse().expect("a session's name")
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
    if !setup.nested_own {
        policy.instructions.nested_projects = NestedProjects::Ignore;
    }
    if let Some(max_bytes) = setup.max_bytes {
        policy.instructions.max_bytes = max_bytes;
    }
    if let Some(total_bytes) = setup.total_bytes {
        policy.limits.total_bytes = total_bytes;
    }
    let builtin = |told| if told { Builtin::Told } else { Builtin::Off };
    policy.builtins.date = builtin(setup.date);
    policy.builtins.environment = builtin(setup.environment);
    policy
}
