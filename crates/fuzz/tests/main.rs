//! The kept inputs hold, and the engine finds what is planted.

use std::time::Duration;
use told_fuzz::{
    Came, Plan, Target, Until, corpus,
    engine::{run, try_one},
    target::TARGETS,
};

/// Seeds that a target has at least: with fewer, mutation has nothing to work on.
const SEEDS_MIN: usize = 4;

/// Seeds that are accepted, at least: what is refused says little of the property.
const ACCEPTED_MIN: usize = 2;

#[test]
fn every_kept_input_holds() {
    let mut broken = Vec::new();
    for target in TARGETS {
        let inputs = corpus::read(target).unwrap();
        assert!(inputs.len() >= SEEDS_MIN, "{} has too few seeds", target.name);
        for (name, input) in &inputs {
            assert!(input.len() <= target.bytes_max, "{}/{name} is cut when it runs", target.name);
            if let Err(why) = try_one(target, input) {
                broken.push(format!("{}/{name}: {why}", target.name));
            }
        }
        let accepted = inputs
            .iter()
            .filter(|(_, input)| try_one(target, input).is_ok_and(|came| came.accepted));
        if accepted.count() < ACCEPTED_MIN {
            broken.push(format!("{}: too few seeds are accepted", target.name));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}

#[test]
fn every_directory_of_the_corpus_has_a_target() {
    for entry in std::fs::read_dir(corpus::root()).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(TARGETS.iter().any(|target| target.name == name), "{name:?}");
    }
}

/// Breaks where `<` and `>` stand in this order, and nothing else does.
fn planted(input: &[u8]) -> Came {
    let open = input.iter().position(|byte| *byte == b'<');
    let broken = open.is_some_and(|open| input[open..].contains(&b'>'));
    assert!(!broken, "planted");
    Came { accepted: open.is_some(), kind: input.len().min(4) as u64 }
}

const PLANTED: Target =
    Target { name: "planted", holds: "", words: &[], bytes_max: 64, check: planted };

#[test]
fn a_planted_fault_is_found_and_its_input_is_made_short() {
    for seed in 0..8 {
        let plan = Plan { seed, until: Until::Executions(200_000) };
        let found = run(&PLANTED, vec![b"some text < of words".to_vec()], plan, |_, _| {});
        let finding = found.finding.expect("it is found");
        assert_eq!(finding.input, b"<>", "seed {seed}");
        assert!(finding.why.contains("planted"), "{}", finding.why);
    }
}

#[test]
fn one_seed_gives_the_same_inputs_each_time() {
    let target = TARGETS.iter().find(|target| target.name == "text").unwrap();
    let inputs = |seed, until| {
        let mut inputs = Vec::new();
        let run = run(target, vec![b"a\nb".to_vec()], Plan { seed, until }, |_, input| {
            inputs.push(input.to_vec());
        });
        assert_eq!(run.finding, None);
        (inputs, run.executions, run.kinds)
    };
    let (first, executions, _) = inputs(7, Until::Executions(400));
    assert_eq!((first.len() as u64, executions), (400, 400));
    assert_eq!(inputs(7, Until::Executions(400)).0, first);
    assert_ne!(inputs(8, Until::Executions(400)).0, first);
    // Time decides how far a run comes, and nothing else.
    let (short, ..) = inputs(7, Until::Elapsed(Duration::ZERO));
    assert_eq!(short[..], first[..short.len()]);
}
