//! Who waits for what: the watches by their numbers, and what an event means to which subscription.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::PathBuf,
};
use told_ports::Uncovered;

/// A subscription's number, never used twice.
pub type Id = u64;

/// The kernel's number of a watch.
pub type Number = i32;

/// What of a watched inode somebody waits for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// One name in the directory.
    Name(Box<[u8]>),
    /// Any name in it.
    Names,
    /// The inode itself.
    Itself,
}

/// What it is to a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A step on the way to its entries: without it nothing is known of any.
    Way,
    /// This entry, or a step of it alone.
    Entry(usize),
}

/// All watches and all who wait.
#[derive(Debug, Default)]
pub struct Table {
    watches: HashMap<Number, Watch>,
    waiting: HashMap<Id, Waiting>,
    given: Id,
}

#[derive(Debug, Default)]
struct Watch {
    parts: HashMap<Part, HashSet<(Id, Role)>>,
    /// An event arrived that was made to prove it.
    proven: bool,
}

/// What a subscription was not told yet.
#[derive(Debug, Default)]
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

    /// How many inodes are watched.
    #[must_use]
    pub fn watches(&self) -> usize {
        self.watches.len()
    }

    /// How many subscriptions there are, lost ones among them.
    #[must_use]
    pub fn subscriptions(&self) -> usize {
        self.waiting.len()
    }

    /// Whether this number is known, and its watch was seen to work.
    #[must_use]
    pub fn is_proven(&self, number: Number) -> Option<bool> {
        self.watches.get(&number).map(|watch| watch.proven)
    }

    /// A watch was seen to work, or is known not to any more.
    pub fn prove(&mut self, number: Number, proven: bool) {
        if let Some(watch) = self.watches.get_mut(&number) {
            watch.proven = proven;
        }
    }

    /// A watch that the system has now.
    pub fn begin(&mut self, number: Number) {
        self.watches.insert(number, Watch::default());
    }

    /// A watch that the system took away.
    pub fn end(&mut self, number: Number) {
        self.watches.remove(&number);
    }

    /// Has `id` wait for a part of a watched inode. Whether there is such a watch.
    pub fn add(&mut self, number: Number, part: Part, id: Id, role: Role) -> bool {
        let Some(watch) = self.watches.get_mut(&number) else { return false };
        watch.parts.entry(part).or_default().insert((id, role));
        true
    }

    /// Ends that. Whether nobody waits for anything of this inode any more: then its watch is to go.
    pub fn remove(&mut self, number: Number, part: &Part, id: Id, role: Role) -> bool {
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
    pub fn lose_all(&mut self, reason: Uncovered) {
        self.waiting.values_mut().for_each(|waiting| waiting.lose(reason));
    }

    /// Tells those who wait for a name in this directory.
    pub fn at_name(&mut self, directory: Number, name: &[u8], happened: Happened) {
        let bound = match happened {
            Happened::Bound | Happened::Gone => true,
            Happened::Attributes | Happened::Written => false,
        };
        let Self { watches, waiting, .. } = self;
        let Some(watch) = watches.get(&directory) else { return };
        tell(waiting, watch.parts.get(&Part::Name(name.into())), |waiting, role| match role {
            Role::Way if bound => waiting.lose(Uncovered::Replaced),
            // Its own watch tells what else happens to a directory.
            Role::Way => {}
            Role::Entry(entry) => waiting.change(entry, happened != Happened::Written),
        });
        if bound {
            tell(waiting, watch.parts.get(&Part::Names), |waiting, role| match role {
                Role::Way => {}
                Role::Entry(entry) => waiting.change(entry, false),
            });
        }
    }

    /// Tells those who wait for this inode itself.
    pub fn at_itself(&mut self, inode: Number, happened: Happened) {
        let Self { watches, waiting, .. } = self;
        let Some(watch) = watches.get(&inode) else { return };
        tell(waiting, watch.parts.get(&Part::Itself), |waiting, role| match (role, happened) {
            (Role::Way, Happened::Gone) => waiting.lose(Uncovered::Replaced),
            // Who may walk through it may be others now.
            (Role::Way, Happened::Attributes) => waiting.change_all(),
            (Role::Way, Happened::Bound | Happened::Written) => {}
            (Role::Entry(entry), _) => waiting.change(entry, happened != Happened::Written),
        });
    }

    /// Loses all who wait for anything of this inode.
    pub fn lose(&mut self, inode: Number, reason: Uncovered) {
        let Self { watches, waiting, .. } = self;
        let Some(watch) = watches.get(&inode) else { return };
        for who in watch.parts.values() {
            tell(waiting, Some(who), |waiting, _| waiting.lose(reason));
        }
    }
}

fn tell(
    waiting: &mut HashMap<Id, Waiting>,
    who: Option<&HashSet<(Id, Role)>>,
    mut told: impl FnMut(&mut Waiting, Role),
) {
    for (id, role) in who.into_iter().flatten() {
        if let Some(waiting) = waiting.get_mut(id) {
            told(waiting, *role);
        }
    }
}

/// What an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// A name is bound to another thing than before, or to nothing.
    Bound,
    /// The inode is not where it was.
    Gone,
    /// Who may use it, or how many names it has, may be another now.
    Attributes,
    /// A file's content may be another now.
    Written,
}
