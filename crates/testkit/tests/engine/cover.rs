//! Boundaries under coverage: what they look at, and what they must not miss (R-WAT).

use super::{World, open};
use std::sync::Arc;
use told_app::{Caches, OpenRequest, RootCoverage, RootStatus, Session, SyncRequest};
use told_domain::{
    key::SourceKey,
    path::AbsolutePath,
    reason::UnavailableReason,
    session::{Prior, Trust},
};
use told_ports::Uncovered;
use told_testkit::{
    change::Change,
    contract::block_on,
    fake::{
        file_system::{self, Calls, FakeFileSystem, Rule, Step},
        watcher::{FakeWatcher, Fault},
    },
};

/// A session in `/repo` that was told everything, under coverage from here on.
struct Covered {
    files: Arc<FakeFileSystem>,
    watcher: FakeWatcher,
    world: World,
    session: Session,
}

impl Covered {
    async fn new() -> Self {
        let files = World::new();
        let watcher = FakeWatcher::new(files.files.clone());
        let engine = files.engine.clone().watching(Arc::new(watcher.clone()));
        let world = World { engine, ..files };
        let session = open(&world.engine, "a").await;
        let covered = Self { files: world.files.clone(), watcher, world, session };
        // The first is direct, the second arms, looks, and is the first that could drain.
        for _ in 0..3 {
            covered.sync().await;
        }
        covered
    }

    /// What one boundary tells, by key, and what it asked of the file system.
    async fn sync(&self) -> (Vec<String>, Calls) {
        let before = self.files.calls();
        let briefing = self.session.sync(SyncRequest::default()).await.unwrap();
        let told = briefing.admitted.map(|revision| {
            let updates = briefing.updates.iter().filter(|update| update.revision == revision);
            updates.flat_map(|update| &update.changes).map(|c| c.source.to_string()).collect()
        });
        (told.unwrap_or_default(), since(before, self.files.calls()))
    }

    async fn coverage(&self) -> RootCoverage {
        let status = self.world.engine.watch_status("/repo".as_ref()).await.unwrap();
        match &status.roots[..] {
            [RootStatus { coverage, .. }] => *coverage,
            roots => panic!("{roots:?}"),
        }
    }
}

fn since(before: Calls, now: Calls) -> Calls {
    Calls {
        batches: now.batches - before.batches,
        reads: now.reads - before.reads,
        probes: now.probes - before.probes,
        listings: now.listings - before.listings,
        scans: now.scans - before.scans,
        directories: now.directories - before.directories,
    }
}

fn agents(directory: &str) -> String {
    let path = AbsolutePath::new(format!("{directory}/AGENTS.md")).unwrap();
    SourceKey::File(path).to_string()
}

const NONE: Calls =
    Calls { batches: 0, reads: 0, probes: 0, listings: 0, scans: 0, directories: 0 };

#[test]
fn r_wat_3_an_unchanged_covered_boundary_asks_the_file_system_nothing() {
    block_on(async {
        let covered = Covered::new().await;
        assert_eq!(covered.coverage().await, RootCoverage::Covered);
        let drains = covered.watcher.drains();
        for boundary in 1..=10 {
            assert_eq!(covered.sync().await, (vec![], NONE), "boundary {boundary}");
        }
        assert_eq!(covered.watcher.drains() - drains, 10, "one drain a boundary");
    });
}

#[test]
fn r_wat_4_a_boundary_sees_every_write_that_had_returned() {
    block_on(async {
        let covered = Covered::new().await;
        for edition in 0..40 {
            let bytes = format!("Edition {edition}.\n").into_bytes();
            let write = Change::Write { path: "/repo/AGENTS.md".into(), bytes };
            covered.files.apply(&write).unwrap();
            assert_eq!(covered.sync().await.0, [agents("/repo")], "edition {edition}");
            assert!(covered.sync().await.0.is_empty());
        }
        // Gone, and made again.
        covered.files.remove("/repo/AGENTS.md").unwrap();
        assert_eq!(covered.sync().await.0, [agents("/repo")]);
        covered.files.write("/repo/AGENTS.md", "Again.\n").unwrap();
        assert_eq!(covered.sync().await.0, [agents("/repo")]);
    });
}

