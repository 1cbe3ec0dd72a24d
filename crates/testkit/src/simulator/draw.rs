//! Draws a plan from a seed. A seed also draws which kinds of steps it is about, so that rare
//! mixtures happen often enough.

use super::plan::{
    Access, Ask, CONTENTS, Call, DIRECTORIES, ELSEWHERE, Edit, LOCATIONS, LONG_CONTENTS, MARKED,
    Mishap, Opening, PROCESSES, Plan, Proof, SESSIONS, Settling, Setup, Speech, Step, TARGETS,
    Trouble, What,
};
use told_domain::reason::UnavailableReason;

/// How often a step of a kind that the seed is not about is drawn again.
const DRAWS_MAX: usize = 3;

impl Plan {
    /// What `seed` means.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let mut plan = Self::unwatched(seed);
        plan.watched(seed);
        plan
    }

    /// What `seed` means without all that has to do with watching.
    #[must_use]
    pub fn unwatched(seed: u64) -> Self {
        let mut draw = Draw {
            random: fastrand::Rng::with_seed(seed),
            candidates: Vec::new(),
            focus: String::new(),
            about: 0,
            sessions: 1,
            long_texts: false,
        };
        let setup = draw.setup();
        draw.candidates = setup.candidates();
        draw.focus =
            draw.candidates[draw.random.usize(..draw.candidates.len().div_ceil(3))].clone();
        draw.long_texts = setup.update_text == 1;
        draw.about = draw.random.u64(..) | draw.random.u64(..);
        draw.sessions = [1, 2, 3, SESSIONS.len()][draw.random.usize(..4)];
        let mut steps: Vec<Step> = (0..draw.random.usize(1..5))
            .map(|_| Step::Edit(Edit::Write(draw.candidate(), draw.content())))
            .collect();
        if setup.required_plugin {
            steps.push(Step::Plugin(draw.process(), Speech::Fails));
        }
        let count = draw.random.usize(24..64);
        steps.extend((0..count).map(|_| draw.step()));
        if draw.long_texts && draw.random.bool() {
            let at = draw.random.usize(..steps.len());
            let chain = draw.chain();
            steps.splice(at..at, chain);
        }
        Self { setup, steps }
    }
}

pub(super) struct Draw {
    pub(super) random: fastrand::Rng,
    pub(super) candidates: Vec<String>,
    pub(super) focus: String,
    /// Kinds of steps that the seed is about, a bit each.
    pub(super) about: u64,
    /// How many sessions take part.
    pub(super) sessions: usize,
    /// Most texts are so long that a change of a line is told as a diff.
    pub(super) long_texts: bool,
}

