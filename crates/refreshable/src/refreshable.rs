//! The cell, its three states, and a caller's way through `get`.

use crate::{
    load::{End, Load, Running, Turn},
    sync::{Mutex, lock},
};
use std::{
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
};

/// A value that is `Empty`, `Fresh` or `Stale`. There is no other way to look at it than
/// [`get`](Self::get), and nothing but [`invalidate`](Self::invalidate) makes it load again: no time
/// to live, no peek, no modes.
///
/// What holds for all that was invalidated before a `get` began: that `get` returns nothing
/// loaded earlier. What is invalidated during a `get` may be missed by it, and not by the next.
///
/// - **R-REF-1** `get` on `Fresh` gives the value and calls no loader. On `Empty` or `Stale` it loads, and
///   only success makes it `Fresh`.
/// - **R-REF-2** A failed load leaves the state as it was. The failure is kept for nobody but those who shared
///   the load; the next `get` tries again.
/// - **R-REF-3** `invalidate` makes `Fresh` `Stale`, at once and without waiting, and does nothing else; many are one.
/// - **R-REF-4** An invalidation during a load leaves what it brings `Stale`. A `get` that begins after it lets that load
///   end and then loads anew.
/// - **R-REF-5** Loads never overlap. Callers of one moment share one load, its value or its failure. A
///   cancelled caller cancels the load of nobody else: whoever of them is polled next drives it on. The last one
///   to go drops it, and the state is as it was.
pub struct Refreshable<T, E> {
    cell: Mutex<Cell<T, E>>,
}

struct Cell<T, E> {
    state: State<T>,
    load: Option<Current<T, E>>,
    /// How many loads have begun.
    begun: u64,
}

enum State<T> {
    Empty,
    Fresh(T),
    Stale(T),
}

/// The load under way.
struct Current<T, E> {
    load: Arc<Load<T, E>>,
    /// It may have looked before the last invalidation, or all its callers went away: who comes now
    /// waits for its end, and takes nothing from it.
    outdated: bool,
}

impl<T: Clone + Send + 'static, E: Clone + Send + 'static> Refreshable<T, E> {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        let cell = Cell { state: State::Empty, load: None, begun: 0 };
        Self { cell: Mutex::new(cell) }
    }

    /// The value, loaded by `load` where it is not fresh. `load` is given the last value
    /// where there is one, so that it can ask for news only. One of the callers who share a load calls
    /// its own; what that gives belongs to all of them.
    ///
    /// A loader must not get the cell that it loads: it would wait for itself. One that panics does so
    /// in the caller that drove it; the others begin another load.
    ///
    /// # Errors
    /// The failure of the load that this caller shared.
    pub async fn get<L, F>(&self, load: L) -> Result<T, E>
    where
        L: Fn(Option<T>) -> F,
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        let mut earliest = None;
        // Bounded: a load that began before this caller came, then one whose outcome it takes. Only
        // a load that somebody's panic or departure cut off makes it go round again.
        loop {
            let seat = match self.arrive(&mut earliest) {
                Arrival::Fresh(value) => return Ok(value),
                Arrival::Waits(seat) => seat,
                Arrival::Begins(seat, last) => {
                    let hand = Hand { seat: &seat, running: None };
                    hand.put_back(Box::pin(load(last)));
                    seat
                }
            };
            match poll_fn(|context| seat.poll(context)).await {
                End::Outcome(result) if seat.counts => return result,
                End::Outcome(_) | End::Abandoned => {}
            }
        }
    }

    /// Has the next [`get`](Self::get) load again.
    pub fn invalidate(&self) {
        let mut cell = lock(&self.cell);
        let cell = &mut *cell;
        if let Some(current) = &mut cell.load {
            current.outdated = true;
        }
        cell.state = match std::mem::replace(&mut cell.state, State::Empty) {
            State::Fresh(value) => State::Stale(value),
            other @ (State::Empty | State::Stale(_)) => other,
        };
    }

    /// One look at the cell: take the value, wait for a load, or begin one.
    fn arrive(&self, earliest: &mut Option<u64>) -> Arrival<'_, T, E> {
        let mut cell = lock(&self.cell);
        if let State::Fresh(value) = &cell.state {
            return Arrival::Fresh(value.clone());
        }
        let joins = cell.load.as_ref().is_some_and(|current| !current.outdated);
        // The first load that began after this caller came, or that nothing was invalidated since.
        let earliest = *earliest.get_or_insert(cell.begun + u64::from(!joins));
        if let Some(current) = &cell.load {
            let counts = current.load.number >= earliest;
            return Arrival::Waits(Seat::take(self, &current.load, counts));
        }
        cell.begun += 1;
        let load = Load::in_hand(cell.begun);
        let last = match &cell.state {
            State::Empty => None,
            State::Fresh(value) | State::Stale(value) => Some(value.clone()),
        };
        let seat = Seat::take(self, &load, true);
        cell.load = Some(Current { load, outdated: false });
        Arrival::Begins(seat, last)
    }

    /// The load came to its end: what it brought is for the cell, then for its callers.
    fn finish(&self, load: &Load<T, E>, end: End<T, E>) {
        let before = {
            let mut cell = lock(&self.cell);
            let cell = &mut *cell;
            let current = cell.load.take();
            match (&end, current) {
                (End::Outcome(Ok(value)), Some(Current { outdated, .. })) => {
                    let value = value.clone();
                    let state = if outdated { State::Stale(value) } else { State::Fresh(value) };
                    Some(std::mem::replace(&mut cell.state, state))
                }
                _ => None,
            }
        };
        // A value's own drop runs outside of the lock.
        drop(before);
        load.end(end);
    }
}