/// A change makes stale the path that it names, and no other.
#[test]
fn r_wat_3_only_what_changed_is_looked_at() {
    block_on(async {
        let covered = Covered::new().await;
        covered.files.write("/repo/AGENTS.md", "Use spaces.\n").unwrap();
        let (told, calls) = covered.sync().await;
        assert_eq!(told, [agents("/repo")]);
        assert_eq!(calls, Calls { batches: 1, reads: 1, ..NONE });
    });
}

/// What is new below a directory nobody tells: the scan is made, and nothing else.
#[test]
fn r_cfg_2_a_covered_boundary_scans_and_looks_at_nothing_else() {
    block_on(async {
        let covered = Covered::new().await;
        let rules = "[instructions]\ninclude = [\"rules/**/*.md\"]";
        covered.files.write("/repo/.told/config.toml", rules).unwrap();
        covered.files.write("/repo/rules/a.md", "A.\n").unwrap();
        let rule = |name: &str| format!("file:/repo/rules/{name}");
        assert_eq!(covered.sync().await.0, [rule("a.md")]);
        for _ in 0..3 {
            assert!(covered.sync().await.0.is_empty());
        }
        assert_eq!(covered.coverage().await, RootCoverage::Covered);
        let scan = Calls { batches: 1, scans: 1, ..NONE };
        let mut verified = 0;
        for _ in 0..16 {
            let (told, calls) = covered.sync().await;
            assert!(told.is_empty());
            verified += usize::from(calls != scan);
        }
        assert_eq!(verified, 1, "one in sixteen looks as well");
        for edition in 0..20 {
            covered.files.write("/repo/rules/a.md", format!("A {edition}.\n")).unwrap();
            assert_eq!(covered.sync().await.0, [rule("a.md")], "{edition}");
            let new = format!("deep/{edition}.md");
            covered.files.write(format!("/repo/rules/{new}"), "New.\n").unwrap();
            assert_eq!(covered.sync().await.0, [rule(&new)], "{edition}");
            covered.files.remove(format!("/repo/rules/{new}")).unwrap();
            assert_eq!(covered.sync().await.0, [rule(&new)], "{edition}");
        }
    });
}

#[test]
fn r_wat_3_every_sixteenth_covered_boundary_looks_as_well() {
    block_on(async {
        let covered = Covered::new().await;
        let looked = async || covered.sync().await.1.batches > 0;
        let mut at = Vec::new();
        for boundary in 0..48 {
            if looked().await {
                at.push(boundary);
            }
        }
        let [first, rest @ ..] = &at[..] else { panic!("none looked") };
        assert!(*first < 16, "{at:?}");
        assert_eq!(rest, [first + 16, first + 32]);
    });
}

/// A watcher that misses a change is found out by the next verification, and not believed again.
#[test]
fn r_wat_3_a_mismatch_ends_the_coverage_and_is_reported() {
    block_on(async {
        let covered = Covered::new().await;
        covered.watcher.script(1, Fault::Drop);
        covered.files.write("/repo/AGENTS.md", "Unseen.\n").unwrap();
        let mut told = Vec::new();
        for _ in 0..16 {
            told.extend(covered.sync().await.0);
        }
        assert_eq!(covered.watcher.lies(), 1);
        assert_eq!(told, [agents("/repo")], "found by the direct look, and told once");
        assert_eq!(covered.coverage().await, RootCoverage::Direct(Uncovered::Mismatch));
        let (_, calls) = covered.sync().await;
        assert!(calls.reads > 0, "from then on it looks");
    });
}

