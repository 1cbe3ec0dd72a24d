//! The tree itself: directories, files, links and FIFOs, walked as a POSIX kernel walks.

use crate::change::{Change, Refused};
use std::{
    collections::{BTreeMap, VecDeque},
    ffi::{OsStr, OsString},
    path::{Component, Path, PathBuf},
};
use told_domain::{look::EntryKind, reason::UnavailableReason};

const NAME_BYTES: usize = 255;
const LINKS: usize = 40;
const PATH_BYTES: usize = 4095;

/// A node's number, never used twice. An unlinked node keeps its content for who has it open.
pub(super) type Node = usize;

pub(super) struct Tree {
    nodes: Vec<Content>,
}

struct Content {
    what: What,
    /// Grows with every change of a file: of its bytes, and of its name, as a change time does.
    version: u64,
    /// Why the system refuses to open it, or to walk through it.
    refusal: Option<UnavailableReason>,
}

enum What {
    /// Zeros follow the bytes up to the size.
    File {
        bytes: Vec<u8>,
        size: u64,
    },
    Directory(BTreeMap<OsString, Node>),
    Link(OsString),
    Other,
}

/// One step of a way: a name in a directory, and what it is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    directory: Node,
    name: OsString,
    bound: Option<Node>,
    refusal: Option<UnavailableReason>,
}

/// Everything that a look along a path depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    /// The steps on the way that lead to something, before the last name's link is followed.
    pub(crate) way: Vec<Step>,
    /// Those that follow, and a first one that leads to nothing.
    pub(crate) end: Vec<Step>,
    /// The version of what the path ends at, its refusal and its names.
    pub(crate) version: Option<u64>,
    refusal: Option<UnavailableReason>,
    pub(crate) names: Option<Vec<OsString>>,
    /// How many names it has.
    pub(crate) links: usize,
}

/// Where a walk ended.
pub(super) enum Walk {
    Found {
        node: Node,
        canonical: PathBuf,
    },
    /// Only the last name is missing.
    Missing {
        parent: Node,
        name: OsString,
    },
}

/// Why a walk ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Nothing,
    Failed(UnavailableReason),
}

const ROOT: Node = 0;

impl Tree {
    pub(super) fn new() -> Self {
        let root = Content { what: What::Directory(BTreeMap::new()), version: 0, refusal: None };
        Self { nodes: vec![root] }
    }

