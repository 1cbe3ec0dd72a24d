//! Random lives of sessions, each step held against a naive reader of the log.

use super::*;
use crate::{
    key::SourceKey,
    reason::UnavailableReason,
    session::{Prior, Trust},
    state::Belief,
    testing::{Naive, Session, World, admission, beliefs, canonical, location},
};
use fastrand::Rng;
use std::collections::BTreeSet;

const SEEDS: u64 = 40;
const STEPS: usize = 40;
const FILES: [&str; 4] =
    ["/repo/AGENTS.md", "/repo/a/AGENTS.md", "/repo/b/AGENTS.md", "/repo/a/c/AGENTS.md"];
const SCOPES: [&str; 3] = ["/repo/a", "/repo/b", "/repo/a/c"];

struct Life {
    random: Rng,
    world: World,
    session: Session,
    position: u64,
}

impl Life {
    fn new(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let prior = if random.bool() { Prior::None } else { Prior::Unknown };
        let mut session = Session::open_as(prior, Trust::Trusted);
        if random.bool() {
            session.policy.instructions.update_text = crate::policy::UpdateText::Diff;
        }
        Self { random, world: World::repo(&[]), session, position: 0 }
    }

    fn text(&mut self) -> String {
        let mut lines = ["a line that all have"; 12];
        lines[self.random.usize(..12)] = ["one", "two", "three"][self.random.usize(..3)];
        if self.random.u8(..8) == 0 { String::new() } else { lines.join("\n") }
    }

    fn step(&mut self) {
        self.position += self.random.u64(..3);
        match self.random.u8(..40) {
            0..=13 => self.edit(),
            14..=25 => self.sync(),
            26..=28 => self.discover(),
            29..=30 => drop(self.session.compact(self.position)),
            31 => drop(self.session.rebase()),
            32..=33 => self.session.window(self.random.u64(..self.position + 3)),
            34 => self.lose(),
            35 => self.adopt(),
            36 => self
                .session
                .append(crate::record::Event::Moved { location: location("/repo", "/repo") }, &[]),
            _ => self.revert(),
        }
    }

    fn edit(&mut self) {
        let file = FILES[self.random.usize(..FILES.len())];
        match self.random.u8(..8) {
            0 => self.world.remove(file),
            1 => self.world.fail(file, UnavailableReason::IoError),
            _ => {
                let text = self.text();
                self.world.put(file, &text)
            }
        };
    }

    fn sync(&mut self) {
        let anchored = self.session.state().told.anchored;
        self.position = self.position.max(anchored.map_or(0, |anchored| anchored.0));
        let proceed = crate::command::OnUnavailable::Proceed;
        self.session.try_sync(Some(self.position), proceed, &self.world).unwrap();
        let again = self.session.try_sync(Some(self.position), proceed, &self.world).unwrap();
        assert_eq!(again, [""; 0], "what was told is not told again");
    }

    fn discover(&mut self) {
        let scope = SCOPES[self.random.usize(..SCOPES.len())];
        if !self.session.state().told.scopes.contains_key(&canonical(scope)) {
            self.session.settle(self.position, &[scope]);
        }
    }

    fn lose(&mut self) {
        let told = &self.session.state().told;
        let texts = told.epoch.iter().map(|epoch| epoch.revision.0);
        let texts: BTreeSet<_> =
            texts.chain(told.updates.iter().map(|update| update.revision.0)).collect();
        let lost: Vec<_> = texts.into_iter().filter(|_| self.random.u8(..3) == 0).collect();
        self.session.lose(&lost);
    }

    fn adopt(&mut self) {
        let (file, text) = (FILES[self.random.usize(..FILES.len())], self.text());
        let sources = vec![admission(file, &text)];
        let position = Position(self.position);
        self.session.append(Event::Adopted { position, sources }, &[&text]);
    }

    fn revert(&mut self) {
        let to = self.random.u64(..=self.position);
        self.session.revert(to);
        self.position = to;
    }

