//! The ground that the suite stands on: a tree that changes in every way, and what watches it.

use crate::change::{Change, Refused};
use std::{path::PathBuf, sync::Arc};
use told_domain::path::AbsolutePath;
use told_ports::{Coverage, Drained, Subscription, Uncovered, Watched, Watcher};

/// One thing that happens to a tree.
#[derive(Clone, Debug)]
pub enum Act {
    /// A change by path.
    Change(Change),
    /// Another name for a file.
    HardLink {
        /// The file.
        file: PathBuf,
        /// Its new name.
        name: PathBuf,
    },
    /// Two entries change places in one step.
    Exchange(PathBuf, PathBuf),
    /// Nobody but its owner may read the file, or everybody may.
    Guard {
        /// The file.
        path: PathBuf,
        /// Only its owner may.
        guarded: bool,
    },
    /// The file is mapped, written through the mapping, and closed.
    MappedWrite {
        /// The file, with one byte or more.
        path: PathBuf,
        /// Its first byte from now on.
        byte: u8,
    },
    /// Another file system over a directory.
    Mount(PathBuf),
    /// It is gone again.
    Unmount(PathBuf),
    /// Somebody reads the file.
    Look(PathBuf),
}

/// What the suite asks of an implementation's test.
pub trait Fixture {
    /// An existing, empty directory. Its path has no link in it and is UTF-8.
    fn root(&self) -> PathBuf;

    /// Lets something happen below the root.
    ///
    /// # Errors
    /// [`Refused`] where this system, or this user, cannot do it.
    fn act(&mut self, act: &Act) -> Result<(), Refused>;

    /// The implementation. Every call gives the same one.
    fn watcher(&self) -> Arc<dyn Watcher>;

    /// Another one, that may keep only so many watches.
    fn watcher_limited_to(&self, watches: usize) -> Arc<dyn Watcher>;

    /// Whether this implementation covers anything on this system.
    fn covers(&self) -> bool;

    /// The system loses events of what is watched in the root.
    fn lose_events(&mut self);

    /// How much the system keeps for the implementation: watches, descriptors, threads.
    fn kept(&self) -> usize;

    /// A path on a file system whose events cannot be trusted.
    fn untrusted(&self) -> Option<PathBuf>;
}

/// A fixture with a project in it.
pub(super) struct Ground<F> {
    pub(super) fixture: F,
}

impl<F: Fixture> Ground<F> {
    pub(super) fn new(fixture: F) -> Self {
        let mut ground = Self { fixture };
        ground.directory("project");
        ground
    }

    pub(super) fn at(&self, relative: &str) -> PathBuf {
        self.fixture.root().join(relative)
    }

    pub(super) fn entry(&self, relative: &str) -> Watched {
        let path = AbsolutePath::new(self.at(relative));
        Watched::Entry(path.expect("the root is absolute and UTF-8"))
    }

    /// Lets something happen that every system can do.
    pub(super) fn act(&mut self, act: Act) {
        self.fixture.act(&act).unwrap_or_else(|Refused| panic!("refused: {act:?}"));
    }

    pub(super) fn directory(&mut self, relative: &str) {
        let path = self.at(relative);
        self.act(Act::Change(Change::MakeDirectory { path }));
    }

    pub(super) fn file(&mut self, relative: &str, text: &str) {
        let path = self.at(relative);
        self.act(Act::Change(Change::Write { path, bytes: text.into() }));
    }

    pub(super) fn remove(&mut self, relative: &str) {
        let path = self.at(relative);
        self.act(Act::Change(Change::Remove { path }));
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let (from, to) = (self.at(from), self.at(to));
        self.act(Act::Change(Change::Rename { from, to }));
    }

    pub(super) fn link(&mut self, relative: &str, target: &str) {
        let path = self.at(relative);
        self.act(Act::Change(Change::Link { path, target: target.into() }));
    }

    /// Watches these entries.
    pub(super) async fn watch(&self, relative: &[&str]) -> Watch {
        let entries: Vec<_> = relative.iter().map(|relative| self.entry(relative)).collect();
        self.watch_all(entries).await
    }

    pub(super) async fn watch_all(&self, entries: Vec<Watched>) -> Watch {
        let subscription = self.fixture.watcher().subscribe(entries.clone()).await;
        Watch { subscription, entries, covers: self.fixture.covers() }
    }

    /// Watches entries that every covering implementation covers.
    pub(super) async fn covered(&self, relative: &[&str]) -> Watch {
        let watch = self.watch(relative).await;
        watch.is_covered();
        watch
    }
}

/// A subscription and what it is for.
pub(super) struct Watch {
    pub(super) subscription: Arc<dyn Subscription>,
    entries: Vec<Watched>,
    covers: bool,
}

impl Watch {
    #[track_caller]
    pub(super) fn is_covered(&self) {
        let coverage = self.subscription.coverage();
        if self.covers {
            assert_eq!(coverage, Coverage::Covered);
        } else {
            assert!(matches!(coverage, Coverage::Direct(_)));
        }
    }

    /// A drain tells exactly these, by their place, and coverage goes on.
    pub(super) async fn tells(&self, places: &[usize]) {
        let drained = self.subscription.drain().await;
        if self.covers {
            let entries: Vec<_> = places.iter().map(|at| self.entries[*at].clone()).collect();
            let expected =
                if entries.is_empty() { Drained::Unchanged } else { Drained::Changed(entries) };
            assert_eq!(drained, expected);
        }
        self.is_told(drained, places);
        self.is_covered();
    }

    /// A drain tells of the first entry, in whatever way. The other entries may be told as well.
    pub(super) async fn tells_of_the_first(&self) {
        let drained = self.subscription.drain().await;
        self.is_told(drained, &[0]);
    }

    #[track_caller]
    fn is_told(&self, drained: Drained, places: &[usize]) {
        match drained {
            Drained::Unchanged => assert_eq!(places, [0; 0], "a change is not told"),
            Drained::Changed(changed) => {
                for at in places {
                    assert!(changed.contains(&self.entries[*at]), "{at} is not in {changed:?}");
                }
            }
            Drained::Lost(reason) => {
                assert_eq!(self.subscription.coverage(), Coverage::Direct(reason));
            }
        }
    }

    /// A drain is `Lost`, and says why.
    pub(super) async fn is_lost(&self) -> Uncovered {
        match self.subscription.drain().await {
            Drained::Lost(reason) => reason,
            told @ (Drained::Unchanged | Drained::Changed(_)) => panic!("not lost: {told:?}"),
        }
    }
}
