//! WA-6, WA-10 to WA-12: where coverage ends.

use super::ground::{Act, Fixture, Ground};
use crate::change::{Change, Refused};
use told_ports::{Coverage, Drained};

/// WA-6. A watch follows the directory that it was given, wherever that goes (notify-rs/notify 165, 555).
pub async fn wa_6_a_directory_above_that_moves_is_lost(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    for depth in ["project", "project/one", "project/one/two"] {
        if depth != "project" {
            ground.directory(depth);
        }
    }
    for moved in ["project/one/two", "project/one", "project"] {
        ground.file("project/one/two/A", "one");
        let watch = ground.covered(&["project/one/two/A"]).await;
        ground.rename(moved, "moved");
        watch.is_lost().await;
        // Nothing of the old place is told for the new one.
        let absent = ground.covered(&["project/one/two/A"]).await;
        absent.tells(&[]).await;
        ground.rename("moved", moved);
        absent.tells_of_the_first().await;
    }
    let watch = ground.covered(&["project/one/two/A"]).await;
    ground.remove("project/one/two/A");
    let path = ground.at("project/one/two");
    ground.act(Act::Change(Change::RemoveDirectory { path }));
    ground.directory("project/one/two");
    ground.file("project/one/two/A", "in another directory");
    watch.is_lost().await;
}

/// WA-6.
pub async fn wa_6_an_exchanged_directory_is_lost(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.directory("other");
    ground.file("project/A", "one");
    ground.file("other/A", "two");
    let watch = ground.covered(&["project/A"]).await;
    let (one, other) = (ground.at("project"), ground.at("other"));
    match ground.fixture.act(&Act::Exchange(one, other)) {
        Ok(()) => drop(watch.is_lost().await),
        // No such call on this system: nothing happened.
        Err(Refused) => watch.tells(&[]).await,
    }
}

/// WA-6.
pub async fn wa_6_a_directory_swapped_for_a_link_is_lost(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.directory("other");
    ground.file("project/A", "one");
    ground.file("other/A", "two");
    let watch = ground.covered(&["project/A"]).await;
    ground.rename("project", "aside");
    ground.link("project", "other");
    watch.is_lost().await;
    let watch = ground.covered(&["project/A"]).await;
    ground.file("other/A", "three");
    watch.tells(&[0]).await;
}

/// WA-10. An unmount is told by no event of many a watcher (notify-rs/notify 627).
pub async fn wa_10_a_mount_above_is_lost_and_elsewhere_is_nothing(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.directory("project/deep");
    ground.directory("beside");
    ground.file("project/deep/A", "one");
    let watch = ground.covered(&["project/deep/A"]).await;
    let (beside, above) = (ground.at("beside"), ground.at("project/deep"));
    if let Err(Refused) = ground.fixture.act(&Act::Mount(beside.clone())) {
        // This user may mount nothing: nothing happened.
        watch.tells(&[]).await;
        return;
    }
    watch.tells(&[]).await;
    ground.act(Act::Mount(above.clone()));
    watch.is_lost().await;
    let mounted = ground.covered(&["project/deep/A"]).await;
    ground.file("project/deep/A", "in the mount");
    mounted.tells(&[0]).await;
    ground.act(Act::Unmount(beside));
    mounted.tells(&[]).await;
    ground.act(Act::Unmount(above));
    mounted.is_lost().await;
    ground.covered(&["project/deep/A"]).await;
}

/// WA-11. The event that says so has no path (notify-rs/notify 434).
pub async fn wa_11_lost_events_are_lost_for_all(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    ground.directory("other");
    let watches = [
        ground.covered(&["project/A"]).await,
        ground.covered(&["project/A", "project/B"]).await,
        ground.covered(&["other/A"]).await,
    ];
    ground.fixture.lose_events();
    for watch in watches {
        watch.is_lost().await;
    }
    let watch = ground.covered(&["project/A"]).await;
    ground.file("project/A", "two");
    watch.tells(&[0]).await;
}

/// WA-12.
pub async fn wa_12_lost_is_for_good(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.directory("project/deep");
    ground.file("project/deep/A", "one");
    let watch = ground.covered(&["project/deep/A"]).await;
    ground.rename("project/deep", "deep");
    let reason = watch.is_lost().await;
    ground.rename("deep", "project/deep");
    for round in 0..3 {
        assert_eq!(watch.subscription.drain().await, Drained::Lost(reason), "{round}");
        assert_eq!(watch.subscription.coverage(), Coverage::Direct(reason));
        ground.file("project/deep/A", &format!("{round}"));
    }
    let watch = ground.covered(&["project/deep/A"]).await;
    ground.file("project/deep/A", "two");
    watch.tells(&[0]).await;
}
