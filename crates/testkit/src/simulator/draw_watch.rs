//! Draws what has to do with watching, apart from all else: what a seed means without it stays what it was.

use super::{
    draw::Draw,
    plan::{
        AWAY, Ask, Call, DISTRUSTED, EXCHANGED, Edit, Humour, LOCATIONS, MOUNTED, Mishap,
        OTHER_NAMES, Plan, SESSIONS, Step, Watch, What,
    },
};
use told_ports::Uncovered;

/// Makes another stream of numbers of a seed.
const APART: u64 = 0x005E_ED0F_3A7C;

impl Plan {
    /// Adds to three plans of four watchers, what befalls them, and changes that they do not hear of.
    pub(super) fn watched(&mut self, seed: u64) {
        let candidates = self.setup.candidates();
        let mut draw = Draw {
            random: fastrand::Rng::with_seed(seed ^ APART),
            focus: candidates[0].clone(),
            candidates,
            about: u64::MAX,
            sessions: 1,
            long_texts: false,
        };
        if draw.one_in(4) {
            return;
        }
        let some = draw.candidates.len().div_ceil(3);
        draw.focus = draw.candidates[draw.random.usize(..some)].clone();
        draw.sessions = [1, 2, SESSIONS.len()][draw.random.usize(..3)];
        self.setup.watch = Some(draw.watch());
        for step in &mut self.steps {
            if let Step::Race(_, edits, _, dropped) = step {
                edits.extend((0..draw.random.usize(..3)).map(|_| draw.silent()));
                *dropped = draw.one_in(4).then(|| draw.random.usize(..30));
            }
        }
        for _ in 0..draw.random.usize(6..24) {
            let at = draw.random.usize(..=self.steps.len());
            let step = draw.watching();
            self.steps.insert(at, step);
        }
        for _ in 0..draw.random.usize(..3) {
            let at = draw.random.usize(..=self.steps.len());
            let chain = draw.chain_of_watching();
            self.steps.splice(at..at, chain);
        }
    }
}

impl Draw {
    fn watch(&mut self) -> Watch {
        Watch {
            limit: self.one_in(8).then(|| self.random.usize(1..40)),
            distrusted: self.one_in(6).then(|| self.of(&DISTRUSTED)),
            slow: self.one_in(3),
        }
    }

    /// A change that watching has to make up for, or an ordinary one of the same files.
    fn silent(&mut self) -> Edit {
        let path = if self.one_in(4) { self.target() } else { self.candidate() };
        match self.random.u8(..24) {
            0..=4 => Edit::Mapped(path, self.of(b"vwx")),
            5 | 6 => Edit::Unmapped,
            7..=9 => {
                let location = if self.one_in(2) { 0 } else { self.location() };
                Edit::Own(self.process(), location, path, self.of(b"vwx"))
            }
            10 => Edit::HardLink(path, self.of(&OTHER_NAMES).to_owned()),
            11 => Edit::HardLink(path, self.candidate()),
            12 | 13 => Edit::Write(self.of(&OTHER_NAMES).to_owned(), self.content()),
            14 => Edit::Remove(self.of(&OTHER_NAMES).to_owned()),
            15 | 16 => {
                let (one, other) = self.of(&EXCHANGED);
                Edit::Exchange(one, other)
            }
            17 => Edit::Away(self.of(&AWAY), self.random.bool()),
            18 => Edit::Mount(self.of(&MOUNTED), self.random.bool()),
            19 | 20 => Edit::Link(path, self.target()),
            21 | 22 => Edit::Write(self.target(), self.content()),
            _ => Edit::Remove(path),
        }
    }

    fn humour(&mut self) -> Humour {
        let reasons = [
            Uncovered::Platform,
            Uncovered::Unproven,
            Uncovered::Limit,
            Uncovered::Protected,
            Uncovered::Timeout,
        ];
        match self.random.u8(..12) {
            0 => Humour::Overflow,
            1 | 2 => Humour::OverflowAt(self.random.u64(1..5)),
            3 => Humour::DieAt(self.random.u64(1..5)),
            4 | 5 => Humour::RepeatAt(self.random.u64(1..5)),
            6 | 7 => Humour::Revive,
            8 => Humour::Limit((!self.one_in(3)).then(|| self.random.usize(1..40))),
            9 | 10 => Humour::Refuse(self.of(&reasons), self.random.usize(1..4)),
            _ => Humour::Slow(self.random.bool()),
        }
    }

    /// All is covered, and then something happens that one call must not miss.
    fn chain_of_watching(&mut self) -> Vec<Step> {
        let (process, path) = (self.process(), self.candidate());
        let sync = |draw: &mut Self, mishap| {
            let ask = Ask { positioned: false, back: 0, ..draw.ask() };
            let call = draw.call(What::Sync(ask));
            Step::Do(Call { process, session: 0, ..call }, mishap)
        };
        let ask = self.ask();
        let vigil = Call { process, session: 0, ..self.call(What::Sync(ask)) };
        let mut steps = vec![Step::Vigil(vigil, 3)];
        if self.one_in(3) {
            steps.push(Step::Watcher(process, Humour::Slow(true)));
            steps.push(Step::Edit(Edit::Write(path, self.content())));
            let polls = self.random.usize(..20);
            steps.push(sync(self, Mishap::Dropped(polls)));
        } else {
            let target = self.target();
            let changed = if self.random.bool() {
                steps.insert(0, Step::Edit(Edit::Link(path.clone(), target.clone())));
                target
            } else {
                steps.insert(0, Step::Edit(Edit::Write(path.clone(), "text")));
                path
            };
            steps.push(Step::Edit(Edit::Own(process, 0, changed, self.of(b"vwx"))));
        }
        steps.push(sync(self, Mishap::None));
        steps
    }

    fn watching(&mut self) -> Step {
        let ask = self.ask();
        let call = self.call(What::Sync(ask));
        match self.random.u8(..20) {
            0..=8 => Step::Edit(self.silent()),
            9..=11 => Step::Watcher(self.process(), self.humour()),
            12 => Step::Close(self.process(), self.random.usize(..LOCATIONS.len())),
            13..=15 => Step::Vigil(call, self.random.usize(1..5)),
            16 => Step::Vigil(call, 18),
            17 => Step::Do(call, Mishap::Dropped(self.random.usize(..40))),
            _ => Step::Do(call, Mishap::None),
        }
    }
}