impl Draw {
    fn setup(&mut self) -> Setup {
        let random = &mut self.random;
        let names: Vec<Vec<&'static str>> = match random.u8(..5) {
            0 => {
                vec![vec!["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"], vec!["AGENTS.local.md"]]
            }
            1 => vec![vec!["AGENTS.md", "CLAUDE.md"]],
            2 => vec![vec!["AGENTS.md"], vec!["CLAUDE.md"]],
            _ => vec![vec!["AGENTS.md"]],
        };
        let update_text = [0, 1, 1, 2][random.usize(..4)];
        // What is cut is too short for a diff.
        let cut = update_text != 1 || random.u8(..4) == 0;
        let max_bytes = [None, None, None, None, Some(20), Some(64)][random.usize(..6)];
        let total_bytes = [None, None, None, None, Some(30), Some(200)][random.usize(..6)];
        Setup {
            names,
            nearest_first: random.u8(..4) == 0,
            update_text,
            global: random.bool(),
            links_anywhere: random.u8(..5) == 0,
            date: random.bool(),
            environment: random.bool(),
            unknown_prior: random.u8(..5) == 0,
            untrusted: random.u8(..6) == 0,
            marked: random.u8(..5) != 0,
            nested: random.u8(..3) == 0,
            nested_own: random.u8(..3) != 0,
            max_bytes: max_bytes.filter(|_| cut),
            total_bytes: total_bytes.filter(|_| cut),
            required_plugin: random.u8(..3) == 0,
            marks: random.u8(..5) == 0,
            watch: None,
        }
    }

    pub(super) fn one_in(&mut self, n: u8) -> bool {
        self.random.u8(..n) == 0
    }

    pub(super) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.random.usize(..choices.len())]
    }

    /// One path more often than all others: what happens to it again and again goes deep. Then those of
    /// the first directories, which every session sees.
    pub(super) fn candidate(&mut self) -> String {
        let some = match self.random.u8(..8) {
            0..=3 => return self.focus.clone(),
            4..=6 => self.candidates.len(),
            _ => self.candidates.len().div_ceil(3),
        };
        self.candidates[self.random.usize(..some)].clone()
    }

    pub(super) fn content(&mut self) -> &'static str {
        if self.long_texts && !self.one_in(5) {
            return self.of(&LONG_CONTENTS);
        }
        self.of(&CONTENTS)
    }

    pub(super) fn target(&mut self) -> String {
        self.of(&TARGETS).to_owned()
    }

    fn edit(&mut self) -> Edit {
        let path = self.candidate();
        match self.random.u8(..20) {
            0..=7 => Edit::Write(path, self.content()),
            8 => Edit::Write(self.target(), self.content()),
            9 | 10 => Edit::Replace(path, self.content()),
            11..=13 => Edit::Remove(path),
            14 | 15 => {
                let inside = self.random.bool();
                let target = if inside { self.target() } else { self.candidate() };
                Edit::Link(path, target)
            }
            16 => Edit::Directory(path),
            17 => Edit::Fifo(path),
            18 => Edit::Marker(self.of(&MARKED), self.random.bool()),
            _ => Edit::Refuse(self.of(&DIRECTORIES), self.one_in(3)),
        }
    }

    pub(super) fn process(&mut self) -> usize {
        usize::from(self.one_in(4))
    }

    pub(super) fn session(&mut self) -> usize {
        if self.one_in(3) { self.random.usize(..self.sessions) } else { 0 }
    }

    pub(super) fn location(&mut self) -> usize {
        self.random.usize(..LOCATIONS.len())
    }

    fn value(&mut self) -> Option<u8> {
        (!self.one_in(3)).then(|| self.random.u8(..3))
    }

    /// So many messages back: mostly few.
    fn back(&mut self) -> u64 {
        match self.random.u8(..8) {
            0..=4 => self.random.u64(..4),
            5 | 6 => self.random.u64(..12),
            _ => self.random.u64(..60),
        }
    }

    pub(super) fn ask(&mut self) -> Ask {
        Ask {
            positioned: !self.one_in(3),
            back: if self.one_in(14) { self.random.u64(1..4) } else { 0 },
            since: self.one_in(3),
            proceed: self.one_in(4),
        }
    }

    pub(super) fn call(&mut self, what: What) -> Call {
        Call {
            process: self.process(),
            session: self.session(),
            messages: self.random.u64(..3),
            what,
        }
    }

    fn mishap(&mut self) -> Mishap {
        let troubles = [
            Trouble::Busy,
            Trouble::Full,
            Trouble::Failed,
            Trouble::LostBefore,
            Trouble::LostAfter,
            Trouble::LostAfter,
        ];
        match self.random.u8(..8) {
            0 => Mishap::Trouble(self.of(&troubles), self.random.usize(..6)),
            1 => Mishap::Killed(self.random.usize(..28)),
            _ => Mishap::None,
        }
    }

    fn fail(&mut self) -> Step {
        let reasons = [
            UnavailableReason::IoError,
            UnavailableReason::PermissionDenied,
            UnavailableReason::Timeout,
            UnavailableReason::TooManyLinks,
            UnavailableReason::ChangedWhileRead,
        ];
        let path = match self.random.u8(..8) {
            0..=2 => format!("{}/.git", self.of(&MARKED)),
            3 => return Step::Churn(self.candidate()),
            _ => self.candidate(),
        };
        Step::Fail(path, self.of(&reasons))
    }

    fn settling(&mut self) -> Settling {
        let access = [
            Access::Read,
            Access::Read,
            Access::Listed,
            Access::Listed,
            Access::Shell,
            Access::Managed,
            Access::External,
        ];
        let count = if self.one_in(3) { 2 } else { 1 };
        let paths = (0..count).map(|_| {
            let access = self.of(&access);
            let path = match (self.random.u8(..8), access) {
                (0, _) => self.of(&ELSEWHERE).to_owned(),
                (1, Access::Read | Access::Shell) => self.candidate(),
                (_, Access::Listed) => self.of(&DIRECTORIES).to_owned(),
                _ => format!("{}/main.rs", self.of(&DIRECTORIES)),
            };
            (path, access)
        });
        let paths = paths.collect();
        let back = self.random.bool().then(|| self.random.u64(..3));
        Settling { paths, failed: self.one_in(10), agent: self.random.bool(), back }
    }

    fn adopt(&mut self) -> What {
        let proofs = [Proof::None, Proof::None, Proof::Right, Proof::Wrong];
        let count = self.random.usize(1..4);
        let sources = (0..count).map(|_| {
            let key = match self.random.u8(..8) {
                0 => "api/branch".to_owned(),
                1 => "core/date".to_owned(),
                _ => format!("file:{}", self.candidate()),
            };
            (key, self.of(&proofs))
        });
        let sources = sources.collect();
        let back = self.random.bool().then(|| if self.one_in(6) { 3 } else { 0 });
        What::Adopt(sources, back)
    }

    fn opening(&mut self) -> Opening {
        Opening {
            location: self.location(),
            back: self.random.bool().then(|| self.back()),
            unknown_prior: self.one_in(4),
            untrusted: self.one_in(5),
        }
    }

    /// Calls at once: mostly of one session, and nothing that makes or ends one of those.
    fn race(&mut self) -> Step {
        let session = self.session();
        let count = if self.one_in(3) { 3 } else { 2 };
        let calls: Vec<Call> = (0..count)
            .map(|index| {
                let ask = Ask { positioned: false, back: 0, ..self.ask() };
                let what = match self.random.u8(..16) {
                    0..=6 => What::Sync(ask),
                    7 | 8 => What::Settle(self.settling()),
                    9 => What::Revert(self.back()),
                    10 | 11 => What::Move(self.location()),
                    12 => What::Compact,
                    13 => What::Window(self.back()),
                    14 => What::Holds(self.random.u64(..)),
                    _ => What::Value(self.random.usize(..2), self.value()),
                };
                let session = if self.one_in(6) { self.session() } else { session };
                Call { process: index % PROCESSES, session, messages: self.random.u64(..2), what }
            })
            .collect();
        let edits = (0..self.random.usize(..4)).map(|_| self.edit()).collect();
        Step::Race(calls, edits, self.random.u64(..), None)
    }

    /// One file changes and changes again, each is told, and then the transcript loses its begin.
    fn chain(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..self.random.usize(2..5) {
            steps.push(Step::Edit(Edit::Write(self.focus.clone(), self.content())));
            let ask = Ask { positioned: true, back: 0, ..self.ask() };
            let messages = self.random.u64(1..3);
            let call = Call { messages, session: 0, ..self.call(What::Sync(ask)) };
            steps.push(Step::Do(call, Mishap::None));
        }
        let lost = if self.one_in(3) {
            What::Holds(self.random.u64(..))
        } else {
            What::Window(self.random.u64(..4))
        };
        let call = Call { messages: 0, session: 0, ..self.call(lost) };
        steps.push(Step::Do(call, Mishap::None));
        steps
    }

    fn step(&mut self) -> Step {
        for _ in 0..DRAWS_MAX {
            let kind = self.random.u8(..126);
            let step = self.step_of(kind);
            let bit = match &step {
                Step::Do(call, _) => call.what.number(),
                Step::Edit(_) | Step::Heal => return step,
                Step::Race(..) => 20,
                Step::Plugin(..) => 21,
                Step::LocationValue(..) => 22,
                Step::Restart(_) => 23,
                Step::Fail(..) | Step::Churn(_) => 24,
                Step::NextDay => 25,
                Step::Refilled(..) | Step::Ask(..) => 26,
                // Drawn apart.
                Step::Watcher(..) | Step::Close(..) | Step::Vigil(..) => 27,
            };
            if self.about & (1 << bit) != 0 || matches!(bit, 0 | 1) {
                return step;
            }
        }
        let ask = self.ask();
        Step::Do(self.call(What::Sync(ask)), Mishap::None)
    }

    fn step_of(&mut self, kind: u8) -> Step {
        let what = match kind {
            0..=25 => return Step::Edit(self.edit()),
            26..=46 => What::Sync(self.ask()),
            47..=53 => What::Settle(self.settling()),
            54..=56 => {
                let child = self.random.usize(2..SESSIONS.len());
                let back = (!self.one_in(4)).then(|| self.back());
                let call = self.call(What::Fork(child, back));
                let session = if call.session == child { 0 } else { call.session };
                return Step::Do(Call { session, ..call }, self.mishap());
            }
            57..=60 => What::Revert(self.back()),
            61..=63 => What::Move(self.location()),
            64..=66 => What::Window(self.back()),
            67..=69 => What::Holds(self.random.u64(..)),
            70..=72 => self.adopt(),
            73 => What::Delete,
            74..=75 => What::Open(self.opening()),
            76..=77 => What::Compact,
            78 => What::Rebase,
            79..=80 => What::Value(self.random.usize(..2), self.value()),
            81..=82 => What::Preview(self.ask()),
            83..=87 => return self.race(),
            _ => return self.other(kind),
        };
        Step::Do(self.call(what), self.mishap())
    }

    fn other(&mut self, kind: u8) -> Step {
        match kind {
            88..=89 => {
                let ask = self.ask();
                Step::Refilled(self.call(What::Sync(ask)), self.candidate(), self.content())
            }
            90..=91 => {
                let (key, location) = (self.random.usize(..2), self.random.usize(..2));
                Step::LocationValue(self.process(), location, key, self.value())
            }
            92..=94 => {
                let speech = match self.random.u8(..6) {
                    0 => Speech::Leaves,
                    1 => Speech::Fails,
                    2 => Speech::Silent,
                    _ => Speech::Says(self.random.u8(..3)),
                };
                Step::Plugin(self.process(), speech)
            }
            95 => Step::NextDay,
            96..=98 => Step::Restart(self.process()),
            99..=101 => Step::Ask(self.process(), self.session(), self.random.u64(..)),
            102..=106 => self.fail(),
            107..=111 => Step::Heal,
            _ => Step::Edit(Edit::Write(self.focus.clone(), self.content())),
        }
    }
}

impl What {
    /// The kind's bit.
    const fn number(&self) -> u8 {
        match self {
            Self::Sync(_) => 0,
            Self::Open(_) => 1,
            Self::Preview(_) => 2,
            Self::Compact => 3,
            Self::Rebase => 4,
            Self::Value(..) => 5,
            Self::Settle(_) => 6,
            Self::Fork(..) => 7,
            Self::Revert(_) => 8,
            Self::Move(_) => 9,
            Self::Window(_) => 10,
            Self::Holds(_) => 11,
            Self::Adopt(..) => 12,
            Self::Delete => 13,
        }
    }
}
