//! Runs a plan: does each step to the engine, and holds what comes of it against the oracle.

use super::{
    disk::{Disk, Notes},
    ledger::Ledger,
    naive::{Around, Failed, Markers, Plugin, Sight, View},
    plan::{Ask, Edit, PLUGIN, PROCESSES, Plan, SESSIONS, Step},
    plant::Plant,
    ports::locked,
    process::{Ground, Process, name, policy},
    schedule::block_on,
};
use crate::fake::{clock::FakeClock, store::FakeStore};
use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
    sync::{Arc, Mutex},
};
use told_app::{Engine, Error, OpenRequest, Ports, Session, SyncRequest};
use told_domain::{
    command::OnUnavailable,
    position::{Position, Revision},
    reason::UnavailableReason,
    render::{Blocks, LogRecord},
    session::{Prior, Trust},
    time::{Date, Timestamp},
};

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Steps taken.
    pub steps: u64,
    /// Boundaries asked for.
    pub boundaries: u64,
    /// Failures of looks, troubles of the store and kills that came.
    pub faults: u64,
    /// Records that were written.
    pub records: u64,
    /// Everything that a host got, as one number: equal for equal runs.
    pub digest: u64,
}

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The step at which it showed.
    pub step: usize,
    /// What is wrong.
    pub what: String,
}

const ENVIRONMENT: &str = "core/environment";

/// A run under way.
pub(super) struct Run<'a> {
    pub(super) plan: &'a Plan,
    pub(super) plant: Option<Plant>,
    pub(super) ground: Ground,
    pub(super) medium: FakeStore,
    /// What the medium held before the last commit.
    before: crate::fake::store_medium::Medium,
    pub(super) processes: Vec<Process>,
    auditors: Vec<Session>,
    audited: u64,
    pub(super) ledgers: [Ledger; 2],
    /// Where each host's messages end, and what it applied last.
    pub(super) at: [u64; 2],
    pub(super) applied: [Option<u64>; 2],
    pub(super) values: BTreeMap<String, String>,
    day: i8,
    /// A race told something that was found in two ways: which one is not to be seen from outside, and
    /// the run ends.
    pub(super) doubtful: bool,
    pub(super) numbers: Numbers,
    digest: DefaultHasher,
}

