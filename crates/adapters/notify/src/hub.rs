//! One notify watcher for all subscriptions, and the paths that it watches.

use crate::{cookie::Cookies, events::apply};
use notify::{ErrorKind, Event, EventHandler, INotifyWatcher, RecursiveMode, Watcher as _};
use rustix::{
    fd::OwnedFd,
    fs::{Mode, OFlags},
};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    time::Duration,
};
use told_ports::Uncovered;
use told_steps::{Id, Inode, Number, Part, Role, Source, State, refused};

const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

pub(crate) struct Hub {
    heard: Arc<Heard>,
    /// Locked before what was heard. notify's own thread takes only that one, and so can always go on.
    watcher: Mutex<INotifyWatcher>,
    watches_max: usize,
    wait: Duration,
}

/// What notify's thread tells.
pub(crate) struct Heard {
    cookies: Cookies,
    /// Locked before the state.
    paths: Mutex<Paths>,
    state: Mutex<State>,
}

/// The paths that are watched, and their numbers.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    numbers: BTreeMap<PathBuf, Number>,
    paths: HashMap<Number, (PathBuf, (u64, u64))>,
    inodes: HashMap<(u64, u64), Number>,
    given: Number,
}

impl Paths {
    pub(crate) fn number(&self, path: &Path) -> Option<Number> {
        self.numbers.get(path).copied()
    }

    pub(crate) fn at_or_below(&self, path: &Path) -> Vec<Number> {
        let from = (Bound::Included(path), Bound::Unbounded);
        let after = self.numbers.range::<Path, _>(from);
        after.take_while(|(at, _)| at.starts_with(path)).map(|(_, number)| *number).collect()
    }

    fn inode(&self, path: &Path) -> Option<(u64, u64)> {
        self.number(path).and_then(|number| self.paths.get(&number)).map(|(_, inode)| *inode)
    }

    fn path(&self, number: Number) -> Option<&PathBuf> {
        self.paths.get(&number).map(|(path, _)| path)
    }

    /// The other path that led to this inode, when it was watched.
    fn other(&self, path: &Path, inode: (u64, u64)) -> Option<(Number, PathBuf)> {
        let other = *self.inodes.get(&inode)?;
        self.path(other).filter(|at| *at != path).map(|at| (other, at.clone()))
    }

    /// The number of a path that leads to this inode now, and no other does.
    fn give(&mut self, path: &Path, inode: (u64, u64)) -> Number {
        let number = match self.number(path) {
            Some(number) => number,
            None => {
                self.given += 1;
                self.given
            }
        };
        self.forget_inode(number);
        self.numbers.insert(path.to_owned(), number);
        self.paths.insert(number, (path.to_owned(), inode));
        self.inodes.insert(inode, number);
        number
    }

    fn forget_inode(&mut self, number: Number) {
        if let Some((_, inode)) = self.paths.get(&number)
            && self.inodes.get(inode) == Some(&number)
        {
            self.inodes.remove(inode);
        }
    }

    fn forget(&mut self, number: Number) {
        self.forget_inode(number);
        if let Some((path, _)) = self.paths.remove(&number) {
            self.numbers.remove(&path);
        }
    }
}

impl Heard {
    fn paths(&self) -> MutexGuard<'_, Paths> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One event of notify's.
    pub(crate) fn hear(&self, event: &notify::Result<Event>) {
        let paths = self.paths();
        apply(event, &self.cookies, &paths, &mut self.state());
    }
}

/// What notify calls, as long as its thread is there.
struct Handler {
    heard: Arc<Heard>,
    /// Dropped with the thread, after its descriptors.
    _alive: mpsc::Sender<Never>,
}

/// Nothing is ever sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Never {}

impl EventHandler for Handler {
    fn handle_event(&mut self, event: notify::Result<Event>) {
        self.heard.hear(&event);
    }
}

impl Hub {
    /// The second one is disconnected when the hub's thread is gone.
    pub(crate) fn new(
        watches_max: usize,
        wait: Duration,
    ) -> Result<(Self, mpsc::Receiver<Never>), Uncovered> {
        let cookies = Cookies::new().map_err(|_| Uncovered::Failed)?;
        let (paths, state) = (Mutex::default(), Mutex::new(State::new()?));
        let heard = Arc::new(Heard { cookies, paths, state });
        let config = notify::Config::default().with_follow_symlinks(false);
        let (alive, ended) = mpsc::channel();
        let handler = Handler { heard: Arc::clone(&heard), _alive: alive };
        let mut watcher = INotifyWatcher::new(handler, config).map_err(|error| refusal(&error))?;
        watcher
            .watch(heard.cookies.path(), RecursiveMode::NonRecursive)
            .map_err(|error| refusal(&error))?;
        Ok((Self { heard, watcher: Mutex::new(watcher), watches_max, wait }, ended))
    }

