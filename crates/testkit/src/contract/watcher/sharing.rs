//! WA-13 to WA-15, WA-17, WA-20: many at once, and what they leave.

use super::ground::{Act, Fixture, Ground};
use std::{
    future::Future as _,
    pin::pin,
    task::{Context, Waker},
};
use told_domain::path::AbsolutePath;
use told_ports::{Coverage, Drained, Uncovered, Watched};

/// WA-13.
pub async fn wa_13_equal_subscriptions_are_both_told(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let first = ground.covered(&["project/A"]).await;
    let second = ground.covered(&["project/A"]).await;
    for text in ["two", "three"] {
        ground.file("project/A", text);
        first.tells(&[0]).await;
        first.tells(&[]).await;
        second.tells(&[0]).await;
        second.tells(&[]).await;
    }
    // The one does not know what the other made of a replaced file.
    for text in ["four", "five", "six"] {
        ground.file("project/new", text);
        ground.rename("project/new", "project/A");
        second.tells(&[0]).await;
        ground.file("project/A", "in place");
        first.tells(&[0]).await;
        second.tells(&[0]).await;
    }
}

/// WA-13. To end one watch can end another of the same thing (fsnotify/fsnotify 679).
pub async fn wa_13_an_ended_subscription_takes_nothing_along(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    ground.link("project/link", "A");
    let stays = ground.covered(&["project/A"]).await;
    let others = [
        ground.covered(&["project/A"]).await,
        ground.covered(&["project/link"]).await,
        ground.covered(&["project/B"]).await,
    ];
    ground.file("project/A", "two");
    drop(others);
    stays.tells(&[0]).await;
    ground.file("project/A", "three");
    stays.tells(&[0]).await;
}

/// WA-14.
pub async fn wa_14_nothing_is_left_behind_by_a_thousand(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let before = ground.fixture.kept();
    for _ in 0..1_000 {
        let watch = ground.covered(&["project/A", "project/B", "none/A"]).await;
        drop(watch);
    }
    assert_eq!(ground.fixture.kept(), before);
    let kept = {
        let _watch = ground.covered(&["project/A"]).await;
        ground.fixture.kept()
    };
    let mut watches = Vec::new();
    for _ in 0..1_000 {
        watches.push(ground.covered(&["project/A"]).await);
    }
    assert_eq!(ground.fixture.kept(), kept, "a thousand keep what one keeps");
    drop(watches);
    assert_eq!(ground.fixture.kept(), before);
}

/// WA-15. A system that has no watches left calls it a full disk (notify-rs/notify 103, 266).
pub async fn wa_15_a_limit_takes_nothing_from_the_others(fixture: impl Fixture) {
    const DIRECTORIES: usize = 100;
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    for directory in 0..DIRECTORIES {
        ground.directory(&format!("project/{directory}"));
    }
    let watcher = ground.fixture.watcher_limited_to(DIRECTORIES / 2);
    let few = watcher.subscribe(vec![ground.entry("project/A")]).await;
    let many = (0..DIRECTORIES).map(|at| ground.entry(&format!("project/{at}/A")));
    let many = watcher.subscribe(many.collect()).await;
    assert!(matches!(many.coverage(), Coverage::Direct(_)));
    if ground.fixture.covers() {
        assert_eq!(many.drain().await, Drained::Lost(Uncovered::Limit));
        assert_eq!(few.coverage(), Coverage::Covered);
        ground.file("project/A", "two");
        assert_eq!(few.drain().await, Drained::Changed(vec![ground.entry("project/A")]));
        // What the refused one had is free again.
        let others = (0..DIRECTORIES / 8).map(|at| ground.entry(&format!("project/{at}/A")));
        let others = watcher.subscribe(others.collect()).await;
        assert_eq!(others.coverage(), Coverage::Covered);
    }
}

/// WA-17.
pub async fn wa_17_watching_writes_nothing(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let names = |path| Watched::Names(AbsolutePath::new(path).expect("UTF-8"));
    let witness = vec![names(ground.at("")), names(ground.at("project"))];
    let witness = ground.watch_all(witness).await;
    for _ in 0..3 {
        let watch = ground.covered(&["project/A", "project/B", "none/A"]).await;
        ground.file("project/A", "two");
        watch.tells(&[0]).await;
        watch.tells(&[]).await;
    }
    witness.tells(&[]).await;
}

/// WA-20.
pub async fn wa_20_a_write_that_returned_is_seen_by_every_drain(fixture: impl Fixture) {
    const ROUNDS: usize = 200;
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let watches = [
        ground.covered(&["project/A"]).await,
        ground.covered(&["project/A"]).await,
        ground.covered(&["project/A"]).await,
    ];
    for round in 0..ROUNDS {
        ground.file("project/A", &round.to_string());
        // All three on threads of their own: whoever reads an event tells the others before they answer.
        let drained: Vec<Drained> = std::thread::scope(|scope| {
            let threads = watches.each_ref().map(|watch| {
                let subscription = &watch.subscription;
                scope.spawn(move || crate::contract::block_on(subscription.drain()))
            });
            threads.map(|thread| thread.join().expect("a drain does not panic")).into()
        });
        let unchanged = drained.iter().filter(|drained| **drained == Drained::Unchanged).count();
        assert_eq!(unchanged, 0, "round {round}: {drained:?}");
    }
}

/// WA-20.
pub async fn wa_20_a_cancelled_drain_loses_nothing(fixture: impl Fixture) {
    let mut ground = Ground::new(fixture);
    ground.file("project/A", "one");
    let watch = ground.covered(&["project/A"]).await;
    for round in 0..50 {
        // A replaced file takes an implementation longer than one written in place.
        if round % 2 == 0 {
            ground.file("project/new", "two");
            ground.rename("project/new", "project/A");
        } else {
            ground.file("project/A", "three");
        }
        let told = {
            let mut drain = pin!(watch.subscription.drain());
            drain.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
        };
        if !told {
            watch.tells_of_the_first().await;
        }
    }
    let path = ground.at("project/A");
    ground.act(Act::Look(path));
    watch.tells(&[]).await;
}
