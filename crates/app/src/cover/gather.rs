//! The answers to a whole plan: what is fresh from the caches, and the rest by one batch, as if it had
//! been asked whole (R-OBS-10).

use super::cell::{AnyCell, Found, Place};
use crate::observe::all;
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::oneshot;
use told_domain::{
    look::{EntryKind, FileBytes, Looks, Seen},
    observation::{Absence, Observation},
    path::AbsolutePath,
    plan::Plan,
    reason::{UnavailableReason, WithheldReason},
};
use told_ports::FileSystem;

/// An answer of either kind.
enum Answer {
    File(Found<FileBytes>),
    Kind(Found<EntryKind>),
}

/// What is to be looked at, and who waits for it; nothing once the batch has begun.
struct Asked(Mutex<Option<Vec<Question>>>);

enum Question {
    Read(usize, oneshot::Sender<Observation<FileBytes>>),
    Probe(usize, oneshot::Sender<Observation<EntryKind>>),
}

/// What the plan's looks find; nothing where the bytes in all are too many for all of them, so that only a
/// look in order knows who is read (R-OBS-12). What is below `direct` is looked at in any case.
pub(super) async fn gather(
    plan: &Arc<Plan>,
    places: &[Place],
    direct: &BTreeSet<AbsolutePath>,
    files: &Arc<dyn FileSystem>,
) -> Option<Seen> {
    let asked = Arc::new(Asked(Mutex::new(Some(Vec::new()))));
    let answers = all(places.iter().enumerate().map(|(index, place)| {
        let is_direct = direct.contains(&place.root);
        answer(plan, index, place, is_direct, &asked, files)
    }));
    // The answers are polled first, so that by then all that is stale has been asked for.
    let (answers, ()) = tokio::join!(answers, look(plan, &asked, files));
    let mut seen = Seen::default();
    for answer in answers {
        match answer {
            Answer::File(file) => seen.files.push(Observation::clone(&file)),
            Answer::Kind(kind) => seen.probes.push(Observation::clone(&kind)),
        }
    }
    is_within(&seen, &plan.looks).then_some(seen)
}

/// `seen` with what the plan's scans find now: nothing tells of what is new below a directory, so each
/// boundary scans (R-CFG-2).
pub(super) async fn scanned(
    plan: &Arc<Plan>,
    seen: Arc<Seen>,
    files: &Arc<dyn FileSystem>,
) -> Arc<Seen> {
    if plan.looks.scans.is_empty() {
        return seen;
    }
    let looks = Looks { scans: plan.looks.scans.clone(), ..only_limits(&plan.looks) };
    let scans = files.observe(&looks).await.scans;
    if scans == seen.scans { seen } else { Arc::new(Seen { scans, ..Seen::clone(&seen) }) }
}

async fn answer(
    plan: &Arc<Plan>,
    index: usize,
    place: &Place,
    is_direct: bool,
    asked: &Arc<Asked>,
    files: &Arc<dyn FileSystem>,
) -> Answer {
    match &place.cell {
        AnyCell::Read(cell) => {
            let load = || {
                let reads = vec![plan.looks.reads[index].clone()];
                let alone = Looks { reads, ..only_limits(&plan.looks) };
                answered(asked.ask(index, Question::Read), alone, |seen| seen.files, files.clone())
            };
            Answer::File(match is_direct {
                true => either(load().await),
                false => cell.get(load, |file| Some(file.canonical.as_absolute())).await,
            })
        }
        AnyCell::Probe(cell) => {
            let at = index - plan.looks.reads.len();
            let load = || {
                let probes = vec![plan.looks.probes[at].clone()];
                let alone = Looks { probes, ..only_limits(&plan.looks) };
                answered(asked.ask(at, Question::Probe), alone, |seen| seen.probes, files.clone())
            };
            Answer::Kind(match is_direct {
                true => either(load().await),
                false => cell.get(load, |_| None).await,
            })
        }
    }
}