#[test]
fn r_wat_2_what_is_lost_is_looked_at_and_then_watched_anew() {
    block_on(async {
        for fault in [Fault::Overflow, Fault::Die] {
            let covered = Covered::new().await;
            covered.watcher.script(1, fault);
            covered.files.write("/repo/AGENTS.md", "In the overflow.\n").unwrap();
            let (told, calls) = covered.sync().await;
            assert_eq!(told, [agents("/repo")], "{fault:?}");
            assert!(calls.reads > 0);
            assert!(matches!(covered.coverage().await, RootCoverage::Direct(_)));
            covered.watcher.revive();
            let mut covers = false;
            for _ in 0..10 {
                covered.sync().await;
                covers |= covered.coverage().await == RootCoverage::Covered;
            }
            assert!(covers, "{fault:?}: a new subscription covers again");
        }
    });
}

#[test]
fn r_wat_7_exhausted_limits_look_directly() {
    block_on(async {
        let world = World::new();
        let watcher = FakeWatcher::limited_to(world.files.clone(), 1);
        let engine = world.engine.clone().watching(Arc::new(watcher));
        let session = open(&engine, "a").await;
        for edition in 0..5 {
            world.files.write("/repo/AGENTS.md", format!("Edition {edition}.\n")).unwrap();
            let briefing = session.sync(SyncRequest::default()).await.unwrap();
            assert!(briefing.admitted.is_some());
        }
        let status = engine.watch_status("/repo".as_ref()).await.unwrap();
        let direct = RootCoverage::Direct(Uncovered::Limit);
        assert!(status.roots.iter().all(|root| root.coverage == direct), "{status:?}");
    });
}

/// Also before a boundary is told.
#[test]
fn r_wat_2_what_is_lost_is_said_at_once() {
    block_on(async {
        let covered = Covered::new().await;
        covered.watcher.overflow();
        assert_eq!(covered.coverage().await, RootCoverage::Direct(Uncovered::Overflow));
    });
}

/// One root that cannot be watched leaves the others covered.
#[test]
fn r_wat_2_coverage_is_a_roots_own() {
    block_on(async {
        let mut world = World::new();
        world.files.write("/home/me/AGENTS.md", "Be brief.\n").unwrap();
        let global = AbsolutePath::new("/home/me/AGENTS.md").unwrap();
        world.engine = world.engine_with(|policy| policy.instructions.global = vec![global]);
        let watcher = FakeWatcher::new(world.files.clone());
        watcher.distrust("/home");
        let engine = world.engine.clone().watching(Arc::new(watcher));
        let session = open(&engine, "a").await;
        for _ in 0..4 {
            session.sync(SyncRequest::default()).await.unwrap();
        }
        let status = engine.watch_status("/repo".as_ref()).await.unwrap();
        let coverage: Vec<_> =
            status.roots.iter().map(|root| (root.root.as_str(), root.coverage)).collect();
        let direct = RootCoverage::Direct(Uncovered::FileSystem);
        assert_eq!(coverage, [("/home/me", direct), ("/repo", RootCoverage::Covered)]);
        // Both are seen, and of the covered root nothing is looked at.
        let before = world.files.calls();
        world.files.write("/home/me/AGENTS.md", "Be briefer.\n").unwrap();
        assert!(session.sync(SyncRequest::default()).await.unwrap().admitted.is_some());
        assert_eq!(since(before, world.files.calls()), Calls { batches: 1, reads: 1, ..NONE });
        world.files.write("/repo/AGENTS.md", "Use spaces.\n").unwrap();
        assert!(session.sync(SyncRequest::default()).await.unwrap().admitted.is_some());
    });
}

/// A hard link takes every root's coverage with it, and then its own root's alone.
#[test]
fn r_wat_2_a_loss_that_is_one_roots_leaves_the_others_covered() {
    block_on(async {
        let mut world = World::new();
        world.files.write("/home/me/AGENTS.md", "Be brief.\n").unwrap();
        let global = AbsolutePath::new("/home/me/AGENTS.md").unwrap();
        world.engine = world.engine_with(|policy| policy.instructions.global = vec![global]);
        let watcher = FakeWatcher::new(world.files.clone());
        let engine = world.engine.clone().watching(Arc::new(watcher));
        let session = open(&engine, "a").await;
        let coverage = async || {
            session.sync(SyncRequest::default()).await.unwrap();
            let status = engine.watch_status("/repo".as_ref()).await.unwrap();
            status.roots.iter().map(|root| root.coverage).collect::<Vec<_>>()
        };
        for _ in 0..3 {
            coverage().await;
        }
        let covered = RootCoverage::Covered;
        assert_eq!(coverage().await, [covered, covered]);
        world.files.hard_link("/repo/AGENTS.md", "/repo/other").unwrap();
        let direct = RootCoverage::Direct(Uncovered::HardLink);
        assert_eq!(coverage().await, [direct, direct], "whose it is is not known yet");
        assert_eq!(coverage().await, [covered, direct]);
    });
}

