//! The contract over an empty overlay: it is not there.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use told_overlay::OverlayFileSystem;
use told_ports::FileSystem;
use told_testkit::{
    change::{Change, Refused},
    contract::file_system::Fixture,
    fake::file_system::{FakeFileSystem, Fault, Rule, Step},
};

struct Empty {
    inner: Arc<FakeFileSystem>,
    overlay: Arc<OverlayFileSystem>,
}

fn make() -> Empty {
    let inner = Arc::new(FakeFileSystem::new());
    inner.make_directories("/some/where").expect("can be made");
    let overlay = OverlayFileSystem::new(Arc::clone(&inner) as Arc<dyn FileSystem>);
    Empty { inner, overlay: Arc::new(overlay) }
}

impl Fixture for Empty {
    fn root(&self) -> PathBuf {
        "/some/where".into()
    }

    fn apply(&mut self, change: &Change) -> Result<(), Refused> {
        self.inner.apply(change)
    }

    fn change_during_reads(&mut self, path: &Path, changes: Vec<Change>) {
        for (at, change) in changes.into_iter().enumerate() {
            let rule = Rule::new(Step::Reading, Fault::Change(change));
            self.inner.script(rule.at(path).after(at as u32));
        }
    }

    fn hang(&mut self, path: &Path) {
        self.inner.script(Rule::new(Step::Looking, Fault::Hang).at(path).always());
    }

    fn system(&self) -> Arc<dyn FileSystem> {
        Arc::clone(&self.overlay) as Arc<dyn FileSystem>
    }
}

told_testkit::file_system_contract!(make);
