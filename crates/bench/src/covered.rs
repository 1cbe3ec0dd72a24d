//! A boundary that finds nothing new under proven coverage, held against the store's two questions: no
//! candidate is looked at. Beside it what the same boundary costs that looks.

use crate::{
    command::{Options, Trouble},
    figure::{Figure, Samples},
    rounds::{Calls, Host, Turns},
    scene::{Scene, Shape, let_files_age},
};
use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};
use told::{
    RootCoverage, Session, SyncRequest, configuration::WatchMode, domain::path::CanonicalPath,
    ports::Store,
};
use told_notify::NotifyWatcher;
use told_redb::{RedbOptions, RedbStore};

/// Directories, names, and one in how many is there.
const SHAPES: [(usize, usize, usize); 5] =
    [(1, 1, 1), (6, 2, 1), (25, 4, 1), (100, 10, 1), (100, 100, 10)];
const ROUNDS: usize = 2_000;
/// What a covered boundary may add to the store's questions.
const MOST: Duration = Duration::from_micros(2);
/// One of sixteen covered boundaries looks as well: the median is one that does not.
const LOOKS_EVERY: usize = 16;

pub(crate) fn run(options: &Options) -> Result<Vec<Figure>, Trouble> {
    let mut figures = Vec::new();
    for (directories, names, one_in) in SHAPES {
        let shape = Shape { directories, names, one_in };
        let name = format!("{} candidates", shape.candidates());
        if name.contains(&options.matching) {
            let scene = Scene::new(options.directory.as_deref(), shape)?;
            figures.extend(Host::CurrentThread.run(compare(scene, name))?);
        }
    }
    Ok(figures)
}

async fn compare(scene: Scene, name: String) -> Result<Vec<Figure>, Trouble> {
    let_files_age();
    let (watched, looked) = (scene.engine_that(WatchMode::Auto)?, scene.engine()?);
    let notified = scene.engine()?.watching(Arc::new(NotifyWatcher::default()));
    let direct = Kept::new(scene.session(&looked, "bench/direct").await?).await?;
    let begun = Instant::now();
    let covered = Kept::new(scene.session(&watched, "bench/covered").await?).await?;
    let armed = begun.elapsed();
    let by_notify = Kept::new(scene.session(&notified, "bench/notify").await?).await?;
    for engine in [&watched, &notified] {
        let roots = engine.watch_status(&scene.directory).await?.roots;
        if roots.is_empty() || roots.iter().any(|root| root.coverage != RootCoverage::Covered) {
            return Err(format!("not covered here: {roots:?}").into());
        }
    }
    let store = RedbStore::open(scene.store(), RedbOptions::default());
    let place = covered.place().await?;
    let id = covered.session.id().clone();
    let ask = async || store.revisions(&id, &place).await.map(black_box);
    let (mut turns, mut above) = (Turns::default(), Vec::new());
    let (mut looks, mut notifies) = (Vec::new(), Vec::new());
    let warm = Instant::now();
    while warm.elapsed().as_millis() < 50 {
        covered.boundary().await?;
        direct.boundary().await?;
        ask().await?;
    }
    for round in 0..ROUNDS {
        let calls = Calls::begin(1);
        covered.boundary().await?;
        let ours = calls.each();
        turns.took(ours);
        let calls = Calls::begin(1);
        // Before the look, and before the answer (R-BND-8).
        ask().await?;
        ask().await?;
        above.push(ours.saturating_sub(calls.each()));
        turns.other(calls);
        if round % LOOKS_EVERY == 0 {
            let calls = Calls::begin(1);
            direct.boundary().await?;
            looks.push(calls.each());
        } else if round % LOOKS_EVERY == 1 {
            let calls = Calls::begin(1);
            by_notify.boundary().await?;
            notifies.push(calls.each());
        }
    }
    let (ours, floor) = turns.samples();
    Ok(vec![
        Figure::time(format!("{name}, above the store's questions"), Samples::new(above), MOST),
        Figure::part("  with them", ours),
        Figure::part("  the store's questions", floor),
        Figure::part("  the same by notify", Samples::new(notifies)),
        Figure::part("  the same, looked at directly", Samples::new(looks)),
        Figure::part("  until it was watched, once", Samples::new(vec![armed])),
    ])
}

/// A session whose boundaries are unchanged, and what its host asks.
struct Kept {
    session: Session,
    request: SyncRequest,
}

impl Kept {
    async fn new(session: Session) -> Result<Self, Trouble> {
        let briefing = session.sync(SyncRequest::default()).await?;
        let request = SyncRequest { since: Some(briefing.revision), ..SyncRequest::default() };
        let kept = Self { session, request };
        for _ in 0..4 {
            kept.boundary().await?;
        }
        Ok(kept)
    }

    async fn boundary(&self) -> Result<(), Trouble> {
        match black_box(self.session.sync(self.request).await?).admitted {
            Some(_) => Err("something was told: this boundary was not unchanged".into()),
            None => Ok(()),
        }
    }

    async fn place(&self) -> Result<CanonicalPath, Trouble> {
        Ok(self.session.location().await?.directory().clone())
    }
}
