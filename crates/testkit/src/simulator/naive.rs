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
}

/// Where a source stands in the order of telling.
pub(super) type Place = (u8, usize, usize, String);

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
}

impl View<'_> {
    /// The directories from the Location up.
    fn above(&self) -> Vec<String> {
        let mut directories = Vec::new();
        let mut at = self.directory;
        while !at.is_empty() {
            directories.push(at.to_owned());
            at = at.rsplit_once('/').map_or("", |(above, _)| above);
        }
        directories
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
        if self.setup.global {
            let path = GLOBAL.to_owned();
            self.group(&mut sight, &[path], (0, 0, 0, String::new()), None, false);
        }
        let mut directories = self.above();
        directories.retain(|directory| within(directory, &around.boundary));
        directories.reverse();
        let last = directories.len().saturating_sub(1);
        for (index, directory) in directories.iter().enumerate() {
            let step = if self.setup.nearest_first { last - index } else { index };
            for (group, names) in self.setup.names.iter().enumerate() {
                let paths: Vec<_> = names.iter().map(|n| format!("{directory}/{n}")).collect();
                let inside = (!self.setup.links_anywhere).then_some(around.boundary.as_str());
                let place = (1, step, group, String::new());
                self.group(&mut sight, &paths, place, inside, self.untrusted);
            }
        }
        for (key, value) in values {
            let text = format!("Context from the host: {key}\n{value}");
            sight.add(format!("api/{key}"), text, (2, 0, 0, key.clone()));
        }
        match plugin {
            Plugin::Never | Plugin::Dropped | Plugin::Silent => {}
            Plugin::Says(text) => {
                sight.add(PLUGIN.to_owned(), text.clone(), (3, 0, 0, PLUGIN.to_owned()));
            }
            Plugin::Fails => sight.failed.push(Failed {
                key: PLUGIN.to_owned(),
                reason: UnavailableReason::IoError,
                required: false,
                group: Vec::new(),
            }),
        }
        if self.setup.environment {
            let project = if around.marked { "" } else { " (not a repository)" };
            let text = format!(
                "Environment:\n- Working directory: {}\n- Project: {}{project}\n- Platform: sim",
                self.directory, around.boundary
            );
            sight.add("core/environment".to_owned(), text, (4, 0, 0, String::new()));
        }
        if self.setup.date {
            let text = format!("Today's date: {}", self.date);
            sight.add("core/date".to_owned(), text, (5, 0, 0, String::new()));
        }
        sight.told.sort_by(|one, other| one.place.cmp(&other.place));
        sight.withheld.sort();
        sight
    }

    /// One name group: the first that exists wins, an unavailable one holds the rest.
    fn group(
        &self,
        sight: &mut Sight,
        paths: &[String],
        place: Place,
        inside: Option<&str>,
        untrusted: bool,
    ) {
        let mut won = false;
        for path in paths {
            let look = self.disk.look(path);
            if untrusted {
                if matches!(look, Look::File(..) | Look::Other(_)) {
                    sight.withheld.push((path.clone(), "untrusted"));
                }
                continue;
            }
            let withheld = match &look {
                Look::Nothing => continue,
                Look::Failed(_) if won => continue,
                Look::Failed(reason) => {
                    sight.failed.push(Failed {
                        key: format!("file:{path}"),
                        reason: *reason,
                        required: true,
                        group: paths.to_vec(),
                    });
                    return;
                }
                Look::File(real, _) | Look::Other(real)
                    if inside.is_some_and(|inside| !within(real, inside)) =>
                {
                    Some("outside_project")
                }
                Look::Other(_) => Some("not_regular_file"),
                Look::File(..) if won => Some("shadowed"),
                Look::File(..) => None,
            };
            if let Some(reason) = withheld {
                sight.withheld.push((path.clone(), reason));
            } else if let Look::File(real, text) = look {
                won = true;
                sight.file(real, &text, path, &place);
            }
        }
    }
}

impl Sight {
    fn file(&mut self, real: String, text: &str, path: &str, place: &Place) {
        let key = format!("file:{real}");
        if let Some(known) = self.told.iter_mut().find(|told| told.key == key) {
            known.via.push(path.to_owned());
            return;
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        self.told.push(Told { key, text, place: place.clone(), via: vec![path.to_owned()] });
    }

    fn add(&mut self, key: String, text: String, place: Place) {
        self.told.push(Told { key, text, place, via: Vec::new() });
    }

    pub(super) fn find(&self, key: &str) -> Option<&Told> {
        self.told.iter().find(|told| told.key == key)
    }
}

/// Whether a path is a directory or lies below it.
fn within(path: &str, directory: &str) -> bool {
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
