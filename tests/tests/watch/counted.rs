//! The default wiring with a count at each port, and the reading of a trace.

use async_trait::async_trait;
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use told::{
    Engine, Ports, RootCoverage, Session, SyncRequest,
    domain::{
        look::{Looks, Seen},
        observation::Observation,
        path::CanonicalPath,
        policy::{Builtin, Policy},
    },
    ports::{Coverage, Drained, FileSystem, Subscription, Watched, Watcher},
};
use told_clock::SystemClock;
use told_fs::LocalFileSystem;
use told_inotify::InotifyWatcher;
use told_redb::{RedbOptions, RedbStore};
use told_scenarios::Ground;
use told_testkit::fake::store::FakeStore;

/// This machine's files, watched, and a store in memory: what is counted there is no store's.
pub(crate) fn in_memory(watcher: InotifyWatcher) -> Engine {
    let ports = Ports {
        files: Arc::new(LocalFileSystem::new()),
        store: Arc::new(FakeStore::new()),
        clock: Arc::new(SystemClock::new()),
    };
    Engine::new(ports, Policy::default(), "linux").watching(Arc::new(watcher))
}

/// How often each port was asked.
#[derive(Default)]
pub(crate) struct Counted {
    looks: AtomicUsize,
    drains: AtomicUsize,
}

impl Counted {
    /// A session whose Location is covered; nothing where that cannot be here.
    pub(crate) async fn covered(ground: &Ground) -> Option<(Arc<Self>, Session)> {
        let counted = Arc::new(Self::default());
        let engine = counted.engine(ground);
        let session = ground.open(&engine, "watched/1").await;
        for _ in 0..3 {
            session.sync(SyncRequest::default()).await.unwrap();
        }
        let status = engine.watch_status(&ground.path("shop/api")).await.unwrap();
        let covered = status.roots.iter().all(|root| root.coverage == RootCoverage::Covered);
        if !covered {
            eprintln!("not covered here, so nothing is counted: {status:?}");
        }
        covered.then_some((counted, session))
    }

    fn engine(self: &Arc<Self>, ground: &Ground) -> Engine {
        let mut policy = Policy::default();
        policy.builtins.date = Builtin::Off;
        let store = RedbStore::open(ground.path("store.redb"), RedbOptions::default());
        let ports = Ports {
            files: Arc::new(Files(LocalFileSystem::new(), self.clone())),
            store: Arc::new(store),
            clock: Arc::new(SystemClock::new()),
        };
        let watcher = Watching(InotifyWatcher::default(), self.clone());
        Engine::new(ports, policy, "linux").watching(Arc::new(watcher))
    }

    /// Batches of looks.
    pub(crate) fn looks(&self) -> usize {
        self.looks.load(Ordering::SeqCst)
    }

    pub(crate) fn drains(&self) -> usize {
        self.drains.load(Ordering::SeqCst)
    }
}

struct Files(LocalFileSystem, Arc<Counted>);

#[async_trait]
impl FileSystem for Files {
    async fn observe(&self, looks: &Looks) -> Seen {
        self.1.looks.fetch_add(1, Ordering::SeqCst);
        self.0.observe(looks).await
    }

    async fn directory(&self, path: &Path) -> Observation<CanonicalPath> {
        self.0.directory(path).await
    }
}

struct Watching(InotifyWatcher, Arc<Counted>);

#[async_trait]
impl Watcher for Watching {
    async fn subscribe(&self, watched: Vec<Watched>) -> Arc<dyn Subscription> {
        Arc::new(Subscribed(self.0.subscribe(watched).await, self.1.clone()))
    }
}

struct Subscribed(Arc<dyn Subscription>, Arc<Counted>);

#[async_trait]
impl Subscription for Subscribed {
    fn coverage(&self) -> Coverage {
        self.0.coverage()
    }

    async fn drain(&self) -> Drained {
        self.1.drains.fetch_add(1, Ordering::SeqCst);
        self.0.drain().await
    }
}

/// Where a traced run says that a boundary begins: a path that nobody else asks for.
const MARK: &str = "/a/boundary/begins";
const BOUNDARIES: usize = 10;

/// What is traced: unchanged boundaries under coverage, each after a mark.
pub(crate) fn boundaries(home: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let ground = Ground::at(home);
        let Some((_, session)) = Counted::covered(&ground).await else { return };
        for _ in 0..BOUNDARIES {
            let _ = std::fs::metadata(MARK);
            session.sync(SyncRequest::default()).await.unwrap();
        }
        let _ = std::fs::metadata(MARK);
    });
}

/// Each boundary asks the store twice (the file's place and its first bytes) and the watcher once.
pub(crate) fn judge(trace: &str) {
    // Of the thread that syncs: others end when they have been idle.
    let thread = |line: &str| line.split(' ').next().map(str::to_owned);
    let syncs = trace.lines().find(|line| line.contains(MARK)).and_then(thread);
    // A call that another thread's interrupted has a second line.
    let begins = |line: &&str| thread(line) == syncs && !line.contains(" resumed>");
    let calls: Vec<_> = trace.lines().filter(begins).collect();
    let marks: Vec<_> = (0..calls.len()).filter(|index| calls[*index].contains(MARK)).collect();
    if marks.is_empty() {
        return;
    }
    assert_eq!(marks.len(), BOUNDARIES + 1);
    for pair in marks.windows(2) {
        let calls = &calls[pair[0] + 1..pair[1]];
        let stores = |call: &&&str| {
            call.contains("store.redb") || call.contains("pread64(") && call.contains("redb")
        };
        assert_eq!(calls.iter().filter(stores).count(), 4, "{calls:#?}");
        let others: Vec<_> = calls.iter().filter(|call| !stores(call)).collect();
        let [drain] = others[..] else { panic!("{others:#?}") };
        assert!(drain.contains("poll("), "{drain}");
    }
}
