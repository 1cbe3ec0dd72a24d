//! One batch of looks on threads that may wait: who takes which look, and what has answered by the
//! deadline (R-OBS-10, R-OBS-12).

use crate::{
    cause::Miss,
    desk::{Desk, Pace, Trust},
    list::list,
    step::{Hook, Step},
};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::Notify;
use told_domain::{
    look::{EntryKind, FileBytes, Looks, Names, Seen},
    observation::{Absence, Observation},
    path::AbsolutePath,
    reason::{UnavailableReason, WithheldReason},
};

/// What every batch of one file system shares.
pub(crate) struct Ground {
    pub(crate) trust: Trust,
    pub(crate) hook: Option<Hook>,
    /// Where a look of an earlier batch still hangs. Another look there would only hang as well,
    /// and hold one more thread.
    stuck: Mutex<HashSet<AbsolutePath>>,
}

impl Ground {
    /// A ground whose looks tell `hook`, where there is one, their steps.
    pub(crate) fn new(settled_after: Duration, hook: Option<Hook>) -> Self {
        Self { trust: Trust::new(settled_after), hook, stuck: Mutex::default() }
    }

    fn stuck(&self) -> MutexGuard<'_, HashSet<AbsolutePath>> {
        self.stuck.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answers so far, each list a prefix of its final one.
pub(crate) type Begun = Seen;

/// The place of one look in its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Read(usize),
    Probe(usize),
    Listing(usize),
}

enum Answer {
    File(Observation<FileBytes>),
    Kind(Observation<EntryKind>),
    Names(Observation<Names>),
}

/// A batch that threads work on.
pub(crate) struct Batch {
    looks: Looks,
    ground: Arc<Ground>,
    progress: Mutex<Progress>,
    /// Told once, when every look has its answer.
    pub(crate) finished: Notify,
}

struct Progress {
    files: Vec<Option<Observation<FileBytes>>>,
    probes: Vec<Option<Observation<EntryKind>>>,
    listings: Vec<Option<Observation<Names>>>,
    /// What comes next, in the order asked.
    next: Option<Place>,
    /// Taken by a thread and not answered.
    flying: Vec<Place>,
    answered: usize,
    delivered: u64,
    /// Whether what is in flight is thought to hang.
    suspected: bool,
    closed: bool,
}

impl Batch {
    /// The rest of `looks`, behind what is answered already.
    pub(crate) fn new(looks: Looks, begun: Begun, ground: Arc<Ground>) -> Self {
        fn all<T>(begun: Vec<Observation<T>>, length: usize) -> Vec<Option<Observation<T>>> {
            let mut answers: Vec<_> = begun.into_iter().map(Some).collect();
            answers.resize_with(length, || None);
            answers
        }
        let first = if begun.files.len() < looks.reads.len() {
            Place::Read(begun.files.len())
        } else if begun.probes.len() < looks.probes.len() {
            Place::Probe(begun.probes.len())
        } else {
            Place::Listing(begun.listings.len())
        };
        let progress = Progress {
            answered: begun.files.len() + begun.probes.len() + begun.listings.len(),
            delivered: begun.files.iter().map(delivered).sum(),
            files: all(begun.files, looks.reads.len()),
            probes: all(begun.probes, looks.probes.len()),
            listings: all(begun.listings, looks.listings.len()),
            next: within(first, &looks),
            flying: Vec::new(),
            suspected: false,
            closed: false,
        };
        Self { looks, ground, progress: Mutex::new(progress), finished: Notify::new() }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many looks have answered; none where all have.
    pub(crate) fn answered(&self) -> Option<usize> {
        let progress = self.progress();
        let all = self.looks.reads.len() + self.looks.probes.len() + self.looks.listings.len();
        (progress.answered < all).then_some(progress.answered)
    }

    /// Whether a look is left that no thread has taken.
    pub(crate) fn has_more(&self) -> bool {
        self.progress().next.is_some()
    }

    /// Takes looks in order and answers them until none is left or nobody waits any more.
    pub(crate) fn work(&self) {
        let ground = &*self.ground;
        let hook = ground.hook.as_ref();
        let mut desk = Desk::new(Pace::Waiting, &ground.trust, hook);
        while let Some((place, allowance)) = self.take() {
            let flight = Flight { batch: self, place };
            Step::Looking(self.path(place).as_path()).tell(hook);
            let answer = self.answer(&mut desk, place, allowance);
            flight.land(answer);
        }
    }

    fn answer(&self, desk: &mut Desk<'_>, place: Place, allowance: u64) -> Answer {
        match place {
            Place::Read(at) => {
                Answer::File(observation(desk.read(&self.looks.reads[at], allowance)))
            }
            Place::Probe(at) => Answer::Kind(observation(desk.probe(&self.looks.probes[at]))),
            Place::Listing(at) => Answer::Names(observation(list(&self.looks.listings[at]))),
        }
    }

    fn path(&self, place: Place) -> &AbsolutePath {
        match place {
            Place::Read(at) => &self.looks.reads[at].path,
            Place::Probe(at) => &self.looks.probes[at],
            Place::Listing(at) => &self.looks.listings[at].directory,
        }
    }

    /// The next look, and the bytes that earlier reads have left it. Looks where an earlier batch
    /// still hangs are passed over, and stay without an answer.
    fn take(&self) -> Option<(Place, u64)> {
        let mut progress = self.progress();
        while !progress.closed
            && let Some(place) = progress.next
        {
            progress.next = within(after(place), &self.looks);
            if self.ground.stuck().contains(self.path(place)) {
                let timeout = UnavailableReason::Timeout;
                progress.set(place, unanswered(place, timeout));
                self.tell_if_finished(&progress);
                continue;
            }
            progress.flying.push(place);
            return Some((place, self.looks.total_bytes.saturating_sub(progress.delivered)));
        }
        None
    }

    fn put(&self, place: Place, answer: Answer) {
        let mut progress = self.progress();
        progress.flying.retain(|flying| *flying != place);
        if progress.closed {
            self.ground.stuck().remove(self.path(place));
            return;
        }
        if let Answer::File(file) = &answer {
            progress.delivered += delivered(file);
        }
        progress.set(place, answer);
        self.tell_if_finished(&progress);
    }

    fn tell_if_finished(&self, progress: &Progress) {
        if progress.next.is_none() && progress.flying.is_empty() {
            self.finished.notify_one();
        }
    }

    /// Says that what is in flight hangs: until it lands, no later batch looks there.
    pub(crate) fn suspect(&self) {
        self.progress().suspected = true;
    }

    /// Ends the batch: what has answered counts, and the rest is `missing`.
    pub(crate) fn close(&self, missing: UnavailableReason) -> Seen {
        fn all<T>(
            answers: &mut Vec<Option<Observation<T>>>,
            missing: UnavailableReason,
        ) -> Vec<Observation<T>> {
            let taken = std::mem::take(answers).into_iter();
            taken.map(|answer| answer.unwrap_or(Observation::Unavailable(missing))).collect()
        }
        let mut progress = self.progress();
        progress.closed = true;
        if progress.suspected {
            let hanging = progress.flying.iter().map(|place| self.path(*place).clone());
            self.ground.stuck().extend(hanging);
        }
        let mut seen = Seen {
            files: all(&mut progress.files, missing),
            probes: all(&mut progress.probes, missing),
            listings: all(&mut progress.listings, missing),
        };
        withhold_past_total(&mut seen.files, self.looks.total_bytes);
        seen
    }
}

/// A look in flight. However its thread ends, it lands.
struct Flight<'a> {
    batch: &'a Batch,
    place: Place,
}

