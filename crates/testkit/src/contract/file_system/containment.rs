//! Where an opened file is: FS-5, FS-6, FS-10.

use super::ground::{Fixture, Ground, not_found, withheld};
use crate::change::Change;
use std::ffi::OsString;
use told_domain::{
    look::{Containment, Read},
    observation::Observation,
    path::CanonicalPath,
    reason::WithheldReason,
};

/// FS-5.
pub async fn fs_5_where_the_opened_file_is_decides(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.directory("project/sub");
    ground.file("project/sub/file", "in");
    ground.file("outside/file", "out");
    // A sibling that shares the project's name as a prefix is not in it.
    ground.directory("project-too");
    ground.file("project-too/file", "beside");
    ground.link("project/relative", "sub/file");
    ground.link("project/absolute", ground.at("project/sub/file"));
    ground.link("project/around", "../outside/../project/sub/file");
    ground.link("project/through", "sub");
    ground.link("project/out", "../outside/file");
    ground.link("project/out-absolute", ground.at("outside/file"));
    ground.link("project/out-directory", ground.at("outside"));
    ground.link("project/beside", "../project-too/file");
    ground.link("outside/in", ground.at("project/sub/file"));
    let inside = [
        "project/sub/file",
        "project/relative",
        "project/absolute",
        "project/around",
        "project/through/file",
        "project/out-directory/in",
        "outside/in",
    ];
    let outside = [
        "project/out",
        "project/out-absolute",
        "project/out-directory/file",
        // Neither is what it is told of something outside.
        "project/out-directory",
        "project/beside",
        "outside/file",
        "project-too/file",
    ];
    for _ in 0..2 {
        for name in inside {
            let expected = ground.whole("project/sub/file", "in");
            assert_eq!(ground.look_at(name).await, expected, "{name}");
        }
        for name in outside {
            let expected = withheld(WithheldReason::OutsideProject);
            assert_eq!(ground.look_at(name).await, expected, "{name}");
        }
    }
}

/// FS-5, of links whose targets do not exist.
pub async fn fs_5_a_link_to_nothing_is_nothing_wherever_it_points(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.link("project/in", "nowhere");
    ground.link("project/out", "../outside/nowhere");
    ground.link("project/far", ground.at("outside/no/where"));
    ground.file("project/file", "text");
    ground.link("project/below-file", "file/");
    for name in ["project/in", "project/out", "project/far", "project/below-file"] {
        assert_eq!(ground.look_at(name).await, not_found(), "{name}");
    }
    // A target that comes to be is seen.
    ground.file("outside/nowhere", "now");
    assert_eq!(ground.look_at("project/out").await, withheld(WithheldReason::OutsideProject));
    ground.file("project/nowhere", "now");
    assert_eq!(ground.look_at("project/in").await, ground.whole("project/nowhere", "now"));
}

/// FS-5, under a swap between the look's open and its read.
pub async fn fs_5_a_file_swapped_for_a_link_is_itself_or_withheld(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/file", "mine");
    ground.file("outside/file", "secret");
    ground.link("outside/link", ground.at("outside/file"));
    let (file, link) = (ground.at("project/file"), ground.at("outside/link"));
    let swap = Change::Rename { from: link, to: file.clone() };
    ground.fixture.change_during_reads(&file, vec![swap]);
    let first = ground.look_at("project/file").await;
    let outside = withheld(WithheldReason::OutsideProject);
    assert!(first == ground.whole("project/file", "mine") || first == outside, "{first:?}");
    assert_eq!(ground.look_at("project/file").await, outside);
}

/// FS-6.
pub async fn fs_6_anywhere_follows_links_anywhere(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("outside/file", "out");
    ground.link("project/link", ground.at("outside/file"));
    ground.link("project/directory", "../outside");
    ground.link("project/none", "../outside/none");
    let read = |name: &str| Read { containment: Containment::Anywhere, ..ground.read(name) };
    for _ in 0..2 {
        for name in ["project/link", "project/directory/file", "outside/file"] {
            let files = ground.look(vec![read(name)]).await;
            assert_eq!(files, [ground.whole("outside/file", "out")], "{name}");
        }
        assert_eq!(ground.look(vec![read("project/none")]).await, [not_found()]);
        let directory = ground.look(vec![read("project/directory")]).await;
        assert_eq!(directory, [withheld(WithheldReason::NotRegularFile)]);
    }
}

/// FS-10. Where the system has no names but UTF-8 there is nothing to prove.
pub async fn fs_10_a_real_path_that_is_no_utf8_is_withheld(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    let Some(name) = no_utf8() else {
        return;
    };
    let root = ground.at("project");
    let made = ground
        .fixture
        .apply(&Change::Write { path: root.join(&name), bytes: b"text".to_vec() })
        .and_then(|()| {
            let (path, target) = (root.join("link"), name.clone());
            ground.fixture.apply(&Change::Link { path, target })
        });
    if made.is_err() {
        // A file system that takes UTF-8 alone.
        return;
    }
    for _ in 0..2 {
        assert_eq!(ground.look_at("project/link").await, withheld(WithheldReason::PathNotUtf8));
    }
    let path = root.join(&name);
    ground.change(Change::Remove { path: path.clone() });
    assert_eq!(ground.look_at("project/link").await, not_found());
    ground.change(Change::MakeDirectory { path: path.clone() });
    let system = ground.fixture.system();
    let directory: Observation<CanonicalPath> = system.directory(&path).await;
    assert_eq!(directory, withheld(WithheldReason::PathNotUtf8));
}

#[cfg(unix)]
pub(super) fn no_utf8() -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(OsString::from_vec(vec![b'n', 0xFF, b'.', b'm', b'd']))
}

#[cfg(not(unix))]
pub(super) fn no_utf8() -> Option<OsString> {
    None
}
