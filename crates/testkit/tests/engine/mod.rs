//! The engine over the fakes, where one moment decides.

#![expect(clippy::unwrap_used, reason = "tests, and their helpers")]

mod age;
mod cover;
mod fork;
mod urls;
mod warnings;

use std::sync::Arc;
use told_app::{Engine, OpenRequest, Ports, Session};
use told_domain::{
    policy::{Builtin, Policy},
    session::{Prior, SessionId, Trust},
    time::{Date, Timestamp},
};
use told_testkit::fake::{clock::FakeClock, file_system::FakeFileSystem, store::FakeStore};

/// An engine, and what it works on.
struct World {
    files: Arc<FakeFileSystem>,
    store: FakeStore,
    clock: Arc<FakeClock>,
    engine: Engine,
}

impl World {
    /// `/repo` with an `AGENTS.md`, and `/farm` with another.
    fn new() -> Self {
        let today = Date::new(2026, 11, 30).unwrap();
        let clock = Arc::new(FakeClock::new(Timestamp::from_millisecond(1_796_000_000_000), today));
        let files = Arc::new(FakeFileSystem::with_clock(clock.clone()));
        files.write("/repo/AGENTS.md", "Use tabs.\n").unwrap();
        files.write("/farm/AGENTS.md", "Feed the hens.\n").unwrap();
        let store = FakeStore::new();
        let engine = engine(&files, &store, &clock, |_| ());
        Self { files, store, clock, engine }
    }

    /// An engine with another policy.
    fn engine_with(&self, change: impl FnOnce(&mut Policy)) -> Engine {
        engine(&self.files, &self.store, &self.clock, change)
    }

    /// Another process.
    fn other(&self) -> Engine {
        engine(&self.files, &self.store.restarted(), &self.clock, |_| ())
    }
}

/// A session in `/repo`.
async fn open(engine: &Engine, name: &str) -> Session {
    let session: SessionId = name.parse().unwrap();
    let request = OpenRequest {
        session: session.clone(),
        directory: "/repo".into(),
        position: None,
        prior: Prior::None,
        trust: Trust::Trusted,
    };
    engine.open(request).await.unwrap();
    engine.session(&session).await.unwrap()
}

fn engine(
    files: &Arc<FakeFileSystem>,
    store: &FakeStore,
    clock: &Arc<FakeClock>,
    change: impl FnOnce(&mut Policy),
) -> Engine {
    let mut policy = Policy::default();
    change(&mut policy);
    policy.builtins.date = Builtin::Off;
    policy.builtins.environment = Builtin::Off;
    let ports =
        Ports { files: files.clone(), store: Arc::new(store.clone()), clock: clock.clone() };
    Engine::new(ports, policy, "linux")
}
