use super::acts::Tree;
use notify::{Event, EventKind, event::Flag};
use std::{path::PathBuf, sync::Arc};
use told_notify::{Limits, NotifyWatcher};
use told_ports::Watcher;
use told_testkit::{
    change::Refused,
    contract::watcher::{Act, Fixture},
};

struct Real {
    tree: Tree,
    watcher: NotifyWatcher,
}

fn make() -> Real {
    Real { tree: Tree::new(), watcher: NotifyWatcher::new(limits()) }
}

/// A busy machine may let notify's thread wait for seconds.
pub(super) fn limits() -> Limits {
    Limits { wait: std::time::Duration::from_secs(60), ..Limits::default() }
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
        Arc::new(NotifyWatcher::new(Limits { watches, ..limits() }))
    }

    fn covers(&self) -> bool {
        true
    }

    fn lose_events(&mut self) {
        // Its thread is too quick for a queue to overflow when somebody wants it to.
        self.watcher.hear(&Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
    }

    fn kept(&self) -> usize {
        let usage = self.watcher.usage();
        usage.watches + usage.watchers
    }

    fn untrusted(&self) -> Option<PathBuf> {
        Some("/proc/self/status".into())
    }
}

told_testkit::watcher_contract!(make);
