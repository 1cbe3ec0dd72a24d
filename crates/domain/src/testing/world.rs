//! A disk that is a map, and the other producers beside it.

use super::{canonical, path};
use crate::{
    context::{Contributed, ObservedUrl, Parts, SystemContext},
    instruction::{BoundarySight, KnownBoundary},
    key::PluginKey,
    look::{Below, Containment, EntryKind, FileBytes, Looks, Names, Read, Scan, Seen},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    plan::{Learned, Plan, Standpoint, Thoroughness, plan},
    policy::Policy,
    reason::{UnavailableReason, WithheldReason},
    session::Trust,
    skill::{FormerSkills, SkillOffers},
    text::DeliveredText,
    told::Scope,
    url::NamedUrl,
};
use std::{collections::BTreeMap, ffi::OsString};

#[derive(Clone, Debug)]
enum Node {
    File(Vec<u8>),
    Link(AbsolutePath),
    Directory,
    Fifo,
    Fails(UnavailableReason),
}

/// What is there to be seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    nodes: BTreeMap<AbsolutePath, Node>,
    pub(crate) contributed: Vec<Contributed>,
    pub(crate) not_registered: Vec<PluginKey>,
    pub(crate) offers: SkillOffers,
    /// What servers send, by URL; of any other, nobody knows.
    pub(crate) servers: BTreeMap<String, Observation<DeliveredText>>,
}

/// Who looks.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub(crate) directory: CanonicalPath,
    pub(crate) trust: Trust,
    pub(crate) scopes: BTreeMap<CanonicalPath, Scope>,
    pub(crate) thoroughness: Thoroughness,
    pub(crate) learned: Learned,
    pub(crate) former: FormerSkills,
}

impl Ground {
    pub(crate) fn at(directory: &str) -> Self {
        Self {
            directory: canonical(directory),
            trust: Trust::Trusted,
            scopes: BTreeMap::new(),
            thoroughness: Thoroughness::Ordinary,
            learned: Learned::default(),
            former: FormerSkills::None,
        }
    }
}

impl World {
    /// A repository at `/repo` with these files.
    pub(crate) fn repo(files: &[(&str, &str)]) -> Self {
        let mut world = Self::default();
        world.directory("/repo/.git");
        for (at, text) in files {
            world.put(at, text);
        }
        world
    }

    pub(crate) fn put(&mut self, at: &str, text: &str) -> &mut Self {
        self.set(at, Node::File(text.as_bytes().to_vec()))
    }

    pub(crate) fn link(&mut self, at: &str, to: &str) -> &mut Self {
        self.set(at, Node::Link(path(to)))
    }

    pub(crate) fn directory(&mut self, at: &str) -> &mut Self {
        self.set(at, Node::Directory)
    }

    pub(crate) fn fifo(&mut self, at: &str) -> &mut Self {
        self.set(at, Node::Fifo)
    }

    /// Every look at `at`, and below it, fails.
    pub(crate) fn fail(&mut self, at: &str, reason: UnavailableReason) -> &mut Self {
        self.set(at, Node::Fails(reason))
    }

    pub(crate) fn remove(&mut self, at: &str) -> &mut Self {
        self.nodes.remove(&path(at));
        self
    }

    fn set(&mut self, at: &str, node: Node) -> &mut Self {
        self.nodes.insert(path(at), node);
        self
    }

    /// Plans, looks and composes, as an application does.
    pub(crate) fn context(&self, ground: &Ground, policy: &Policy) -> SystemContext {
        let (plan, seen, known, unknown_boundary) = self.look(ground, policy);
        let project = plan.learned(&seen, &ground.learned).project;
        SystemContext::compose(Parts {
            boundary: known.of(&ground.directory).unwrap(),
            unknown_boundary,
            project,
            instructions: plan.read(&seen, policy),
            skills: plan.skills(&seen, &ground.former),
            urls: self.urls(&plan),
            contributed: self.contributed.clone(),
            not_registered: self.not_registered.clone(),
        })
        .unwrap()
    }

    fn urls(&self, plan: &Plan) -> Vec<ObservedUrl> {
        let observed = |named: &NamedUrl| {
            let found = self.servers.get(named.url.secret().as_str());
            let unknown = Observation::Unavailable(UnavailableReason::ConnectionFailed);
            ObservedUrl { named: named.clone(), observation: found.cloned().unwrap_or(unknown) }
        };
        plan.candidates().urls.iter().map(observed).collect()
    }

    pub(crate) fn look(
        &self,
        ground: &Ground,
        policy: &Policy,
    ) -> (Plan, Seen, KnownBoundary, Option<(AbsolutePath, UnavailableReason)>) {
        let mut known = KnownBoundary::No;
        let mut unknown = None;
        let mut learned = ground.learned.clone();
        for _ in 0..6 {
            let plan = plan(
                &Standpoint {
                    directory: &ground.directory,
                    boundary: &known,
                    learned: &learned,
                    trust: ground.trust,
                    offers: &self.offers,
                    scopes: &ground.scopes,
                    thoroughness: ground.thoroughness,
                },
                policy,
            );
            let seen = self.answer(&plan.looks);
            match plan.boundary(&seen, policy) {
                BoundarySight::Found(found) if found == known => {
                    let before = learned.clone();
                    learned = plan.learned(&seen, &before);
                    if !learned.plans_as(&before) {
                        continue;
                    }
                    return (plan, seen, known, unknown);
                }
                BoundarySight::Found(found) => known = found,
                BoundarySight::LookAbove => known = KnownBoundary::No,
                BoundarySight::Unknown(marker, reason) if known == KnownBoundary::No => {
                    unknown = Some((marker, reason));
                    known = KnownBoundary::Marked(ground.directory.clone());
                }
                BoundarySight::Unknown(..) => return (plan, seen, known, unknown),
            }
        }
        panic!("the boundary does not settle");
    }

