//! One load that several callers drive together: whoever is polled polls it, and its end is for all.

use crate::sync::{Mutex, lock};
use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

/// What a load is while it runs. It belongs to all its callers, so it borrows from none.
pub(crate) type Running<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

/// How a load ended.
#[derive(Clone)]
pub(crate) enum End<T, E> {
    /// With its value or its failure.
    Outcome(Result<T, E>),
    /// Nobody was left to drive it, or it panicked. Who still waits for it begins another.
    Abandoned,
}

/// One load, from the moment that somebody may wait for it.
pub(crate) struct Load<T, E> {
    /// Counts up from 1, in the order in which loads begin.
    pub(crate) number: u64,
    phase: Mutex<Phase<T, E>>,
    callers: Arc<Callers>,
}

enum Phase<T, E> {
    /// It waits to be polled.
    Idle(Running<T, E>),
    /// One caller has it in hand: begins it, polls it, or drops it. These seats asked meanwhile.
    InHand(Vec<u64>),
    Ended(End<T, E>),
}

/// What a caller finds at a load.
pub(crate) enum Turn<T, E> {
    /// The load is the caller's to poll.
    Mine(Running<T, E>),
    /// Another caller has it in hand, and wakes this one.
    Wait,
    Ended(End<T, E>),
}

impl<T: Clone, E: Clone> Load<T, E> {
    /// A load in the hand of whoever begins it.
    pub(crate) fn in_hand(number: u64) -> Arc<Self> {
        let phase = Mutex::new(Phase::InHand(Vec::new()));
        Arc::new(Self { number, phase, callers: Arc::default() })
    }

    /// Takes a seat among those who wait for its end.
    pub(crate) fn join(&self) -> u64 {
        let mut seats = lock(&self.callers.seats);
        seats.given += 1;
        let seat = seats.given;
        seats.taken.insert(seat, None);
        seat
    }

    /// Gives a seat back. Where it was the last one of a load that has not ended, the load comes with it, to
    /// be dropped.
    pub(crate) fn leave(&self, seat: u64) -> Option<Running<T, E>> {
        let mut seats = lock(&self.callers.seats);
        let waker = seats.taken.remove(&seat);
        let last = seats.taken.is_empty();
        drop(seats);
        // After the lock: what a waker's drop does is its runtime's business.
        drop(waker);
        let mut phase = lock(&self.phase);
        if !last || !matches!(*phase, Phase::Idle(_)) {
            return None;
        }
        match std::mem::replace(&mut *phase, Phase::InHand(Vec::new())) {
            Phase::Idle(running) => Some(running),
            Phase::InHand(_) | Phase::Ended(_) => None,
        }
    }

    /// What there is to do for the caller on this seat, who is woken when that changes.
    pub(crate) fn turn(&self, seat: u64, waker: &Waker) -> Turn<T, E> {
        // First the seat's bell, then the look: a wake in between is not lost.
        let before = lock(&self.callers.seats).taken.insert(seat, Some(waker.clone()));
        drop(before);
        let mut phase = lock(&self.phase);
        match &mut *phase {
            Phase::InHand(asked) => {
                asked.push(seat);
                return Turn::Wait;
            }
            Phase::Ended(end) => return Turn::Ended(end.clone()),
            Phase::Idle(_) => {}
        }
        match std::mem::replace(&mut *phase, Phase::InHand(Vec::new())) {
            Phase::Idle(running) => Turn::Mine(running),
            Phase::InHand(_) | Phase::Ended(_) => Turn::Wait,
        }
    }

    /// Puts the load back from the hand of whoever had it, and wakes who asked for it meanwhile:
    /// the one who had it may never be polled again.
    pub(crate) fn put_back(&self, running: Running<T, E>) {
        let before = std::mem::replace(&mut *lock(&self.phase), Phase::Idle(running));
        if let Phase::InHand(asked) = before {
            self.callers.call(|seat| asked.contains(&seat));
        }
    }

    /// Polls the load once. Progress wakes every caller: whichever is polled next goes on with it,
    /// so one who went away holds nobody up.
    pub(crate) fn poll(&self, running: &mut Running<T, E>) -> Poll<Result<T, E>> {
        let waker = Waker::from(Arc::clone(&self.callers));
        running.as_mut().poll(&mut Context::from_waker(&waker))
    }

    /// Ends the load for all its callers.
    pub(crate) fn end(&self, end: End<T, E>) {
        *lock(&self.phase) = Phase::Ended(end);
        self.callers.call(|_| true);
    }
}

/// Those who wait for one load.
#[derive(Default)]
struct Callers {
    seats: Mutex<Seats>,
}

#[derive(Default)]
struct Seats {
    given: u64,
    taken: BTreeMap<u64, Option<Waker>>,
}

impl Callers {
    fn call(&self, whom: impl Fn(u64) -> bool) {
        let mut seats = lock(&self.seats);
        let called = seats.taken.iter_mut().filter(|(seat, _)| whom(**seat));
        let wakers: Vec<Waker> = called.filter_map(|(_, waker)| waker.take()).collect();
        // Outside of the lock: a woken runtime may poll at once.
        drop(seats);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Wake for Callers {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.call(|_| true);
    }
}
