//! A boundary that tells something, held against a bare durable commit of the same rows.

use crate::{
    command::{Options, Trouble},
    figure::{Figure, Samples},
    floor::{Bare, Rows},
    recorder::Recorder,
    rounds::{Calls, Host, Turns},
    scene::{Scene, Shape},
};
use std::sync::Arc;
use told::{Engine, Ports, SyncRequest};
use told_clock::SystemClock;
use told_fs::LocalFileSystem;
use told_redb::{RedbOptions, RedbStore};

const SHAPES: [(usize, usize); 2] = [(6, 2), (25, 4)];
const EDITED: [usize; 2] = [1, 10];
const BOUND: f64 = 1.3;
const ROUNDS: usize = 120;
/// An epoch does not go on for ever: a new one starts after so many updates.
const EPOCH: usize = 40;

pub(crate) fn run(options: &Options) -> Result<Vec<Figure>, Trouble> {
    let mut figures = Vec::new();
    for (directories, names) in SHAPES {
        for edited in EDITED {
            for host in Host::ALL {
                let shape = Shape { directories, names, one_in: 1 };
                let scene = Scene::new(options.directory.as_deref(), shape)?;
                let (ours, floor) = host.run(measure(scene, edited))?;
                let candidates = shape.candidates();
                let name = format!("{edited} of {candidates} files edited, {}", host.name());
                figures.push(Figure::ratio(name, ours, floor, BOUND));
            }
        }
    }
    Ok(figures)
}

async fn measure(scene: Scene, edited: usize) -> Result<(Samples, Samples), Trouble> {
    let configuration = scene.configuration();
    let store = Arc::new(Recorder::new(RedbStore::open(scene.store(), RedbOptions::default())));
    let ports = Ports {
        files: Arc::new(LocalFileSystem::new()),
        store: store.clone(),
        clock: Arc::new(SystemClock::new()),
    };
    let engine = Engine::new(ports, configuration.policy()?, std::env::consts::OS);
    let session = scene.session(&engine, "bench/changed").await?;
    let mut briefing = session.sync(SyncRequest::default()).await?;
    let bare = Bare::copy_of(&scene.store(), &scene.beside("bare.redb"), "bench/changed")?;
    let mut turns = Turns::default();
    for round in 1..=ROUNDS {
        scene.edit(edited, round)?;
        let request = SyncRequest { since: Some(briefing.revision), ..SyncRequest::default() };
        let calls = Calls::begin(1);
        briefing = session.sync(request).await?;
        turns.ours(calls);
        let (append, mark) = store.take().ok_or("a change was not told")?;
        let rows = Rows::of(&append, mark);
        let calls = Calls::begin(1);
        bare.commit(&rows)?;
        turns.other(calls);
        if round % EPOCH == 0 {
            session.compact(None).await?;
            let (append, mark) = store.take().ok_or("a compaction was not written")?;
            bare.commit(&Rows::of(&append, mark))?;
            briefing = session.sync(SyncRequest::default()).await?;
            let (append, mark) = store.take().ok_or("an epoch was not written")?;
            bare.commit(&Rows::of(&append, mark))?;
        }
    }
    Ok(turns.samples())
}
