//! A boundary that finds nothing new, held against the looks themselves and one store read.

use crate::{
    command::{Options, Trouble},
    figure::{Figure, Samples},
    floor::{Bare, Looks},
    rounds::{Calls, Host, Turns},
    scene::{Scene, Shape, let_files_age},
};
use std::{hint::black_box, time::Instant};
use told::{Session, SyncRequest};

/// Directories, names and the bound.
const CASES: [(usize, usize, f64); 3] = [(1, 1, 2.0), (6, 2, 2.0), (25, 4, 1.5)];
const REPEATED: Repeated = Repeated { rounds: 200, calls: 10 };

/// How often the two are measured, and how many of each a round.
#[derive(Clone, Copy)]
pub(crate) struct Repeated {
    pub(crate) rounds: usize,
    pub(crate) calls: u32,
}

pub(crate) fn run(options: &Options) -> Result<Vec<Figure>, Trouble> {
    let mut cases = Vec::new();
    for (directories, names, bound) in CASES {
        for one_in in [1, 10] {
            let shape = Shape { directories, names, one_in };
            if shape.candidates() == 1 && one_in > 1 {
                continue;
            }
            for host in Host::ALL {
                let present = if one_in == 1 { "all there" } else { "1 in 10 there" };
                let name = format!("{} candidates, {present}, {}", shape.candidates(), host.name());
                if name.contains(&options.matching) {
                    let scene = Scene::new(options.directory.as_deref(), shape)?;
                    cases.push((name, bound, host, scene));
                }
            }
        }
    }
    let_files_age();
    let mut figures = Vec::new();
    for (name, bound, host, scene) in cases {
        let (ours, floor) = host.run(async move {
            let engine = scene.engine()?;
            let session = scene.session(&engine, "bench/unchanged").await?;
            measure(&scene, &session, REPEATED).await
        })?;
        figures.push(Figure::ratio(name, ours, floor, bound));
    }
    Ok(figures)
}

/// Unchanged boundaries of `session` and, by turns, the looks of its scene and one store read.
pub(crate) async fn measure(
    scene: &Scene,
    session: &Session,
    repeated: Repeated,
) -> Result<(Samples, Samples), Trouble> {
    let briefing = session.sync(SyncRequest::default()).await?;
    // What a host asks from then on.
    let request = SyncRequest { since: Some(briefing.revision), ..SyncRequest::default() };
    let mut looks = Looks::of(scene)?;
    let bare = Bare::copy_of(&scene.store(), &scene.beside("bare.redb"), session.id())?;
    let mut turns = Turns::default();
    // Warm first, and for no less than the clock of the processor needs.
    let warm = Instant::now();
    while warm.elapsed().as_millis() < 50 {
        session.sync(request).await?;
        looks.run();
        bare.read()?;
    }
    for _ in 0..repeated.rounds {
        let calls = Calls::begin(repeated.calls);
        for _ in 0..repeated.calls {
            black_box(session.sync(request).await?);
        }
        turns.ours(calls);
        let calls = Calls::begin(repeated.calls);
        for _ in 0..repeated.calls {
            looks.run();
            bare.read()?;
        }
        turns.other(calls);
    }
    let after = session.sync(request).await?;
    if after.admitted.is_some() || after.revision != briefing.revision {
        return Err("something was told in between: these boundaries were not unchanged".into());
    }
    Ok(turns.samples())
}
