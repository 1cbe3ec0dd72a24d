//! The roots of a Location: what is covered or not as one, and when another attempt is due.

use super::cell::Place;
use std::collections::{BTreeMap, BTreeSet};
use told_domain::path::AbsolutePath;
use told_ports::{Uncovered, Watched};

/// What a Location watches, and what it keeps (`location/status`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchStatus {
    /// The directories that are watched or not as one, by path.
    pub roots: Vec<RootStatus>,
    /// How the answers of late stand.
    pub caches: Caches,
}

/// One root: a project, a directory with a file of the user's, or one of skills elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootStatus {
    /// The directory.
    pub root: AbsolutePath,
    /// Whether its files are watched; where not, boundaries look at them.
    pub coverage: RootCoverage,
}

/// Whether a root's files are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootCoverage {
    /// They are.
    Covered,
    /// They are looked at directly, for this reason.
    Direct(Uncovered),
    /// They are looked at directly until watching is worth it: at the next boundary.
    NotYet,
    /// The host provides files in front of them, which nothing watches.
    Provided,
}

impl RootCoverage {
    /// The protocol's word for why a root is looked at directly.
    #[must_use]
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Covered => None,
            Self::Direct(reason) => Some(reason.as_str()),
            Self::NotYet => Some("not_yet"),
            Self::Provided => Some("provided"),
        }
    }
}

/// How many answers there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caches {
    /// They count, as long as nothing is said to have changed.
    pub fresh: usize,
    /// They are looked at again at the next boundary.
    pub stale: usize,
    /// They were never looked at under coverage.
    pub empty: usize,
}

/// All roots of a Location.
#[derive(Default)]
pub(super) struct Roots(BTreeMap<AbsolutePath, Root>);

#[derive(Default)]
struct Root {
    /// What is watched there, and how many places want it.
    entries: BTreeMap<Watched, usize>,
    standing: Standing,
    /// Attempts that failed in a row.
    failures: u32,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Standing {
    #[default]
    New,
    /// All its entries are in the subscription.
    Covered,
    /// Entries came that are not.
    Grown,
    Direct {
        reason: Uncovered,
        retry_at: u64,
    },
}

/// What is to be subscribed to.
pub(super) struct Attempt(BTreeMap<AbsolutePath, Vec<Watched>>);

/// Boundaries between two attempts, at most.
const RETRY_MOST: u64 = 64;

impl Roots {
    /// Places that are looked at from now on.
    pub(super) fn add(&mut self, places: &[Place]) {
        for place in places {
            let root = match self.0.get_mut(&place.root) {
                Some(root) => root,
                None => self.0.entry(place.root.clone()).or_default(),
            };
            let wanted = root.entries.entry(Watched::Entry(place.path.clone())).or_insert(0);
            *wanted += 1;
            if *wanted == 1 && root.standing == Standing::Covered {
                root.standing = Standing::Grown;
            }
        }
    }

    /// Places that no plan of late looks at. What is watched stays so until the next attempt.
    pub(super) fn remove(&mut self, places: &[Place]) {
        for place in places {
            let Some(root) = self.0.get_mut(&place.root) else { continue };
            let watched = Watched::Entry(place.path.clone());
            if let Some(wanted) = root.entries.get_mut(&watched) {
                *wanted -= 1;
                if *wanted == 0 {
                    root.entries.remove(&watched);
                }
            }
            if root.entries.is_empty() {
                self.0.remove(&place.root);
            }
        }
    }

    /// What to subscribe to now, where an attempt is due at this boundary: something new is looked at,
    /// nothing is subscribed to, or a root that failed has waited long enough.
    pub(super) fn attempt(&self, subscribed: bool, boundary: u64) -> Option<Attempt> {
        let due = |root: &Root| match root.standing {
            Standing::New | Standing::Grown => true,
            Standing::Covered => !subscribed,
            Standing::Direct { retry_at, .. } => boundary >= retry_at,
        };
        if !self.0.values().any(due) {
            return None;
        }
        let wanted =
            self.0.iter().filter(|(_, root)| root.standing == Standing::Covered || due(root));
        let entries = |root: &Root| root.entries.keys().cloned().collect();
        Some(Attempt(wanted.map(|(name, root)| (name.clone(), entries(root))).collect()))
    }

