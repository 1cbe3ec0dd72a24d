//! How an entry's steps are watched. A path is walked as the kernel walks it, name by name, and each step is
//! taken only after its name is watched: whatever rebinds a name later is an event, and what did
//! so before is what the walk found.

use crate::{
    source::{Inode, Source, refused},
    table::{Id, Number, Part, Role},
    trust,
};
use rustix::{
    fd::OwnedFd,
    fs::{FileType, Mode, OFlags, Stat},
    io::Errno,
};
use std::{
    collections::{HashSet, VecDeque},
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Component, Path, PathBuf},
};
use told_ports::{Uncovered, Watched};

/// Links in one path, as many as the kernel follows.
const LINKS: usize = 40;

/// Directories open at once for a walk, and so how deep it goes.
const DEPTH: usize = 256;

/// Places of one subscription, and more for each entry.
const PLACES: usize = 4_096;
const PLACES_EACH: usize = 64;

const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// What a subscription waits for, and where.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    ways: HashSet<Step>,
    entries: Vec<HashSet<Step>>,
    /// Where its steps are, and what each step of theirs leads to.
    pub(crate) places: HashSet<PathBuf>,
    /// Inodes watched themselves; one that two entries lead to counts twice.
    inodes: usize,
}

type Step = (Number, Part);

const fn inodes(step: &Step) -> usize {
    matches!(step.1, Part::Itself) as usize
}

impl Ledger {
    pub(crate) fn new(entries: usize) -> Self {
        Self { entries: vec![HashSet::new(); entries], ..Self::default() }
    }

    /// One more place. Links that lead to ever new ones come to an end.
    fn place(&mut self, path: PathBuf) -> Result<(), Uncovered> {
        if self.places.len() > PLACES + PLACES_EACH * self.entries.len() {
            return Err(Uncovered::Limit);
        }
        self.places.insert(path);
        Ok(())
    }

    /// Ends all of it.
    pub(crate) fn release(&mut self, source: &impl Source, id: Id) {
        self.inodes = 0;
        for (number, part) in self.ways.drain() {
            source.unwatch(number, &part, id, Role::Way);
        }
        for (entry, steps) in self.entries.iter_mut().enumerate() {
            for (number, part) in steps.drain() {
                source.unwatch(number, &part, id, Role::Entry(entry));
            }
        }
    }
}

/// A walk for one subscription. Directories that follow each other are opened once.
pub(crate) struct Walk<'a, S> {
    source: &'a S,
    id: Id,
    ledger: &'a mut Ledger,
    watches_max: usize,
    /// The directories from the root to where the walk is.
    at: Vec<Directory>,
}

struct Directory {
    descriptor: OwnedFd,
    number: Number,
    path: PathBuf,
    device: u64,
}

/// One entry on its way.
struct Going {
    entry: usize,
    /// Names to go.
    names: VecDeque<OsString>,
    links: usize,
    /// No link was the last name so far: the steps are the way of the whole subscription.
    way: bool,
    steps: HashSet<Step>,
    /// The last directory is watched for all its names.
    into: bool,
}

impl<'a, S: Source> Walk<'a, S> {
    pub(crate) fn new(source: &'a S, id: Id, ledger: &'a mut Ledger, watches_max: usize) -> Self {
        Self { source, id, ledger, watches_max, at: Vec::new() }
    }

    /// Watches the steps of one entry as they are now, and no longer those that were.
    pub(crate) fn entry(&mut self, entry: usize, watched: &Watched) -> Result<(), Uncovered> {
        let path = watched.path().as_path();
        let into = matches!(watched, Watched::Names(_));
        self.at_common(path);
        let known = self.at.len().max(1);
        let names = path.components().skip(known).map(|name| name.as_os_str().to_owned());
        let (names, steps) = (names.collect(), HashSet::new());
        let mut going = Going { entry, names, links: 0, way: true, steps, into };
        let result = self.go(&mut going);
        if going.links > 0 {
            // It ended elsewhere than its path says.
            self.at.clear();
        }
        // First the new steps, then away with the old: nothing is unwatched in between.
        let before = std::mem::replace(&mut self.ledger.entries[entry], going.steps);
        for step in before {
            self.ledger.inodes -= inodes(&step);
            if !self.ledger.entries[entry].contains(&step) {
                self.source.unwatch(step.0, &step.1, self.id, Role::Entry(entry));
            }
        }
        result
    }

    /// Goes back to the last directory that lies on the way to `path`.
    fn at_common(&mut self, path: &Path) {
        while self.at.last().is_some_and(|last| last.path == path || !path.starts_with(&last.path))
        {
            self.at.pop();
        }
    }

    fn go(&mut self, going: &mut Going) -> Result<(), Uncovered> {
        if self.at.is_empty() {
            self.root(going)?;
        }
        // A path is bounded, and so are the links in it.
        while let Some(name) = going.names.pop_front() {
            if name == ".." {
                if self.at.len() > 1 {
                    self.at.pop();
                }
            } else if name != "." && !self.step(going, &name)? {
                return Ok(());
            }
        }
        match self.at.last() {
            Some(here) if going.into => {
                let number = here.number;
                self.wait_for(going, number, Part::Names)
            }
            Some(_) | None => Ok(()),
        }
    }