    pub(crate) fn heard(&self) -> &Arc<Heard> {
        &self.heard
    }

    fn watcher(&self) -> MutexGuard<'_, INotifyWatcher> {
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Hub {
    async fn reach(&self) -> Result<(), Uncovered> {
        let mut cookie = self.heard.cookies.make().map_err(|_| Uncovered::Failed)?;
        match tokio::time::timeout(self.wait, cookie.heard()).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Uncovered::Failed),
            Err(_) => Err(Uncovered::Timeout),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.heard.state()
    }

    fn pumped(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        if let Err(reason) = state.poll_mounts() {
            state.table.lose_all(reason);
        }
        state
    }

    fn watch(&self, inode: &Inode<'_>, id: Id, role: Role) -> Result<Number, Uncovered> {
        let mut watcher = self.watcher();
        let (number, works) = {
            let mut paths = self.heard.paths();
            let before = paths.inode(&inode.path);
            // notify knows an inode by one path only, and tells of no other (notify-rs/notify 572).
            if let Some((other, path)) = paths.other(&inode.path, inode.identity) {
                if leads_to(&path, inode.identity) {
                    return Err(Uncovered::Ambiguous);
                }
                // A file that is gone, whose number the system gave to this one.
                paths.forget_inode(other);
            }
            let number = paths.give(&inode.path, inode.identity);
            let mut state = self.heard.state();
            let known = state.table.is_proven(number);
            if known.is_none() {
                if state.table.watches() >= self.watches_max {
                    paths.forget(number);
                    return Err(Uncovered::Limit);
                }
                state.table.begin(number);
            }
            // Before notify watches it: what it tells from then on has somebody to tell it to.
            state.table.add(number, Part::Itself, id, role);
            (number, known == Some(true) && before == Some(inode.identity))
        };
        if !works {
            let watched = watcher.watch(&inode.path, RecursiveMode::NonRecursive);
            if let Err(error) = watched {
                drop(watcher);
                self.unwatch(number, &Part::Itself, id, role);
                return Err(refusal(&error));
            }
            self.heard.state().table.prove(number, true);
        }
        Ok(number)
    }

    /// notify has acknowledged the watch, and that it tells anything is what a cookie proved.
    fn open(&self, _: Number, directory: &OwnedFd) -> Result<OwnedFd, Uncovered> {
        rustix::fs::openat(directory, c".", OPEN, Mode::empty()).map_err(refused)
    }

    fn unwatch(&self, number: Number, part: &Part, id: Id, role: Role) {
        let mut watcher = self.watcher();
        let path = {
            let mut paths = self.heard.paths();
            if !self.heard.state().table.remove(number, part, id, role) {
                return;
            }
            let path = paths.path(number).cloned();
            paths.forget(number);
            path
        };
        if let Some(path) = path {
            // notify may have ended it by itself.
            watcher.unwatch(&path).ok();
        }
    }
}

/// Whether a path leads to this inode, as far as can be said.
fn leads_to(path: &Path, inode: (u64, u64)) -> bool {
    match rustix::fs::lstat(path) {
        Ok(stat) => (stat.st_dev, stat.st_ino) == inode,
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => false,
        Err(_) => true,
    }
}

fn refusal(error: &notify::Error) -> Uncovered {
    match &error.kind {
        ErrorKind::MaxFilesWatch => Uncovered::Limit,
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => Uncovered::Unsettled,
        ErrorKind::Io(error) => {
            rustix::io::Errno::from_io_error(error).map_or(Uncovered::Failed, refused)
        }
        ErrorKind::Generic(_) | ErrorKind::InvalidConfig(_) => Uncovered::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drain answers only when it has heard its own file.
    #[test]
    fn a_cookie_that_is_not_heard_of_is_no_answer() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.unwrap();
        let wait = Duration::from_secs(60);
        let (mut hub, ended) = Hub::new(10, wait).unwrap();
        assert_eq!(runtime.block_on(hub.reach()), Ok(()));
        let path = hub.heard.cookies.path().to_owned();
        hub.watcher().unwatch(&path).unwrap();
        hub.wait = Duration::from_millis(1);
        assert_eq!(runtime.block_on(hub.reach()), Err(Uncovered::Timeout));
        drop(std::fs::remove_dir_all(path));
        assert_eq!(runtime.block_on(hub.reach()), Err(Uncovered::Failed));
        drop(hub);
        assert!(ended.recv().is_err(), "its thread ends with it");
    }
}