/// Runs a plan to its end or to the first broken invariant.
///
/// # Errors
/// [`Failure`] names the step and what was broken.
pub fn run(plan: &Plan, plant: Option<Plant>) -> Result<Numbers, Failure> {
    let mut run = Run::new(plan, plant).map_err(|what| Failure { step: 0, what })?;
    for (number, step) in plan.steps.iter().enumerate() {
        run.numbers.steps += 1;
        run.step(step).map_err(|what| Failure { step: number, what })?;
        if run.doubtful {
            run.numbers.digest = run.digest.finish();
            return Ok(run.numbers);
        }
    }
    let last = plan.steps.len();
    run.finish().map_err(|what| Failure { step: last, what })?;
    run.numbers.digest = run.digest.finish();
    Ok(run.numbers)
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan, plant: Option<Plant>) -> Result<Self, String> {
        let today = Date::new(2026, 11, 1).ok_or("no day")?;
        let ground = Ground {
            disk: Arc::new(Mutex::new(Disk::new(plan.setup.marked))),
            clock: Arc::new(FakeClock::new(Timestamp::from_millisecond(1_796_000_000_000), today)),
            refill: Arc::default(),
            policy: policy(&plan.setup),
        };
        let medium = FakeStore::new();
        let processes: Vec<_> =
            (0..PROCESSES).map(|_| Process::new(&ground, &medium, plant)).collect();
        for (session, (_, directory)) in SESSIONS.iter().enumerate() {
            let request = OpenRequest {
                session: name(session),
                directory: PathBuf::from(directory),
                position: None,
                prior: match session {
                    0 if plan.setup.unknown_prior => Prior::Unknown,
                    _ => Prior::None,
                },
                trust: if untrusted(plan, session) { Trust::Untrusted } else { Trust::Trusted },
            };
            let opened = block_on(processes[0].engine.open(request));
            opened.map_err(|error| format!("open: {error}"))?;
        }
        let ports = Ports {
            files: locked(&ground.disk).files.clone(),
            store: Arc::new(medium.restarted()),
            clock: ground.clock.clone(),
        };
        let engine = Engine::new(ports, ground.policy.clone(), "sim");
        let auditor = |session| block_on(engine.session(&name(session)));
        let auditors: Result<Vec<_>, _> = (0..SESSIONS.len()).map(auditor).collect();
        let mut run = Self {
            plan,
            plant,
            before: medium.snapshot(),
            medium,
            ground,
            processes,
            auditors: auditors.map_err(|error| format!("audit: {error}"))?,
            audited: 0,
            ledgers: Default::default(),
            at: [0; 2],
            applied: [None; 2],
            values: BTreeMap::new(),
            day: 1,
            doubtful: false,
            numbers: Numbers::default(),
            digest: DefaultHasher::new(),
        };
        for session in 0..SESSIONS.len() {
            for record in run.news(session, true)? {
                run.ledgers[session].take(&record, None)?;
            }
        }
        Ok(run)
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Edit(edit) => locked(&self.ground.disk).edit(edit),
            Step::Fail(path, reason) => {
                self.numbers.faults += 1;
                locked(&self.ground.disk).fail(path, *reason);
            }
            Step::Heal => locked(&self.ground.disk).heal(),
            Step::Sync(ask) => self.boundary(ask, None)?,
            Step::TroubledSync(ask, trouble, after) => {
                self.boundary(ask, Some((*trouble, *after)))?;
            }
            Step::KilledSync(ask, polls, order) => self.killed(ask, *polls, *order)?,
            Step::RefilledSync(ask, path, content) => {
                // Only what was told with a text and is empty now is looked at twice.
                let belief = self.ledgers[ask.session].beliefs.get(&format!("file:{path}"));
                if self.notes().is_empty_file(path) && belief.is_some_and(|b| !b.text.is_empty()) {
                    *locked(&self.ground.refill) = Some(Edit::Write(path.clone(), content));
                }
                let done = self.boundary(ask, None);
                locked(&self.ground.refill).take();
                done?;
            }
            Step::Preview(ask) => self.foretold(ask)?,
            Step::Race(asks, edits, order) => self.race(asks, edits, *order)?,
            Step::Compact(process, session, messages) => {
                self.compact(*process, *session, *messages)?;
            }
            Step::Rebase(process, session) => self.rebase(*process, *session)?,
            Step::Value(process, session, key, value) => {
                self.set_value(*process, *session, *key, *value)?;
            }
            Step::LocationValue(process, key, value) => {
                self.set_location_value(*process, *key, *value)?;
            }
            Step::Plugin(process, speech) => {
                block_on(self.processes[*process].speak(*speech));
            }
            Step::NextDay => {
                self.day = self.day % 28 + 1;
                let today = Date::new(2026, 11, self.day).ok_or("no day")?;
                self.ground.clock.set_today(today);
            }
            Step::Restart(process) => self.restart(*process),
            Step::Ask(process, session, any) => self.asked(*process, *session, *any)?,
        }
        Ok(())
    }

    /// At the end everything works again: both hosts are told what stands, and the whole log is read
    /// once more, by a stranger.
    fn finish(&mut self) -> Result<(), String> {
        locked(&self.ground.disk).heal();
        for session in 0..SESSIONS.len() {
            for process in 0..PROCESSES {
                let ask = Ask {
                    process,
                    session,
                    messages: 1,
                    positioned: true,
                    back: 0,
                    since: false,
                    proceed: true,
                };
                self.boundary(&ask, None)?;
            }
            self.restart(0);
            self.asked(0, session, 0)?;
        }
        Ok(())
    }

    pub(super) fn restart(&mut self, process: usize) {
        if self.plant == Some(Plant::LastRecordForgotten) {
            self.medium = FakeStore::on(self.before.clone());
            for process in &mut self.processes {
                *process = Process::new(&self.ground, &self.medium, self.plant);
            }
            let ports = Ports {
                files: locked(&self.ground.disk).files.clone(),
                store: Arc::new(self.medium.restarted()),
                clock: self.ground.clock.clone(),
            };
            let engine = Engine::new(ports, self.ground.policy.clone(), "sim");
            self.auditors = (0..SESSIONS.len())
                .filter_map(|session| block_on(engine.session(&name(session))).ok())
                .collect();
            return;
        }
        self.processes[process] = Process::new(&self.ground, &self.medium, self.plant);
    }

    pub(super) fn notes(&self) -> Notes {
        locked(&self.ground.disk).notes.clone()
    }

    pub(super) fn view<'b>(&'b self, notes: &'b Notes, session: usize) -> View<'b> {
        View {
            disk: notes,
            setup: &self.plan.setup,
            directory: SESSIONS[session].1,
            untrusted: untrusted(self.plan, session),
            date: format!("2026-11-{:02}", self.day),
        }
    }

    /// What `process` must see for `session` now. Where markers cannot be looked at, one sight for
    /// each boundary that it may hold to.
    pub(super) fn sights(&self, process: usize, session: usize) -> Vec<(Around, Sight)> {
        let notes = self.notes();
        self.sights_of(&notes, process, session)
    }

    pub(super) fn sights_of(
        &self,
        notes: &Notes,
        process: usize,
        session: usize,
    ) -> Vec<(Around, Sight)> {
        let view = self.view(notes, session);
        let ledger = &self.ledgers[session];
        let mut values = if session == 0 { self.values.clone() } else { BTreeMap::new() };
        values.extend(ledger.values.clone());
        let never = Plugin::Never;
        let plugin = if session == 0 { &self.processes[process].plugin } else { &never };
        let (arounds, unknown) = match view.markers() {
            Markers::Found(around) => (vec![around], None),
            Markers::Unknown(marker, reason) => {
                (self.remembered(process, session), Some((marker, reason)))
            }
        };
        let sight = |around: Around| {
            let mut sight = view.sight(&around, &values, plugin);
            if let Some((marker, reason)) = &unknown {
                sight.failed.push(Failed {
                    key: format!("file:{marker}"),
                    reason: *reason,
                    required: true,
                    group: Vec::new(),
                });
                // Nobody can tell the environment then.
                if self.plan.setup.environment {
                    sight.told.retain(|told| told.key != ENVIRONMENT);
                    sight.failed.push(Failed {
                        key: ENVIRONMENT.to_owned(),
                        reason: *reason,
                        required: true,
                        group: Vec::new(),
                    });
                }
            }
            if *plugin == Plugin::Never && ledger.beliefs.contains_key(PLUGIN) {
                sight.failed.push(Failed {
                    key: PLUGIN.to_owned(),
                    reason: UnavailableReason::NotRegistered,
                    required: false,
                    group: Vec::new(),
                });
            }
            (around, sight)
        };
        let mut distinct: Vec<(Around, Sight)> = Vec::new();
        for around in arounds {
            for found in &self.processes[process].found[session] {
                let (around, mut sight) = sight(around.clone());
                sight.found = found.clone();
                let seen = (around, sight);
                if !distinct.contains(&seen) {
                    distinct.push(seen);
                }
            }
        }
        distinct
    }

    /// The boundary that stands while nobody can look: the process's own last one, or the record's
    /// where that is later.
    pub(super) fn remembered(&self, process: usize, session: usize) -> Vec<Around> {
        let ledger = &self.ledgers[session];
        let (boundary, recorded) = ledger.boundary.clone();
        if let Some((own, at)) = &self.processes[process].around[session]
            && *at >= recorded
        {
            return own.clone();
        }
        vec![Around { boundary, marked: true }]
    }

    /// What was written to a session's log since the last time.
    pub(super) fn news(&mut self, session: usize, force: bool) -> Result<Vec<LogRecord>, String> {
        let commits = self.medium.commits();
        if commits == self.audited && !force {
            return Ok(Vec::new());
        }
        if commits != self.audited {
            self.audited = commits;
        }
        let after = Revision(self.ledgers[session].revision());
        let page = block_on(self.auditors[session].log(after, 1_000));
        let page = page.map_err(|error| format!("the log cannot be read: {error}"))?;
        self.numbers.records += page.records.len() as u64;
        Ok(page.records)
    }

    /// Remembers the medium as it is before a call, for a store that forgets.
    pub(super) fn mark(&mut self) {
        if self.plant == Some(Plant::LastRecordForgotten) {
            self.before = self.medium.snapshot();
        }
    }

    pub(super) fn request(&mut self, ask: &Ask) -> SyncRequest {
        self.numbers.boundaries += 1;
        self.at[ask.session] += ask.messages;
        let position = self.at[ask.session].saturating_sub(ask.back);
        SyncRequest {
            position: ask.positioned.then_some(Position(position)),
            since: self.applied[ask.session].filter(|_| ask.since).map(Revision),
            on_unavailable: if ask.proceed { OnUnavailable::Proceed } else { OnUnavailable::Block },
            blocks: Blocks::Apart,
            ..SyncRequest::default()
        }
    }

    pub(super) fn handle(&mut self, process: usize, session: usize) -> Result<Session, String> {
        let handle = block_on(self.processes[process].session(session));
        handle.map_err(|error| format!("the session cannot be loaded: {error}"))
    }

    /// Notes something that a host got.
    pub(super) fn got(&mut self, what: &impl std::fmt::Debug) {
        format!("{what:?}").hash(&mut self.digest);
    }
}

pub(super) fn untrusted(plan: &Plan, session: usize) -> bool {
    session == 1 && plan.setup.untrusted
}

/// Whether the store is what kept a call from its end.
pub(super) fn by_store(error: &Error) -> bool {
    error.kind() == "store_unavailable" && matches!(error, Error::Store(_))
}

impl Numbers {
    /// Adds another run's.
    pub fn add(&mut self, other: Self) {
        self.steps += other.steps;
        self.boundaries += other.boundaries;
        self.faults += other.faults;
        self.records += other.records;
        self.digest ^= other.digest;
    }
}
