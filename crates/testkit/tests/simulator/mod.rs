//! The simulator on a few seeds, and the proof that it sees: each planted mistake is found.

use told_testkit::simulator::{
    check, check_seed,
    plan::{Plan, Step},
    plant::Plant,
    shrink,
};

/// Seeds in which something was once wrong, each with what it was.
const REGRESSIONS: &[(u64, &str)] = &[
    (32, "a process kept its own old boundary over a later one of the log (R-BND-10)"),
    (44, "after a restart an unmarked Location was told to be a repository (R-OBS-1)"),
    (51, "a takeover without sources"),
    (552, "a race restated a held source"),
    (1060, "a blocked boundary had looked, and knew the boundary"),
    (2860, "a race left each process with a boundary of its own"),
    (15181, "a plugin left a Location that nobody held, and was told as held (R-EPO-5)"),
    (18750, "a file that a failed look held was taken for a candidate, and held others (R-OBS-11)"),
    (6660, "a file was filled that a boundary had no reason to look at twice"),
];

#[test]
fn seeds_that_once_failed_pass() {
    for (seed, what) in REGRESSIONS {
        if let Err(failure) = check_seed(*seed) {
            panic!("seed {seed} ({what}): step {}: {}", failure.step, failure.what);
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
    let steps: Vec<_> = (0..40).flat_map(|seed| Plan::of(seed).steps).collect();
    let kinds: std::collections::HashSet<_> = steps.iter().map(std::mem::discriminant).collect();
    assert_eq!(kinds.len(), 17);
    let raced = steps.iter().any(|step| matches!(step, Step::Race(asks, ..) if asks.len() == 3));
    assert!(raced);
}

/// Each mistake is one that agents in the field make; each shows within a thousand seeds.
#[test]
fn every_planted_mistake_is_found() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut missed = Vec::new();
    for plant in Plant::ALL {
        let found = (0..1_000).find_map(|seed| {
            let failure = check(&Plan::of(seed), Some(plant)).err()?;
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