/// What this process changed counts at once, also where the watcher is late, under the file's own name
/// and through a link.
#[test]
fn r_wat_5_own_changes_make_stale_before_the_call_returns() {
    block_on(async {
        for changed in
            ["/repo/AGENTS.md", "AGENTS.md", "/repo/rules/real.md", "/repo/rules", "/repo"]
        {
            let world = World::new();
            world.files.remove("/repo/AGENTS.md").unwrap();
            world.files.write("/repo/rules/real.md", "Real.\n").unwrap();
            let link =
                Change::Link { path: "/repo/AGENTS.md".into(), target: "rules/real.md".into() };
            world.files.apply(&link).unwrap();
            let watcher = FakeWatcher::new(world.files.clone());
            let engine = world.engine.clone().watching(Arc::new(watcher.clone()));
            let session = open(&engine, "a").await;
            for _ in 0..3 {
                session.sync(SyncRequest::default()).await.unwrap();
            }
            watcher.script(1, Fault::Delay(3));
            world.files.write("/repo/rules/real.md", "Changed.\n").unwrap();
            let invalidated = engine.mutated("/repo".as_ref(), &[changed.into()]).await.unwrap();
            assert!(invalidated > 0, "{changed}");
            let briefing = session.sync(SyncRequest::default()).await.unwrap();
            assert!(briefing.admitted.is_some(), "{changed}: {:?}", briefing.updates);
            let elsewhere = engine.mutated("/repo".as_ref(), &["/repo/src".into()]).await.unwrap();
            assert_eq!(elsewhere, 0);
        }
    });
}

/// While a file is read nobody knows where it is: what is said to have changed then may be it (R-REF-4).
#[test]
fn r_wat_5_own_changes_during_a_look_count_through_links() {
    block_on(async {
        let world = World::new();
        world.files.remove("/repo/AGENTS.md").unwrap();
        world.files.write("/repo/rules/real.md", "Real.\n").unwrap();
        let link = Change::Link { path: "/repo/AGENTS.md".into(), target: "rules/real.md".into() };
        world.files.apply(&link).unwrap();
        let engine = world.engine.clone().watching(Arc::new(FakeWatcher::new(world.files.clone())));
        let session = open(&engine, "a").await;
        session.sync(SyncRequest::default()).await.unwrap();
        // This one begins to watch, and its look is the first that is kept.
        world.files.script(Rule::new(Step::Answering, file_system::Fault::Hold));
        let changed = async {
            while world.files.held() == 0 {
                tokio::task::yield_now().await;
            }
            world.files.write_mapped("/repo/rules/real.md", b'Z').unwrap();
            engine.mutated("/repo".as_ref(), &["/repo/rules/real.md".into()]).await.unwrap();
            world.files.release();
        };
        let (before, ()) = tokio::join!(session.sync(SyncRequest::default()), changed);
        assert!(before.unwrap().admitted.is_none());
        let after = session.sync(SyncRequest::default()).await.unwrap();
        assert!(after.admitted.is_some(), "{:?}", after.updates);
    });
}

