//! Makes a failing plan shorter, and what is left of it simpler.

use super::{
    Failure, check,
    plan::{Ask, Call, Mishap, Plan, Setup, Step, Watch, What},
    plant::Plant,
};

/// Tries at most: a plan has some sixty steps, and each some ways to be simpler.
const TRIES_MAX: usize = 4_000;

/// The shortest plan found that still fails: without ranges of steps, long ones first, and then with
/// simpler steps and a simpler setup, as long as that helps. The failure may be another one than the
/// first.
#[must_use]
pub fn shrink(plan: &Plan, failure: Failure, plant: Option<Plant>) -> (Plan, Failure) {
    let mut shorter = Shorter { plan: plan.clone(), failure, plant, tries: 0 };
    let mut cut = plan.clone();
    cut.steps.truncate(shorter.failure.step + 1);
    // Otherwise only the end of the whole plan fails.
    shorter.fails(cut);
    loop {
        let before = shorter.plan.clone();
        shorter.drop_steps();
        shorter.simplify_steps();
        shorter.simplify_setup();
        if shorter.plan == before || shorter.tries >= TRIES_MAX {
            return (shorter.plan, shorter.failure);
        }
    }
}

struct Shorter {
    plan: Plan,
    failure: Failure,
    plant: Option<Plant>,
    tries: usize,
}

impl Shorter {
    /// Takes a plan where it fails too.
    fn fails(&mut self, plan: Plan) -> bool {
        if self.tries >= TRIES_MAX || plan == self.plan {
            return false;
        }
        self.tries += 1;
        match check(&plan, self.plant) {
            Err(failure) => (self.plan, self.failure) = (plan, failure),
            Ok(_) => return false,
        }
        true
    }

    fn drop_steps(&mut self) {
        let mut length = self.plan.steps.len().div_ceil(2);
        while length > 0 {
            let mut start = 0;
            let mut shorter = false;
            while start < self.plan.steps.len() && self.tries < TRIES_MAX {
                let mut less = self.plan.clone();
                less.steps.drain(start..(start + length).min(less.steps.len()));
                if self.fails(less) {
                    shorter = true;
                } else {
                    start += length;
                }
            }
            if !shorter || length > 1 {
                length /= 2;
            }
            if self.tries >= TRIES_MAX {
                return;
            }
        }
    }

    fn simplify_steps(&mut self) {
        let mut at = 0;
        while let Some(step) = self.plan.steps.get(at) {
            let simpler = simpler_steps(step).into_iter().any(|step| {
                let mut plan = self.plan.clone();
                plan.steps[at] = step;
                self.fails(plan)
            });
            if !simpler {
                at += 1;
            }
        }
    }

    fn simplify_setup(&mut self) {
        for simpler in SIMPLER_SETUPS {
            let mut plan = self.plan.clone();
            simpler(&mut plan.setup);
            self.fails(plan);
        }
    }
}

/// What a setup can do without.
const SIMPLER_SETUPS: [fn(&mut Setup); 15] = [
    |setup| setup.names = vec![vec!["AGENTS.md"]],
    |setup| setup.nearest_first = false,
    |setup| setup.update_text = 0,
    |setup| setup.global = false,
    |setup| setup.links_anywhere = false,
    |setup| setup.date = false,
    |setup| setup.environment = false,
    |setup| (setup.unknown_prior, setup.untrusted) = (false, false),
    |setup| (setup.marked, setup.nested) = (true, false),
    |setup| setup.nested_own = true,
    |setup| (setup.max_bytes, setup.total_bytes) = (None, None),
    |setup| setup.required_plugin = false,
    |setup| setup.marks = false,
    |setup| setup.watch = None,
    |setup| setup.watch = setup.watch.map(|_| Watch::default()),
];

/// Simpler steps in the place of one. Each is simpler in one thing, so that the way down ends.
fn simpler_steps(step: &Step) -> Vec<Step> {
    match step {
        Step::Do(call, mishap) => {
            let mut steps: Vec<_> =
                simpler_calls(call).into_iter().map(|call| Step::Do(call, *mishap)).collect();
            if *mishap != Mishap::None {
                steps.insert(0, Step::Do(call.clone(), Mishap::None));
            }
            steps
        }
        Step::Refilled(call, ..) => vec![Step::Do(call.clone(), Mishap::None)],
        Step::Vigil(call, count) => {
            let mut steps = vec![Step::Do(call.clone(), Mishap::None)];
            if *count > 1 {
                steps.push(Step::Vigil(call.clone(), count - 1));
            }
            steps
        }
        Step::Race(calls, edits, order, dropped) => {
            let mut steps: Vec<_> =
                calls.iter().map(|call| Step::Do(call.clone(), Mishap::None)).collect();
            steps.extend(
                (0..calls.len()).filter(|_| calls.len() > 2).map(|index| {
                    Step::Race(without(calls, index), edits.clone(), *order, *dropped)
                }),
            );
            let fewer = (0..edits.len())
                .map(|index| Step::Race(calls.clone(), without(edits, index), *order, *dropped));
            steps.extend(fewer);
            if dropped.is_some() {
                steps.push(Step::Race(calls.clone(), edits.clone(), *order, None));
            }
            for (index, call) in calls.iter().enumerate() {
                steps.extend(simpler_calls(call).into_iter().map(|simpler| {
                    let mut calls = calls.clone();
                    calls[index] = simpler;
                    Step::Race(calls, edits.clone(), *order, *dropped)
                }));
            }
            steps
        }
        _ => Vec::new(),
    }
}

fn simpler_calls(call: &Call) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut what = |what: What| calls.push(Call { what, ..call.clone() });
    match &call.what {
        What::Sync(ask) if *ask != Ask::default() => what(What::Sync(Ask::default())),
        What::Preview(ask) => what(What::Sync(ask.clone())),
        What::Settle(settling) if settling.paths.len() > 1 => {
            for index in 0..settling.paths.len() {
                let paths = without(&settling.paths, index);
                what(What::Settle(super::plan::Settling { paths, ..settling.clone() }));
            }
        }
        What::Adopt(sources, back) if sources.len() > 1 => {
            (0..sources.len()).for_each(|index| what(What::Adopt(without(sources, index), *back)));
        }
        What::Holds(bits) if *bits != 0 => {
            // Only the first of a few texts count.
            what(What::Holds(0));
            what(What::Holds(bits & 0xF & (bits - 1)));
            what(What::Holds(bits & 0xF));
        }
        What::Revert(back) if *back > 0 => what(What::Revert(back / 2)),
        What::Window(back) if *back > 0 => what(What::Window(back / 2)),
        _ => {}
    }
    if call.messages > 0 {
        calls.push(Call { messages: call.messages - 1, ..call.clone() });
    }
    if call.process > 0 {
        calls.push(Call { process: 0, ..call.clone() });
    }
    calls
}

fn without<T: Clone>(items: &[T], index: usize) -> Vec<T> {
    let mut left = items.to_vec();
    left.remove(index);
    left
}