    /// Walks to `path`; the last name's link is followed only if `follow`.
    pub(super) fn walk(&self, path: &Path, follow: bool) -> Result<Walk, Stop> {
        if path.as_os_str().len() > PATH_BYTES {
            return Err(Stop::Failed(UnavailableReason::NameTooLong));
        }
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(Stop::Failed(UnavailableReason::IoError));
        }
        let mut at: Vec<(Node, OsString)> = Vec::new();
        let mut names = VecDeque::new();
        push_names(&mut names, path.as_os_str());
        let mut links = 0;
        while let Some(name) = names.pop_front() {
            let here = at.last().map_or(ROOT, |(node, _)| *node);
            let What::Directory(entries) = &self.nodes[here].what else {
                return Err(Stop::Nothing);
            };
            if let Some(reason) = self.nodes[here].refusal {
                return Err(Stop::Failed(reason));
            }
            if name == "." {
                continue;
            }
            if name == ".." {
                at.pop();
                continue;
            }
            if name.len() > NAME_BYTES {
                return Err(Stop::Failed(UnavailableReason::NameTooLong));
            }
            let Some(&node) = entries.get(&name) else {
                return if names.is_empty() {
                    Ok(Walk::Missing { parent: here, name })
                } else {
                    Err(Stop::Nothing)
                };
            };
            match &self.nodes[node].what {
                What::Link(target) if follow || !names.is_empty() => {
                    links += 1;
                    if links > LINKS {
                        return Err(Stop::Failed(UnavailableReason::TooManyLinks));
                    }
                    if Path::new(target).has_root() {
                        at.clear();
                    }
                    push_names(&mut names, target);
                }
                _ => at.push((node, name)),
            }
        }
        let node = at.last().map_or(ROOT, |(node, _)| *node);
        let mut canonical = PathBuf::from("/");
        canonical.extend(at.iter().map(|(_, name)| name));
        Ok(Walk::Found { node, canonical })
    }

    /// Everything that a look along `path` depends on. Past the bound of links it is what was found so far.
    pub(super) fn trace(&self, path: &Path) -> Trace {
        let (mut trace, mut at) = (Trace::default(), Vec::new());
        let mut names = VecDeque::new();
        push_names(&mut names, path.as_os_str());
        let (mut links, mut way) = (0, true);
        while let Some(name) = names.pop_front() {
            let directory = at.last().copied().unwrap_or(ROOT);
            match name.to_str() {
                Some(".") => continue,
                Some("..") => {
                    at.pop();
                    continue;
                }
                Some(_) | None => {}
            }
            let What::Directory(entries) = &self.nodes[directory].what else { return trace };
            let bound = entries.get(&name).copied();
            let refusal = self.nodes[directory].refusal;
            let step = Step { directory, name, bound, refusal };
            let link = bound.and_then(|node| match &self.nodes[node].what {
                What::Link(target) => Some(target),
                What::File { .. } | What::Directory(_) | What::Other => None,
            });
            if way && bound.is_some() && !names.is_empty() {
                trace.way.push(step);
            } else {
                trace.end.push(step);
            }
            let Some(node) = bound else { return trace };
            match link {
                Some(target) => {
                    links += 1;
                    way &= !names.is_empty();
                    if links > LINKS {
                        return trace;
                    }
                    if Path::new(target).has_root() {
                        at.clear();
                    }
                    push_names(&mut names, target);
                }
                None => at.push(node),
            }
        }
        let node = at.last().copied().unwrap_or(ROOT);
        trace.version = Some(self.nodes[node].version);
        trace.refusal = self.nodes[node].refusal;
        trace.names = self.names(node);
        trace.links = self.nodes.iter().map(|content| names_of(content, node)).sum();
        trace
    }

    pub(super) fn kind(&self, node: Node) -> EntryKind {
        match &self.nodes[node].what {
            What::File { .. } => EntryKind::File,
            What::Directory(_) => EntryKind::Directory,
            What::Link(_) | What::Other => EntryKind::Other,
        }
    }

    pub(super) fn version(&self, node: Node) -> u64 {
        self.nodes[node].version
    }

    pub(super) fn refusal(&self, node: Node) -> Option<UnavailableReason> {
        self.nodes[node].refusal
    }

    /// A file's size; nothing for another kind.
    pub(super) fn size(&self, node: Node) -> u64 {
        match &self.nodes[node].what {
            What::File { size, .. } => *size,
            What::Directory(_) | What::Link(_) | What::Other => 0,
        }
    }

    /// A file's first bytes, at most `limit`.
    pub(super) fn bytes(&self, node: Node, limit: u64) -> Vec<u8> {
        match &self.nodes[node].what {
            What::File { bytes, size } => {
                let wanted = limit.min(*size) as usize;
                let mut first = bytes[..wanted.min(bytes.len())].to_vec();
                first.resize(wanted, 0);
                first
            }
            What::Directory(_) | What::Link(_) | What::Other => Vec::new(),
        }
    }

    /// A directory's names in order; none for another kind.
    pub(super) fn names(&self, node: Node) -> Option<Vec<OsString>> {
        match &self.nodes[node].what {
            What::Directory(entries) => Some(entries.keys().cloned().collect()),
            What::File { .. } | What::Link(_) | What::Other => None,
        }
    }

    /// The kind of the entry `name` of a directory, a link not followed.
    pub(super) fn entry_kind(&self, directory: Node, name: &OsStr) -> Option<EntryKind> {
        match &self.nodes[directory].what {
            What::Directory(entries) => entries.get(name).map(|node| self.kind(*node)),
            What::File { .. } | What::Link(_) | What::Other => None,
        }
    }

    /// Lets the system refuse the entry at `path`, or no longer.
    pub(super) fn refuse(
        &mut self,
        path: &Path,
        reason: Option<UnavailableReason>,
    ) -> Result<(), Refused> {
        let node = self.found(path, false)?;
        self.nodes[node].refusal = reason;
        Ok(())
    }

    pub(super) fn apply(&mut self, change: &Change) -> Result<(), Refused> {
        match change {
            Change::Write { path, bytes } => self.write(path, bytes),
            Change::Resize { path, size } => self.resize(path, *size),
            Change::Remove { path } => {
                let node = self.found(path, false)?;
                if self.kind(node) == EntryKind::Directory {
                    return Err(Refused);
                }
                self.unlink(path)
            }
            Change::MakeDirectory { path } => self.make(path, What::Directory(BTreeMap::new())),
            Change::RemoveDirectory { path } => {
                let node = self.found(path, false)?;
                if self.names(node).is_none_or(|names| !names.is_empty()) {
                    return Err(Refused);
                }
                self.unlink(path)
            }
            Change::Rename { from, to } => self.rename(from, to),
            Change::Link { target, .. } if target.is_empty() => Err(Refused),
            Change::Link { path, target } => self.make(path, What::Link(target.clone())),
            Change::Fifo { path } | Change::Socket { path } => self.make(path, What::Other),
        }
    }

    /// Gives a file another name.
    pub(super) fn hard_link(&mut self, file: &Path, name: &Path) -> Result<(), Refused> {
        let node = self.found(file, false)?;
        match self.walk(name, false) {
            Ok(Walk::Missing { parent, name }) if self.kind(node) == EntryKind::File => {
                self.nodes[node].version += 1;
                self.put(parent, name, node);
                Ok(())
            }
            Ok(_) | Err(_) => Err(Refused),
        }
    }

    /// Lets two entries change places.
    pub(super) fn exchange(&mut self, one: &Path, other: &Path) -> Result<(), Refused> {
        let nodes = (self.found(one, false)?, self.found(other, false)?);
        self.rebind(one, nodes.1)?;
        self.rebind(other, nodes.0)
    }

    /// Puts an empty directory over another, and gives that one; or puts that one back.
    pub(super) fn mount(&mut self, at: &Path, back: Option<Node>) -> Result<Node, Refused> {
        let under = self.found(at, false)?;
        let over = back.unwrap_or_else(|| {
            let what = What::Directory(BTreeMap::new());
            self.nodes.push(Content { what, version: 0, refusal: None });
            self.nodes.len() - 1
        });
        self.rebind(at, over)?;
        Ok(under)
    }

    fn rebind(&mut self, path: &Path, node: Node) -> Result<(), Refused> {
        let (above, name) = path.parent().zip(path.file_name()).ok_or(Refused)?;
        let parent = self.found(above, true)?;
        self.put(parent, name.to_os_string(), node);
        Ok(())
    }

    /// Writes a file's first byte through a mapping: no version tells.
    pub(super) fn write_mapped(&mut self, path: &Path, byte: u8) -> Result<(), Refused> {
        let node = self.found(path, true)?;
        match &mut self.nodes[node].what {
            What::File { bytes, .. } => {
                *bytes.first_mut().ok_or(Refused)? = byte;
                Ok(())
            }
            What::Directory(_) | What::Link(_) | What::Other => Err(Refused),
        }
    }

    /// Closes a file that was mapped.
    pub(super) fn close_mapped(&mut self, path: &Path) -> Result<(), Refused> {
        let node = self.found(path, true)?;
        self.nodes[node].version += 1;
        Ok(())
    }

    fn found(&self, path: &Path, follow: bool) -> Result<Node, Refused> {
        match self.walk(path, follow) {
            Ok(Walk::Found { node, .. }) => Ok(node),
            Ok(Walk::Missing { .. }) | Err(_) => Err(Refused),
        }
    }

    fn write(&mut self, path: &Path, new: &[u8]) -> Result<(), Refused> {
        let node = match self.walk(path, true) {
            Ok(Walk::Found { node, .. }) => node,
            Ok(Walk::Missing { parent, name }) => {
                self.add(parent, name, What::File { bytes: Vec::new(), size: 0 })
            }
            Err(_) => return Err(Refused),
        };
        self.nodes[node].version += 1;
        match &mut self.nodes[node].what {
            What::File { bytes, size } => {
                *bytes = new.to_vec();
                *size = new.len() as u64;
                Ok(())
            }
            What::Directory(_) | What::Link(_) | What::Other => Err(Refused),
        }
    }

    fn resize(&mut self, path: &Path, new: u64) -> Result<(), Refused> {
        let node = self.found(path, true)?;
        self.nodes[node].version += 1;
        match &mut self.nodes[node].what {
            What::File { bytes, size } => {
                bytes.truncate(usize::try_from(new).unwrap_or(usize::MAX));
                *size = new;
                Ok(())
            }
            What::Directory(_) | What::Link(_) | What::Other => Err(Refused),
        }
    }

    fn make(&mut self, path: &Path, what: What) -> Result<(), Refused> {
        match self.walk(path, false) {
            Ok(Walk::Missing { parent, name }) => {
                self.add(parent, name, what);
                Ok(())
            }
            Ok(Walk::Found { .. }) | Err(_) => Err(Refused),
        }
    }

    fn add(&mut self, parent: Node, name: OsString, what: What) -> Node {
        let node = self.nodes.len();
        self.nodes.push(Content { what, version: 0, refusal: None });
        self.put(parent, name, node);
        node
    }

    fn put(&mut self, parent: Node, name: OsString, node: Node) {
        if let What::Directory(entries) = &mut self.nodes[parent].what {
            entries.insert(name, node);
        }
    }

    fn unlink(&mut self, path: &Path) -> Result<(), Refused> {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Refused);
        };
        let parent = self.found(above, true)?;
        let node = match &mut self.nodes[parent].what {
            What::Directory(entries) => entries.remove(name).ok_or(Refused)?,
            What::File { .. } | What::Link(_) | What::Other => return Err(Refused),
        };
        self.nodes[node].version += 1;
        Ok(())
    }

    fn rename(&mut self, from: &Path, to: &Path) -> Result<(), Refused> {
        let (moved, origin) = match self.walk(from, false) {
            Ok(Walk::Found { node, canonical }) => (node, canonical),
            Ok(Walk::Missing { .. }) | Err(_) => return Err(Refused),
        };
        let (above, name) = to.parent().zip(to.file_name()).ok_or(Refused)?;
        let (parent, place) = match self.walk(above, true) {
            Ok(Walk::Found { node, canonical }) => (node, canonical),
            Ok(Walk::Missing { .. }) | Err(_) => return Err(Refused),
        };
        let is_directory = self.kind(moved) == EntryKind::Directory;
        if is_directory && place.starts_with(&origin) {
            return Err(Refused);
        }
        match self.walk(to, false) {
            Ok(Walk::Found { node, .. }) if node == moved => return Ok(()),
            Ok(Walk::Found { node, .. }) => match self.names(node) {
                Some(names) if is_directory && names.is_empty() => self.unlink(to)?,
                None if !is_directory => self.unlink(to)?,
                Some(_) | None => return Err(Refused),
            },
            Ok(Walk::Missing { .. }) => {}
            Err(_) => return Err(Refused),
        }
        self.unlink(from)?;
        self.put(parent, name.to_os_string(), moved);
        Ok(())
    }
}

/// How many names in this directory are `node`'s.
fn names_of(content: &Content, node: Node) -> usize {
    match &content.what {
        What::Directory(entries) => entries.values().filter(|bound| **bound == node).count(),
        What::File { .. } | What::Link(_) | What::Other => 0,
    }
}

/// Puts a path's names before those that are left. One that ends in a separator names a directory.
fn push_names(names: &mut VecDeque<OsString>, path: &OsStr) {
    let bytes = path.as_encoded_bytes();
    if bytes.ends_with(b"/") || bytes.ends_with(b"/.") {
        names.push_front(".".into());
    }
    for component in Path::new(path).components().rev() {
        match component {
            Component::Normal(name) => names.push_front(name.to_os_string()),
            Component::CurDir => names.push_front(".".into()),
            Component::ParentDir => names.push_front("..".into()),
            Component::RootDir | Component::Prefix(_) => {}
        }
    }
}
