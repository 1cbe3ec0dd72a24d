//! A long log, written without the boundaries that would have made it: the records of one short life,
//! again and again.

use crate::{command::Trouble, scene::Scene};
use told::{
    SyncRequest,
    domain::{
        fold::fold,
        head::HeadChange,
        position::Revision,
        record::{Event, Record},
        state::State,
    },
    ports::{Append, SessionSummary, Store},
};
use told_redb::{RedbOptions, RedbStore};

/// Records of one epoch: the edits of a long afternoon.
const EPOCH: usize = 100;
/// Records of one commit.
const AT_ONCE: usize = 2_000;

/// Gives a session of that name so many records.
pub(crate) async fn written(scene: &Scene, name: &str, records: usize) -> Result<(), Trouble> {
    live(scene, name).await?;
    let store = RedbStore::open(scene.store(), RedbOptions::default());
    let session = name.parse()?;
    let life = Life::of(&store.records(&session, Revision::NONE, EPOCH).await?)?;
    let loaded = store.load(&session).await?.ok_or("the session is not there")?;
    let (mut mark, mut state) = (loaded.mark, loaded.state);
    while state.revision.0 < records as u64 {
        let mut batch = Vec::new();
        while batch.len() < AT_ONCE && state.revision.0 < records as u64 {
            let record = next(&life, &state)?;
            state = fold(Some(state), &record)?;
            batch.push(record);
        }
        let append = Append {
            expected: Some(mark),
            records: batch,
            // What it tells was told before, and so is stored.
            blobs: Vec::new(),
            head: HeadChange::whole(&state),
            summary: SessionSummary::of(&session, &state),
        };
        mark = store.append(&session, append).await?;
    }
    Ok(())
}

/// What happens in an epoch: it starts, a file is edited, edited back, and the transcript compacted.
struct Life {
    started: Record,
    edits: [Record; 2],
    compacted: Record,
}

async fn live(scene: &Scene, name: &str) -> Result<(), Trouble> {
    let engine = scene.engine()?;
    let session = scene.session(&engine, name).await?;
    for edition in [1, 0] {
        scene.edit(1, edition)?;
        session.sync(SyncRequest::default()).await?;
    }
    session.compact(None).await?;
    session.sync(SyncRequest::default()).await?;
    Ok(())
}

impl Life {
    fn of(log: &[Record]) -> Result<Self, Trouble> {
        let [_opened, _baseline, there, back, compacted, started] = log else {
            return Err(format!("{} records, not six", log.len()).into());
        };
        Ok(Self {
            started: started.clone(),
            edits: [there.clone(), back.clone()],
            compacted: compacted.clone(),
        })
    }
}

/// The record after `state`: edits there and back, then a compaction and a new epoch.
fn next(life: &Life, state: &State) -> Result<Record, Trouble> {
    let told = &state.told;
    let of_epoch = told.updates.len() + 2;
    let mut record = match (told.pending, told.updates.len() % 2) {
        (Some(_), _) => life.started.clone(),
        (None, 0) if of_epoch >= EPOCH => life.compacted.clone(),
        (None, edited) => life.edits[edited].clone(),
    };
    record.revision = state.revision.next();
    if let Event::EpochStarted { number, .. } = &mut record.event {
        *number = state.epochs.next();
    }
    Ok(record)
}
