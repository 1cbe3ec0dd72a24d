//! The contract with every file provided that can be: the disk has another text there, or what was
//! removed is still on it. Links, FIFOs, directories and what happens during a read stay the disk's.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};
use told_domain::{
    look::{Containment, Looks, Read},
    observation::Observation,
    path::AbsolutePath,
};
use told_overlay::OverlayFileSystem;
use told_ports::{FileSystem, Provided};
use told_testkit::{
    change::{Change, Refused},
    contract::file_system::Fixture,
    fake::file_system::{FakeFileSystem, Fault, Rule, Step},
};

/// What the disk has where a file is provided; of no size that a test uses.
const STALE: &[u8] = b"what the disk has, which nobody may see";

struct All {
    inner: Arc<FakeFileSystem>,
    overlay: Arc<OverlayFileSystem>,
    /// What is provided as content.
    contents: BTreeMap<PathBuf, Vec<u8>>,
}

fn make() -> All {
    let inner = Arc::new(FakeFileSystem::new());
    inner.make_directories("/some/where").expect("can be made");
    let overlay = OverlayFileSystem::new(Arc::clone(&inner) as Arc<dyn FileSystem>);
    // Something is always provided, so that no batch takes the short way.
    let beside = AbsolutePath::new("/some/thing/else").expect("absolute");
    overlay.provide(beside, Provided::Absent).expect("fits");
    All { inner, overlay: Arc::new(overlay), contents: BTreeMap::new() }
}

impl All {
    /// Whether `path` is a plain file's own path on the disk.
    fn is_its_own(&self, path: &Path) -> bool {
        let Ok(path) = AbsolutePath::new(path) else {
            return false;
        };
        let read = Read { path: path.clone(), containment: Containment::Anywhere, max_bytes: 0 };
        let looks = Looks { reads: vec![read], look_ms: 1, ..Looks::default() };
        let seen = self.inner.observe_now(&looks);
        matches!(&seen.files[0], Observation::Available(file) if *file.canonical == path)
    }

    fn provide(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Refused> {
        let name = AbsolutePath::new(path).map_err(|_| Refused)?;
        self.overlay.provide(name, Provided::Content(bytes.into())).map_err(|_| Refused)?;
        self.contents.insert(path.to_path_buf(), bytes.to_vec());
        Ok(())
    }

    /// Gives `path` back to the disk, with its text.
    fn give_back(&mut self, path: &Path) {
        if let Ok(name) = AbsolutePath::new(path) {
            self.overlay.withdraw(&name);
        }
        if let Some(bytes) = self.contents.remove(path) {
            self.inner.write(path, bytes).expect("the disk has a file there");
        }
    }
}

impl Fixture for All {
    fn root(&self) -> PathBuf {
        "/some/where".into()
    }

    fn apply(&mut self, change: &Change) -> Result<(), Refused> {
        match change {
            Change::Write { path, bytes } => {
                // What was removed by the overlay alone is there again.
                self.inner.apply(change)?;
                if self.is_its_own(path) {
                    self.inner.write(path, STALE)?;
                    self.provide(path, bytes)?;
                }
                Ok(())
            }
            Change::Remove { path } if self.contents.remove(path).is_some() => {
                let name = AbsolutePath::new(path).map_err(|_| Refused)?;
                self.overlay.provide(name, Provided::Absent).map_err(|_| Refused)
            }
            Change::Rename { from, to } => {
                let moved = self.contents.get(from).cloned();
                self.give_back(from);
                self.give_back(to);
                self.inner.apply(change)?;
                moved.map_or(Ok(()), |bytes| self.provide(to, &bytes))
            }
            Change::Resize { path, .. } => {
                self.give_back(path);
                self.inner.apply(change)
            }
            Change::Remove { path }
            | Change::MakeDirectory { path }
            | Change::RemoveDirectory { path }
            | Change::Link { path, .. }
            | Change::Fifo { path }
            | Change::Socket { path } => {
                self.give_back(path);
                self.inner.apply(change)
            }
        }
    }

    fn change_during_reads(&mut self, path: &Path, changes: Vec<Change>) {
        self.give_back(path);
        for (at, change) in changes.into_iter().enumerate() {
            if let Change::Rename { from, .. } = &change {
                self.give_back(from);
            }
            let rule = Rule::new(Step::Reading, Fault::Change(change));
            self.inner.script(rule.at(path).after(at as u32));
        }
    }

    fn hang(&mut self, path: &Path) {
        self.give_back(path);
        self.inner.script(Rule::new(Step::Looking, Fault::Hang).at(path).always());
    }

    fn system(&self) -> Arc<dyn FileSystem> {
        Arc::clone(&self.overlay) as Arc<dyn FileSystem>
    }
}

told_testkit::file_system_contract!(make);
