//! One inotify instance: its queue, read when somebody asks, and the watches in it.

use crate::{
    mounts::Mounts,
    table::{Id, Number, Part, Role, Table},
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::{AsRawFd as _, OwnedFd},
    fs::{
        Mode, OFlags,
        inotify::{self, CreateFlags, Reader, WatchFlags},
    },
    io::Errno,
};
use std::{
    collections::HashSet,
    mem::MaybeUninit,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};
use told_ports::Uncovered;

/// What is watched of a directory: its names, and itself.
pub(crate) const DIRECTORY: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// What is watched of a file: what is written to it by whatever name, and its other names. The last to
/// close it may have written through a mapping.
pub(crate) const FILE: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF);

const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Bytes of events read by one call.
const BUFFER: usize = 16 * 1024;

/// The kernel's own default of `max_queued_events`, where it does not say.
const QUEUE: usize = 16_384;

pub(crate) struct Instance {
    descriptor: OwnedFd,
    state: Mutex<State>,
    /// Watches at most, over all subscriptions.
    watches_max: usize,
    /// Events that the kernel keeps at most.
    queue_max: usize,
}

/// What everybody shares. Nothing under its lock waits for a disk.
pub(crate) struct State {
    pub(crate) table: Table,
    pub(crate) mounts: Mounts,
}

impl Instance {
    pub(crate) fn new(watches_max: usize) -> Result<Self, Uncovered> {
        let descriptor =
            inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(refused)?;
        let mounts = Mounts::open().map_err(refused)?;
        let state = Mutex::new(State { table: Table::default(), mounts });
        let queue_max = kernel_number("max_queued_events").unwrap_or(QUEUE);
        Ok(Self { descriptor, state, watches_max, queue_max })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks, and applies all that happened before. Who comes while another does this waits for the lock, and so
    /// until it is applied. One system call where nothing happened.
    pub(crate) fn pumped(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        if let Err(reason) = self.pump(&mut state) {
            state.table.lose_all(reason);
        }
        state
    }

    fn pump(&self, state: &mut State) -> Result<(), Uncovered> {
        let (events, mounts) = {
            let mut ready = [
                PollFd::new(&self.descriptor, PollFlags::IN),
                PollFd::from_borrowed_fd(state.mounts.descriptor(), PollFlags::PRI),
            ];
            let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
            rustix::io::retry_on_intr(|| poll(&mut ready, Some(&at_once)))
                .map_err(|_| Uncovered::Failed)?;
            let [events, mounts] = ready.map(|descriptor| descriptor.revents());
            (!events.is_empty(), !mounts.is_empty())
        };
        if events {
            self.read(&mut state.table)?;
        }
        if mounts {
            state.mounts.changed().map_err(|_| Uncovered::Mounts)?;
            for waiting in state.table.all_waiting() {
                let is = state.mounts.at(&waiting.places);
                if waiting.mounted.as_ref().is_some_and(|was| *was != is) {
                    waiting.lose(Uncovered::Mounts);
                }
            }
        }
        Ok(())
    }

    /// Reads what was queued. What comes while it reads may be left: so many were there at most.
    fn read(&self, table: &mut Table) -> Result<(), Uncovered> {
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&self.descriptor, &mut buffer);
        let mut count = 0;
        while count <= self.queue_max || !reader.is_buffer_empty() {
            match reader.next() {
                Ok(event) => table.apply(&event),
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(_) => return Err(Uncovered::Failed),
            }
            count += 1;
        }
        Ok(())
    }

    /// Watches the inode that `entry` is open at, for `id`.
    pub(crate) fn watch(
        &self,
        entry: &OwnedFd,
        flags: WatchFlags,
        id: Id,
        role: Role,
    ) -> Result<Number, Uncovered> {
        let mut state = self.lock();
        let number = self.kernel_watch(entry, flags | WatchFlags::MASK_ADD)?;
        if state.table.is_proven(number).is_none() {
            if state.table.watches() >= self.watches_max {
                self.kernel_end(number);
                return Err(Uncovered::Limit);
            }
            state.table.begin(number);
        }
        state.table.add(number, Part::Itself, id, role);
        Ok(number)
    }

    /// Has `id` wait for another part of a directory that it watches.
    pub(crate) fn wait_for(
        &self,
        number: Number,
        part: Part,
        id: Id,
        role: Role,
    ) -> Result<(), Uncovered> {
        let added = self.lock().table.add(number, part, id, role);
        // The directory was removed under the walk.
        added.then_some(()).ok_or(Uncovered::Unsettled)
    }

    /// Opens a watched directory, which proves its watch: for the first time it is an event, which arrives.
    pub(crate) fn prove(&self, number: Number, entry: &OwnedFd) -> Result<OwnedFd, Uncovered> {
        let open = || rustix::fs::openat(entry, c".", OPEN, Mode::empty()).map_err(refused);
        if self.lock().table.is_proven(number) == Some(true) {
            return open();
        }
        self.kernel_watch(entry, WatchFlags::OPEN | WatchFlags::MASK_ADD)?;
        let directory = open()?;
        let state = self.pumped();
        if state.table.is_proven(number) != Some(true) {
            return Err(Uncovered::Unproven);
        }
        // From now on to open it is no event.
        self.kernel_watch(entry, DIRECTORY)?;
        Ok(directory)
    }

    /// Ends what `id` waits for there.
    pub(crate) fn unwatch(&self, number: Number, part: &Part, id: Id, role: Role) {
        let mut state = self.lock();
        if state.table.remove(number, part, id, role) {
            self.kernel_end(number);
        }
    }

    fn kernel_watch(&self, entry: &OwnedFd, flags: WatchFlags) -> Result<Number, Uncovered> {
        // Through its descriptor: this inode, wherever its name leads by now.
        let path = format!("/proc/self/fd/{}", entry.as_raw_fd());
        inotify::add_watch(&self.descriptor, path, flags).map_err(refused)
    }

    fn kernel_end(&self, number: Number) {
        // Gone already where the inode is.
        inotify::remove_watch(&self.descriptor, number).ok();
    }
}

impl State {
    /// These places are the subscription's from now on: what is mounted there must stay.
    pub(crate) fn settle(&mut self, id: Id, places: HashSet<PathBuf>) {
        let mounted = self.mounts.at(&places);
        let waiting = self.table.waiting(id);
        waiting.mounted = Some(mounted);
        waiting.places = places;
    }
}

/// What a refusal of the system means for coverage.
pub(crate) fn refused(errno: Errno) -> Uncovered {
    match errno {
        Errno::NOSPC | Errno::MFILE | Errno::NFILE | Errno::NOMEM => Uncovered::Limit,
        Errno::ACCESS | Errno::PERM => Uncovered::Protected,
        Errno::LOOP => Uncovered::Link,
        // It was there a moment ago.
        Errno::NOENT | Errno::NOTDIR | Errno::STALE => Uncovered::Unsettled,
        _ => Uncovered::Failed,
    }
}

/// One of the kernel's numbers about inotify.
pub(crate) fn kernel_number(name: &str) -> Option<usize> {
    let text = std::fs::read_to_string(format!("/proc/sys/fs/inotify/{name}")).ok()?;
    text.trim().parse().ok()
}
