//! What a case plays on: a disk, a store and a clock, the engine over them, and the sessions in it.

use crate::fake::{clock::FakeClock, file_system::FakeFileSystem, store::FakeStore};
use std::{collections::BTreeMap, sync::Arc};
use told_app::{Engine, Ports, Registration, Session};
use told_domain::{
    briefing::Briefing,
    key::PluginKey,
    path::AbsolutePath,
    policy::{
        Builtin, FileName, Globs, Include, Links, Order, Policy, ProjectFiles, SkillDirectory,
        UpdateText,
    },
    time::{Date, Timestamp},
};

/// What a case plays on.
pub struct Stage {
    pub(super) files: Arc<FakeFileSystem>,
    pub(super) store: FakeStore,
    pub(super) clock: Arc<FakeClock>,
    pub(super) policy: Policy,
    pub(super) engine: Engine,
    pub(super) sessions: BTreeMap<String, Session>,
    /// What each session's host has of it: the last briefing that it got.
    pub(super) hosts: BTreeMap<String, Briefing>,
    pub(super) plugins: BTreeMap<PluginKey, (Registration, Arc<super::steps::Spoken>)>,
}

impl Stage {
    /// `/repo` with `.git`, no built-in sources, nothing opened.
    ///
    /// # Panics
    /// Never: the tree is empty before.
    #[must_use]
    pub fn new() -> Self {
        let today = Date::new(2026, 11, 30).expect("a day of the calendar");
        let now = Timestamp::from_millisecond(1_796_000_000_000);
        let clock = Arc::new(FakeClock::new(now, today));
        let files = Arc::new(FakeFileSystem::with_clock(clock.clone()));
        files.make_directories("/repo/.git").expect("an empty tree");
        let store = FakeStore::new();
        let mut policy = Policy::default();
        policy.builtins.date = Builtin::Off;
        policy.builtins.environment = Builtin::Off;
        let engine = engine(&files, &store, &clock, &policy);
        Self {
            files,
            store,
            clock,
            policy,
            engine,
            sessions: BTreeMap::new(),
            hosts: BTreeMap::new(),
            plugins: BTreeMap::new(),
        }
    }

    /// The process ends and another begins: what is on the disk and in the store stays, nothing else.
    pub(super) fn restart(&mut self) {
        self.plugins.clear();
        self.sessions.clear();
        self.store = self.store.restarted();
        self.engine = engine(&self.files, &self.store, &self.clock, &self.policy);
    }

    /// Sets one choice of the configuration; a new process then works by it.
    pub(super) fn choose(&mut self, name: &str, value: &str) -> Result<(), String> {
        let instructions = &mut self.policy.instructions;
        let number = || value.parse::<u64>().map_err(|_| format!("{value} is no number"));
        let path = || AbsolutePath::new(value).map_err(|error| error.to_string());
        match (name, value) {
            ("order", "nearest_first") => instructions.order = Order::NearestFirst,
            ("update_text", "diff") => instructions.update_text = UpdateText::Diff,
            ("update_text", "auto") => instructions.update_text = UpdateText::Auto,
            ("project", "off") => instructions.project = ProjectFiles::Disabled,
            ("links", "anywhere") => instructions.links = Links::Anywhere,
            ("date", "on") => self.policy.builtins.date = Builtin::Told,
            ("environment", "on") => self.policy.builtins.environment = Builtin::Told,
            ("global", _) => instructions.global.push(path()?),
            ("home", _) => instructions.walk_to_home = Some(path()?),
            ("include", _) => {
                let here = AbsolutePath::new("/home/u").map_err(|error| error.to_string())?;
                let include = Include::new(value, Some(&here), Some(&here));
                instructions.include.push(include.map_err(|error| error.to_string())?);
            }
            ("skills", _) => {
                let home = AbsolutePath::new("/home/u").map_err(|error| error.to_string())?;
                let directory = SkillDirectory::new(value, Some(&home));
                self.policy.skills.directories.push(directory.map_err(|error| error.to_string())?);
            }
            ("exclude", _) => {
                let globs = Globs::new(&[value.to_owned()]);
                instructions.exclude = globs.map_err(|error| error.to_string())?;
            }
            ("markers", _) => {
                let names = value.split(',').map(FileName::new).collect::<Result<_, _>>();
                instructions.project_markers = names.map_err(|error| error.to_string())?;
            }
            ("max_bytes", _) => instructions.max_bytes = number()?,
            ("total_bytes", _) => self.policy.limits.total_bytes = number()?,
            ("candidates", _) => self.policy.limits.candidates = number()?,
            ("directory_entries", _) => self.policy.limits.directory_entries = number()?,
            ("value_bytes", _) => self.policy.limits.value_bytes = number()?,
            _ => return Err(format!("no choice {name}={value}")),
        }
        self.restart();
        Ok(())
    }

    /// `names A B | C`: the name groups.
    pub(super) fn choose_names(&mut self, words: &[String]) -> Result<(), String> {
        let mut groups = vec![Vec::new()];
        for word in words {
            if word == "|" {
                groups.push(Vec::new());
            } else if let Some(group) = groups.last_mut() {
                group.push(FileName::new(word).map_err(|error| error.to_string())?);
            }
        }
        self.policy.instructions.names = groups;
        self.restart();
        Ok(())
    }
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}

fn engine(
    files: &Arc<FakeFileSystem>,
    store: &FakeStore,
    clock: &Arc<FakeClock>,
    policy: &Policy,
) -> Engine {
    let ports =
        Ports { files: files.clone(), store: Arc::new(store.clone()), clock: clock.clone() };
    Engine::new(ports, policy.clone(), "linux")
}
