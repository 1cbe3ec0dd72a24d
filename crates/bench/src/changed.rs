//! A boundary that tells something, held against the looks and a bare durable commit of the same rows:
//! it cannot know what changed without looking at everything once.

use crate::{
    command::{Options, Trouble},
    figure::{Figure, Samples},
    floor::{Bare, Looks, Rows},
    recorder::Recorder,
    rounds::{Calls, Host, Turns},
    scene::{Scene, Shape, let_files_age},
};
use std::{sync::Arc, time::Instant};
use told::{Engine, Ports, SyncRequest};
use told_clock::SystemClock;
use told_fs::LocalFileSystem;
use told_redb::{RedbOptions, RedbStore};

/// Directories, names and the bound. With many files, taking all of them in again stands beside the
/// commit: which of them changed is not known before.
const SHAPES: [(usize, usize, f64); 2] = [(6, 2, 1.3), (25, 4, 2.0)];
const EDITED: [usize; 2] = [1, 10];
const ROUNDS: usize = 120;
/// An epoch does not go on for ever: a new one starts after so many updates.
const EPOCH: usize = 40;

pub(crate) fn run(options: &Options) -> Result<Vec<Figure>, Trouble> {
    let mut cases = Vec::new();
    for (directories, names, bound) in SHAPES {
        for edited in EDITED {
            for host in Host::ALL {
                let shape = Shape { directories, names, one_in: 1 };
                let candidates = shape.candidates();
                let name = format!("{edited} of {candidates} files edited, {}", host.name());
                if name.contains(&options.matching) {
                    let scene = Scene::new(options.directory.as_deref(), shape)?;
                    cases.push((name, bound, host, edited, scene));
                }
            }
        }
    }
    let_files_age();
    let mut figures = Vec::new();
    for (name, bound, host, edited, scene) in cases {
        let measured = host.run(measure(scene, edited))?;
        figures.push(Figure::ratio(name, measured.ours, measured.floor, bound));
        figures.push(Figure::part("  of it: look, compare, render, encode", measured.before));
        figures.push(Figure::part("  of it: the store's append", measured.append));
        figures.push(Figure::part("  of the floor: the bare commit", measured.commit));
    }
    Ok(figures)
}

/// The whole boundary and its two parts, beside the floor and the greater of its parts.
struct Measured {
    ours: Samples,
    floor: Samples,
    before: Samples,
    append: Samples,
    commit: Samples,
}

async fn measure(scene: Scene, edited: usize) -> Result<Measured, Trouble> {
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
    let bare = Bare::copy_of(&scene.store(), &scene.beside("bare.redb"), session.id())?;
    let mut turns = Turns::default();
    let mut looks = Looks::of(&scene)?;
    let (mut before, mut appends, mut commits) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        scene.edit(edited, round)?;
        let request = SyncRequest { since: Some(briefing.revision), ..SyncRequest::default() };
        let calls = Calls::begin(1);
        briefing = session.sync(request).await?;
        let whole = calls.each();
        let recorded = store.take().ok_or("a change was not told")?;
        let whole = whole.saturating_sub(recorded.kept);
        turns.took(whole);
        appends.push(recorded.took);
        before.push(whole.saturating_sub(recorded.took));
        let rows = Rows::of(&recorded);
        let calls = Calls::begin(1);
        looks.run();
        let begun = Instant::now();
        bare.commit(&rows)?;
        commits.push(begun.elapsed());
        turns.other(calls);
        if round % EPOCH == 0 {
            session.compact(None).await?;
            bare.commit(&Rows::of(&store.take().ok_or("a compaction was not written")?))?;
            briefing = session.sync(SyncRequest::default()).await?;
            bare.commit(&Rows::of(&store.take().ok_or("an epoch was not written")?))?;
        }
    }
    let (ours, floor) = turns.samples();
    let (before, append) = (Samples::new(before), Samples::new(appends));
    Ok(Measured { ours, floor, before, append, commit: Samples::new(commits) })
}