    pub(super) fn covered<'a>(&mut self, names: impl Iterator<Item = &'a AbsolutePath>) {
        for name in names {
            if let Some(root) = self.0.get_mut(name) {
                root.standing = Standing::Covered;
            }
        }
    }

    /// A root cannot be covered, or was not: it is tried again after twice as many boundaries as the last
    /// time.
    pub(super) fn direct(&mut self, name: &AbsolutePath, reason: Uncovered, boundary: u64) {
        let Some(root) = self.0.get_mut(name) else { return };
        match reason {
            // Something else has to change first, or whoever watches has lied.
            Uncovered::Platform
            | Uncovered::FileSystem
            | Uncovered::Protected
            | Uncovered::Link
            | Uncovered::HardLink
            | Uncovered::Ambiguous
            | Uncovered::Mismatch => root.fail(reason, boundary, RETRY_MOST),
            _ => root.fail(reason, boundary, 0),
        }
    }

    /// Every covered root lost its coverage, for a reason that may be one root's alone: the next attempt
    /// finds out whose it is.
    pub(super) fn lose(&mut self, reason: Uncovered, boundary: u64) {
        let covered = |root: &&mut Root| match root.standing {
            Standing::Covered | Standing::Grown => true,
            Standing::New | Standing::Direct { .. } => false,
        };
        self.0.values_mut().filter(covered).for_each(|root| root.fail(reason, boundary, 0));
    }

    /// A covered look was found to be right: earlier failures are forgiven.
    pub(super) fn verified(&mut self) {
        for root in self.0.values_mut().filter(|root| root.standing == Standing::Covered) {
            root.failures = 0;
        }
    }

    /// The roots that are looked at directly.
    pub(super) fn uncovered(&self) -> BTreeSet<AbsolutePath> {
        let direct = self.0.iter().filter(|(_, root)| root.standing != Standing::Covered);
        direct.map(|(name, _)| name.clone()).collect()
    }

    /// The roots that these paths are watched under.
    pub(super) fn of(&self, paths: &[&AbsolutePath]) -> Vec<AbsolutePath> {
        let watches = |root: &Root, path: &AbsolutePath| {
            root.entries.contains_key(&Watched::Entry(path.clone()))
        };
        let roots = self.0.iter().filter(|(_, root)| paths.iter().any(|path| watches(root, path)));
        roots.map(|(name, _)| name.clone()).collect()
    }

    /// How each stands, where `covered` is how the subscription does.
    pub(super) fn status(&self, covered: RootCoverage) -> Vec<RootStatus> {
        let status = |(root, state): (&AbsolutePath, &Root)| RootStatus {
            root: root.clone(),
            coverage: match state.standing {
                Standing::Covered => covered,
                Standing::Direct { reason, .. } => RootCoverage::Direct(reason),
                Standing::New | Standing::Grown => RootCoverage::NotYet,
            },
        };
        self.0.iter().map(status).collect()
    }
}

impl Root {
    /// Is looked at directly, for so many boundaries at least.
    fn fail(&mut self, reason: Uncovered, boundary: u64, least: u64) {
        let wait = (1 << self.failures.min(6)).min(RETRY_MOST).max(least);
        self.failures = self.failures.saturating_add(1);
        self.standing = Standing::Direct { reason, retry_at: boundary + wait };
    }
}

impl Attempt {
    pub(super) fn names(&self) -> impl Iterator<Item = &AbsolutePath> {
        self.0.keys()
    }

    /// All of it.
    pub(super) fn entries(&self) -> Vec<Watched> {
        self.0.values().flatten().cloned().collect()
    }

    /// Root by root.
    pub(super) fn each(&self) -> impl Iterator<Item = (&AbsolutePath, Vec<Watched>)> {
        self.0.iter().map(|(name, entries)| (name, entries.clone()))
    }

    /// What these roots have.
    pub(super) fn entries_of(&self, names: &[AbsolutePath]) -> Vec<Watched> {
        names.iter().filter_map(|name| self.0.get(name)).flatten().cloned().collect()
    }
}
