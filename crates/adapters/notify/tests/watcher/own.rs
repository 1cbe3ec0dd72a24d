//! What notify is known to get wrong, and what the port leaves open.

use super::{acts::Tree, fixture::limits};
use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    sync::Arc,
};
use told_domain::path::AbsolutePath;
use told_notify::NotifyWatcher;
use told_ports::{Coverage, Drained, Subscription, Uncovered, Watched, Watcher as _};
use told_testkit::contract::block_on;

fn entry(path: impl AsRef<std::path::Path>) -> Watched {
    Watched::Entry(AbsolutePath::new(path).expect("absolute"))
}

async fn told(subscription: &Arc<dyn Subscription>) -> bool {
    !matches!(subscription.drain().await, Drained::Unchanged)
}

/// A file that is replaced while somebody has it open dies later, and then notify ends the watch of the new
/// one, which has its path.
#[test]
fn the_late_death_of_a_replaced_file_hides_nothing() {
    block_on(async {
        let (tree, watcher) = (Tree::new(), NotifyWatcher::new(limits()));
        let (path, new) = (tree.root().join("A"), tree.root().join("new"));
        fs::write(&path, "one").unwrap();
        let held = OpenOptions::new().append(true).open(&path).unwrap();
        let subscription = watcher.subscribe(vec![entry(&path)]).await;
        fs::write(&new, "two").unwrap();
        fs::rename(&new, &path).unwrap();
        assert!(told(&subscription).await);
        drop(held);
        // Whatever is told of the old one, the new one is watched after the drain.
        subscription.drain().await;
        let name = tree.root().join("name");
        let mut other = OpenOptions::new().append(true).open(&path).unwrap();
        other.write_all(b"three").unwrap();
        assert!(told(&subscription).await);
        fs::hard_link(&path, &name).unwrap();
        fs::write(&name, "four").unwrap();
        assert!(told(&subscription).await);
    });
}

/// notify knows an inode by the path that it was given last (notify-rs/notify 572).
#[test]
fn one_directory_by_two_paths_is_ambiguous() {
    block_on(async {
        let (mut tree, watcher) = (Tree::new(), NotifyWatcher::new(limits()));
        let (one, other) = (tree.root().join("one"), tree.root().join("other"));
        for directory in [&one, &other] {
            fs::create_dir(directory).unwrap();
        }
        let first = watcher.subscribe(vec![entry(one.join("A"))]).await;
        if tree.bind(&one, &other).is_err() {
            // This user may mount nothing.
            assert_eq!(first.drain().await, Drained::Unchanged);
            return;
        }
        let second = watcher.subscribe(vec![entry(other.join("A"))]).await;
        assert_eq!(second.coverage(), Coverage::Direct(Uncovered::Ambiguous));
        fs::write(other.join("A"), "one").unwrap();
        assert_eq!(first.drain().await, Drained::Changed(vec![entry(one.join("A"))]));
    });
}

/// An error that notify tells is no event of any path.
#[test]
fn an_error_of_notifys_is_lost_for_all() {
    block_on(async {
        let (tree, watcher) = (Tree::new(), NotifyWatcher::new(limits()));
        let errors = [
            (notify::Error::generic("callback"), Uncovered::Failed),
            (notify::Error::new(notify::ErrorKind::MaxFilesWatch), Uncovered::Limit),
        ];
        for (error, reason) in errors {
            let subscription = watcher.subscribe(vec![entry(tree.root().join("A"))]).await;
            assert_eq!(subscription.drain().await, Drained::Unchanged);
            watcher.hear(&Err(error));
            assert_eq!(subscription.drain().await, Drained::Lost(reason));
        }
    });
}
