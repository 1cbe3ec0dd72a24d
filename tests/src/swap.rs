//! The race that an attacker runs: between the look and the read a file becomes a link out of the project, a
//! FIFO or a directory, and a parent a link. One thread swaps, without pause; another runs boundaries of a
//! real engine, on real files, and not one text may hold what lies outside (R-OBS-3, R-OBS-7).
//!
//! A naive reader, who checks a path and then opens it, runs beside the boundaries. What it is fooled by
//! proves that the race was there to be lost.

pub mod command;
mod ground;
mod naive;

use ground::{Ground, INSIDE, OUTSIDE_NAME, SECRET, Swapper};
use std::{
    collections::BTreeMap,
    fmt, io,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};
use told::{
    Engine, OpenRequest, ReadKind, ResourceOrigin, RootCoverage, Session, SettledPath, SyncRequest,
    ToolSettlement,
    configuration::{Configuration, Surroundings, WatchMode},
    connect,
    domain::{
        briefing::{Briefing, SourceState},
        command::OnUnavailable,
        position::Revision,
        session::{Prior, Trust},
    },
};

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How often something is swapped.
    pub swaps: u64,
    /// Decides what is swapped.
    pub seed: u64,
    /// Whether files are watched where that is proven. The swapper then rests at times, or nothing ever is.
    pub watched: bool,
}

/// What was seen.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Swaps that were made.
    pub swaps: u64,
    /// Boundaries that ended.
    pub boundaries: u64,
    /// Among them, those during which something was swapped.
    pub overlapped: u64,
    /// Among them, those that began with all files watched.
    pub covered: u64,
    /// What became of files, and how often: told, held and withheld by reason, refused.
    pub became: BTreeMap<String, u64>,
    /// How often the naive reader read.
    pub naive_reads: u64,
    /// How often it read what lies outside, having checked that it does not.
    pub naive_fooled: u64,
    /// What must not be. The first ones.
    pub broken: Vec<String>,
}

/// Faults that are described; more are only more of the same.
const BROKEN_MAX: usize = 10;

/// The updates of an epoch come with every boundary that asks for them: a compaction ends them in time.
const COMPACT_EVERY: u64 = 200;

/// Looks of the naive reader for one boundary.
const NAIVE_READS: usize = 4;

/// Runs a plan in an empty directory.
///
/// # Errors
/// Whatever the file system refuses, or the engine at the start and at the end.
pub fn run(root: &Path, plan: Plan) -> io::Result<Outcome> {
    let ground = Ground::new(root)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let store = root.join("store.redb");
    let engine = engine(root, &store, plan.watched)?;
    let session = runtime.block_on(open(&engine, &ground)).map_err(io::Error::other)?;
    let (done, swaps, boundaries) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let mut outcome = Outcome::default();
    thread::scope(|scope| {
        let swapping = scope.spawn(|| {
            let swapper = Swapper::new(&ground, plan.seed, plan.watched);
            let swapped = swapper.run(plan.swaps, &swaps, &boundaries);
            done.store(true, Ordering::Release);
            swapped
        });
        let mut since = None;
        // Also one at the end of a run that swapped too fast for any.
        while !done.load(Ordering::Acquire) || outcome.boundaries == 0 {
            let before = swaps.load(Ordering::Acquire);
            runtime.block_on(boundary(&engine, &session, &ground, &mut since, &mut outcome));
            outcome.overlapped += u64::from(swaps.load(Ordering::Acquire) > before);
            boundaries.store(outcome.boundaries, Ordering::Release);
            for _ in 0..NAIVE_READS {
                outcome.naive_reads += 1;
                outcome.naive_fooled += u64::from(naive::is_fooled(&ground));
            }
        }
        swapping.join().map_err(|_| io::Error::other("the swapper ended"))?
    })?;
    outcome.swaps = swaps.load(Ordering::Acquire);
    // All is at home again, and is told as it stands.
    runtime.block_on(at_home(&session, &ground, &mut outcome))?;
    drop((session, engine));
    let stored = std::fs::read(store)?;
    if stored.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()) {
        outcome.breaks("the store holds what lies outside".to_owned());
    }
    Ok(outcome)
}

fn engine(root: &Path, store: &Path, watched: bool) -> io::Result<Engine> {
    let home = Some(root.join("home"));
    let mut configuration = Configuration::new(&Surroundings { home, ..Surroundings::default() });
    configuration.store.path = Some(store.to_owned());
    configuration.context.date = false;
    configuration.watch.mode = if watched { WatchMode::Auto } else { WatchMode::Off };
    connect(&configuration).map_err(io::Error::other)
}

async fn open(engine: &Engine, ground: &Ground) -> Result<Session, told::Error> {
    let id: told::domain::session::SessionId = "swap/1".parse().expect("a name");
    let (directory, position) = (ground.at("project/sub/deep"), None);
    let (prior, trust) = (Prior::None, Trust::Trusted);
    engine.open(OpenRequest { session: id.clone(), directory, position, prior, trust }).await?;
    let session = engine.session(&id).await?;
    settle(&session, ground).await?;
    Ok(session)
}

