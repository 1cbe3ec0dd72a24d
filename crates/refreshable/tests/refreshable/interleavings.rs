//! All interleavings of up to five operations by three actors. An operation is a `get`, an `invalidate`,
//! or going away from a `get` under way. Between operations every step of the machinery is
//! free as well: a load comes to a good or a bad end, and a caller that was woken is polled.

use super::{
    explorer::{Choices, explore},
    history::{Event, History},
    loads::{Caller, Cell, Loads},
};
use std::task::Poll;

const ACTORS: usize = 3;
const OPERATIONS: usize = 5;

/// One thing that can happen next.
#[derive(Clone, Copy, Debug)]
enum Step {
    Get(usize),
    Invalidate,
    Leave(usize),
    /// A runtime polls a caller that was woken.
    Poll(usize),
    End(bool),
    /// Nothing more is begun.
    Stop,
}

struct Run<'c> {
    cell: &'c Cell,
    loads: Loads,
    callers: [Option<Caller<'c>>; ACTORS],
    history: History,
    operations: usize,
}

impl<'c> Run<'c> {
    fn new(cell: &'c Cell) -> Self {
        let callers = [const { None }; ACTORS];
        Self { cell, loads: Loads::default(), callers, history: History::default(), operations: 0 }
    }

    fn steps(&self) -> Vec<Step> {
        let mut steps = vec![Step::Stop];
        if self.operations < OPERATIONS {
            steps.push(Step::Invalidate);
            // Actors that wait for nothing are alike: the first of them is asked.
            steps.extend(self.callers.iter().position(Option::is_none).map(Step::Get));
            steps.extend(
                (0..ACTORS).filter(|actor| self.callers[*actor].is_some()).map(Step::Leave),
            );
        }
        let woken = |actor: &usize| self.callers[*actor].as_ref().is_some_and(Caller::is_woken);
        steps.extend((0..ACTORS).filter(woken).map(Step::Poll));
        if self.loads.under_way() && !self.loads.can_end() {
            steps.extend([Step::End(true), Step::End(false)]);
        }
        steps
    }

    fn take(&mut self, step: Step) {
        self.operations +=
            usize::from(matches!(step, Step::Get(_) | Step::Invalidate | Step::Leave(_)));
        match step {
            Step::Get(actor) => {
                self.callers[actor] = Some(Caller::new(self.cell, &self.loads));
                self.history.add(Event::Came(actor));
                self.poll(actor);
            }
            Step::Invalidate => {
                self.cell.invalidate();
                self.history.add(Event::Invalidated);
            }
            Step::Leave(actor) => {
                self.callers[actor] = None;
                self.tell_loads();
                self.history.add(Event::Left(actor));
            }
            Step::Poll(actor) => self.poll(actor),
            Step::End(well) => self.loads.end(well),
            Step::Stop => {}
        }
    }

    fn poll(&mut self, actor: usize) {
        let Some(caller) = &mut self.callers[actor] else { return };
        let polled = caller.poll();
        self.tell_loads();
        match polled {
            Poll::Pending => self.history.add(Event::Polled(actor)),
            Poll::Ready(result) => {
                self.callers[actor] = None;
                self.history.add(Event::Got(actor, result));
            }
        }
    }

    fn tell_loads(&mut self) {
        for load in self.loads.take_log() {
            self.history.add(Event::Load(load));
        }
    }

    /// All who wait are served by what a runtime does, and by nothing else.
    fn drain(&mut self) {
        // Three callers, each of at most two loads, each of a few polls.
        for _ in 0..8 * ACTORS {
            if self.loads.under_way() && !self.loads.can_end() {
                self.loads.end(true);
            }
            for actor in 0..ACTORS {
                if self.callers[actor].as_ref().is_some_and(Caller::is_woken) {
                    self.poll(actor);
                }
            }
        }
        let waiting = self.callers.iter().filter(|caller| caller.is_some()).count();
        assert_eq!(waiting, 0, "somebody waits for ever\n{:#?}", self.history.events());
        assert!(!self.loads.under_way(), "a load is under way for nobody");
    }
}

fn run(choices: &mut Choices) {
    let cell = Cell::new();
    let mut run = Run::new(&cell);
    loop {
        let steps = run.steps();
        let step = steps[choices.choose(steps.len())];
        if matches!(step, Step::Stop) {
            break;
        }
        run.take(step);
    }
    run.drain();
    // What is left is whole: one more get is served.
    run.take(Step::Get(0));
    run.drain();
}

#[test]
fn all_interleavings_of_five_operations_by_three_actors_keep_the_rules() {
    let runs = explore(run);
    assert!(runs > 200_000, "{runs} runs are not all");
}