    /// Answers a batch as the port promises to.
    pub(crate) fn answer(&self, looks: &Looks) -> Seen {
        let mut left = looks.total_bytes;
        let mut read = |read: &Read| {
            let seen = self.read(read);
            match &seen {
                Observation::Available(file) if file.bytes.len() as u64 > left => {
                    Observation::Absent(Absence::Withheld(WithheldReason::Limit))
                }
                Observation::Available(file) => {
                    left -= file.bytes.len() as u64;
                    seen
                }
                Observation::Absent(_) | Observation::Unavailable(_) => seen,
            }
        };
        Seen {
            files: looks.reads.iter().map(&mut read).collect(),
            probes: looks.probes.iter().map(|path| self.probe(path)).collect(),
            listings: looks
                .listings
                .iter()
                .map(|listing| self.list(&listing.directory, listing.max_entries))
                .collect(),
            scans: looks.scans.iter().map(|scan| self.scan(scan)).collect(),
        }
    }

    fn find(&self, at: &AbsolutePath) -> Observation<(AbsolutePath, &Node)> {
        for above in at.ancestors() {
            if let Some(Node::Fails(reason)) = self.nodes.get(&above) {
                return Observation::Unavailable(*reason);
            }
        }
        match self.nodes.get(at) {
            None => Observation::Absent(Absence::NotFound),
            Some(Node::Link(to)) if to == at => {
                Observation::Unavailable(UnavailableReason::TooManyLinks)
            }
            Some(Node::Link(to)) => self.find(to),
            Some(node) => Observation::Available((at.clone(), node)),
        }
    }

    fn read(&self, read: &Read) -> Observation<FileBytes> {
        let withheld = |reason| Observation::Absent(Absence::Withheld(reason));
        let (canonical, bytes) = match self.find(&read.path) {
            Observation::Available((at, Node::File(bytes))) => (CanonicalPath::observed(at), bytes),
            Observation::Available(_) => return withheld(WithheldReason::NotRegularFile),
            Observation::Absent(absence) => return Observation::Absent(absence),
            Observation::Unavailable(reason) => return Observation::Unavailable(reason),
        };
        match &read.containment {
            Containment::Within(directory) if !canonical.is_within(directory) => {
                withheld(WithheldReason::OutsideProject)
            }
            Containment::Within(_) | Containment::Anywhere => {
                let kept = usize::try_from(read.max_bytes).unwrap().min(bytes.len());
                let (bytes, size) = (bytes[..kept].to_vec(), bytes.len() as u64);
                Observation::Available(FileBytes { canonical, bytes, size })
            }
        }
    }

    /// A directory is one of its own, or what holds something.
    fn is_directory(&self, at: &AbsolutePath) -> bool {
        matches!(self.nodes.get(at), Some(Node::Directory))
            || self.nodes.keys().any(|below| below != at && below.is_within(at))
    }

    fn probe(&self, at: &AbsolutePath) -> Observation<EntryKind> {
        if self.is_directory(at) && !self.nodes.contains_key(at) {
            return Observation::Available(EntryKind::Directory);
        }
        self.find(at).map(|(_, node)| match node {
            Node::File(_) => EntryKind::File,
            Node::Directory => EntryKind::Directory,
            Node::Fifo | Node::Link(_) | Node::Fails(_) => EntryKind::Other,
        })
    }

    /// Directories are not nodes of their own here: what lies below counts.
    fn scan(&self, scan: &Scan) -> Observation<Below> {
        let mut below = Below::default();
        for above in scan.directory.ancestors() {
            if let Some(Node::Fails(reason)) = self.nodes.get(&above) {
                return Observation::Unavailable(*reason);
            }
        }
        if let Some(Node::Link(to)) = self.nodes.get(&scan.directory) {
            return self.scan(&Scan { directory: to.clone(), ..scan.clone() });
        }
        if !self.is_directory(&scan.directory) {
            return Observation::Absent(Absence::NotFound);
        }
        if let Containment::Within(boundary) = &scan.containment
            && !scan.directory.is_within(boundary)
        {
            return Observation::Absent(Absence::Withheld(WithheldReason::OutsideProject));
        }
        for (at, node) in &self.nodes {
            let Ok(path) = at.as_path().strip_prefix(&scan.directory) else { continue };
            if path.components().count() > scan.max_depth as usize {
                below.deeper = true;
                continue;
            }
            match node {
                // What has an extension is a file here, and is listed all the same.
                Node::Fails(_) if at.as_path().extension().is_some() => {
                    below.paths.push(path.into())
                }
                Node::Fails(reason) => return Observation::Unavailable(*reason),
                Node::Directory => {}
                Node::File(_) | Node::Link(_) | Node::Fifo => below.paths.push(path.into()),
            }
        }
        let max = usize::try_from(scan.max_entries).unwrap();
        below.more = below.paths.len() > max;
        below.paths.truncate(max);
        below.paths.sort();
        Observation::Available(below)
    }

    fn list(&self, directory: &AbsolutePath, max: u64) -> Observation<Names> {
        let inside = self.nodes.keys().filter(|at| at.parent().as_ref() == Some(directory));
        let mut names: Vec<OsString> =
            inside.filter_map(|at| at.file_name()).map(OsString::from).collect();
        let more = names.len() as u64 > max;
        names.truncate(usize::try_from(max).unwrap());
        Observation::Available(Names { names, more })
    }
}
