//! What an answer is: FS-1 to FS-4, FS-14.

use super::ground::{Fixture, Ground, LOOK_MS, not_found, withheld};
use crate::change::Change;
use told_domain::{
    look::{EntryKind, FileBytes, Listing, Looks, Read},
    observation::Observation,
    path::CanonicalPath,
    reason::{UnavailableReason, WithheldReason},
};

/// FS-1.
pub async fn fs_1_every_answer_stands_at_its_questions_index(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    for name in ["a", "b", "c"] {
        ground.directory(&format!("project/{name}"));
        ground.file(&format!("project/{name}/f"), name);
    }
    let names = ["c", "missing", "a", "b", "a"];
    let looks = Looks {
        reads: names.iter().map(|name| ground.read(&format!("project/{name}/f"))).collect(),
        probes: ["project/b/f", "project/b", "project/none"].map(|name| ground.path(name)).into(),
        listings: ["project/none", "project/a"]
            .map(|name| Listing { directory: ground.path(name), max_entries: 10 })
            .into(),
        scans: ["project/none", "project/b"].map(|name| ground.scan(name)).into(),
        total_bytes: 1000,
        look_ms: LOOK_MS,
    };
    let system = ground.fixture.system();
    // Twice: an answer that is remembered must be the same.
    for _ in 0..2 {
        let seen = system.observe(&looks).await;
        assert_eq!(
            seen.files,
            [
                ground.whole("project/c/f", "c"),
                not_found(),
                ground.whole("project/a/f", "a"),
                ground.whole("project/b/f", "b"),
                ground.whole("project/a/f", "a"),
            ]
        );
        assert_eq!(
            seen.probes,
            [
                Observation::Available(EntryKind::File),
                Observation::Available(EntryKind::Directory),
                not_found(),
            ]
        );
        assert_eq!(seen.listings.len(), 2);
        assert_eq!(seen.listings[0], not_found());
        assert!(matches!(&seen.listings[1], Observation::Available(names) if names.names == ["f"]));
        assert_eq!(seen.scans.len(), 2);
        assert_eq!(seen.scans[0], not_found());
        assert!(matches!(&seen.scans[1], Observation::Available(found)
            if found.paths == [std::path::Path::new("f")]));
        let nothing = system.observe(&Looks::default()).await;
        assert_eq!(nothing, told_domain::look::Seen::default());
    }
}

/// FS-2.
pub async fn fs_2_only_a_path_that_leads_nowhere_is_absent(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/file", "text");
    ground.link("project/loop", "loop");
    ground.link("project/a", "b");
    ground.link("project/b", "a");
    assert_eq!(ground.look_at("project/none").await, not_found());
    assert_eq!(ground.look_at("project/none/of/these").await, not_found());
    assert_eq!(ground.look_at("project/file/below").await, not_found());
    let links = Observation::Unavailable(UnavailableReason::TooManyLinks);
    for name in ["project/loop", "project/a", "project/a/below"] {
        assert_eq!(ground.look_at(name).await, links, "{name}");
    }
    let long = format!("project/{}", "n".repeat(256));
    let name = Observation::Unavailable(UnavailableReason::NameTooLong);
    assert_eq!(ground.look_at(&long).await, name);
    assert_eq!(ground.look_at(&format!("project/{}", "n".repeat(255))).await, not_found());
    // What leads nowhere may lead somewhere at the next look, and back.
    ground.file("project/none", "now");
    assert_eq!(ground.look_at("project/none").await, ground.whole("project/none", "now"));
    let path = ground.at("project/none");
    ground.change(Change::Remove { path });
    assert_eq!(ground.look_at("project/none").await, not_found());
}

/// FS-3.
pub async fn fs_3_a_regular_file_is_its_first_bytes_and_its_whole_size(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    let content: Vec<u8> = (0..200_000_u32).map(|at| (at % 251) as u8).collect();
    ground.file("project/empty", "");
    ground.file("project/some", content.clone());
    assert_eq!(ground.look_at("project/empty").await, ground.whole("project/empty", ""));
    let size = content.len() as u64;
    for max_bytes in [0, 1, 65_535, 65_536, 65_537, size - 1, size, size + 1, u64::MAX] {
        let read = Read { max_bytes, ..ground.read("project/some") };
        let kept = content.len().min(usize::try_from(max_bytes).unwrap_or(usize::MAX));
        let expected = FileBytes {
            canonical: CanonicalPath::observed(ground.path("project/some")),
            bytes: content[..kept].to_vec(),
            size,
        };
        let files = ground.look(vec![read]).await;
        assert!(files == [Observation::Available(expected)], "at a limit of {max_bytes}");
    }
    // A huge file costs what is read of it.
    let huge = 10 << 30;
    let path = ground.at("project/empty");
    ground.change(Change::Resize { path, size: huge });
    let read = Read { max_bytes: 100, ..ground.read("project/empty") };
    let canonical = CanonicalPath::observed(ground.path("project/empty"));
    let expected = FileBytes { canonical, bytes: vec![0; 100], size: huge };
    assert_eq!(ground.look(vec![read]).await, [Observation::Available(expected)]);
}

/// FS-4.
pub async fn fs_4_what_is_no_regular_file_is_withheld_and_never_blocks(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.directory("project/directory");
    let (fifo, socket) = (ground.at("project/fifo"), ground.at("project/socket"));
    ground.change(Change::Fifo { path: fifo });
    ground.change(Change::Socket { path: socket });
    for name in ["directory", "fifo", "socket"] {
        ground.link(&format!("project/to-{name}"), name);
    }
    let names = ["directory", "fifo", "socket", "to-directory", "to-fifo", "to-socket"];
    let reads = names.map(|name| ground.read(&format!("project/{name}")));
    let project = ground.read("project");
    let mut reads = Vec::from(reads);
    reads.push(project);
    for _ in 0..2 {
        for file in ground.look(reads.clone()).await {
            assert_eq!(file, withheld(WithheldReason::NotRegularFile));
        }
    }
}

/// FS-14.
pub async fn fs_14_one_failure_changes_no_other_answer(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    let good = ["project/a", "project/b", "project/c"];
    for name in good {
        ground.file(name, name);
    }
    ground.link("project/loop", "loop");
    ground.link("project/out", ground.at("outside"));
    let fifo = ground.at("project/fifo");
    ground.change(Change::Fifo { path: fifo });
    let long = format!("project/{}", "n".repeat(300));
    let bad = ["project/loop", "project/out", "project/fifo", &long, "project/none"];
    let mut reads = Vec::new();
    for name in bad {
        reads.push(ground.read(name));
        reads.extend(good.map(|name| ground.read(name)));
    }
    let files = ground.look(reads).await;
    for (at, file) in files.iter().enumerate() {
        match at % 4 {
            0 => assert!(!matches!(file, Observation::Available(_)), "{file:?}"),
            good_at => assert_eq!(*file, ground.whole(good[good_at - 1], good[good_at - 1])),
        }
    }
}
