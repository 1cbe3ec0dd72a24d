//! What an adapter brings.

use crate::{
    mounts::Mounts,
    table::{Id, Number, Part, Role, Table},
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    io::Errno,
};
use std::{collections::HashSet, path::PathBuf, sync::MutexGuard};
use told_ports::Uncovered;

/// Watches inodes, and hears of what happens to them.
pub trait Source: Send + Sync + 'static {
    /// Until all that happened before is in the table, or can be pumped into it.
    fn reach(&self) -> impl Future<Output = Result<(), Uncovered>> + Send;

    /// What everybody shares. Nothing under its lock waits for a disk.
    fn lock(&self) -> MutexGuard<'_, State>;

    /// The same after all that was reached, and the mounts as they are now, have been told.
    fn pumped(&self) -> MutexGuard<'_, State>;

    /// Has the system watch an inode itself, for `id`, and gives its number.
    ///
    /// # Errors
    /// Why it cannot be watched.
    fn watch(&self, inode: &Inode<'_>, id: Id, role: Role) -> Result<Number, Uncovered>;

    /// Opens a watched directory, and sees to it that its watch is known to work.
    ///
    /// # Errors
    /// Why it is not.
    fn open(&self, number: Number, directory: &OwnedFd) -> Result<OwnedFd, Uncovered>;

    /// Ends what `id` waits for there, and the system's watch with the last who does.
    fn unwatch(&self, number: Number, part: &Part, id: Id, role: Role);

    /// Has `id` wait for a part of an inode that it watches.
    ///
    /// # Errors
    /// [`Uncovered::Unsettled`] where the inode was removed meanwhile.
    fn wait_for(&self, number: Number, part: Part, id: Id, role: Role) -> Result<(), Uncovered> {
        let added = self.lock().table.add(number, part, id, role);
        added.then_some(()).ok_or(Uncovered::Unsettled)
    }
}

/// An inode to be watched.
#[derive(Debug)]
pub struct Inode<'a> {
    /// Open at it, for its path alone.
    pub entry: &'a OwnedFd,
    /// Where it was found; no step of it is a link.
    pub path: PathBuf,
    /// Its device and number.
    pub identity: (u64, u64),
    /// It is a directory, and its names are watched as well; else a file.
    pub is_directory: bool,
}

/// Who waits for what, and what is mounted.
#[derive(Debug)]
pub struct State {
    /// Who waits for what.
    pub table: Table,
    /// What is mounted.
    pub mounts: Mounts,
}

impl State {
    /// Nobody waits, and the mounts are as they are now.
    ///
    /// # Errors
    /// Where the table of mounts cannot be read.
    pub fn new() -> Result<Self, Uncovered> {
        let mounts = Mounts::open().map_err(refused)?;
        Ok(Self { table: Table::default(), mounts })
    }

    /// Asks whether the table of mounts changed, and tells whom that concerns. One system call where it did not.
    ///
    /// # Errors
    /// Where the system does not say.
    pub fn poll_mounts(&mut self) -> Result<(), Uncovered> {
        let mut ready = [PollFd::from_borrowed_fd(self.mounts.descriptor(), PollFlags::PRI)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        rustix::io::retry_on_intr(|| poll(&mut ready, Some(&at_once)))
            .map_err(|_| Uncovered::Failed)?;
        if ready[0].revents().is_empty() { Ok(()) } else { self.mounts_changed() }
    }

    /// Tells whom it concerns that the table of mounts changed.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn mounts_changed(&mut self) -> Result<(), Uncovered> {
        self.mounts.changed().map_err(|_| Uncovered::Mounts)?;
        for waiting in self.table.all_waiting() {
            let is = self.mounts.at(&waiting.places);
            if waiting.mounted.as_ref().is_some_and(|was| *was != is) {
                waiting.lose(Uncovered::Mounts);
            }
        }
        Ok(())
    }

    /// These places are the subscription's from now on: what is mounted there must stay.
    pub(crate) fn settle(&mut self, id: Id, places: HashSet<PathBuf>) {
        let mounted = self.mounts.at(&places);
        let waiting = self.table.waiting(id);
        waiting.mounted = Some(mounted);
        waiting.places = places;
    }
}

/// What a refusal of the system means for coverage.
#[must_use]
pub fn refused(errno: Errno) -> Uncovered {
    match errno {
        Errno::NOSPC | Errno::MFILE | Errno::NFILE | Errno::NOMEM => Uncovered::Limit,
        Errno::ACCESS | Errno::PERM => Uncovered::Protected,
        Errno::LOOP => Uncovered::Link,
        // It was there a moment ago.
        Errno::NOENT | Errno::NOTDIR | Errno::STALE => Uncovered::Unsettled,
        _ => Uncovered::Failed,
    }
}
