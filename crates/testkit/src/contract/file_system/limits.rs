//! What ends a look: FS-7 to FS-9.

use super::ground::{Fixture, Ground, withheld};
use crate::change::Change;
use told_domain::{
    look::{Containment, EntryKind, Listing, Looks, Read, Scan},
    observation::Observation,
    reason::{UnavailableReason, WithheldReason},
};

/// FS-7.
pub async fn fs_7_a_file_that_changes_while_read_is_read_again(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/file", "aaaa");
    let path = ground.at("project/file");
    // Of equal length, so that the size tells nothing.
    let write = |text: &str| Change::Write { path: path.clone(), bytes: text.into() };
    let changes = vec![write("bbbb"), write("cccc")];
    ground.fixture.change_during_reads(&path, changes);
    assert_eq!(ground.look_at("project/file").await, ground.whole("project/file", "cccc"));
    assert_eq!(ground.look_at("project/file").await, ground.whole("project/file", "cccc"));
}

/// FS-7, at its end.
pub async fn fs_7_a_file_that_changes_three_times_is_unavailable(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/file", "aaaa");
    ground.file("project/other", "calm");
    let path = ground.at("project/file");
    let write = |text: &str| Change::Write { path: path.clone(), bytes: text.into() };
    let changes = vec![write("bbbb"), write("cccc"), write("dddd")];
    ground.fixture.change_during_reads(&path, changes);
    let reads = vec![ground.read("project/file"), ground.read("project/other")];
    let files = ground.look(reads).await;
    let changed = Observation::Unavailable(UnavailableReason::ChangedWhileRead);
    assert_eq!(files, [changed, ground.whole("project/other", "calm")]);
    assert_eq!(ground.look_at("project/file").await, ground.whole("project/file", "dddd"));
}

/// FS-7, where the size tells.
pub async fn fs_7_a_file_that_grows_or_shrinks_is_one_version(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/file", "some text");
    ground.file("project/replaced", "the old text");
    ground.file("project/new", "new");
    let path = ground.at("project/file");
    let shrink = Change::Resize { path: path.clone(), size: 4 };
    let grow = Change::Write { path: path.clone(), bytes: "some more text".into() };
    ground.fixture.change_during_reads(&path, vec![shrink, grow]);
    assert_eq!(
        ground.look_at("project/file").await,
        ground.whole("project/file", "some more text")
    );
    // Replaced as a whole: either version, and at the next look the new one.
    let (from, to) = (ground.at("project/new"), ground.at("project/replaced"));
    ground.fixture.change_during_reads(&to, vec![Change::Rename { from, to: to.clone() }]);
    let first = ground.look_at("project/replaced").await;
    let (old, new) =
        (ground.whole("project/replaced", "the old text"), ground.whole("project/replaced", "new"));
    assert!(first == old || first == new, "{first:?}");
    assert_eq!(ground.look_at("project/replaced").await, new);
}

/// FS-8.
pub async fn fs_8_what_passes_the_total_is_withheld_and_a_smaller_one_counts(
    fixture: impl Fixture,
) {
    let mut ground = Ground::new(fixture);
    for (name, size) in [("five", 5), ("six", 6), ("four", 4), ("one", 1), ("none", 0)] {
        ground.file(&format!("project/{name}"), vec![b'x'; size]);
    }
    let reads = |names: &[&str]| -> Vec<Read> {
        names.iter().map(|name| ground.read(&format!("project/{name}"))).collect()
    };
    let system = ground.fixture.system();
    let limit = withheld(WithheldReason::Limit);
    for (total_bytes, names, fits) in [
        (
            10,
            vec!["five", "six", "four", "one", "one", "none"],
            [true, false, true, true, false, true],
        ),
        (
            0,
            vec!["none", "one", "none", "gone", "six", "none"],
            [true, false, true, false, false, true],
        ),
        (
            5,
            vec!["six", "five", "one", "none", "four", "gone"],
            [false, true, false, true, false, false],
        ),
    ] {
        let looks = Looks {
            reads: reads(&names),
            total_bytes,
            look_ms: super::ground::LOOK_MS,
            ..Looks::default()
        };
        for _ in 0..2 {
            let seen = system.observe(&looks).await;
            for ((name, fits), file) in names.iter().zip(fits).zip(&seen.files) {
                match (*name, fits) {
                    ("gone", _) => assert_eq!(*file, super::ground::not_found()),
                    (_, true) => {
                        assert!(matches!(file, Observation::Available(_)), "{name}: {file:?}");
                    }
                    (_, false) => assert_eq!(*file, limit, "{name} of {total_bytes}"),
                }
            }
        }
    }
    // What is cut at its own limit counts with what is delivered.
    let mut cut = reads(&["six", "six", "six"]);
    cut.iter_mut().for_each(|read| read.max_bytes = 2);
    let looks =
        Looks { reads: cut, total_bytes: 5, look_ms: super::ground::LOOK_MS, ..Looks::default() };
    let files = system.observe(&looks).await.files;
    assert!(
        matches!(&files[1], Observation::Available(file) if file.bytes == b"xx" && file.size == 6)
    );
    assert_eq!(files[2], limit);
}

/// FS-9. The call returns at all, which is the point.
pub async fn fs_9_a_look_that_hangs_costs_itself_alone(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    let names = ["a", "hangs-1", "b", "hangs-2", "c"];
    for name in names {
        ground.file(&format!("project/{name}"), name);
    }
    ground.directory("project/hangs-3");
    ground.directory("project/hangs-4");
    for name in ["hangs-1", "hangs-2", "hangs-3", "hangs-4"] {
        let path = ground.at(&format!("project/{name}"));
        ground.fixture.hang(&path);
    }
    let looks = Looks {
        reads: names.iter().map(|name| ground.read(&format!("project/{name}"))).collect(),
        probes: ["project/hangs-3", "project/a"].map(|name| ground.path(name)).into(),
        listings: ["project/hangs-4", "outside"]
            .map(|name| Listing { directory: ground.path(name), max_entries: 1 })
            .into(),
        scans: ["project/hangs-4", "outside"]
            .map(|name| Scan { containment: Containment::Anywhere, ..ground.scan(name) })
            .into(),
        total_bytes: 1000,
        look_ms: 2000,
    };
    let system = ground.fixture.system();
    // The second time what hung before still hangs, and nothing else does.
    for look_ms in [looks.look_ms, 1000] {
        let seen = system.observe(&Looks { look_ms, ..looks.clone() }).await;
        let timeout = UnavailableReason::Timeout;
        for (name, file) in names.iter().zip(&seen.files) {
            if name.starts_with("hangs") {
                assert_eq!(*file, Observation::Unavailable(timeout), "{name}");
            } else {
                assert_eq!(*file, ground.whole(&format!("project/{name}"), *name));
            }
        }
        assert_eq!(
            seen.probes,
            [Observation::Unavailable(timeout), Observation::Available(EntryKind::File)]
        );
        assert_eq!(seen.listings[0], Observation::Unavailable(timeout));
        assert!(matches!(seen.listings[1], Observation::Available(_)));
        assert_eq!(seen.scans[0], Observation::Unavailable(timeout));
        assert!(matches!(seen.scans[1], Observation::Available(_)));
    }
}
