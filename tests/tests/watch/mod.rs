//! Watching on real files: what a boundary costs, what an idle Location does, what is left behind. Where
//! this machine's temporary directory cannot be watched, what is counted there is said and passed over.

mod counted;

use counted::Counted;
use std::{fs, path::Path};
use told::{Session, SyncRequest};
use told_inotify::InotifyWatcher;
use told_scenarios::Ground;

/// What one boundary told, as the sources' keys.
async fn told(session: &Session) -> Vec<String> {
    let briefing = session.sync(SyncRequest::default()).await.unwrap();
    let Some(admitted) = briefing.admitted else { return Vec::new() };
    let updates = briefing.updates.iter().filter(|update| update.revision == admitted);
    updates.flat_map(|update| &update.changes).map(|change| change.source.to_string()).collect()
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

#[tokio::test]
async fn r_wat_3_an_unchanged_covered_boundary_asks_the_file_system_nothing() {
    let ground = Ground::new();
    let Some((counted, session)) = Counted::covered(&ground).await else { return };
    let (looks, drains) = (counted.looks(), counted.drains());
    for _ in 0..10 {
        assert!(told(&session).await.is_empty());
    }
    assert_eq!((counted.looks() - looks, counted.drains() - drains), (0, 10));
    // A change of one file is one look at that file, and its own process need not say so.
    ground.write("shop/AGENTS.md", "Use spaces.\n");
    assert_eq!(told(&session).await.len(), 1);
    assert_eq!(counted.looks() - looks, 1);
}

/// Between boundaries nothing happens, whatever happens to the files.
#[tokio::test(flavor = "multi_thread")]
async fn r_bnd_1_an_idle_location_does_nothing() {
    let ground = Ground::new();
    let Some((counted, session)) = Counted::covered(&ground).await else { return };
    let runtime = tokio::runtime::Handle::current().metrics();
    let revision = session.sync(SyncRequest::default()).await.unwrap().revision;
    let (looks, drains, tasks) = (counted.looks(), counted.drains(), runtime.num_alive_tasks());
    let stored = fs::read(ground.path("store.redb")).unwrap();
    for edition in 0..5_000 {
        ground.write("shop/AGENTS.md", &format!("Edition {edition}.\n"));
        ground.write("shop/api/AGENTS.md", "Here and gone.\n");
        fs::remove_file(ground.path("shop/api/AGENTS.md")).unwrap();
    }
    let now = (counted.looks(), counted.drains(), runtime.num_alive_tasks());
    assert_eq!(now, (looks, drains, tasks));
    assert!(fs::read(ground.path("store.redb")).unwrap() == stored, "something was written");
    // All of it is one update.
    assert_eq!(told(&session).await.len(), 1);
    let briefing = session.sync(SyncRequest::default()).await.unwrap();
    assert_eq!(briefing.revision.0, revision.0 + 1);
}

/// A branch switch in a watched tree: bounded, and one direct look at most.
#[tokio::test]
async fn r_wat_2_a_burst_of_a_hundred_thousand_files_is_one_look() {
    let ground = Ground::new();
    let Some((counted, session)) = Counted::covered(&ground).await else { return };
    let burst = ground.path("shop/api");
    for number in 0..100_000 {
        fs::File::create(burst.join(format!("file-{number}"))).unwrap();
    }
    ground.write("shop/AGENTS.md", "The other branch.\n");
    let looks = counted.looks();
    assert_eq!(told(&session).await.len(), 1);
    assert_eq!(counted.looks() - looks, 1, "lost or not, it looks once");
    assert!(told(&session).await.is_empty());
}

/// Runs in a process of its own: other tests open files at the same time.
#[tokio::test]
async fn r_wat_6_a_thousand_locations_leave_nothing_behind() {
    if std::env::var_os("TOLD_TEST_ALONE").is_none() {
        let alone = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "watch::r_wat_6_a_thousand_locations_leave_nothing_behind"])
            .env("TOLD_TEST_ALONE", "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&alone.stdout).into_owned();
        assert!(alone.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let ground = Ground::new();
    let watcher = InotifyWatcher::default();
    let engine = counted::in_memory(watcher.clone());
    let runtime = tokio::runtime::Handle::current().metrics();
    let before = (descriptors(), runtime.num_alive_tasks(), watcher.usage());
    let mut held = Vec::new();
    for number in 1..=1_000 {
        let directory = ground.path(&format!("many/{number}"));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("AGENTS.md"), "Here.\n").unwrap();
        let session = ground.open_in(&engine, &format!("many/{number}"), &directory).await;
        for _ in 0..3 {
            session.sync(SyncRequest::default()).await.unwrap();
        }
        held.push(session);
    }
    assert_eq!(engine.locations_open(), 1_000);
    let usage = watcher.usage();
    if usage.watches > 0 {
        assert_eq!(usage.instances, 1);
        assert!(usage.watches > 1_000, "{usage:?}");
    }
    drop(held);
    assert_eq!(engine.locations_open(), 0);
    assert_eq!((descriptors(), runtime.num_alive_tasks(), watcher.usage()), before);
}

/// The calls of an unchanged covered boundary, as the system sees them.
#[test]
#[cfg(target_os = "linux")]
fn r_wat_3_an_unchanged_covered_boundary_makes_one_call_beside_the_stores() {
    if let Some(this) = std::env::var_os("TOLD_TEST_TRACED") {
        return counted::boundaries(Path::new(&this));
    }
    let trace = tempfile::NamedTempFile::new().unwrap();
    let ground = Ground::new();
    let traced = std::process::Command::new("strace")
        .args(["-f", "-qq", "-o"])
        .arg(trace.path())
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "watch::r_wat_3_an_unchanged_covered_boundary_makes_one_call_beside_the_stores",
        ])
        .env("TOLD_TEST_TRACED", ground.path(""))
        .output();
    let Ok(traced) = traced else {
        eprintln!("there is no strace here: nothing is counted");
        return;
    };
    if !traced.status.success() {
        let said = String::from_utf8_lossy(&traced.stderr).into_owned();
        assert!(said.contains("strace: "), "{said}{}", String::from_utf8_lossy(&traced.stdout));
        eprintln!("strace may not trace here: nothing is counted");
        return;
    }
    counted::judge(&fs::read_to_string(trace.path()).unwrap());
}