/// The one batch of all that was asked for.
async fn look(plan: &Plan, asked: &Asked, files: &Arc<dyn FileSystem>) {
    let questions = asked.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut questions = questions.unwrap_or_default();
    if questions.is_empty() {
        return;
    }
    // In the order of the plan: reads first, each in its rank.
    questions.sort_by_key(|question| match question {
        Question::Read(at, _) => (0, *at),
        Question::Probe(at, _) => (1, *at),
    });
    let whole = &plan.looks;
    let mut looks = only_limits(whole);
    for question in &questions {
        match question {
            Question::Read(at, _) => looks.reads.push(whole.reads[*at].clone()),
            Question::Probe(at, _) => looks.probes.push(whole.probes[*at].clone()),
        }
    }
    let seen = files.observe(&looks).await;
    let (mut found, mut kinds) = (seen.files.into_iter(), seen.probes.into_iter());
    for question in questions {
        // Who went away meanwhile needs no answer.
        match question {
            Question::Read(_, answer) => {
                found.next().and_then(|file| answer.send(file).ok());
            }
            Question::Probe(_, answer) => {
                kinds.next().and_then(|kind| answer.send(kind).ok());
            }
        }
    }
}

/// The batch's answer; where the boundary that asked it went away, that of `alone`.
async fn answered<T>(
    answer: oneshot::Receiver<Observation<T>>,
    alone: Looks,
    of: fn(Seen) -> Vec<Observation<T>>,
    files: Arc<dyn FileSystem>,
) -> Result<Found<T>, Found<T>> {
    let found = match answer.await {
        Ok(found) => Some(found),
        Err(_) => of(files.observe(&alone).await).pop(),
    };
    match found.unwrap_or(Observation::Unavailable(UnavailableReason::IoError)) {
        // A failure is nobody's cached value, and what was left unread depends on the others.
        found @ (Observation::Unavailable(_)
        | Observation::Absent(Absence::Withheld(WithheldReason::Limit))) => Err(Arc::new(found)),
        found @ (Observation::Available(_) | Observation::Absent(_)) => Ok(Arc::new(found)),
    }
}

const fn only_limits(looks: &Looks) -> Looks {
    Looks {
        reads: Vec::new(),
        probes: Vec::new(),
        listings: Vec::new(),
        scans: Vec::new(),
        total_bytes: looks.total_bytes,
        look_ms: looks.look_ms,
    }
}

fn either<T>(found: Result<T, T>) -> T {
    let (Ok(found) | Err(found)) = found;
    found
}

/// Whether every read got its bytes, whatever the order. One that failed might have been left unread by then.
fn is_within(seen: &Seen, looks: &Looks) -> bool {
    let mut bytes = 0_u64;
    for (file, read) in seen.files.iter().zip(&looks.reads) {
        match file {
            Observation::Available(file) => bytes += file.bytes.len() as u64,
            Observation::Unavailable(_) => bytes = bytes.saturating_add(read.max_bytes),
            Observation::Absent(Absence::Withheld(WithheldReason::Limit)) => return false,
            Observation::Absent(_) => {}
        }
    }
    bytes <= looks.total_bytes
}

/// Whether nothing failed: what did is looked at again.
pub(super) fn is_certain(seen: &Seen) -> bool {
    let failed = seen.files.iter().any(|file| matches!(file, Observation::Unavailable(_)));
    !failed && !seen.probes.iter().any(|kind| matches!(kind, Observation::Unavailable(_)))
}

/// The paths of which two answers differ. A failure says nothing of the file.
pub(super) fn differing<'p>(plan: &'p Plan, cached: &Seen, now: &Seen) -> Vec<&'p AbsolutePath> {
    let reads = plan.looks.reads.iter().map(|read| &read.path);
    let files = reads.zip(cached.files.iter().zip(&now.files));
    let probes = plan.looks.probes.iter().zip(cached.probes.iter().zip(&now.probes));
    let files = files.filter(|(_, (one, other))| differ(one, other)).map(|(path, _)| path);
    let kinds = probes.filter(|(_, (one, other))| differ(one, other)).map(|(path, _)| path);
    files.chain(kinds).collect()
}

fn differ<T: PartialEq>(one: &Observation<T>, other: &Observation<T>) -> bool {
    let failed = |found: &Observation<T>| matches!(found, Observation::Unavailable(_));
    one != other && !failed(one) && !failed(other)
}

impl Asked {
    /// Asks for the answer to one look. A question that comes too late for the batch is dropped: who
    /// asks it looks alone.
    fn ask<T>(
        &self,
        at: usize,
        question: fn(usize, oneshot::Sender<Observation<T>>) -> Question,
    ) -> oneshot::Receiver<Observation<T>> {
        let (answer, answered) = oneshot::channel();
        if let Some(questions) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            questions.push(question(at, answer));
        }
        answered
    }
}
