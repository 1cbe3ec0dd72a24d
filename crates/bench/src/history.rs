//! Cost follows what is active and what changed: the same boundary with much behind it, or with many
//! sessions beside it, held against one with little.

use crate::{
    command::{Options, Trouble},
    figure::{Figure, Samples},
    log,
    rounds::{Calls, Host, Turns},
    scene::{Scene, Shape, let_files_age},
};
use std::hint::black_box;
use told::{Session, SyncRequest};

const SHAPE: Shape = Shape { directories: 6, names: 2, one_in: 1 };
/// Records in the session's log before the measurement.
const RECORDS: [usize; 2] = [100, 100_000];
/// Other sessions in the store.
const OTHERS: [usize; 2] = [1, 500];
/// The tree of a larger store is a page deeper.
const BOUND: f64 = 1.1;
/// Reading more of a larger file costs a page or two when it is opened.
const BOUND_ANEW: f64 = 1.25;
const ROUNDS: usize = 200;
const CALLS: u32 = 10;
const ROUNDS_ANEW: usize = 60;

/// The name of the session that is measured.
const NAME: &str = "bench/history";

pub(crate) fn run(options: &Options) -> Result<Vec<Figure>, Trouble> {
    let here = options.directory.as_deref();
    let scenes = || Ok::<_, Trouble>((Scene::new(here, SHAPE)?, Scene::new(here, SHAPE)?));
    let mut figures = Vec::new();
    let [few, many] = RECORDS;
    let (short, long) = scenes()?;
    let pair = Host::MultiThread.run(async move {
        log::written(&short, NAME, few).await?;
        log::written(&long, NAME, many).await?;
        let_files_age();
        compare(short, long).await
    })?;
    figures.extend(pair.figures(&format!("{many} records behind it, not {few}")));
    let [few, many] = OTHERS;
    let (alone, crowd) = scenes()?;
    let pair = Host::MultiThread.run(async move {
        others_beside(&alone, few).await?;
        others_beside(&crowd, many).await?;
        let_files_age();
        compare(alone, crowd).await
    })?;
    figures.extend(pair.figures(&format!("{many} other sessions, not {few}")));
    Ok(figures)
}

async fn others_beside(scene: &Scene, others: usize) -> Result<(), Trouble> {
    let engine = scene.engine()?;
    scene.session(&engine, NAME).await?;
    for other in 0..others {
        scene.session(&engine, &format!("bench/other-{other}")).await?;
    }
    Ok(())
}

/// The same figures of two scenes: a session that is held, one that is opened anew, and one with an edit
/// to tell.
struct Pair {
    held: (Samples, Samples),
    anew: (Samples, Samples),
    edited: (Samples, Samples),
}

impl Pair {
    fn figures(self, what: &str) -> [Figure; 3] {
        let figure = |how: &str, (much, little), bound| {
            Figure::ratio(format!("{what}{how}"), much, little, bound)
        };
        [
            figure("", self.held, BOUND),
            figure(", store opened anew", self.anew, BOUND_ANEW),
            figure(", an edit to tell", self.edited, BOUND_ANEW),
        ]
    }
}

async fn compare(little: Scene, much: Scene) -> Result<Pair, Trouble> {
    let engines = (little.engine()?, much.engine()?);
    let id = NAME.parse()?;
    let (a, b) = (engines.0.session(&id).await?, engines.1.session(&id).await?);
    let requests = (settled(&a).await?, settled(&b).await?);
    let mut held = Turns::default();
    for _ in 0..ROUNDS {
        let calls = Calls::begin(CALLS);
        for _ in 0..CALLS {
            black_box(b.sync(requests.1).await?);
        }
        held.ours(calls);
        let calls = Calls::begin(CALLS);
        for _ in 0..CALLS {
            black_box(a.sync(requests.0).await?);
        }
        held.other(calls);
    }
    let mut edited = Turns::default();
    for edition in 1..=ROUNDS_ANEW {
        let calls = told_of_an_edit(&much, &b, edition).await?;
        edited.ours(calls);
        let calls = told_of_an_edit(&little, &a, edition).await?;
        edited.other(calls);
    }
    drop((a, b, engines));
    let_files_age();
    let mut anew = Turns::default();
    for _ in 0..ROUNDS_ANEW {
        let calls = Calls::begin(1);
        opened_anew(&much).await?;
        anew.ours(calls);
        let calls = Calls::begin(1);
        opened_anew(&little).await?;
        anew.other(calls);
    }
    Ok(Pair { held: held.samples(), anew: anew.samples(), edited: edited.samples() })
}

/// An edit, and the boundary that tells it: begun after the edit.
async fn told_of_an_edit(
    scene: &Scene,
    session: &Session,
    edition: usize,
) -> Result<Calls, Trouble> {
    let before = session.sync(SyncRequest::default()).await?;
    let request = SyncRequest { since: Some(before.revision), ..SyncRequest::default() };
    scene.edit(1, edition)?;
    let calls = Calls::begin(1);
    match session.sync(request).await?.admitted {
        Some(_) => Ok(calls),
        None => Err("an edit was not told".into()),
    }
}

/// A session whose boundaries are unchanged from here on, and what its host asks.
async fn settled(session: &Session) -> Result<SyncRequest, Trouble> {
    let briefing = session.sync(SyncRequest::default()).await?;
    let request = SyncRequest { since: Some(briefing.revision), ..SyncRequest::default() };
    for _ in 0..100 {
        session.sync(request).await?;
    }
    Ok(request)
}

/// One unchanged boundary of a process that knew nothing before.
async fn opened_anew(scene: &Scene) -> Result<(), Trouble> {
    let engine = scene.engine()?;
    let session = engine.session(&NAME.parse()?).await?;
    let briefing = session.sync(SyncRequest::default()).await?;
    if briefing.admitted.is_some() {
        return Err("something was told: this boundary was not unchanged".into());
    }
    Ok(())
}
