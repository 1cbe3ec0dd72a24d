//! All that lies below a directory: FS-16 to FS-18.

use super::ground::{Fixture, Ground, LOOK_MS, not_found, withheld};
use crate::change::Change;
use std::{collections::BTreeSet, path::PathBuf};
use told_domain::{
    look::{Below, Containment, Hidden, Looks, Scan},
    observation::Observation,
    reason::{UnavailableReason, WithheldReason},
};

impl<F: Fixture> Ground<F> {
    /// One scan in the project.
    pub(super) fn scan(&self, relative: &str) -> Scan {
        Scan {
            directory: self.path(relative),
            containment: self.project(),
            max_depth: 9,
            max_entries: 1000,
            max_directories: 1000,
            hidden: Hidden::LeftOut,
        }
    }

    async fn below(&self, scan: Scan) -> Observation<Below> {
        let looks = Looks { scans: vec![scan], look_ms: LOOK_MS, ..Looks::default() };
        let mut seen = self.fixture.system().observe(&looks).await;
        assert_eq!(seen.scans.len(), 1);
        seen.scans.pop().expect("one answer")
    }

    async fn paths(&self, scan: Scan) -> Vec<PathBuf> {
        match self.below(scan).await {
            Observation::Available(Below { paths, more: false, .. }) => paths,
            other => panic!("all is found: {other:?}"),
        }
    }
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

/// FS-16.
pub async fn fs_16_a_scan_gives_all_that_is_no_directory_and_enters_no_link(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    for directory in ["a", "a/b", "a-b", ".hidden", ".git", "a/node_modules", "empty"] {
        ground.directory(&format!("project/{directory}"));
    }
    for file in [
        "z.md",
        "a/x.md",
        "a/b/y.md",
        "a-b/x.md",
        ".dot.md",
        ".hidden/x.md",
        ".git/x.md",
        "a/node_modules/x.md",
        "a/b/.dot.md",
    ] {
        ground.file(&format!("project/{file}"), "text");
    }
    ground.file("outside/secret.md", "text");
    ground.link("project/to-outside", "../outside");
    ground.link("project/to-a", "a");
    ground.link("project/a/up", "..");
    ground.link("project/to-nothing", "nothing");
    ground.change(Change::Fifo { path: ground.at("project/fifo") });
    let visible = paths(&[
        "a/b/y.md",
        "a/up",
        "a/x.md",
        "a-b/x.md",
        "fifo",
        "to-a",
        "to-nothing",
        "to-outside",
        "z.md",
    ]);
    for _ in 0..2 {
        assert_eq!(ground.paths(ground.scan("project")).await, visible);
        // A directory that is asked for by a link is one.
        let through = ground.paths(ground.scan("project/to-a")).await;
        assert_eq!(through, paths(&["b/y.md", "up", "x.md"]));
        let all = Scan { hidden: Hidden::Counts, ..ground.scan("project") };
        let all = ground.paths(all).await;
        let hidden = paths(&[".dot.md", ".hidden/x.md", "a/b/.dot.md"]);
        assert_eq!(all.iter().filter(|path| !visible.contains(path)).collect::<Vec<_>>(), {
            hidden.iter().collect::<Vec<_>>()
        });
        assert!(all.is_sorted());
        assert_eq!(ground.paths(ground.scan("project/empty")).await, paths(&[]));
    }
}

/// FS-16, in depth.
pub async fn fs_16_a_scan_ends_at_its_depth_and_says_so(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    for directory in ["a", "a/b", "a/b/c"] {
        ground.directory(&format!("project/{directory}"));
    }
    for file in ["0", "a/1", "a/b/2"] {
        ground.file(&format!("project/{file}"), "text");
    }
    for (max_depth, expect, deeper) in [
        (0, &[][..], true),
        (1, &["0"][..], true),
        (2, &["0", "a/1"], true),
        (3, &["0", "a/1", "a/b/2"], true),
        (4, &["0", "a/1", "a/b/2"], false),
    ] {
        let found = ground.below(Scan { max_depth, ..ground.scan("project") }).await;
        let expect = Below { paths: paths(expect), more: false, deeper };
        assert_eq!(found, Observation::Available(expect), "{max_depth}");
    }
}

/// FS-17.
pub async fn fs_17_a_scan_stops_at_its_limit_and_says_so(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    for directory in ["project/a", "project/b"] {
        ground.directory(directory);
    }
    for file in ["a/1", "a/2", "b/3", "4", ".5"] {
        ground.file(&format!("project/{file}"), "text");
    }
    // Two directories, five files.
    for (max_entries, more) in [(0, true), (3, true), (6, true), (7, false), (8, false)] {
        let found = ground.below(Scan { max_entries, ..ground.scan("project") }).await;
        let Observation::Available(found) = found else { panic!("it is found: {found:?}") };
        assert_eq!(found.more, more, "{max_entries}");
        assert!(found.paths.len() as u64 <= max_entries);
        if !more {
            assert_eq!(found.paths, paths(&["4", "a/1", "a/2", "b/3"]));
        }
    }
}

/// FS-17, in directories.
pub async fn fs_17_a_scan_stops_at_its_directories_and_says_so(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    for directory in ["a", "a/b", "c", ".git"] {
        ground.directory(&format!("project/{directory}"));
    }
    for file in ["0", "a/1", "a/b/2", "c/3"] {
        ground.file(&format!("project/{file}"), "text");
    }
    // The scan's own directory, and three that are entered.
    for (max_directories, more) in [(0, true), (1, true), (3, true), (4, false), (5, false)] {
        let found = ground.below(Scan { max_directories, ..ground.scan("project") }).await;
        let Observation::Available(found) = found else { panic!("it is found: {found:?}") };
        assert_eq!(found.more, more, "{max_directories}");
        let inside: BTreeSet<_> = found.paths.iter().map(|path| path.parent()).collect();
        assert!(inside.len() as u64 <= max_directories, "{found:?}");
        if !more {
            assert_eq!(found.paths, paths(&["0", "a/1", "a/b/2", "c/3"]));
        }
    }
}

/// FS-18.
pub async fn fs_18_a_scan_that_fails_is_no_absence(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/file", "text");
    ground.file("outside/file", "text");
    ground.link("project/out", "../outside");
    ground.link("project/loop", "loop");
    let outside = withheld(WithheldReason::OutsideProject);
    for _ in 0..2 {
        for (name, expect) in [
            ("project/nothing", not_found()),
            ("project/file", not_found()),
            ("project/file/below", not_found()),
            ("project/out", outside.clone()),
            ("outside", outside.clone()),
            ("project/loop", Observation::Unavailable(UnavailableReason::TooManyLinks)),
        ] {
            assert_eq!(ground.below(ground.scan(name)).await, expect, "{name}");
        }
        let anywhere = Scan { containment: Containment::Anywhere, ..ground.scan("project/out") };
        assert_eq!(ground.paths(anywhere).await, paths(&["file"]));
    }
}