    fn root(&mut self, going: &mut Going) -> Result<(), Uncovered> {
        let root =
            rustix::fs::open("/", LOOK | OFlags::DIRECTORY, Mode::empty()).map_err(refused)?;
        let stat = rustix::fs::fstat(&root).map_err(refused)?;
        self.enter(going, root, PathBuf::from("/"), &stat)
    }

    /// Takes one step. Whether there is more to walk.
    fn step(&mut self, going: &mut Going, name: &OsStr) -> Result<bool, Uncovered> {
        let Some(here) = self.at.last() else { return Err(Uncovered::Failed) };
        let (path, device) = (here.path.join(name), here.device);
        let step = (here.number, Part::Name(name.as_bytes().into()));
        self.wait_for(going, step.0, step.1.clone())?;
        let entry = match rustix::fs::openat(&here.descriptor, name, LOOK, Mode::empty()) {
            Ok(entry) => entry,
            // Its name is watched until there is something.
            Err(Errno::NOENT | Errno::NAMETOOLONG | Errno::INVAL) => return Ok(false),
            Err(errno) => return Err(refused(errno)),
        };
        let stat = rustix::fs::fstat(&entry).map_err(refused)?;
        self.ledger.place(path.clone())?;
        let last = going.names.is_empty();
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory if last && !going.into => Ok(false),
            FileType::Directory => {
                if going.way {
                    self.make_way(going, step)?;
                }
                self.enter(going, entry, path, &stat)?;
                Ok(true)
            }
            FileType::Symlink => {
                going.links += 1;
                if going.links > LINKS {
                    return Err(Uncovered::Link);
                }
                if last {
                    going.way = false;
                } else if going.way {
                    self.make_way(going, step)?;
                }
                let target = rustix::fs::readlinkat(&entry, c"", Vec::new()).map_err(refused)?;
                self.follow(going, OsString::from_vec(target.into_bytes()));
                Ok(true)
            }
            FileType::RegularFile if last => {
                self.file(going, &entry, path, &stat, device)?;
                Ok(false)
            }
            // Nothing is below a file, and the name is watched.
            _ => Ok(false),
        }
    }

    fn follow(&mut self, going: &mut Going, target: OsString) {
        let target = PathBuf::from(target);
        if target.has_root() {
            self.at.truncate(1);
        }
        for component in target.components().rev() {
            match component {
                Component::Normal(name) => going.names.push_front(name.to_owned()),
                Component::ParentDir => going.names.push_front("..".into()),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
    }

    /// Goes into a directory, watched itself.
    fn enter(
        &mut self,
        going: &mut Going,
        entry: OwnedFd,
        path: PathBuf,
        stat: &Stat,
    ) -> Result<(), Uncovered> {
        // Before it is opened: a directory of a dead server would wait for it.
        trust::file_system(&entry)?;
        let role = if going.way { Role::Way } else { Role::Entry(going.entry) };
        if self.at.len() >= DEPTH {
            return Err(Uncovered::Limit);
        }
        let identity = (stat.st_dev, stat.st_ino);
        let inode = Inode { entry: &entry, path: path.clone(), identity, is_directory: true };
        let number = self.watch(going, &inode, role)?;
        let descriptor = self.source.open(number, &entry)?;
        trust::exact_names(&descriptor)?;
        self.ledger.place(path.clone())?;
        self.at.push(Directory { descriptor, number, path, device: stat.st_dev });
        Ok(())
    }

    fn file(
        &mut self,
        going: &mut Going,
        file: &OwnedFd,
        path: PathBuf,
        stat: &Stat,
        device: u64,
    ) -> Result<(), Uncovered> {
        if stat.st_dev != device {
            trust::file_system(file)?;
        }
        let identity = (stat.st_dev, stat.st_ino);
        let inode = Inode { entry: file, path, identity, is_directory: false };
        self.watch(going, &inode, Role::Entry(going.entry))?;
        // After it is watched: one that gets another name from now on is an event.
        match rustix::fs::fstat(file).map_err(refused)?.st_nlink {
            // None where it was replaced under the walk, which its name's event tells.
            0 | 1 => Ok(()),
            _ => Err(Uncovered::HardLink),
        }
    }

    /// Watches an inode itself.
    fn watch(
        &mut self,
        going: &mut Going,
        inode: &Inode<'_>,
        role: Role,
    ) -> Result<Number, Uncovered> {
        if self.ledger.inodes >= self.watches_max {
            return Err(Uncovered::Limit);
        }
        let number = self.source.watch(inode, self.id, role)?;
        let new = match role {
            Role::Way => self.ledger.ways.insert((number, Part::Itself)),
            Role::Entry(_) => going.steps.insert((number, Part::Itself)),
        };
        self.ledger.inodes += usize::from(new);
        Ok(number)
    }

    /// Waits for a part of a watched directory, for this entry alone.
    fn wait_for(&self, going: &mut Going, number: Number, part: Part) -> Result<(), Uncovered> {
        self.source.wait_for(number, part.clone(), self.id, Role::Entry(going.entry))?;
        going.steps.insert((number, part));
        Ok(())
    }

    /// What was found to be on the way is that for the whole subscription.
    fn make_way(&mut self, going: &mut Going, step: Step) -> Result<(), Uncovered> {
        let (number, part) = &step;
        self.source.wait_for(*number, part.clone(), self.id, Role::Way)?;
        self.source.unwatch(*number, part, self.id, Role::Entry(going.entry));
        going.steps.remove(&step);
        self.ledger.ways.insert(step);
        Ok(())
    }
}
