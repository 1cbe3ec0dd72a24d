//! WA-1 to WA-5, WA-9, WA-16, WA-18: what is told, and what is not.

use super::ground::{Act, Fixture, Ground};
use crate::change::Change;
use told_domain::path::AbsolutePath;
use told_ports::{Coverage, Drained, Watched};

/// WA-1.
pub async fn wa_1_coverage_is_promised_or_direct_and_a_direct_drain_is_lost(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let watch = ground.covered(&["project/A", "project/B", "none/at/all"]).await;
    watch.tells(&[]).await;
    let nothing = ground.covered(&[]).await;
    nothing.tells(&[]).await;
    if !ground.fixture.covers() {
        let Coverage::Direct(reason) = watch.subscription.coverage() else {
            panic!("it covers nothing")
        };
        for _ in 0..2 {
            assert_eq!(watch.subscription.drain().await, Drained::Lost(reason));
        }
    }
}

/// WA-2.
pub async fn wa_2_each_plain_change_is_told(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let watch = ground.covered(&["project/A"]).await;
    ground.file("project/A", "two");
    watch.tells(&[0]).await;
    let path = ground.at("project/A");
    ground.act(Act::Change(Change::Resize { path, size: 0 }));
    watch.tells(&[0]).await;
    ground.remove("project/A");
    watch.tells(&[0]).await;
    ground.file("project/A", "three");
    watch.tells(&[0]).await;
    ground.remove("project/A");
    ground.directory("project/A");
    watch.tells(&[0]).await;
    let path = ground.at("project/A");
    ground.act(Act::Change(Change::RemoveDirectory { path }));
    watch.tells(&[0]).await;
    watch.tells(&[]).await;
}

/// WA-2.
pub async fn wa_2_a_change_of_permissions_is_told(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let watch = ground.covered(&["project/A"]).await;
    for guarded in [true, false] {
        let path = ground.at("project/A");
        ground.act(Act::Guard { path, guarded });
        watch.tells(&[0]).await;
    }
}

/// WA-3. An editor saves by a rename: who watches the inode hears nothing from the second time on
/// (notify-rs/notify 113, 247, 531).
pub async fn wa_3_a_replaced_file_is_told_again_and_again(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "zero");
    let watch = ground.covered(&["project/A"]).await;
    for round in 0..5 {
        ground.file("project/A.tmp", &format!("{round}"));
        ground.rename("project/A.tmp", "project/A");
        watch.tells(&[0]).await;
        ground.file("project/A", "in place");
        watch.tells(&[0]).await;
        ground.remove("project/A");
        ground.file("project/A", "anew");
        watch.tells(&[0]).await;
        ground.file("project/A", "in place again");
        watch.tells(&[0]).await;
    }
    watch.tells(&[]).await;
}

/// WA-3.
pub async fn wa_3_a_file_renamed_away_and_back_is_told(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let watch = ground.covered(&["project/A"]).await;
    ground.rename("project/A", "project/B");
    watch.tells(&[0]).await;
    // The file that was there is not the entry any more.
    ground.file("project/B", "two");
    watch.tells(&[]).await;
    ground.rename("project/B", "project/A");
    watch.tells(&[0]).await;
    ground.file("project/A", "three");
    watch.tells(&[0]).await;
}

/// WA-4.
pub async fn wa_4_each_once_in_order_and_neighbours_never(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    for name in ["project/A", "project/B", "project/C"] {
        ground.file(name, "one");
    }
    let watch = ground.covered(&["project/C", "project/A", "project/B"]).await;
    for round in 0..10 {
        ground.file("project/A", &format!("{round}"));
        ground.file("project/C", &format!("{round}"));
    }
    watch.tells(&[0, 1]).await;
    ground.file("project/neighbour", "one");
    ground.rename("project/neighbour", "project/other");
    ground.remove("project/other");
    ground.directory("beside");
    ground.file("beside/A", "one");
    for name in ["project/A", "project/B"] {
        let path = ground.at(name);
        ground.act(Act::Look(path));
    }
    watch.tells(&[]).await;
}

/// WA-5.
pub async fn wa_5_an_absent_entry_is_told_when_it_appears(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    let watch = ground.covered(&["project/A", "project/deep/er/A"]).await;
    ground.file("project/A", "one");
    watch.tells(&[0]).await;
    ground.directory("project/deep");
    watch.tells(&[1]).await;
    ground.directory("project/deep/er");
    watch.tells(&[1]).await;
    ground.file("project/deep/er/A", "one");
    watch.tells(&[1]).await;
    ground.file("project/deep/er/A", "two");
    watch.tells(&[1]).await;
    ground.remove("project/deep/er/A");
    watch.tells(&[1]).await;
    watch.tells(&[]).await;
}

/// WA-5. What is made in a new directory before it is watched is seen by nobody who only adds a
/// watch (notify-rs/notify 124, 727).
pub async fn wa_5_directories_made_fast_hide_nothing(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    let watch = ground.covered(&["project/a/b/c/d/A"]).await;
    let mut path = "project".to_owned();
    for name in ["a", "b", "c", "d"] {
        path = format!("{path}/{name}");
        ground.directory(&path);
    }
    ground.file("project/a/b/c/d/A", "one");
    watch.tells(&[0]).await;
    ground.file("project/a/b/c/d/A", "two");
    watch.tells(&[0]).await;
    watch.tells(&[]).await;
}

/// WA-9.
pub async fn wa_9_a_mapped_write_is_told_when_the_file_is_closed(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let watch = ground.covered(&["project/A"]).await;
    for byte in [b'1', b'2'] {
        let path = ground.at("project/A");
        ground.act(Act::MappedWrite { path, byte });
        watch.tells(&[0]).await;
    }
}

/// WA-16.
pub async fn wa_16_a_burst_is_one_answer(fixture: impl Fixture) {
    // More than a system's queue holds by default.
    const CHANGES: usize = 40_000;
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let watch = ground.watch(&["project/A"]).await;
    for round in 0..CHANGES / 2 {
        // Two by turns, so that no system makes one event of two.
        ground.file("project/A", if round % 2 == 0 { "1" } else { "2" });
        ground.file("project/B", "");
    }
    match watch.subscription.drain().await {
        Drained::Unchanged => panic!("a change is not told"),
        Drained::Changed(changed) => {
            assert_eq!(changed, [ground.entry("project/A")]);
            assert_eq!(watch.subscription.drain().await, Drained::Unchanged);
        }
        Drained::Lost(_) => {
            let again = ground.watch(&["project/A"]).await;
            again.tells(&[]).await;
            ground.file("project/A", "at last");
            again.tells(&[0]).await;
        }
    }
}

/// WA-18.
pub async fn wa_18_names_are_told_and_contents_are_not(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let names = |ground: &Ground<_>, relative| {
        let path = AbsolutePath::new(Ground::at(ground, relative)).expect("UTF-8");
        Watched::Names(path)
    };
    let watched = vec![names(&ground, "project"), names(&ground, "none")];
    let watch = ground.watch_all(watched).await;
    watch.is_covered();
    ground.file("project/A", "two");
    watch.tells(&[]).await;
    ground.file("project/B", "one");
    watch.tells(&[0]).await;
    ground.rename("project/B", "project/C");
    watch.tells(&[0]).await;
    ground.remove("project/C");
    watch.tells(&[0]).await;
    ground.directory("none");
    watch.tells(&[1]).await;
    ground.file("none/A", "one");
    watch.tells(&[1]).await;
    watch.tells(&[]).await;
}
