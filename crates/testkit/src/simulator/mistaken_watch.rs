//! Watchers made wrong on purpose: each believes something of its system that is not so.

use super::{
    disk::{Entry, Look, Notes},
    lookout::Post,
    plant::Plant,
    ports::locked,
};
use crate::fake::file_system::{FakeFileSystem, Trace};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};
use told_domain::{
    look::{FileBytes, Looks, Seen},
    observation::Observation,
    path::AbsolutePath,
};
use told_ports::{Coverage, Drained, Uncovered, Watched};

/// What a mistaken subscription keeps to itself.
#[derive(Default)]
pub(super) struct Mistaken {
    late: Mutex<BTreeSet<Watched>>,
    loss_is_due: Mutex<bool>,
}

impl Mistaken {
    /// What it makes of the system's answer.
    pub(super) fn drained(&self, plant: Option<Plant>, drained: Drained) -> Drained {
        let Drained::Lost(reason) = drained else { return drained };
        match plant {
            Some(Plant::LossIgnored | Plant::DirectIsTrusted) => Drained::Unchanged,
            Some(Plant::RenameAboveUnseen) if reason == Uncovered::Replaced => Drained::Unchanged,
            Some(Plant::LossIsLate)
                if !std::mem::replace(&mut *locked(&self.loss_is_due), true) =>
            {
                Drained::Unchanged
            }
            _ => Drained::Lost(reason),
        }
    }

    /// What it tells of what it heard.
    pub(super) fn told(&self, plant: Option<Plant>, notes: &Notes, heard: &mut BTreeSet<Watched>) {
        match plant {
            Some(Plant::EventDropped) => heard.clear(),
            Some(Plant::EventIsLate) => std::mem::swap(heard, &mut *locked(&self.late)),
            Some(Plant::LinkTargetUnwatched) => {
                heard.retain(|watched| !is_link(notes, watched));
            }
            _ => {}
        }
    }
}

/// What it watches of what it was asked to.
pub(super) fn kept(plant: Option<Plant>, notes: &Notes, watched: &[Watched]) -> Vec<Watched> {
    let is_kept = |watched: &&Watched| match plant {
        Some(Plant::AbsentUnwatched) => notes.look(watched.path().as_str()) != Look::Nothing,
        Some(Plant::HardLinkUnwatched) => !notes.has_other_names(watched.path().as_str()),
        _ => true,
    };
    watched.iter().filter(is_kept).cloned().collect()
}

/// What it says of its coverage.
pub(super) const fn coverage(plant: Option<Plant>, coverage: Coverage) -> Coverage {
    match plant {
        Some(Plant::LossIgnored | Plant::DirectIsTrusted) => Coverage::Covered,
        _ => coverage,
    }
}

/// Keeps a subscription for ever.
pub(super) fn leaks(plant: Option<Plant>, post: &Arc<Post>) {
    if plant == Some(Plant::SubscriptionLeaks) {
        std::mem::forget(post.clone());
    }
}

/// Answers of files that count for longer than they may.
#[derive(Default)]
pub(super) struct Trusting {
    known: Mutex<BTreeMap<AbsolutePath, (Trace, Observation<FileBytes>)>>,
    /// Those of the last subscription, each to be answered once more; and which one this is.
    old: Mutex<(BTreeSet<AbsolutePath>, u64)>,
}

impl Trusting {
    pub(super) fn forget(&self) {
        locked(&self.known).clear();
    }

    /// Answers from what it knows where it should look.
    pub(super) fn look(
        &self,
        plant: Option<Plant>,
        files: &FakeFileSystem,
        subscriptions: u64,
        looks: &Looks,
        seen: &mut Seen,
    ) {
        let (mut known, mut old) = (locked(&self.known), locked(&self.old));
        if subscriptions > old.1 {
            old.1 = subscriptions;
            old.0 = match subscriptions {
                1 => BTreeSet::new(),
                _ => known.keys().cloned().collect(),
            };
        }
        for (file, read) in seen.files.iter_mut().zip(&looks.reads) {
            let trace = files.trace(read.path.as_path());
            let last = known.get(&read.path);
            let trusted = match plant {
                Some(Plant::CacheOutlivesSubscription) => old.0.remove(&read.path),
                Some(Plant::VerifyingLookIsCached) => {
                    let readable = matches!(file, Observation::Available(_));
                    readable && last.is_some_and(|(before, _)| *before == trace)
                }
                _ => return,
            };
            match last.filter(|_| trusted) {
                Some((_, remembered)) => *file = remembered.clone(),
                None => {
                    known.insert(read.path.clone(), (trace, file.clone()));
                }
            }
        }
    }
}

fn is_link(notes: &Notes, watched: &Watched) -> bool {
    matches!(notes.entries.get(watched.path().as_str()), Some(Entry::Link(_)))
}
