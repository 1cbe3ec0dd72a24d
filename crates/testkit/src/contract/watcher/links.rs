//! WA-7, WA-8, WA-19: names that lead elsewhere.

use super::ground::{Act, Fixture, Ground};
use crate::change::{Change, Refused};
use told_domain::path::AbsolutePath;
use told_ports::{Coverage, Drained, Uncovered, Watched};

/// WA-7.
pub async fn wa_7_a_swapped_link_is_told(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/one", "one");
    ground.file("project/two", "two");
    ground.link("project/A", "one");
    let watch = ground.covered(&["project/A"]).await;
    ground.link("project/A.tmp", "two");
    ground.rename("project/A.tmp", "project/A");
    watch.tells(&[0]).await;
    ground.file("project/two", "three");
    watch.tells(&[0]).await;
    // What it led to before is no business of its any more.
    ground.file("project/one", "three");
    watch.tells(&[]).await;
    ground.remove("project/A");
    ground.link("project/A", "nothing");
    watch.tells(&[0]).await;
    ground.file("project/nothing", "something");
    watch.tells(&[0]).await;
}

/// WA-7.
pub async fn wa_7_a_target_elsewhere_is_told(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.directory("elsewhere");
    ground.directory("elsewhere/deep");
    ground.file("elsewhere/deep/target", "one");
    ground.link("project/B", "../elsewhere/deep/target");
    ground.link("project/A", "B");
    let watch = ground.covered(&["project/A"]).await;
    ground.file("elsewhere/deep/target", "two");
    watch.tells(&[0]).await;
    ground.file("elsewhere/deep/new", "three");
    ground.rename("elsewhere/deep/new", "elsewhere/deep/target");
    watch.tells(&[0]).await;
    ground.file("elsewhere/deep/target", "four");
    watch.tells(&[0]).await;
    ground.rename("elsewhere/deep", "elsewhere/gone");
    watch.tells_of_the_first().await;
}

/// WA-7.
pub async fn wa_7_a_link_in_the_way_that_is_swapped_is_lost(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    for directory in ["one", "two"] {
        ground.directory(directory);
        ground.file(&format!("{directory}/A"), directory);
    }
    ground.link("project/way", "../one");
    let watch = ground.covered(&["project/way/A"]).await;
    ground.file("one/A", "changed");
    watch.tells(&[0]).await;
    ground.link("project/way.tmp", "../two");
    ground.rename("project/way.tmp", "project/way");
    watch.is_lost().await;
    ground.covered(&["project/way/A"]).await;
}

/// WA-7.
pub async fn wa_7_a_loop_is_never_covered_for_nothing(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.link("project/A", "B");
    ground.link("project/B", "A");
    let watch = ground.watch(&["project/A"]).await;
    ground.remove("project/B");
    ground.file("project/B", "one");
    watch.tells_of_the_first().await;
}

/// WA-8. Two names of one inode are one for who watches inodes (notify-rs/notify 245).
pub async fn wa_8_a_second_hard_link_is_direct(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let (file, name) = (ground.at("project/A"), ground.at("other"));
    ground.act(Act::HardLink { file, name });
    let watch = ground.watch(&["project/A"]).await;
    assert!(matches!(watch.subscription.coverage(), Coverage::Direct(_)));
    if ground.fixture.covers() {
        assert_eq!(watch.is_lost().await, Uncovered::HardLink);
        ground.remove("other");
        ground.covered(&["project/A"]).await;
    }
}

/// WA-8.
pub async fn wa_8_a_hard_link_made_later_is_told(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.directory("elsewhere");
    for replaced in [false, true] {
        ground.file("project/A", "one");
        let watch = ground.covered(&["project/A"]).await;
        if replaced {
            ground.file("project/new", "two");
            ground.rename("project/new", "project/A");
            watch.tells(&[0]).await;
        }
        let (file, name) = (ground.at("project/A"), ground.at("elsewhere/name"));
        ground.act(Act::HardLink { file, name });
        ground.file("elsewhere/name", "three");
        watch.tells_of_the_first().await;
        ground.file("elsewhere/name", "four");
        watch.tells_of_the_first().await;
        ground.remove("elsewhere/name");
    }
}

/// WA-19.
pub async fn wa_19_an_untrusted_file_system_is_direct(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    let Some(untrusted) = ground.fixture.untrusted() else {
        assert!(!ground.fixture.covers(), "who covers something knows what it cannot");
        return;
    };
    let path = AbsolutePath::new(&untrusted).expect("UTF-8");
    let watch = ground.watch_all(vec![Watched::Entry(path)]).await;
    assert_eq!(watch.is_lost().await, Uncovered::FileSystem);
    let (path, target) = (ground.at("project/A"), untrusted.into_os_string());
    if let Err(Refused) = ground.fixture.act(&Act::Change(Change::Link { path, target })) {
        panic!("a link can be made");
    }
    let watch = ground.watch(&["project/A"]).await;
    assert!(matches!(watch.subscription.drain().await, Drained::Lost(_)));
}
