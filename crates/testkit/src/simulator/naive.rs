//! What the world holds for a session at one moment, by the oracle's own reading of the rules.

use super::{
    disk::{Look, Notes},
    plan::{GLOBAL, PLUGIN, Setup},
};
use std::collections::BTreeMap;
use told_domain::reason::UnavailableReason;

/// One source that can be told now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) key: String,
    /// A file's content; of another source, its whole block.
    pub(super) text: String,
    pub(super) place: Place,
    /// Every candidate that leads to it.
    pub(super) via: Vec<String>,
    /// The directory that it applies to, for a path-local file.
    pub(super) scope: Option<String>,
}

/// Where a source stands in the order of telling.
pub(super) type Place = (u8, usize, String, usize);

/// A source that cannot be observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) key: String,
    pub(super) reason: UnavailableReason,
    pub(super) required: bool,
    /// Beliefs found through these paths are held.
    pub(super) group: Vec<String>,
}

/// The boundary around a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Around {
    pub(super) boundary: String,
    /// Whether a marker stands there.
    pub(super) marked: bool,
}

/// What the markers say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Markers {
    Found(Around),
    /// The first marker that could not be looked at.
    Unknown(String, UnavailableReason),
}

/// What a plugin has to say in one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plugin {
    /// Never registered in this process.
    Never,
    /// Its guard was dropped.
    Dropped,
    Silent,
    Fails,
    Says(String),
}

/// Everything that a look from one place must find.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sight {
    /// In the order of telling.
    pub(super) told: Vec<Told>,
    pub(super) failed: Vec<Failed>,
    /// Path and reason, near misses not among them.
    pub(super) withheld: Vec<(String, &'static str)>,
    /// Through which candidates this process found each file when it last looked.
    pub(super) found: Found,
    /// It is not what is there, but what was before a change that nothing told of.
    pub(super) blind: bool,
}

/// Candidates by the key that they led to.
pub(super) type Found = BTreeMap<String, Vec<String>>;

/// What is the same for every look of a session.
pub(super) struct View<'a> {
    pub(super) disk: &'a Notes,
    pub(super) setup: &'a Setup,
    pub(super) directory: &'a str,
    pub(super) untrusted: bool,
    pub(super) date: String,
    /// Directories that tools read in.
    pub(super) scopes: Vec<&'a str>,
}

/// One name group of one directory.
struct Group {
    paths: Vec<String>,
    place: Place,
    inside: Option<String>,
    scope: Option<String>,
    untrusted: bool,
}

/// What one candidate comes to.
enum Candidate {
    Nothing,
    Failed(UnavailableReason),
    LeftOut(&'static str),
    File(String, String),
}

impl View<'_> {
    /// The directories from the Location up.
    fn above(&self) -> Vec<String> {
        above(self.directory)
    }

    pub(super) fn markers(&self) -> Markers {
        for directory in self.above() {
            let marker = format!("{directory}/.git");
            match self.disk.look(&marker) {
                Look::File(..) | Look::Other(_) => {
                    return Markers::Found(Around { boundary: directory, marked: true });
                }
                Look::Failed(reason) => return Markers::Unknown(marker, reason),
                Look::Nothing => {}
            }
        }
        Markers::Found(Around { boundary: self.directory.to_owned(), marked: false })
    }

