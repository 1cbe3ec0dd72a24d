//! Entries and directories: FS-11 to FS-13, FS-15.

use super::{
    containment::no_utf8,
    ground::{Fixture, Ground, LOOK_MS, not_found},
};
use crate::change::Change;
use std::{ffi::OsString, path::Path};
use told_domain::{
    look::{EntryKind, Listing, Looks},
    observation::Observation,
    path::CanonicalPath,
    reason::UnavailableReason,
};

/// FS-11.
pub async fn fs_11_a_probe_follows_links_and_tells_the_kind(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/file", "text");
    ground.directory("project/directory");
    let (fifo, socket) = (ground.at("project/fifo"), ground.at("project/socket"));
    ground.change(Change::Fifo { path: fifo });
    ground.change(Change::Socket { path: socket });
    ground.link("project/to-file", "file");
    ground.link("project/to-directory", ground.at("outside"));
    ground.link("project/to-fifo", "fifo");
    ground.link("project/to-nothing", "nothing");
    ground.link("project/loop", "loop");
    let links = Observation::Unavailable(UnavailableReason::TooManyLinks);
    let table = [
        ("project/file", Observation::Available(EntryKind::File)),
        ("project/directory", Observation::Available(EntryKind::Directory)),
        ("project/fifo", Observation::Available(EntryKind::Other)),
        ("project/socket", Observation::Available(EntryKind::Other)),
        ("project/to-file", Observation::Available(EntryKind::File)),
        ("project/to-directory", Observation::Available(EntryKind::Directory)),
        ("project/to-fifo", Observation::Available(EntryKind::Other)),
        ("project/to-nothing", not_found()),
        ("project/nothing", not_found()),
        ("project/file/below", not_found()),
        ("project/loop", links),
    ];
    let probes = table.iter().map(|(name, _)| ground.path(name)).collect();
    let looks = Looks { probes, look_ms: LOOK_MS, ..Looks::default() };
    for _ in 0..2 {
        let seen = ground.fixture.system().observe(&looks).await;
        for ((name, expected), found) in table.iter().zip(&seen.probes) {
            assert_eq!(found, expected, "{name}");
        }
    }
}

/// FS-12.
pub async fn fs_12_a_listing_is_sorted_and_says_where_it_stopped(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.directory("project/full");
    ground.directory("project/empty");
    ground.link("project/link", "full");
    ground.link("project/loop", "loop");
    ground.file("project/file", "text");
    let mut names: Vec<OsString> =
        ["b", "B", "a.md", ".hidden", "é", "a", "z"].map(OsString::from).into();
    for name in &names {
        let path = ground.at("project/full").join(name);
        ground.change(Change::Write { path, bytes: Vec::new() });
    }
    if let Some(odd) = no_utf8() {
        let path = ground.at("project/full").join(&odd);
        if ground.fixture.apply(&Change::Fifo { path }).is_ok() {
            names.push(odd);
        }
    }
    names.sort_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
    let list = async |name: &str, max_entries: u64| {
        let listings = vec![Listing { directory: ground.path(name), max_entries }];
        let looks = Looks { listings, look_ms: LOOK_MS, ..Looks::default() };
        let seen = ground.fixture.system().observe(&looks).await;
        seen.listings.into_iter().next().expect("one answer")
    };
    let all = names.len() as u64;
    for name in ["project/full", "project/link"] {
        for limit in [all, all + 1, u64::MAX] {
            let Observation::Available(found) = list(name, limit).await else {
                panic!("{name} can be listed");
            };
            assert_eq!((&found.names, found.more), (&names, false));
        }
        for limit in [0, 1, all - 1] {
            let Observation::Available(found) = list(name, limit).await else {
                panic!("{name} can be listed");
            };
            assert!(found.more && found.names.len() as u64 == limit);
            assert!(found.names.is_sorted() && found.names.iter().all(|n| names.contains(n)));
        }
    }
    let Observation::Available(found) = list("project/empty", 0).await else {
        panic!("an empty directory can be listed");
    };
    assert!(found.names.is_empty() && !found.more);
    assert_eq!(list("project/file", 9).await, not_found());
    assert_eq!(list("project/none", 9).await, not_found());
    let links = Observation::Unavailable(UnavailableReason::TooManyLinks);
    assert_eq!(list("project/loop", 9).await, links);
}

/// FS-13; a path that is no UTF-8 is with FS-10.
pub async fn fs_13_a_directory_is_its_canonical_path(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.directory("project/sub");
    ground.file("project/file", "text");
    ground.link("project/link", "sub");
    ground.link("project/out", ground.at("outside"));
    ground.link("project/to-file", "file");
    ground.link("project/to-nothing", "nothing");
    ground.link("project/loop", "loop");
    let system = ground.fixture.system();
    let there = |name: &str| Observation::Available(CanonicalPath::observed(ground.path(name)));
    let links = Observation::Unavailable(UnavailableReason::TooManyLinks);
    let table = [
        ("project/sub", there("project/sub")),
        ("project/link", there("project/sub")),
        ("project/link/../file/..", not_found()),
        ("project/link/..", there("project")),
        ("project/sub/./../sub/", there("project/sub")),
        // The system resolves `..` where a link has led to, not by its name.
        ("project/out/../project", there("project")),
        ("project/out/..", there("")),
        ("project/out", there("outside")),
        ("project/file", not_found()),
        ("project/to-file", not_found()),
        ("project/to-nothing", not_found()),
        ("project/none", not_found()),
        ("project/loop", links),
    ];
    for _ in 0..2 {
        for (name, expected) in &table {
            let found = system.directory(&ground.at(name)).await;
            assert_eq!(found, *expected, "{name}");
        }
    }
    let root = system.directory(Path::new("/")).await;
    assert!(matches!(root, Observation::Available(root) if root.as_str() == "/" || cfg!(windows)));
}

/// FS-15.
pub async fn fs_15_a_name_is_matched_exactly(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/agents.md", "small");
    ground.directory("project/.GIT");
    assert_eq!(ground.look_at("project/AGENTS.md").await, not_found());
    assert_eq!(ground.look_at("project/Agents.md").await, not_found());
    assert_eq!(
        ground.look_at("project/agents.md").await,
        ground.whole("project/agents.md", "small")
    );
    let probes = ["project/.git", "project/.GIT"].map(|name| ground.path(name)).into();
    let looks = Looks { probes, look_ms: LOOK_MS, ..Looks::default() };
    let seen = ground.fixture.system().observe(&looks).await;
    assert_eq!(seen.probes, [not_found(), Observation::Available(EntryKind::Directory)]);
}