    /// The belief is what a naive reader of the log finds.
    fn check(&self, what: &str) {
        let state = self.session.state();
        let naive = beliefs(&self.session.log);
        let keys: BTreeSet<&SourceKey> = naive.keys().chain(state.told.entries.keys()).collect();
        for key in keys {
            let naive = naive.get(key).copied().unwrap_or(Naive::Nothing);
            let belief = match state.belief(key) {
                Belief::Nothing => Naive::Nothing,
                Belief::Unclear => Naive::Unclear,
                Belief::Value(admission, _) => Naive::Value(admission.value.sha256),
            };
            assert_eq!(belief, naive, "{what}: {key}");
        }
    }
}

#[test]
fn r_ses_2_beliefs_are_what_a_naive_reader_of_the_log_finds() {
    for seed in 0..SEEDS {
        let mut life = Life::new(seed);
        for step in 0..STEPS {
            life.step();
            life.check(&format!("seed {seed} step {step}"));
        }
    }
}

#[test]
fn r_ses_1_a_child_of_any_position_lives_on_like_its_parent() {
    for seed in 0..SEEDS {
        let mut life = Life::new(seed);
        (0..STEPS).for_each(|_| life.step());
        let position = life.random.u64(..=life.position);
        let child = life.session.fork(position);
        let mut life = Life { session: child, position, ..life };
        for step in 0..STEPS / 2 {
            life.check(&format!("child {seed} step {step}"));
            life.step();
        }
    }
}

#[test]
fn r_ses_2_a_child_taken_back_believes_what_its_parent_did() {
    for seed in 0..SEEDS / 8 {
        let mut life = Life::new(seed);
        (0..STEPS).for_each(|_| life.step());
        let parent = &life.session;
        for at in 0..=life.position {
            for to in 0..at {
                let mut child = parent.fork(at);
                let epoch = child.state().told.epoch.clone();
                child.revert(to);
                let expect = inherited(parent.rewound(to), &"host/one".parse().unwrap());
                if epoch.as_ref().map(|e| e.number) == expect.epoch.as_ref().map(|e| e.number) {
                    same(&child, &expect, &format!("seed {seed} at {at} to {to}"));
                } else {
                    // The child's log does not know the epochs before the one that it began in.
                    assert_eq!(child.state().told.epoch, None, "seed {seed} at {at} to {to}");
                }
            }
        }
    }
}

#[test]
fn r_epo_3_of_several_requests_a_child_taken_back_has_those_that_stand() {
    use crate::told::{EpochCause, PendingEpoch};
    let mut parent = Session::open();
    let mut world = World::repo(&[(FILES[0], "one")]);
    parent.sync_at(1, &world);
    parent.compact(5);
    parent.compact(9);
    parent.rebase();
    world.put(FILES[0], "two");
    let request = |cause, position| PendingEpoch { cause, position: Position(position) };
    for (to, pending) in [
        (9, Some(request(EpochCause::Rebased, 9))),
        (8, Some(request(EpochCause::Compacted, 5))),
        (5, Some(request(EpochCause::Compacted, 5))),
        (4, None),
    ] {
        // A child's child, too.
        let mut child = parent.fork(9).fork(9);
        child.revert(to);
        assert_eq!(child.state().told.pending, pending, "to {to}");
        if to == 9 {
            continue;
        }
        let mut late = parent.fork(9);
        late.sync_at(9, &world);
        assert_eq!(late.state().told.pending, None);
        assert_eq!(late.state().told.overtaken, []);
        late.revert(to);
        assert_eq!(late.state().told.pending, pending, "to {to}, from the next epoch");
        late.sync_at(to.max(5), &world);
        let epoch = late.state().told.epoch.as_ref().unwrap();
        let began = pending.map_or(Position(1), |pending| pending.position);
        assert_eq!(epoch.position, began, "to {to}");
    }
}

/// Whether the child stands where its parent did.
fn same(child: &Session, expect: &Told, what: &str) {
    let told = &child.state().told;
    assert_eq!(told.entries, expect.entries, "{what}");
    assert_eq!(told.updates, expect.updates, "{what}");
    assert_eq!(told.epoch, expect.epoch, "{what}");
    assert_eq!(told.scopes, expect.scopes, "{what}");
    assert_eq!(told.pending, expect.pending, "{what}");
    assert_eq!(told.overtaken, expect.overtaken, "{what}");
    assert!(told.anchored <= expect.anchored, "{what}");
    // Its log does not know where the window began before: it may be told again, never too little.
    assert!(told.window >= expect.window, "{what}");
}
