//! The looks of one batch that may have to wait: which thread takes which, and what has answered by
//! the deadline (R-OBS-10, R-OBS-12).

use crate::{
    cause::Miss,
    desk::{Desk, Pace, Trust},
    list::list,
    scan::scan,
    step::{Hook, Step},
};
use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::Notify;
use told_domain::{
    look::{Below, EntryKind, FileBytes, Looks, Names, Seen},
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

/// What has answered of a batch, each in its place.
#[derive(Default)]
pub(crate) struct Answers {
    pub(crate) files: Vec<Option<Observation<FileBytes>>>,
    pub(crate) probes: Vec<Option<Observation<EntryKind>>>,
    pub(crate) listings: Vec<Option<Observation<Names>>>,
    pub(crate) scans: Vec<Option<Observation<Below>>>,
}

/// The place of one look in its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Read(usize),
    Probe(usize),
    Listing(usize),
    Scan(usize),
}

enum Answer {
    File(Observation<FileBytes>),
    Kind(Observation<EntryKind>),
    Names(Observation<Names>),
    Below(Observation<Below>),
}

/// Looks that threads work on, as they are handed over.
pub(crate) struct Batch {
    looks: Looks,
    ground: Arc<Ground>,
    progress: Mutex<Progress>,
    /// Told once, when every look that was handed over has its answer.
    pub(crate) finished: Notify,
}

#[derive(Default)]
struct Progress {
    answers: Answers,
    /// Handed over and not taken, in the order asked, with the bytes that those before have left.
    waiting: VecDeque<(Place, u64)>,
    /// Taken by a thread and not answered.
    flying: Vec<Place>,
    handed: usize,
    answered: usize,
    delivered: u64,
    /// Threads at work, but for those that hang.
    working: usize,
    /// Whether all that is ever handed over has been.
    sealed: bool,
    /// Whether what is in flight is thought to hang.
    suspected: bool,
    closed: bool,
}

impl Answers {
    /// Room for the answers to `looks`.
    pub(crate) fn to(looks: &Looks) -> Self {
        fn none<T>(length: usize) -> Vec<Option<T>> {
            std::iter::repeat_with(|| None).take(length).collect()
        }
        Self {
            files: none(looks.reads.len()),
            probes: none(looks.probes.len()),
            listings: none(looks.listings.len()),
            scans: none(looks.scans.len()),
        }
    }

    /// All of them; who has not answered is `missing`.
    pub(crate) fn all(self, missing: UnavailableReason) -> Seen {
        fn all<T>(
            answers: Vec<Option<Observation<T>>>,
            missing: UnavailableReason,
        ) -> Vec<Observation<T>> {
            let answers = answers.into_iter();
            answers.map(|answer| answer.unwrap_or(Observation::Unavailable(missing))).collect()
        }
        Seen {
            files: all(self.files, missing),
            probes: all(self.probes, missing),
            listings: all(self.listings, missing),
            scans: all(self.scans, missing),
        }
    }

    /// These answers and, in their empty places, those of `other`.
    fn or(mut self, other: Self) -> Self {
        fn fill<T>(these: &mut [Option<T>], those: Vec<Option<T>>) {
            for (this, that) in these.iter_mut().zip(those) {
                *this = this.take().or(that);
            }
        }
        fill(&mut self.files, other.files);
        fill(&mut self.probes, other.probes);
        fill(&mut self.listings, other.listings);
        fill(&mut self.scans, other.scans);
        self
    }

    fn set(&mut self, place: Place, answer: Answer) {
        match (place, answer) {
            (Place::Read(at), Answer::File(file)) => self.files[at] = Some(file),
            (Place::Probe(at), Answer::Kind(kind)) => self.probes[at] = Some(kind),
            (Place::Listing(at), Answer::Names(names)) => self.listings[at] = Some(names),
            (Place::Scan(at), Answer::Below(below)) => self.scans[at] = Some(below),
            // A look is answered in kind.
            (Place::Read(_) | Place::Probe(_) | Place::Listing(_) | Place::Scan(_), _) => {}
        }
    }
}

impl Batch {
    /// A batch of `looks`, of which nothing is handed over yet.
    pub(crate) fn new(looks: Looks, ground: Arc<Ground>) -> Self {
        let progress = Progress { answers: Answers::to(&looks), ..Progress::default() };
        Self { looks, ground, progress: Mutex::new(progress), finished: Notify::new() }
    }

