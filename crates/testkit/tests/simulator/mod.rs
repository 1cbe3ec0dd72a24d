//! The simulator on a few seeds, and the proof that it sees: each planted mistake is found.

use std::collections::HashSet;
use told_testkit::simulator::{
    check, check_seed,
    plan::{Plan, SESSIONS, Step},
    plant::Plant,
    shrink,
};

/// Seeds in which something was once wrong, each with what it was: with watchers, and as they were before
/// there were any.
const REGRESSIONS: &[(u64, &str)] = &[
    (49, "after a revert a process held to its boundary from before a later look (R-BND-10)"),
    (53, "a move to where a session works already fenced what its process had begun (R-SES-3)"),
    (244, "a boundary before the window's start did not see what was told before it (R-SES-7)"),
    (504, "a revert to before the window's start left the window where it was (R-SES-2)"),
    (691, "a declaration about one epoch's texts gave back the lost ones of another (R-SES-9)"),
    (8525, "a path below a link that leads to itself was taken for an absent one"),
    (25959, "a removal stood where a text that is gone had told its source (R-BND-3)"),
    (35043, "a held file was told again for its line endings alone (R-OBS-5)"),
    (47792, "a settlement was held against one boundary of two that may have been known"),
    (11187, "two forks that are one record differed in who had made it"),
    (
        2397,
        "a path that cannot be looked at was said to have changed, and what it leads to counted",
    ),
    (8444, "a root was said to be covered while nothing was subscribed to (R-WAT-2)"),
    (
        24856,
        "a failure beside cached files was held, that a look in order leaves unread (R-OBS-12)",
    ),
];

/// Seeds at which a mistake is known to show, of those that take some time: they are tried first.
const KNOWN: &[(Plant, u64)] = &[
    (Plant::FrozenDate, 11),
    (Plant::TextBeforeCommit, 15),
    (Plant::ForkForgetsDiscoveries, 98),
    (Plant::RevertKeepsDiscoveries, 172),
    (Plant::OpenForgetsPosition, 22),
    (Plant::MoveKeepsDiscoveries, 49),
    (Plant::MoveDoesNotFence, 15),
    (Plant::DiffNeedsNoBase, 265),
    (Plant::AdoptedIsTold, 34),
    (Plant::AdoptionForgotten, 27),
    (Plant::UnknownIsTriedAgain, 71),
    (Plant::CrashIsRedone, 11),
    (Plant::ChangingFileIsAbsent, 24),
    (Plant::NothingIsRequired, 10),
    (Plant::NoLimitInAll, 10),
    (Plant::HardLinkUnwatched, 34),
    (Plant::DroppedDrainForgets, 84),
    (Plant::LoadForgetsEvents, 108),
    (Plant::MismatchUnreported, 363),
    (Plant::MutatedForgetsLinks, 33),
];

#[test]
fn seeds_that_once_failed_pass() {
    for (seed, what) in REGRESSIONS {
        for came in [check_seed(*seed), check(&Plan::unwatched(*seed), None)] {
            if let Err(failure) = came {
                panic!("seed {seed} ({what}): step {}: {}", failure.step, failure.what);
            }
        }
    }
}

#[test]
fn one_seed_is_one_run() {
    for seed in 0..20 {
        let plan = Plan::of(seed);
        assert_eq!(check(&plan, None), check(&plan, None), "seed {seed}");
    }
}

#[test]
fn every_kind_of_step_happens() {
    let steps: Vec<_> = (0..60).flat_map(|seed| Plan::of(seed).steps).collect();
    let kinds: HashSet<_> = steps.iter().map(std::mem::discriminant).collect();
    assert_eq!(kinds.len(), 15);
    let calls = steps.iter().filter_map(|step| match step {
        Step::Do(call, mishap) => Some((call, mishap)),
        _ => None,
    });
    let asked: HashSet<_> =
        calls.clone().map(|(call, _)| std::mem::discriminant(&call.what)).collect();
    assert_eq!(asked.len(), 14);
    let befell: HashSet<_> =
        calls.clone().map(|(_, mishap)| std::mem::discriminant(mishap)).collect();
    assert_eq!(befell.len(), 4);
    let sessions: HashSet<_> = calls.map(|(call, _)| call.session).collect();
    assert_eq!(sessions.len(), SESSIONS.len());
    let raced = steps.iter().any(|step| matches!(step, Step::Race(calls, ..) if calls.len() == 3));
    assert!(raced);
}

/// Each mistake is one that agents in the field make; each shows within a thousand seeds.
#[test]
fn every_planted_mistake_is_found() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut missed = Vec::new();
    for plant in Plant::ALL {
        let known = KNOWN.iter().filter(|(known, _)| *known == plant).map(|(_, seed)| *seed);
        let known = known.flat_map(|seed| [(seed, Plan::unwatched(seed)), (seed, Plan::of(seed))]);
        let mut plans = known.chain((0..1_000).map(|seed| (seed, Plan::of(seed))));
        let found = plans.find_map(|(seed, plan)| {
            let failure = check(&plan, Some(plant)).err()?;
            Some((seed, failure))
        });
        match found {
            Some((seed, failure)) => {
                let what: String = failure.what.chars().take(100).collect();
                println!("{plant:?}: seed {seed}, step {}: {what}", failure.step);
            }
            None => missed.push(plant),
        }
    }
    let _ = std::panic::take_hook();
    assert!(missed.is_empty(), "not found: {missed:?}");
}

#[test]
fn a_failing_plan_becomes_shorter() {
    let plant = Some(Plant::AdmittedAlways);
    let plan = Plan::of(1);
    let failure = check(&plan, plant).unwrap_err();
    let (shorter, failure) = shrink(&plan, failure, plant);
    assert!(shorter.steps.len() < 6, "{shorter}");
    assert!(failure.what.contains("admitted"), "{}", failure.what);
}