impl<T: Clone + Send + 'static, E: Clone + Send + 'static> Default for Refreshable<T, E> {
    fn default() -> Self {
        Self::new()
    }
}

/// What a caller found.
enum Arrival<'a, T: Clone + Send + 'static, E: Clone + Send + 'static> {
    Fresh(T),
    /// A seat at a load that another caller began.
    Waits(Seat<'a, T, E>),
    /// A seat at a load that this caller begins, and the last value.
    Begins(Seat<'a, T, E>, Option<T>),
}

/// One caller's place among those who wait for a load. Dropped with the caller.
struct Seat<'a, T: Clone + Send + 'static, E: Clone + Send + 'static> {
    cell: &'a Refreshable<T, E>,
    load: Arc<Load<T, E>>,
    number: u64,
    /// The load's outcome is an answer for this caller.
    counts: bool,
}

impl<'a, T: Clone + Send + 'static, E: Clone + Send + 'static> Seat<'a, T, E> {
    fn take(cell: &'a Refreshable<T, E>, load: &Arc<Load<T, E>>, counts: bool) -> Self {
        Self { cell, load: Arc::clone(load), number: load.join(), counts }
    }

    fn poll(&self, context: &mut Context<'_>) -> Poll<End<T, E>> {
        let running = match self.load.turn(self.number, context.waker()) {
            Turn::Mine(running) => running,
            Turn::Wait => return Poll::Pending,
            Turn::Ended(end) => return Poll::Ready(end),
        };
        let mut hand = Hand { seat: self, running: None };
        match self.load.poll(hand.running.insert(running)) {
            Poll::Ready(result) => Poll::Ready(hand.end(End::Outcome(result))),
            Poll::Pending => {
                if let Some(running) = hand.running.take() {
                    hand.put_back(running);
                }
                Poll::Pending
            }
        }
    }
}

impl<T: Clone + Send + 'static, E: Clone + Send + 'static> Drop for Seat<'_, T, E> {
    fn drop(&mut self) {
        let mut cell = lock(&self.cell.cell);
        let running = self.load.leave(self.number);
        if let (Some(_), Some(current)) = (&running, &mut cell.load) {
            // Nobody takes anything from what is about to be dropped.
            current.outdated = true;
        }
        drop(cell);
        // Others were woken by whatever this caller was, and need no word of its going.
        if running.is_some() {
            drop(Hand { seat: self, running });
        }
    }
}

/// A load in the hand of one caller. Where that lets go of it without a word, as in a panic, the load is
/// dropped and abandoned.
struct Hand<'s, 'a, T: Clone + Send + 'static, E: Clone + Send + 'static> {
    seat: &'s Seat<'a, T, E>,
    running: Option<Running<T, E>>,
}

impl<T: Clone + Send + 'static, E: Clone + Send + 'static> Hand<'_, '_, T, E> {
    fn put_back(self, running: Running<T, E>) {
        self.seat.load.put_back(running);
        std::mem::forget(self);
    }

    /// The load is over. All that it held is released before anybody may begin another.
    fn end(mut self, end: End<T, E>) -> End<T, E> {
        drop(self.running.take());
        self.seat.cell.finish(&self.seat.load, end.clone());
        std::mem::forget(self);
        end
    }
}

impl<T: Clone + Send + 'static, E: Clone + Send + 'static> Drop for Hand<'_, '_, T, E> {
    fn drop(&mut self) {
        drop(self.running.take());
        self.seat.cell.finish(&self.seat.load, End::Abandoned);
    }
}
