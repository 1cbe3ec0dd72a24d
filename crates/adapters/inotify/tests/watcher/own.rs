//! What the port leaves open: one instance, what is left in the kernel, hostile trees.

use super::acts::Tree;
use std::{collections::BTreeSet, fs, os::unix::fs::symlink, time::Duration};
use told_domain::path::AbsolutePath;
use told_inotify::{InotifyWatcher, Limits, Usage};
use told_ports::{Coverage, Drained, Uncovered, Watched, Watcher as _};
use told_testkit::contract::block_on;

fn entry(path: impl AsRef<std::path::Path>) -> Watched {
    Watched::Entry(AbsolutePath::new(path).expect("absolute"))
}

/// The inotify instances and mount tables that this process has open, by their descriptors.
fn open() -> BTreeSet<String> {
    let ours = |name: &str| name.contains("inotify") || name.contains("mountinfo");
    let entries = fs::read_dir("/proc/self/fd").expect("Linux has it").filter_map(Result::ok);
    let named = entries.filter_map(|at| fs::read_link(at.path()).ok().map(|to| (at.path(), to)));
    named
        .filter(|(_, to)| ours(&to.to_string_lossy()))
        .map(|(at, _)| at.display().to_string())
        .collect()
}

#[test]
fn ten_thousand_subscriptions_are_one_instance_and_their_end_leaves_none() {
    block_on(async {
        let tree = Tree::new();
        let watcher = InotifyWatcher::default();
        let mut subscriptions = Vec::new();
        for number in 0..10_000 {
            // A directory each for some, the same for most, as Locations of one project have it.
            let directory = tree.root().join((number % 100).to_string());
            fs::create_dir_all(&directory).unwrap();
            let subscription = watcher.subscribe(vec![entry(directory.join("AGENTS.md"))]).await;
            assert_eq!(subscription.coverage(), Coverage::Covered);
            subscriptions.push(subscription);
        }
        let usage = watcher.usage();
        assert_eq!((usage.instances, usage.subscriptions), (1, 10_000));
        assert!(usage.watches < 120, "{usage:?}: equal steps share a watch");
        fs::write(tree.root().join("7/AGENTS.md"), "one").unwrap();
        for (number, subscription) in subscriptions.iter().enumerate() {
            let told = matches!(subscription.drain().await, Drained::Changed(_));
            assert_eq!(told, number % 100 == 7, "{number}");
        }
        drop(subscriptions);
        assert_eq!(watcher.usage(), Usage::default());
    });
}

#[test]
fn the_instance_is_there_while_something_is_watched() {
    block_on(async {
        let (tree, watcher) = (Tree::new(), InotifyWatcher::default());
        for _ in 0..3 {
            assert_eq!(watcher.usage().instances, 0);
            let before = open();
            let subscription = watcher.subscribe(vec![entry(tree.root().join("A"))]).await;
            // Other tests open and close theirs meanwhile.
            let own = open().difference(&before).count();
            assert!(own >= 2 || watcher.usage().instances == 1);
            drop(subscription);
        }
        assert_eq!(watcher.usage(), Usage::default());
    });
}

/// R-WAT-7: no project takes all watches of its user.
#[test]
fn a_hostile_project_is_stopped_at_its_own_bound() {
    block_on(async {
        let tree = Tree::new();
        let limits = Limits { watches: 200, watches_each: 50, wait: Duration::from_secs(30) };
        let watcher = InotifyWatcher::new(limits);
        let calm = watcher.subscribe(vec![entry(tree.root().join("calm"))]).await;
        let directories = (0..1_000).map(|number| tree.root().join(format!("{number}/deep")));
        let many: Vec<_> = directories
            .map(|directory| {
                fs::create_dir_all(&directory).unwrap();
                entry(directory.join("A"))
            })
            .collect();
        for _ in 0..3 {
            let hostile = watcher.subscribe(many.clone()).await;
            assert_eq!(hostile.drain().await, Drained::Lost(Uncovered::Limit));
            assert!(watcher.usage().watches < 50);
        }
        assert_eq!(calm.drain().await, Drained::Unchanged);
        // As deep as a path can be, and links that lead to each other without end.
        let deep = tree.root().join("d/".repeat(500));
        fs::create_dir_all(&deep).unwrap();
        let watched = watcher.subscribe(vec![entry(deep.join("A"))]).await;
        assert_eq!(watched.coverage(), Coverage::Direct(Uncovered::Limit));
        for (from, to) in [("a", "b/x"), ("b", "a/y")] {
            symlink(to, tree.root().join(from)).unwrap();
        }
        let watched = watcher.subscribe(vec![entry(tree.root().join("a/A"))]).await;
        assert_eq!(watched.coverage(), Coverage::Direct(Uncovered::Link));
        drop((calm, watched));
        assert_eq!(watcher.usage(), Usage::default());
    });
}

/// R-WAT-4, where a walk is needed: what happens to the new file while it is found is not missed.
#[test]
fn a_file_that_is_replaced_all_the_time_is_never_missed() {
    block_on(async {
        let (tree, watcher) = (Tree::new(), InotifyWatcher::default());
        let (path, new) = (tree.root().join("A"), tree.root().join("new"));
        fs::write(&path, "0").unwrap();
        let subscription = watcher.subscribe(vec![entry(&path)]).await;
        let mut seen = fs::read_to_string(&path).unwrap();
        for round in 1..2_000 {
            fs::write(&new, round.to_string()).unwrap();
            fs::rename(&new, &path).unwrap();
            if round % 3 == 0 {
                fs::write(&path, format!("{round} in place")).unwrap();
            }
            match subscription.drain().await {
                Drained::Changed(_) => seen = fs::read_to_string(&path).unwrap(),
                Drained::Unchanged => {}
                Drained::Lost(reason) => panic!("{reason}"),
            }
            assert_eq!(seen, fs::read_to_string(&path).unwrap());
        }
    });
}
