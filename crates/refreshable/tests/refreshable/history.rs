//! The judge. It is told what happened, one event after the other, and knows the rules as the rules are
//! written; of states, locks and wakers it knows nothing.

use super::loads::Load;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// An actor began a `get`.
    Came(usize),
    /// It was polled, and takes part in the load that was under way then.
    Polled(usize),
    /// Its `get` gave this.
    Got(usize, Result<u32, u32>),
    /// It went away before that.
    Left(usize),
    Invalidated,
    Load(Load),
}

/// One history that must keep the rules.
#[derive(Clone, Default)]
pub(crate) struct History(Vec<Event>);

impl History {
    /// Adds what happened, and judges it by all that happened before.
    pub(crate) fn add(&mut self, event: Event) {
        self.0.push(event);
        if let Err(why) = self.judge(event) {
            panic!("{why}\n{:#?}", self.0);
        }
    }

    pub(crate) fn events(&self) -> &[Event] {
        &self.0
    }

    fn judge(&self, event: Event) -> Result<(), String> {
        let now = self.0.len() - 1;
        match event {
            Event::Load(Load::Began(number, last)) => self.may_begin(now, number, last),
            Event::Load(Load::Dropped(number)) => self.may_drop(now, number),
            Event::Got(actor, result) => self.may_get(now, actor, result),
            Event::Came(_) | Event::Polled(_) | Event::Left(_) | Event::Invalidated => Ok(()),
            Event::Load(Load::Ended(..)) => Ok(()),
        }
    }

    /// When an event happened last before `now`.
    fn last(&self, now: usize, what: impl Fn(Event) -> bool) -> Option<usize> {
        self.0[..now].iter().rposition(|event| what(*event))
    }

    fn began(&self, number: u32) -> Option<usize> {
        self.last(self.0.len(), |e| matches!(e, Event::Load(Load::Began(n, _)) if n == number))
    }

    /// The value loaded last before `now`, if it stands for all that was invalidated (R-REF-1).
    fn fresh(&self, now: usize) -> Option<u32> {
        let value = self.value(now)?;
        let invalidated = self.last(now, |event| event == Event::Invalidated);
        (self.began(value) > invalidated).then_some(value)
    }

    fn value(&self, now: usize) -> Option<u32> {
        let ended = self.last(now, |e| matches!(e, Event::Load(Load::Ended(_, true))))?;
        match self.0[ended] {
            Event::Load(Load::Ended(number, true)) => Some(number),
            _ => None,
        }
    }

    /// The load under way at `now`.
    fn under_way(&self, now: usize) -> Option<u32> {
        let began = self.last(now, |e| matches!(e, Event::Load(Load::Began(..))))?;
        let Event::Load(Load::Began(number, _)) = self.0[began] else { return None };
        let over = |e: &Event| matches!(e, Event::Load(Load::Ended(n, _) | Load::Dropped(n)) if *n == number);
        (!self.0[began..now].iter().any(over)).then_some(number)
    }

    /// Whoever came and has neither got nor left.
    fn waiting(&self, now: usize) -> Vec<(usize, usize)> {
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        for (at, event) in self.0[..now].iter().enumerate() {
            match *event {
                Event::Came(actor) => waiting.push((actor, at)),
                Event::Got(actor, _) | Event::Left(actor) => waiting.retain(|w| w.0 != actor),
                Event::Polled(_) | Event::Invalidated | Event::Load(_) => {}
            }
        }
        waiting
    }

    /// R-REF-1, R-REF-5: a load begins for somebody, where nothing fresh is, after the one before; and
    /// it is given the last value.
    fn may_begin(&self, now: usize, number: u32, last: Option<u32>) -> Result<(), String> {
        if let Some(other) = self.under_way(now) {
            return Err(format!("load {number} begins during load {other}"));
        }
        if let Some(value) = self.fresh(now) {
            return Err(format!("load {number} begins, and {value} is fresh"));
        }
        if self.waiting(now).is_empty() {
            return Err(format!("load {number} begins for nobody"));
        }
        if last != self.value(now) {
            return Err(format!("load {number} was given {last:?}"));
        }
        Ok(())
    }