impl Flight<'_> {
    fn land(self, answer: Answer) {
        self.batch.put(self.place, answer);
        std::mem::forget(self);
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.batch.put(self.place, unanswered(self.place, UnavailableReason::IoError));
    }
}

impl Progress {
    fn set(&mut self, place: Place, answer: Answer) {
        match (place, answer) {
            (Place::Read(at), Answer::File(file)) => self.files[at] = Some(file),
            (Place::Probe(at), Answer::Kind(kind)) => self.probes[at] = Some(kind),
            (Place::Listing(at), Answer::Names(names)) => self.listings[at] = Some(names),
            (Place::Read(_) | Place::Probe(_) | Place::Listing(_), _) => return,
        }
        self.answered += 1;
    }
}

/// Turns a platform's answer into the port's.
pub(crate) fn observation<T>(found: Result<T, Miss>) -> Observation<T> {
    match found {
        Ok(value) => Observation::Available(value),
        Err(miss) => miss.observation(),
    }
}

/// The bytes that count against the limit in all.
pub(crate) fn delivered(file: &Observation<FileBytes>) -> u64 {
    match file {
        Observation::Available(file) => file.bytes.len() as u64,
        Observation::Absent(_) | Observation::Unavailable(_) => 0,
    }
}

fn unanswered(place: Place, reason: UnavailableReason) -> Answer {
    match place {
        Place::Read(_) => Answer::File(Observation::Unavailable(reason)),
        Place::Probe(_) => Answer::Kind(Observation::Unavailable(reason)),
        Place::Listing(_) => Answer::Names(Observation::Unavailable(reason)),
    }
}

/// A read that hung and came back late may have let later ones have its bytes: precedence decides.
fn withhold_past_total(files: &mut [Observation<FileBytes>], total_bytes: u64) {
    let mut left = total_bytes;
    for file in files {
        match left.checked_sub(delivered(file)) {
            Some(rest) => left = rest,
            None => *file = Observation::Absent(Absence::Withheld(WithheldReason::Limit)),
        }
    }
}

/// The place behind `place`, in its own list.
const fn after(place: Place) -> Place {
    match place {
        Place::Read(at) => Place::Read(at + 1),
        Place::Probe(at) => Place::Probe(at + 1),
        Place::Listing(at) => Place::Listing(at + 1),
    }
}

/// `place`, or the first of a later list where its own has ended; nothing behind the last.
const fn within(place: Place, looks: &Looks) -> Option<Place> {
    match place {
        Place::Read(at) if at < looks.reads.len() => Some(place),
        Place::Read(_) => within(Place::Probe(0), looks),
        Place::Probe(at) if at < looks.probes.len() => Some(place),
        Place::Probe(_) => within(Place::Listing(0), looks),
        Place::Listing(at) if at < looks.listings.len() => Some(place),
        Place::Listing(_) => None,
    }
}
