//! Makes a failing plan shorter.

use super::{Failure, check, plan::Plan, plant::Plant};

/// Tries at most: a plan has some sixty steps.
const TRIES_MAX: usize = 2_000;

/// The shortest plan found that still fails, by leaving out ranges of steps, long ones first. The
/// failure may be another one than the first.
#[must_use]
pub fn shrink(plan: &Plan, failure: Failure, plant: Option<Plant>) -> (Plan, Failure) {
    let mut plan = plan.clone();
    plan.steps.truncate(failure.step + 1);
    let mut failure = match check(&plan, plant) {
        Err(failure) => failure,
        // Only the end of the whole plan fails.
        Ok(_) => return (plan, failure),
    };
    let mut length = plan.steps.len().div_ceil(2);
    let mut tries = 0;
    while length > 0 {
        let mut start = 0;
        let mut shorter = false;
        while start < plan.steps.len() && tries < TRIES_MAX {
            tries += 1;
            let mut less = plan.clone();
            less.steps.drain(start..(start + length).min(plan.steps.len()));
            match check(&less, plant) {
                Err(found) => (plan, failure, shorter) = (less, found, true),
                Ok(_) => start += length,
            }
        }
        if !shorter || length > 1 {
            length /= 2;
        }
        if tries >= TRIES_MAX {
            break;
        }
    }
    (plan, failure)
}
