//! The ground of the scenarios in `tests/`: a home of its own on a real disk, with a project in it
//! and a store, and an engine over them as a host in Rust has it. Nothing outside is read or
//! written.
//!
//! **May depend on** `told` and what tests need. **Start** with [`Ground`]. The scenarios through the
//! binary (`told serve` and the command line) are tests of the package that builds it. `swap` is the race on
//! disk, which is also run at length.

#[cfg(unix)]
pub mod swap;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use told::{
    Engine, OpenRequest, Session, SyncRequest,
    configuration::{Configuration, Surroundings},
    connect,
    domain::{
        briefing::Briefing,
        session::{Prior, SessionId, Trust},
    },
};

/// A home with a project.
pub struct Ground {
    home: PathBuf,
    /// Goes with it, where it is a temporary one.
    _temporary: Option<tempfile::TempDir>,
}

impl Ground {
    /// `~/shop` is a repository with an `AGENTS.md`, and `~/shop/api` a directory in it.
    ///
    /// # Panics
    /// Where the disk refuses.
    #[must_use]
    pub fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let path = home.path().canonicalize().expect("the home is there");
        let ground = Self { home: path, _temporary: Some(home) };
        ground.write("shop/.git/HEAD", "ref: refs/heads/main\n");
        ground.write("shop/AGENTS.md", "Use tabs.\n");
        ground.write("shop/api/main.rs", "fn main() {}\n");
        ground
    }

    /// The home that another process made.
    #[must_use]
    pub fn at(home: &Path) -> Self {
        Self { home: home.to_owned(), _temporary: None }
    }

    /// A path below the home, as sources are told.
    #[must_use]
    pub fn path(&self, path: &str) -> PathBuf {
        self.home.join(path)
    }

    /// Writes a file below the home.
    ///
    /// # Panics
    /// Where the disk refuses.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }

    /// Another engine over this home and its store, as another process would have.
    ///
    /// # Panics
    /// Where the defaults cannot be wired.
    #[must_use]
    pub fn engine(&self) -> Engine {
        let home = Some(self.path(""));
        let surroundings = Surroundings { home, ..Surroundings::default() };
        let mut configuration = Configuration::new(&surroundings);
        // It would change at midnight.
        configuration.context.date = false;
        connect(&configuration).expect("the defaults can be wired")
    }

    /// Opens a session in `~/shop/api`.
    ///
    /// # Panics
    /// Where it is refused.
    pub async fn open(&self, engine: &Engine, name: &str) -> Session {
        self.open_in(engine, name, &self.path("shop/api")).await
    }

    /// Opens a session in that directory.
    ///
    /// # Panics
    /// Where it is refused.
    pub async fn open_in(&self, engine: &Engine, name: &str, directory: &Path) -> Session {
        let session: SessionId = name.parse().expect("a session's name");
        let request = OpenRequest {
            session: session.clone(),
            directory: directory.to_owned(),
            position: None,
            prior: Prior::None,
            trust: Trust::Trusted,
        };
        engine.open(request).await.expect("it opens");
        engine.session(&session).await.expect("it is there")
    }
}

impl Default for Ground {
    fn default() -> Self {
        Self::new()
    }
}

/// One boundary with nothing asked for.
///
/// # Panics
/// Where it is refused.
pub async fn sync(session: &Session) -> Briefing {
    session.sync(SyncRequest::default()).await.expect("a boundary")
}

/// The texts of a briefing in the order sent.
#[must_use]
pub fn texts(briefing: &Briefing) -> Vec<Arc<str>> {
    let updates = briefing.updates.iter().map(|update| update.text.clone());
    briefing.epoch.baseline.text.iter().cloned().chain(updates).collect()
}
