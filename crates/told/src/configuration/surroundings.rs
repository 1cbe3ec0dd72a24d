//! What the process finds around itself, as a value: the environment is read in one place, and a
//! test needs none.

use std::path::PathBuf;

/// The home directory and the variables that count. A variable that is empty counts as unset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// Where relative paths of flags and variables start.
    pub working_directory: PathBuf,
    /// `XDG_CONFIG_HOME`; a relative one is ignored, as its specification asks.
    pub xdg_config_home: Option<PathBuf>,
    /// `XDG_DATA_HOME`; a relative one is ignored as well.
    pub xdg_data_home: Option<PathBuf>,
    /// `TOLD_CONFIG`: the configuration file.
    pub told_config: Option<PathBuf>,
    /// `TOLD_STORE`: the store.
    pub told_store: Option<PathBuf>,
}

impl Surroundings {
    /// What is around this process.
    #[must_use]
    pub fn of_this_process() -> Self {
        let variable =
            |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        // Sources are told under canonical paths, so `~` must be one too to be recognised.
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        Self {
            home: home.map(|home| std::fs::canonicalize(&home).unwrap_or(home)),
            working_directory: std::env::current_dir().unwrap_or_default(),
            xdg_config_home: variable("XDG_CONFIG_HOME"),
            xdg_data_home: variable("XDG_DATA_HOME"),
            told_config: variable("TOLD_CONFIG"),
            told_store: variable("TOLD_STORE"),
        }
    }

    /// The user's configuration file where nobody names one. It may be missing.
    pub(super) fn default_file(&self) -> Option<PathBuf> {
        self.default_directory().map(|directory| directory.join("config.toml"))
    }

    /// The directory of the user's configuration file, `TOLD_CONFIG` counted.
    pub(super) fn configuration_directory(&self) -> Option<PathBuf> {
        let named = self.told_config.as_ref().map(|path| self.working_directory.join(path));
        let named = named.and_then(|path| path.parent().map(PathBuf::from));
        named.or_else(|| self.default_directory())
    }

    /// The store where no flag names one: `TOLD_STORE`, else the place for a user's data.
    pub(super) fn default_store(&self) -> Option<PathBuf> {
        if let Some(named) = &self.told_store {
            return Some(self.working_directory.join(named));
        }
        let data = self.base(self.xdg_data_home.as_ref(), ".local/share");
        data.map(|data| data.join("told").join("store.redb"))
    }

    fn default_directory(&self) -> Option<PathBuf> {
        self.base(self.xdg_config_home.as_ref(), ".config").map(|base| base.join("told"))
    }

    fn base(&self, xdg: Option<&PathBuf>, below_home: &str) -> Option<PathBuf> {
        let xdg = xdg.filter(|path| path.is_absolute()).cloned();
        xdg.or_else(|| self.home.as_ref().map(|home| home.join(below_home)))
    }
}