/// Where nobody can say what a path leads to, nothing that is cached counts.
#[test]
fn r_wat_5_a_changed_path_that_cannot_be_looked_at_may_be_any() {
    block_on(async {
        let covered = Covered::new().await;
        covered.files.write("/repo/other", "Another path.\n").unwrap();
        let fail = file_system::Fault::Fail(UnavailableReason::IoError);
        covered.files.script(Rule::new(Step::Looking, fail).at("/repo/other").always());
        let mutated = covered.world.engine.mutated("/repo".as_ref(), &["/repo/other".into()]).await;
        assert!(mutated.unwrap() > 0);
        let (told, calls) = covered.sync().await;
        assert!(told.is_empty() && calls.reads > 0, "{told:?}, {calls:?}");
    });
}

/// What failed might have been left unread: only a look in order knows (R-OBS-12).
#[test]
fn r_obs_12_a_failure_beside_a_cached_file_is_judged_in_order() {
    block_on(async {
        let mut world = World::new();
        world.files.write("/repo/a/AGENTS.md", "Twenty bytes of it.\n").unwrap();
        world.engine = world.engine_with(|policy| policy.limits.total_bytes = 25);
        let engine = world.engine.clone().watching(Arc::new(FakeWatcher::new(world.files.clone())));
        let request = OpenRequest {
            session: "a".parse().unwrap(),
            directory: "/repo/a".into(),
            position: None,
            prior: Prior::None,
            trust: Trust::Trusted,
        };
        world.files.write("/repo/.git/HEAD", "").unwrap();
        engine.open(request).await.unwrap();
        let session = engine.session(&"a".parse().unwrap()).await.unwrap();
        let again = Change::Write { path: "/repo/AGENTS.md".into(), bytes: b"Again.".into() };
        let tear = file_system::Fault::Change(again);
        let tear = Rule::new(Step::Stamping, tear).at("/repo/AGENTS.md").always();
        world.files.script(tear);
        for boundary in 0..6 {
            world.files.write("/repo/AGENTS.md", "Use tabs.\n").unwrap();
            let briefing = session.sync(SyncRequest::default()).await.unwrap();
            assert!(briefing.held.is_empty(), "boundary {boundary}: {:?}", briefing.held);
            let reasons: Vec<_> = briefing.withheld.iter().map(|view| view.reason).collect();
            assert_eq!(reasons, [Some("limit")], "boundary {boundary}");
        }
    });
}

/// Sessions of one Location share what is cached; another that looks at the same time looks itself.
#[test]
fn r_wat_6_sessions_of_one_location_share_caches() {
    block_on(async {
        let covered = Covered::new().await;
        let entries = covered.watcher.entries();
        let other = open(&covered.world.engine, "b").await;
        for _ in 0..3 {
            other.sync(SyncRequest::default()).await.unwrap();
        }
        assert_eq!(covered.watcher.entries(), entries);
        covered.files.write("/repo/AGENTS.md", "For both.\n").unwrap();
        let (one, two) = tokio::join!(
            covered.session.sync(SyncRequest::default()),
            other.sync(SyncRequest::default())
        );
        assert!(one.unwrap().admitted.is_some() && two.unwrap().admitted.is_some());
    });
}

#[test]
fn r_wat_6_closing_a_location_leaves_nothing_watched() {
    block_on(async {
        let covered = Covered::new().await;
        assert!(covered.watcher.entries() > 0);
        let status = covered.world.engine.watch_status("/repo".as_ref()).await.unwrap();
        assert!(status.caches.fresh > 0 && status.caches.stale == 0, "{status:?}");
        covered.world.engine.close_location("/repo".as_ref()).await.unwrap();
        assert_eq!(covered.watcher.entries(), 0);
        let status = covered.world.engine.watch_status("/repo".as_ref()).await.unwrap();
        assert_eq!((status.roots, status.caches), (vec![], Caches::default()));
        // And it goes on as if it had just begun.
        covered.files.write("/repo/AGENTS.md", "Anew.\n").unwrap();
        assert_eq!(covered.sync().await.0, [agents("/repo")]);
        for _ in 0..3 {
            covered.sync().await;
        }
        assert!(covered.watcher.entries() > 0);
        let Covered { watcher, session, world, .. } = covered;
        drop((session, world));
        assert_eq!(watcher.entries(), 0, "the last holder takes it along");
    });
}