    /// R-REF-5: a load is dropped only when all who shared it have left.
    fn may_drop(&self, now: usize, number: u32) -> Result<(), String> {
        let began = self.began(number).ok_or("it never began")?;
        // Who left in this moment is told after what that did.
        let sharers = self.waiting(now).into_iter().filter(|(actor, came)| {
            let polled = self.last(now, |event| event == Event::Polled(*actor));
            polled > Some(began) && self.shares(*came, began)
        });
        match sharers.count() {
            0 | 1 => Ok(()),
            sharers => Err(format!("load {number} is dropped before {sharers} who share it")),
        }
    }

    /// Whether who came at `came` shares the load that began at `began`: nothing was invalidated between.
    fn shares(&self, came: usize, began: usize) -> bool {
        came < began || self.last(came, |event| event == Event::Invalidated) < Some(began)
    }

    /// R-REF-1, R-REF-2, R-REF-4, R-REF-5: what a caller gets was fresh when it came or became so since; or
    /// it is the outcome of a load that it shared.
    fn may_get(&self, now: usize, actor: usize, result: Result<u32, u32>) -> Result<(), String> {
        let came = self.last(now, |event| event == Event::Came(actor)).ok_or("it never came")?;
        let (Ok(number) | Err(number)) = result;
        let began = self.began(number).ok_or("no such load")?;
        let end = Event::Load(Load::Ended(number, result.is_ok()));
        let ended = self.last(now, |e| e == end).ok_or("the load did not end so")?;
        if !self.shares(came, began) {
            return Err(format!("actor {actor} got {number}, loaded before an invalidation"));
        }
        if result.is_err() && ended < came {
            return Err(format!("actor {actor} got a failure that was over when it came"));
        }
        if let Some(fresh) = self.fresh(came)
            && result != Ok(fresh)
        {
            return Err(format!("actor {actor} got {result:?} where {fresh} was fresh"));
        }
        // One who came while a load was under way that it may share gets that one's outcome.
        if let Some(shared) = self.under_way(came)
            && self.began(shared).is_some_and(|began| self.shares(came, began))
            && !self.0.contains(&Event::Load(Load::Dropped(shared)))
            && number != shared
        {
            return Err(format!("actor {actor} came during load {shared} and got {number}"));
        }
        Ok(())
    }
}

#[test]
fn the_judge_finds_each_kind_of_fault() {
    use Event::{Came, Got, Invalidated, Left, Load as L, Polled};
    use Load::{Began, Dropped, Ended};
    let faults: [&[Event]; 9] = [
        // Two loads at once; a load where a value is fresh; a load for nobody.
        &[Came(0), L(Began(1, None)), L(Began(2, None))],
        &[Came(0), L(Began(1, None)), L(Ended(1, true)), Came(1), L(Began(2, Some(1)))],
        &[L(Began(1, None))],
        // The last value forgotten.
        &[Came(0), L(Began(1, None)), L(Ended(1, true)), Invalidated, L(Began(2, None))],
        // A value from before an invalidation; a failure that was kept.
        &[Came(0), L(Began(1, None)), Invalidated, Came(1), L(Ended(1, true)), Got(1, Ok(1))],
        &[Came(0), L(Began(1, None)), L(Ended(1, false)), Got(0, Err(1)), Came(1), Got(1, Err(1))],
        // A load dropped under its callers; a caller that got something of its own.
        &[Came(0), L(Began(1, None)), Polled(0), Came(1), Polled(1), L(Dropped(1))],
        &[
            Came(0),
            L(Began(1, None)),
            Came(1),
            L(Ended(1, false)),
            L(Began(2, None)),
            L(Ended(2, true)),
            Got(1, Ok(2)),
        ],
        // A value that nobody loaded.
        &[Came(0), L(Began(1, None)), Left(1), Got(0, Ok(3))],
    ];
    for fault in faults {
        let mut history = History(fault.to_vec());
        let last = history.0.pop().unwrap();
        history.0.push(last);
        assert!(history.judge(last).is_err(), "{fault:#?}");
    }
}