async fn boundary(
    engine: &Engine,
    session: &Session,
    ground: &Ground,
    since: &mut Option<Revision>,
    outcome: &mut Outcome,
) {
    // A Location that cannot be looked at now is not covered.
    let status = engine.watch_status(&ground.at("project/sub/deep")).await.unwrap_or_default();
    let covered = |root: &told::RootStatus| root.coverage == RootCoverage::Covered;
    outcome.covered += u64::from(!status.roots.is_empty() && status.roots.iter().all(covered));
    outcome.boundaries += 1;
    match session.sync(request(*since)).await {
        Ok(briefing) => {
            *since = Some(briefing.revision);
            outcome.judge(&briefing);
        }
        Err(error) => {
            outcome.became(&format!("refused {}", error.kind()));
            outcome.says(&format!("{error} {error:?}"));
        }
    }
    if outcome.boundaries.is_multiple_of(COMPACT_EVERY) {
        // What is refused here is tried again with the next boundaries.
        let compacted = session.compact(None).await.and(settle(session, ground).await);
        if let Err(error) = compacted {
            outcome.became(&format!("refused {}", error.kind()));
        }
    }
}

fn request(since: Option<Revision>) -> SyncRequest {
    SyncRequest { since, on_unavailable: OnUnavailable::Proceed, ..SyncRequest::default() }
}

/// A tool read a file in a directory that is swapped as well (R-LOC-1).
async fn settle(session: &Session, ground: &Ground) -> Result<(), told::Error> {
    let path = ground.at("project/scope/file.rs");
    let resources = vec![SettledPath { path, kind: ReadKind::File, origin: ResourceOrigin::Local }];
    let settlement = ToolSettlement { tool: "read".into(), resources, ..ToolSettlement::default() };
    session.settle(&settlement).await.map(|_| ())
}

async fn at_home(session: &Session, ground: &Ground, outcome: &mut Outcome) -> io::Result<()> {
    session.compact(None).await.map_err(io::Error::other)?;
    let briefing = session.sync(request(None)).await.map_err(io::Error::other)?;
    outcome.judge(&briefing);
    let sources = session.sources(false).await.map_err(io::Error::other)?;
    for file in ground.homes() {
        let told = sources.iter().any(|source| {
            source.state == SourceState::Active
                && source.source.path().is_some_and(|p| p.as_path() == file)
        });
        if !told {
            outcome.breaks(format!("{} is at home and not told", file.display()));
        }
    }
    Ok(())
}

impl Outcome {
    fn judge(&mut self, briefing: &Briefing) {
        self.says(&format!("{briefing:?}"));
        let updates = briefing.updates.iter();
        let newest = updates.filter(|update| briefing.admitted == Some(update.revision));
        for change in newest.clone().flat_map(|update| &update.changes) {
            self.became(&format!("told {:?}", change.kind).to_lowercase());
        }
        for held in &briefing.held {
            self.became(&format!("held {}", held.reason));
        }
        for withheld in &briefing.withheld {
            self.became(&format!("withheld {}", withheld.reason.unwrap_or_default()));
        }
        let baseline = briefing.epoch.baseline.text.iter();
        for text in baseline.chain(briefing.updates.iter().map(|update| &update.text)) {
            let torn = |line: &&str| line.starts_with("inside") && !INSIDE.contains(line);
            if let Some(line) = text.lines().find(torn) {
                self.breaks(format!("a line that no file holds: {line}"));
            }
        }
    }

    /// Nothing that is said names or quotes what lies outside.
    fn says(&mut self, said: &str) {
        for word in [SECRET, OUTSIDE_NAME] {
            if let Some(at) = said.find(word) {
                let start = said[..at].char_indices().rev().nth(200).map_or(0, |(start, _)| start);
                self.breaks(format!("`{word}` is said: …{}", &said[start..at + word.len()]));
            }
        }
    }

    fn became(&mut self, what: &str) {
        *self.became.entry(what.to_owned()).or_default() += 1;
    }

    fn breaks(&mut self, what: String) {
        if self.broken.len() < BROKEN_MAX {
            self.broken.push(what);
        }
    }

    /// Whether nothing was broken, and the race was hit.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.broken.is_empty() && self.overlapped > 0 && self.naive_fooled > 0
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { swaps, boundaries, overlapped, covered, naive_reads, naive_fooled, .. } = self;
        write!(f, "{swaps} swaps, {boundaries} boundaries, {overlapped} with swaps in them, ")?;
        write!(f, "{covered} begun under coverage; a naive reader was fooled ")?;
        write!(f, "{naive_fooled} times of {naive_reads}; {} broken", self.broken.len())
    }
}