    /// Every source, with this boundary, these host-set values and this plugin.
    pub(super) fn sight(
        &self,
        around: &Around,
        values: &BTreeMap<String, String>,
        plugin: &Plugin,
    ) -> Sight {
        let mut sight = Sight::default();
        let groups = self.groups(around);
        let mut left = self.setup.total_bytes.unwrap_or(u64::MAX);
        // What is read first, the most specific, has the first claim on what may be read.
        let looks = groups.iter().rev().map(|group| {
            group.paths.iter().map(|path| self.candidate(path, group, &mut left)).collect()
        });
        let mut looks: Vec<Vec<Candidate>> = looks.collect();
        looks.reverse();
        for (group, looks) in groups.iter().zip(looks) {
            sight.group(group, looks);
        }
        // No project here has a configuration; whether one has is looked at (R-CFG-6).
        let configuration = format!("{}/.told/config.toml", around.boundary);
        if let (false, Look::Failed(reason)) = (self.untrusted, self.disk.look(&configuration)) {
            sight.fail(&configuration, reason, &[]);
        }
        for (key, value) in values {
            let text = format!("Context from the host: {key}\n{value}");
            sight.add(format!("api/{key}"), text, (3, 0, key.clone(), 0));
        }
        match plugin {
            Plugin::Never | Plugin::Dropped | Plugin::Silent => {}
            Plugin::Says(text) => {
                sight.add(PLUGIN.to_owned(), text.clone(), (4, 0, PLUGIN.to_owned(), 0));
            }
            Plugin::Fails => sight.failed.push(Failed {
                key: PLUGIN.to_owned(),
                reason: UnavailableReason::IoError,
                required: self.setup.required_plugin,
                group: Vec::new(),
            }),
        }
        if self.setup.environment {
            let project = if around.marked { "" } else { " (not a repository)" };
            let text = format!(
                "Environment:\n- Working directory: {}\n- Project: {}{project}\n- Platform: sim",
                self.directory, around.boundary
            );
            sight.add("core/environment".to_owned(), text, (5, 0, String::new(), 0));
        }
        if self.setup.date {
            let text = format!("Today's date: {}", self.date);
            sight.add("core/date".to_owned(), text, (6, 0, String::new(), 0));
        }
        sight.told.sort_by(|one, other| one.place.cmp(&other.place));
        sight.withheld.sort();
        sight.withheld.dedup();
        sight
    }

    /// Every group, broad to specific.
    fn groups(&self, around: &Around) -> Vec<Group> {
        let mut groups = Vec::new();
        if self.setup.global {
            groups.push(Group {
                paths: vec![GLOBAL.to_owned()],
                place: (0, 0, String::new(), 0),
                inside: None,
                scope: None,
                untrusted: false,
            });
        }
        let mut directories = self.above();
        directories.retain(|directory| within(directory, &around.boundary));
        directories.reverse();
        let last = directories.len().saturating_sub(1);
        let ambient = directories.iter().enumerate().map(|(index, directory)| {
            let step = if self.setup.nearest_first { last - index } else { index };
            (directory.clone(), (1, step, String::new()), None)
        });
        let mut places: Vec<_> = ambient.collect();
        let counts =
            |scope: &&&str| within(scope, &around.boundary) && !within(self.directory, scope);
        let mut scopes: Vec<_> = self.scopes.iter().filter(counts).collect();
        scopes.sort_by_key(|scope| (depth(scope), **scope));
        places.extend(scopes.into_iter().map(|scope| {
            let scope = (*scope).to_owned();
            (scope.clone(), (2, depth(&scope), scope.clone()), Some(scope))
        }));
        for (directory, (kind, step, name), scope) in places {
            for (group, names) in self.setup.names.iter().enumerate() {
                groups.push(Group {
                    paths: names.iter().map(|name| format!("{directory}/{name}")).collect(),
                    place: (kind, step, name.clone(), group),
                    inside: (!self.setup.links_anywhere).then(|| around.boundary.clone()),
                    scope: scope.clone(),
                    untrusted: self.untrusted,
                });
            }
        }
        groups
    }

    /// Looks at one candidate while so many bytes may still be read.
    fn candidate(&self, path: &str, group: &Group, left: &mut u64) -> Candidate {
        let inside = |real: &str| group.inside.as_ref().is_none_or(|inside| within(real, inside));
        match self.disk.look(path) {
            Look::File(..) | Look::Other(_) if group.untrusted => Candidate::LeftOut("untrusted"),
            Look::Nothing => Candidate::Nothing,
            Look::Failed(_) if group.untrusted => Candidate::Nothing,
            Look::Failed(reason) => Candidate::Failed(reason),
            Look::File(real, _) | Look::Other(real) if !inside(&real) => {
                Candidate::LeftOut("outside_project")
            }
            Look::Other(_) => Candidate::LeftOut("not_regular_file"),
            Look::File(real, text) => {
                let limit = self.setup.max_bytes.unwrap_or(u64::MAX);
                let read = (text.len() as u64).min(limit);
                if read > *left {
                    return Candidate::LeftOut("limit");
                }
                if self.disk.churns(path) {
                    return Candidate::Failed(UnavailableReason::ChangedWhileRead);
                }
                *left -= read;
                Candidate::File(real, delivered(&text, limit))
            }
        }
    }
}

