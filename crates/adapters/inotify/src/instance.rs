//! One inotify instance: its queue, read when somebody asks, and the watches in it.

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::{AsRawFd as _, OwnedFd},
    fs::{
        Mode, OFlags,
        inotify::{self, CreateFlags, Event, ReadFlags, Reader, WatchFlags},
    },
    io::Errno,
};
use std::{
    mem::MaybeUninit,
    sync::{Mutex, MutexGuard, PoisonError},
};
use told_ports::Uncovered;
use told_steps::{Happened, Id, Inode, Number, Part, Role, Source, State, kernel_number, refused};

/// What is watched of a directory: its names, and itself.
const DIRECTORY: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// What is watched of a file: what is written to it by whatever name, and its other names. The last to
/// close it may have written through a mapping.
const FILE: WatchFlags = WatchFlags::MODIFY
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

impl Instance {
    pub(crate) fn new(watches_max: usize) -> Result<Self, Uncovered> {
        let descriptor =
            inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(refused)?;
        let state = Mutex::new(State::new()?);
        let queue_max = kernel_number("max_queued_events").unwrap_or(QUEUE);
        Ok(Self { descriptor, state, watches_max, queue_max })
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
            self.read(state)?;
        }
        if mounts { state.mounts_changed() } else { Ok(()) }
    }

    /// Reads what was queued. What comes while it reads may be left: so many were there at most.
    fn read(&self, state: &mut State) -> Result<(), Uncovered> {
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&self.descriptor, &mut buffer);
        let mut count = 0;
        while count <= self.queue_max || !reader.is_buffer_empty() {
            match reader.next() {
                Ok(event) => apply(state, &event),
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(_) => return Err(Uncovered::Failed),
            }
            count += 1;
        }
        Ok(())
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

impl Source for Instance {
    /// Its queue is read where it is pumped, on the caller's own thread.
    async fn reach(&self) -> Result<(), Uncovered> {
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who comes while another reads the queue waits for the lock, and so until all is applied. One system
    /// call where nothing happened.
    fn pumped(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        if let Err(reason) = self.pump(&mut state) {
            state.table.lose_all(reason);
        }
        state
    }

    fn watch(&self, inode: &Inode<'_>, id: Id, role: Role) -> Result<Number, Uncovered> {
        let mut state = self.lock();
        let flags = if inode.is_directory { DIRECTORY } else { FILE };
        let number = self.kernel_watch(inode.entry, flags | WatchFlags::MASK_ADD)?;
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

    /// For the first time it is an event, which arrives.
    fn open(&self, number: Number, directory: &OwnedFd) -> Result<OwnedFd, Uncovered> {
        let open = || rustix::fs::openat(directory, c".", OPEN, Mode::empty()).map_err(refused);
        if self.lock().table.is_proven(number) == Some(true) {
            return open();
        }
        self.kernel_watch(directory, WatchFlags::OPEN | WatchFlags::MASK_ADD)?;
        let opened = open()?;
        let state = self.pumped();
        if state.table.is_proven(number) != Some(true) {
            return Err(Uncovered::Unproven);
        }
        // From now on to open it is no event.
        self.kernel_watch(directory, DIRECTORY)?;
        Ok(opened)
    }

    fn unwatch(&self, number: Number, part: &Part, id: Id, role: Role) {
        let mut state = self.lock();
        if state.table.remove(number, part, id, role) {
            self.kernel_end(number);
        }
    }
}

/// Tells those whom it concerns about one event.
fn apply(state: &mut State, event: &Event<'_>) {
    let (what, number, table) = (event.events(), event.wd(), &mut state.table);
    // First of all: it has no watch and no name.
    if what.contains(ReadFlags::QUEUE_OVERFLOW) {
        return table.lose_all(Uncovered::Overflow);
    }
    if what.contains(ReadFlags::OPEN) {
        // Of the directory itself; else somebody opens what is in it.
        if event.file_name().is_none() {
            table.prove(number, true);
        }
        return;
    }
    if what.contains(ReadFlags::UNMOUNT) {
        table.lose(number, Uncovered::Mounts);
    }
    match event.file_name() {
        Some(name) if what.intersects(BINDING) => {
            table.at_name(number, name.to_bytes(), Happened::Bound);
        }
        Some(name) => table.at_name(number, name.to_bytes(), Happened::Attributes),
        None if what.intersects(GONE) => table.at_itself(number, Happened::Gone),
        None if what.contains(ReadFlags::ATTRIB) => table.at_itself(number, Happened::Attributes),
        None => table.at_itself(number, Happened::Written),
    }
    if what.contains(ReadFlags::IGNORED) {
        // The kernel took the watch away: nobody has anything of it any more.
        table.end(number);
    }
}

/// What a name leads to is another thing now.
const BINDING: ReadFlags = ReadFlags::CREATE
    .union(ReadFlags::DELETE)
    .union(ReadFlags::MOVED_FROM)
    .union(ReadFlags::MOVED_TO);

/// The inode is not where it was.
const GONE: ReadFlags =
    ReadFlags::DELETE_SELF.union(ReadFlags::MOVE_SELF).union(ReadFlags::IGNORED);
