//! Who waits for what: the watches by their numbers, and what an event means to which subscription.

use rustix::fs::inotify::{Event, ReadFlags};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::PathBuf,
};
use told_ports::Uncovered;

/// A subscription's number, never used twice.
pub(crate) type Id = u64;

/// The kernel's number of a watch.
pub(crate) type Number = i32;

/// What of a watched inode somebody waits for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Part {
    /// One name in the directory.
    Name(Box<[u8]>),
    /// Any name in it.
    Names,
    /// The inode itself.
    Itself,
}

/// What it is to a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    /// A step on the way to its entries: without it nothing is known of any.
    Way,
    /// This entry, or a step of it alone.
    Entry(usize),
}

/// All watches and all who wait.
#[derive(Default)]
pub(crate) struct Table {
    watches: HashMap<Number, Watch>,
    waiting: HashMap<Id, Waiting>,
    given: Id,
}

#[derive(Default)]
struct Watch {
    parts: HashMap<Part, HashSet<(Id, Role)>>,
    /// An event arrived that was made to prove it.
    proven: bool,
}

/// What a subscription was not told yet.
#[derive(Default)]
pub(crate) struct Waiting {
    /// When each entry changed last, and whether its steps may be others now.
    changed: BTreeMap<usize, Change>,
    lost: Option<Uncovered>,
    entries: usize,
    /// Counts its changes.
    clock: u64,
    /// What is mounted where its entries are, once that is known.
    pub(crate) mounted: Option<Vec<String>>,
    pub(crate) places: HashSet<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    at: u64,
    pub(crate) steps: bool,
}

impl Waiting {
    fn change(&mut self, entry: usize, steps: bool) {
        self.clock += 1;
        let before = self.changed.get(&entry).is_some_and(|change| change.steps);
        self.changed.insert(entry, Change { at: self.clock, steps: steps || before });
    }

    fn change_all(&mut self) {
        for entry in 0..self.entries {
            self.change(entry, true);
        }
    }

    /// The first loss counts.
    pub(crate) fn lose(&mut self, reason: Uncovered) {
        self.lost.get_or_insert(reason);
    }

    pub(crate) const fn lost(&self) -> Option<Uncovered> {
        self.lost
    }

    /// What changed so far, in order.
    pub(crate) fn changed(&self) -> Vec<(usize, Change)> {
        self.changed.iter().map(|(entry, change)| (*entry, *change)).collect()
    }

    /// These were told. What changed again since is not.
    pub(crate) fn told(&mut self, told: &[(usize, Change)]) {
        for (entry, change) in told {
            if self.changed.get(entry).is_some_and(|last| last.at <= change.at) {
                self.changed.remove(entry);
            }
        }
    }
}

impl Table {
    /// One more who waits for so many entries.
    pub(crate) fn enter(&mut self, entries: usize) -> Id {
        self.given += 1;
        self.waiting.insert(self.given, Waiting { entries, ..Waiting::default() });
        self.given
    }

    pub(crate) fn leave(&mut self, id: Id) {
        self.waiting.remove(&id);
    }

    pub(crate) fn waiting(&mut self, id: Id) -> &mut Waiting {
        self.waiting.entry(id).or_default()
    }

    pub(crate) fn all_waiting(&mut self) -> impl Iterator<Item = &mut Waiting> {
        self.waiting.values_mut()
    }

    pub(crate) fn watches(&self) -> usize {
        self.watches.len()
    }

    pub(crate) fn subscriptions(&self) -> usize {
        self.waiting.len()
    }

    /// Whether this number is known, and its watch was seen to work.
    pub(crate) fn is_proven(&self, number: Number) -> Option<bool> {
        self.watches.get(&number).map(|watch| watch.proven)
    }

    /// A watch that the kernel has now.
    pub(crate) fn begin(&mut self, number: Number) {
        self.watches.insert(number, Watch::default());
    }

    /// Has `id` wait for a part of a watched inode. Whether there is such a watch.
    pub(crate) fn add(&mut self, number: Number, part: Part, id: Id, role: Role) -> bool {
        let Some(watch) = self.watches.get_mut(&number) else { return false };
        watch.parts.entry(part).or_default().insert((id, role));
        true
    }

    /// Ends that. Whether nobody waits for anything of this inode any more: then its watch is to go.
    pub(crate) fn remove(&mut self, number: Number, part: &Part, id: Id, role: Role) -> bool {
        let Some(watch) = self.watches.get_mut(&number) else { return false };
        if let Some(who) = watch.parts.get_mut(part) {
            who.remove(&(id, role));
            if who.is_empty() {
                watch.parts.remove(part);
            }
        }
        let unused = watch.parts.is_empty();
        if unused {
            self.watches.remove(&number);
        }
        unused
    }

    /// Everybody lost what the kernel, or reading it, lost.
    pub(crate) fn lose_all(&mut self, reason: Uncovered) {
        self.waiting.values_mut().for_each(|waiting| waiting.lose(reason));
    }

    /// Tells those whom it concerns about one event.
    pub(crate) fn apply(&mut self, event: &Event<'_>) {
        let what = event.events();
        // First of all: it has no watch and no name.
        if what.contains(ReadFlags::QUEUE_OVERFLOW) {
            return self.lose_all(Uncovered::Overflow);
        }
        let Some(watch) = self.watches.get_mut(&event.wd()) else {
            // Of a watch that is gone.
            return;
        };
        if what.contains(ReadFlags::OPEN) {
            watch.proven |= event.file_name().is_none();
            return;
        }
        let waiting = &mut self.waiting;
        let tell = |who: Option<&HashSet<(Id, Role)>>, told: &mut dyn FnMut(&mut Waiting, Role)| {
            for (id, role) in who.into_iter().flatten() {
                if let Some(waiting) = waiting.get_mut(id) {
                    told(waiting, *role);
                }
            }
        };
        let mut tell = tell;
        match event.file_name() {
            Some(name) => {
                let bound = what.intersects(BINDING);
                let part = Part::Name(name.to_bytes().into());
                tell(watch.parts.get(&part), &mut |waiting, role| match role {
                    Role::Way if bound => waiting.lose(Uncovered::Replaced),
                    // Its own watch tells what else happens to a directory.
                    Role::Way => {}
                    Role::Entry(entry) => waiting.change(entry, true),
                });
                if bound {
                    tell(watch.parts.get(&Part::Names), &mut |waiting, role| match role {
                        Role::Way => {}
                        Role::Entry(entry) => waiting.change(entry, false),
                    });
                }
            }
            None => {
                let gone = what.intersects(GONE);
                let unmounted = what.contains(ReadFlags::UNMOUNT);
                let written = !gone && !what.contains(ReadFlags::ATTRIB);
                tell(watch.parts.get(&Part::Itself), &mut |waiting, role| match role {
                    _ if unmounted => waiting.lose(Uncovered::Mounts),
                    Role::Way if gone => waiting.lose(Uncovered::Replaced),
                    // Who may walk through it may be others now.
                    Role::Way => waiting.change_all(),
                    Role::Entry(entry) => waiting.change(entry, !written),
                });
            }
        }
        if what.contains(ReadFlags::IGNORED) {
            // The kernel took the watch away: nobody has anything of it any more.
            self.watches.remove(&event.wd());
        }
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
