use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use told_domain::{
    look::{Containment, FileBytes, Listing, Looks, Read},
    observation::{Absence, Observation},
    path::AbsolutePath,
    reason::UnavailableReason,
    time::{Date, Timestamp},
};
use told_ports::{Clock as _, FileSystem};
use told_testkit::{
    change::{Change, Refused},
    contract::{block_on, file_system::Fixture},
    fake::{
        clock::FakeClock,
        file_system::{FakeFileSystem, Fault, Kind, Rule, Step},
    },
};

struct Fake(Arc<FakeFileSystem>);

fn make() -> Fake {
    let system = Arc::new(FakeFileSystem::new());
    system.make_directories("/some/where").expect("can be made");
    Fake(system)
}

impl Fixture for Fake {
    fn root(&self) -> PathBuf {
        "/some/where".into()
    }

    fn apply(&mut self, change: &Change) -> Result<(), Refused> {
        self.0.apply(change)
    }

    fn change_during_reads(&mut self, path: &Path, changes: Vec<Change>) {
        for (at, change) in changes.into_iter().enumerate() {
            let rule = Rule::new(Step::Reading, Fault::Change(change));
            self.0.script(rule.at(path).after(at as u32));
        }
    }

    fn hang(&mut self, path: &Path) {
        self.0.script(Rule::new(Step::Looking, Fault::Hang).at(path).always());
    }

    fn system(&self) -> Arc<dyn FileSystem> {
        Arc::clone(&self.0) as Arc<dyn FileSystem>
    }
}

told_testkit::file_system_contract!(make);

fn reads(paths: &[&str]) -> Looks {
    let reads = paths
        .iter()
        .map(|path| Read {
            path: AbsolutePath::new(path).expect("can be made"),
            containment: Containment::Anywhere,
            max_bytes: 100,
        })
        .collect();
    Looks { reads, total_bytes: 1000, look_ms: 50, ..Looks::default() }
}

fn text(found: &Observation<FileBytes>) -> &str {
    match found {
        Observation::Available(file) => std::str::from_utf8(&file.bytes).expect("can be made"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_rule_strikes_where_and_when_it_says_and_the_log_tells() {
    let fake = FakeFileSystem::new();
    fake.write("/a", "a").unwrap();
    fake.write("/b", "b").unwrap();
    let io = UnavailableReason::IoError;
    fake.script(Rule::new(Step::Looking, Fault::Fail(io)).at("/a").after(1).times(2));
    let looks = reads(&["/a", "/b"]);
    let failed: Vec<bool> = (0..4)
        .map(|_| {
            let seen = fake.observe_now(&looks);
            assert_eq!(text(&seen.files[1]), "b");
            seen.files[0] == Observation::Unavailable(io)
        })
        .collect();
    assert_eq!(failed, [false, true, true, false]);
    let struck = fake.log().iter().filter(|passed| !passed.faults.is_empty()).count();
    assert_eq!((struck, fake.calls().reads, fake.calls().batches), (2, 8, 4));
}

#[test]
fn a_rule_of_one_kind_leaves_the_others_alone() {
    let fake = FakeFileSystem::new();
    fake.write("/a/b", "b").unwrap();
    let refuse = UnavailableReason::PermissionDenied;
    fake.script(Rule::new(Step::Looking, Fault::Fail(refuse)).for_kind(Kind::Probe).always());
    let mut looks = reads(&["/a/b"]);
    looks.probes = vec![AbsolutePath::new("/a/b").unwrap()];
    looks.listings = vec![Listing { directory: AbsolutePath::new("/a").unwrap(), max_entries: 1 }];
    let seen = fake.observe_now(&looks);
    assert_eq!(text(&seen.files[0]), "b");
    assert_eq!(seen.probes, [Observation::Unavailable(refuse)]);
    assert!(matches!(seen.listings[0], Observation::Available(_)));
    fake.heal();
    assert!(matches!(fake.observe_now(&looks).probes[0], Observation::Available(_)));
}

#[test]
fn an_entry_refuses_for_as_long_as_it_is_told_to() {
    let fake = FakeFileSystem::new();
    fake.write("/d/f", "text").unwrap();
    let denied = UnavailableReason::PermissionDenied;
    for refusing in ["/d", "/d/f"] {
        fake.refuse(refusing, Some(denied)).unwrap();
        let seen = fake.observe_now(&reads(&["/d/f"]));
        assert_eq!(seen.files, [Observation::Unavailable(denied)]);
        fake.refuse(refusing, None).unwrap();
        assert_eq!(text(&fake.observe_now(&reads(&["/d/f"])).files[0]), "text");
    }
}

#[test]
fn slow_and_hanging_looks_take_the_clocks_time_and_no_more_than_the_batch_has() {
    let today = Date::new(2026, 11, 30).unwrap();
    let clock = Arc::new(FakeClock::new(Timestamp::from_millisecond(0), today));
    let fake = FakeFileSystem::with_clock(Arc::clone(&clock));
    fake.write("/slow", "slow").unwrap();
    fake.write("/slower", "slower").unwrap();
    fake.script(Rule::new(Step::Looking, Fault::Delay(20)).at("/slow"));
    fake.script(Rule::new(Step::Looking, Fault::Delay(30)).at("/slower"));
    let seen = fake.observe_now(&reads(&["/slow", "/slower"]));
    assert_eq!((text(&seen.files[0]), text(&seen.files[1])), ("slow", "slower"));
    assert_eq!(clock.now().as_millisecond(), 30);
    fake.script(Rule::new(Step::Looking, Fault::Delay(51)).at("/slow"));
    let seen = fake.observe_now(&reads(&["/slow", "/slower"]));
    assert_eq!(seen.files[0], Observation::Unavailable(UnavailableReason::Timeout));
    assert_eq!(text(&seen.files[1]), "slower");
    assert_eq!(clock.now().as_millisecond(), 80);
    clock.advance(Duration::from_millis(20));
    assert_eq!(clock.now().as_millisecond(), 100);
}

#[test]
fn a_held_batch_waits_before_its_looks_or_behind_them() {
    for (step, expected) in [(Step::Asked, "new"), (Step::Answering, "old")] {
        let fake = Arc::new(FakeFileSystem::new());
        fake.write("/a", "old").unwrap();
        fake.script(Rule::new(step, Fault::Hold));
        block_on(async {
            let looks = reads(&["/a"]);
            let look = fake.observe(&looks);
            let meanwhile = async {
                while fake.held() == 0 {
                    tokio::task::yield_now().await;
                }
                fake.write("/a", "new").unwrap();
                fake.release();
            };
            let (seen, ()) = tokio::join!(look, meanwhile);
            assert_eq!(text(&seen.files[0]), expected);
            assert_eq!(fake.held(), 0);
        });
    }
}

#[test]
fn one_seed_fails_the_same_looks() {
    let run = |seed| {
        let fake = FakeFileSystem::new();
        fake.write("/a", "a").unwrap();
        fake.fail_by_chance(seed, 300);
        let looks = reads(&["/a", "/none"]);
        (0..50).map(|_| fake.observe_now(&looks)).collect::<Vec<_>>()
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
    let absent = Observation::Absent(Absence::NotFound);
    assert!(run(7).iter().any(|seen| seen.files[1] == absent));
}
