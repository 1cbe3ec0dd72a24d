//! A project to work in: a chain of directories with instruction files, and a store beside it.

use crate::command::Trouble;
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;
use told::{
    Engine, OpenRequest, Session, SyncRequest,
    configuration::{Configuration, Surroundings, WatchMode},
    domain::session::{Prior, SessionId, Trust},
};

/// How many candidates there are, and how many of them exist.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Directories from the project boundary down to the Location, each below the one before.
    pub(crate) directories: usize,
    /// Name groups of one name each, looked for in every directory.
    pub(crate) names: usize,
    /// One candidate in so many exists.
    pub(crate) one_in: usize,
}

/// One project and one store.
pub(crate) struct Scene {
    /// Removed with the scene.
    place: TempDir,
    /// The Location.
    pub(crate) directory: PathBuf,
    /// Every candidate, the most specific first.
    pub(crate) candidates: Vec<PathBuf>,
    /// Where a project marker may be, the nearest first; the last is there.
    pub(crate) markers: Vec<PathBuf>,
    /// Where a directory of skills may be; there is none.
    pub(crate) skills: Vec<PathBuf>,
    /// Where the project's own configuration may be; there is none.
    pub(crate) configuration: PathBuf,
    names: Vec<String>,
}

/// Bytes of one instruction file.
const FILE_BYTES: usize = 2048;

/// A file that changed more recently may be in the middle of a write, and costs more to look at. Files
/// that stand still are not that young.
const STANDS_STILL: Duration = Duration::from_millis(2_200);

/// Waits until the files of every scene so far stand still.
pub(crate) fn let_files_age() {
    std::thread::sleep(STANDS_STILL);
}

impl Shape {
    pub(crate) const fn candidates(self) -> usize {
        self.directories * self.names
    }
}

impl Scene {
    pub(crate) fn new(directory: Option<&Path>, shape: Shape) -> Result<Self, Trouble> {
        let base = directory.map_or_else(std::env::temp_dir, Path::to_path_buf);
        let place = TempDir::new_in(base)?;
        let names: Vec<_> = (0..shape.names).map(|number| format!("RULES-{number}.md")).collect();
        let boundary = place.path().canonicalize()?.join("project");
        fs::create_dir_all(boundary.join(".git"))?;
        let configuration = boundary.join(".told/config.toml");
        let mut chain = vec![boundary];
        for depth in 1..shape.directories {
            chain.push(chain[depth - 1].join(format!("part-{depth:02}")));
        }
        let directory = chain[chain.len() - 1].clone();
        fs::create_dir_all(&directory)?;
        let markers = chain.iter().rev().map(|above| above.join(".git")).collect();
        let skills = chain.iter().rev().map(|above| above.join(".agents/skills")).collect();
        let in_each =
            |above: &PathBuf| names.iter().map(|name| above.join(name)).collect::<Vec<_>>();
        let candidates: Vec<_> = chain.iter().rev().flat_map(in_each).collect();
        for (number, path) in candidates.iter().enumerate() {
            if number % shape.one_in == 0 {
                fs::write(path, content(number, 0))?;
            }
        }
        Ok(Self { place, directory, candidates, markers, skills, configuration, names })
    }

    /// Adds so many directories below the project, one in so many with an instruction file, and gives
    /// them. Their candidates come before the others: the most specific first.
    pub(crate) fn add_scopes(
        &mut self,
        scopes: usize,
        breadth: usize,
        one_in: usize,
    ) -> Result<Vec<PathBuf>, Trouble> {
        let name = self.names.first().ok_or("a scene without names")?;
        let mut added = Vec::new();
        for outer in 0..scopes.div_ceil(breadth) {
            let outer = self.directory.join(format!("part-{outer:03}"));
            let inner = (1..breadth).map(|inner| outer.join(format!("part-{inner:03}")));
            added.extend(std::iter::once(outer.clone()).chain(inner));
        }
        added.truncate(scopes);
        let mut candidates = Vec::new();
        for (number, directory) in added.iter().enumerate() {
            fs::create_dir_all(directory)?;
            let candidate = directory.join(name);
            if number % one_in == 0 {
                fs::write(&candidate, format!("# Rules of part {number}\n"))?;
            }
            candidates.push(candidate);
        }
        candidates.append(&mut self.candidates);
        self.candidates = candidates;
        Ok(added)
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.place.path().join("store.redb")
    }

    /// A file beside the store.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// A host's configuration for this project.
    pub(crate) fn configuration(&self) -> Configuration {
        let nowhere = Surroundings {
            working_directory: self.directory.clone(),
            told_store: Some(self.store()),
            ..Surroundings::default()
        };
        let mut configuration = Configuration::new(&nowhere);
        configuration.instructions.names =
            self.names.iter().map(|name| vec![name.clone()]).collect();
        configuration
    }

    /// The same as a file's text, for a process.
    pub(crate) fn configuration_text(&self) -> String {
        let groups: Vec<_> = self.names.iter().map(|name| format!("[\"{name}\"]")).collect();
        format!("[instructions]\nnames = [{}]\n", groups.join(", "))
    }

    /// An engine with the default wiring, which looks directly.
    pub(crate) fn engine(&self) -> Result<Engine, Trouble> {
        self.engine_that(WatchMode::Off)
    }

    /// An engine with the default wiring.
    pub(crate) fn engine_that(&self, mode: WatchMode) -> Result<Engine, Trouble> {
        let mut configuration = self.configuration();
        configuration.watch.mode = mode;
        Ok(told::connect(&configuration)?)
    }

    /// A session in this directory that was told everything.
    pub(crate) async fn session(&self, engine: &Engine, name: &str) -> Result<Session, Trouble> {
        let id: SessionId = name.parse()?;
        let open = OpenRequest {
            session: id.clone(),
            directory: self.directory.clone(),
            position: None,
            prior: Prior::None,
            trust: Trust::Trusted,
        };
        engine.open(open).await?;
        let session = engine.session(&id).await?;
        session.sync(SyncRequest::default()).await?;
        Ok(session)
    }

    /// Gives so many files another content, as an editor would.
    pub(crate) fn edit(&self, files: usize, round: usize) -> std::io::Result<()> {
        let edited = self.candidates.iter().enumerate().take(files);
        edited.into_iter().try_for_each(|(number, path)| fs::write(path, content(number, round)))
    }
}

fn content(number: usize, round: usize) -> String {
    let mut text = format!("# Rules, file {number}, edition {round}\n\n");
    while text.len() < FILE_BYTES {
        text.push_str("- Keep to this rule, as to every other of this file.\n");
    }
    text
}
