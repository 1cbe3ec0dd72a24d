//! The ground that the suite stands on: a tree of files, real or not.

use crate::change::{Change, Refused};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};
use told_domain::{
    look::{Containment, FileBytes, Looks, Read},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    reason::WithheldReason,
};
use told_ports::FileSystem;

/// What the suite asks of an implementation's test.
pub trait Fixture {
    /// An existing, empty directory. Its path has no link in it and is UTF-8.
    fn root(&self) -> PathBuf;

    /// Makes one change below the root.
    ///
    /// # Errors
    /// [`Refused`] where the system refuses it.
    fn apply(&mut self, change: &Change) -> Result<(), Refused>;

    /// When a read of `path` is under way (the file is open, its bytes are not read), the first of
    /// `changes` happens; when it is read again, the second.
    fn change_during_reads(&mut self, path: &Path, changes: Vec<Change>);

    /// Looks at `path` give no answer from now on, as on a dead disk, until the fixture is dropped.
    fn hang(&mut self, path: &Path);

    /// The implementation. It is asked for after the ground is prepared.
    fn system(&self) -> Arc<dyn FileSystem>;
}

/// Milliseconds in which a look that does not hang answers, also on a busy machine.
pub(super) const LOOK_MS: u64 = 20_000;

/// A fixture with a project and something outside of it.
pub(super) struct Ground<F> {
    pub(super) fixture: F,
}

impl<F: Fixture> Ground<F> {
    pub(super) fn new(fixture: F) -> Self {
        let mut ground = Self { fixture };
        ground.directory("project");
        ground.directory("outside");
        ground
    }

    pub(super) fn at(&self, relative: &str) -> PathBuf {
        self.fixture.root().join(relative)
    }

    pub(super) fn path(&self, relative: &str) -> AbsolutePath {
        AbsolutePath::new(self.at(relative)).expect("the root is absolute and UTF-8")
    }

    /// The project's directory, as the one that contains.
    pub(super) fn project(&self) -> Containment {
        Containment::Within(CanonicalPath::observed(self.path("project")))
    }

    pub(super) fn change(&mut self, change: Change) {
        self.fixture.apply(&change).unwrap_or_else(|Refused| panic!("refused: {change:?}"));
    }

    pub(super) fn directory(&mut self, relative: &str) {
        let path = self.at(relative);
        self.change(Change::MakeDirectory { path });
    }

    pub(super) fn file(&mut self, relative: &str, bytes: impl Into<Vec<u8>>) {
        let path = self.at(relative);
        self.change(Change::Write { path, bytes: bytes.into() });
    }

    pub(super) fn link(&mut self, relative: &str, target: impl Into<OsString>) {
        let path = self.at(relative);
        self.change(Change::Link { path, target: target.into() });
    }

    /// One read in the project, of up to a MiB.
    pub(super) fn read(&self, relative: &str) -> Read {
        let (path, containment) = (self.path(relative), self.project());
        Read { path, containment, max_bytes: 1 << 20 }
    }

    pub(super) async fn look(&self, reads: Vec<Read>) -> Vec<Observation<FileBytes>> {
        let looks = Looks { reads, total_bytes: 1 << 30, look_ms: LOOK_MS, ..Looks::default() };
        let asked = looks.reads.len();
        let seen = self.fixture.system().observe(&looks).await;
        assert_eq!(seen.files.len(), asked);
        seen.files
    }

    /// One look in the project at one file.
    pub(super) async fn look_at(&self, relative: &str) -> Observation<FileBytes> {
        let mut files = self.look(vec![self.read(relative)]).await;
        files.pop().expect("one answer")
    }

    /// A whole file at `relative`.
    pub(super) fn whole(
        &self,
        relative: &str,
        bytes: impl Into<Vec<u8>>,
    ) -> Observation<FileBytes> {
        let bytes = bytes.into();
        let canonical = CanonicalPath::observed(self.path(relative));
        let size = bytes.len() as u64;
        Observation::Available(FileBytes { canonical, bytes, size })
    }
}

pub(super) const fn withheld<T>(reason: WithheldReason) -> Observation<T> {
    Observation::Absent(Absence::Withheld(reason))
}

pub(super) const fn not_found<T>() -> Observation<T> {
    Observation::Absent(Absence::NotFound)
}