/// A directory and those above it, below the root.
pub(super) fn above(directory: &str) -> Vec<String> {
    let mut directories = Vec::new();
    let mut at = directory;
    while !at.is_empty() {
        directories.push(at.to_owned());
        at = at.rsplit_once('/').map_or("", |(above, _)| above);
    }
    directories
}

fn depth(path: &str) -> usize {
    path.matches('/').count()
}

/// What is delivered of a file's text: cut at a line end, or in its last line between two characters,
/// and marked as cut.
fn delivered(text: &str, limit: u64) -> String {
    const MARK: &str = "\u{feff}";
    let plain = |text: &str| text.strip_prefix(MARK).unwrap_or(text).to_owned();
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if text.len() <= limit {
        return plain(text);
    }
    let end = (0..=limit).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    let line = text.as_bytes()[..limit].iter().rposition(|byte| *byte == b'\n');
    let kept = &text[..line.map_or(end, |line| line + 1)];
    let (follow, size) = (kept.len(), text.len());
    format!("[Only the first {follow} of {size} bytes follow.]\n{}", plain(kept))
}

impl Sight {
    /// One name group: the first that exists wins, an unavailable one holds the rest.
    fn group(&mut self, group: &Group, looks: Vec<Candidate>) {
        let mut won = false;
        for (path, look) in group.paths.iter().zip(looks) {
            match look {
                Candidate::Nothing => {}
                Candidate::Failed(_) if won => {}
                Candidate::Failed(reason) => {
                    self.fail(path, reason, &group.paths);
                    return;
                }
                Candidate::LeftOut(reason) => self.withheld.push((path.clone(), reason)),
                Candidate::File(..) if won => self.withheld.push((path.clone(), "shadowed")),
                Candidate::File(real, text) => {
                    won = true;
                    self.file(&real, text, path, group);
                }
            }
        }
    }

    fn fail(&mut self, path: &str, reason: UnavailableReason, group: &[String]) {
        self.failed.push(Failed {
            key: format!("file:{path}"),
            reason,
            required: true,
            group: group.to_vec(),
        });
    }

    fn file(&mut self, real: &str, text: String, path: &str, group: &Group) {
        let key = format!("file:{real}");
        if let Some(known) = self.told.iter_mut().find(|told| told.key == key) {
            known.via.push(path.to_owned());
            return;
        }
        let (place, scope) = (group.place.clone(), group.scope.clone());
        self.told.push(Told { key, text, place, via: vec![path.to_owned()], scope });
    }

    fn add(&mut self, key: String, text: String, place: Place) {
        self.told.push(Told { key, text, place, via: Vec::new(), scope: None });
    }

    /// The source that a host means: by its key, or by a candidate that leads to it.
    pub(super) fn named(&self, key: &str) -> Option<&Told> {
        let path = key.strip_prefix("file:");
        let led = |told: &&Told| path.is_some_and(|path| told.via.iter().any(|via| via == path));
        self.told.iter().find(|told| told.key == key || led(told))
    }

    pub(super) fn find(&self, key: &str) -> Option<&Told> {
        self.told.iter().find(|told| told.key == key)
    }
}

/// Whether a path is a directory or lies below it.
pub(super) fn within(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether two values are the same for the model: line endings do not count in files.
pub(super) fn same(key: &str, one: &str, other: &str) -> bool {
    if key.starts_with("file:") {
        one.replace("\r\n", "\n") == other.replace("\r\n", "\n")
    } else {
        one == other
    }
}