    /// Hands a look over. `allowance` is what is left of the bytes in all, but for what the looks
    /// handed over before it will take.
    pub(crate) fn hand_over(&self, place: Place, allowance: u64) {
        let mut progress = self.progress();
        progress.waiting.push_back((place, allowance));
        progress.handed += 1;
    }

    /// Says that nothing more is handed over, and whether that leaves looks that no thread is at.
    #[must_use]
    pub(crate) fn seal(&self) -> bool {
        let mut progress = self.progress();
        progress.sealed = true;
        self.tell_if_finished(&progress);
        progress.working == 0 && !progress.waiting.is_empty()
    }

    /// Says that another thread is about to work.
    pub(crate) fn enlist(&self) {
        self.progress().working += 1;
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many looks have answered; none where all have.
    pub(crate) fn answered(&self) -> Option<usize> {
        let progress = self.progress();
        (progress.answered < progress.handed).then_some(progress.answered)
    }

    /// Whether a look is left that no thread has taken.
    pub(crate) fn has_more(&self) -> bool {
        !self.progress().waiting.is_empty()
    }

    /// How long the whole batch may take, in milliseconds.
    pub(crate) const fn look_ms(&self) -> u64 {
        self.looks.look_ms
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
            Place::Scan(at) => {
                let is_wanted = || !self.progress().closed;
                Answer::Below(observation(scan(&self.looks.scans[at], is_wanted)))
            }
        }
    }

    fn path(&self, place: Place) -> &AbsolutePath {
        match place {
            Place::Read(at) => &self.looks.reads[at].path,
            Place::Probe(at) => &self.looks.probes[at],
            Place::Listing(at) => &self.looks.listings[at].directory,
            Place::Scan(at) => &self.looks.scans[at].directory,
        }
    }

    /// The next look, and the bytes that earlier reads have left it. Looks where an earlier batch
    /// still hangs are passed over: they time out. Nothing means that this thread's work is done.
    fn take(&self) -> Option<(Place, u64)> {
        let mut progress = self.progress();
        while !progress.closed
            && let Some((place, allowance)) = progress.waiting.pop_front()
        {
            if self.ground.stuck().contains(self.path(place)) {
                let timeout = UnavailableReason::Timeout;
                progress.answer(place, unanswered(place, timeout));
                self.tell_if_finished(&progress);
                continue;
            }
            progress.flying.push(place);
            return Some((place, allowance.saturating_sub(progress.delivered)));
        }
        progress.working = progress.working.saturating_sub(1);
        None
    }

    fn put(&self, place: Place, answer: Answer) {
        let mut progress = self.progress();
        progress.flying.retain(|flying| *flying != place);
        if progress.closed {
            self.ground.stuck().remove(self.path(place));
            return;
        }
        progress.answer(place, answer);
        self.tell_if_finished(&progress);
    }

    fn tell_if_finished(&self, progress: &Progress) {
        if progress.sealed && progress.answered == progress.handed {
            self.finished.notify_one();
        }
    }

    /// Says that what is in flight hangs: until it lands, no later batch looks there.
    pub(crate) fn suspect(&self) {
        self.progress().suspected = true;
    }

    /// Ends the batch: what has answered counts, here and in `others`, and the rest is `missing`.
    pub(crate) fn close(&self, others: Answers, missing: UnavailableReason) -> Seen {
        let mut progress = self.progress();
        progress.closed = true;
        if progress.suspected {
            let hanging = progress.flying.iter().map(|place| self.path(*place).clone());
            self.ground.stuck().extend(hanging);
        }
        let answers = others.or(std::mem::take(&mut progress.answers));
        let mut seen = answers.all(missing);
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
        // Its thread ends here as well.
        let mut progress = self.batch.progress();
        progress.working = progress.working.saturating_sub(1);
        drop(progress);
        self.batch.put(self.place, unanswered(self.place, UnavailableReason::IoError));
    }
}

impl Progress {
    fn answer(&mut self, place: Place, answer: Answer) {
        if let Answer::File(file) = &answer {
            self.delivered += delivered(file);
        }
        self.answers.set(place, answer);
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
        Place::Scan(_) => Answer::Below(Observation::Unavailable(reason)),
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
