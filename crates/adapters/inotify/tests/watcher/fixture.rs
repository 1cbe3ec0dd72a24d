use super::acts::Tree;
use std::{fs, path::PathBuf, sync::Arc, time::UNIX_EPOCH};
use told_inotify::{InotifyWatcher, Limits};
use told_ports::Watcher;
use told_testkit::{
    change::Refused,
    contract::watcher::{Act, Fixture},
};

struct Real {
    tree: Tree,
    watcher: InotifyWatcher,
}

fn make() -> Real {
    Real { tree: Tree::new(), watcher: InotifyWatcher::default() }
}

/// More than an inotify queue holds, where nobody set it higher.
fn more_than_queued() -> usize {
    let text = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").expect("Linux says");
    text.trim().parse::<usize>().expect("a number") + 1
}

impl Fixture for Real {
    fn root(&self) -> PathBuf {
        self.tree.root().to_owned()
    }

    fn act(&mut self, act: &Act) -> Result<(), Refused> {
        self.tree.act(act)
    }

    fn watcher(&self) -> Arc<dyn Watcher> {
        Arc::new(self.watcher.clone())
    }

    fn watcher_limited_to(&self, watches: usize) -> Arc<dyn Watcher> {
        Arc::new(InotifyWatcher::new(Limits { watches, ..self.watcher.limits() }))
    }

    fn covers(&self) -> bool {
        true
    }

    fn lose_events(&mut self) {
        // By turns, so that the kernel does not make one event of two.
        let open = |name: &str| fs::File::create(self.tree.root().join(name)).expect("can be made");
        let files = [open("project/x"), open("project/y")];
        for change in 0..more_than_queued() {
            let both = fs::FileTimes::new().set_accessed(UNIX_EPOCH).set_modified(UNIX_EPOCH);
            files[change % 2].set_times(both).expect("its own file");
        }
    }

    fn kept(&self) -> usize {
        let usage = self.watcher.usage();
        usage.watches + usage.instances
    }

    fn untrusted(&self) -> Option<PathBuf> {
        Some("/proc/self/status".into())
    }
}

told_testkit::watcher_contract!(make);
