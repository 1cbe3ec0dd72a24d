//! Runs a plan: does each step to the engine, and holds what comes of it against the oracle.

use super::{
    disk::{Disk, Notes},
    ledger::Ledger,
    naive::{Around, Failed, Markers, Plugin, Sight, View},
    plan::{
        Ask, Call, Edit, LOCATIONS, Mishap, Opening, PLUGIN, PROCESSES, Plan, SESSIONS, Step, What,
    },
    plant::Plant,
    ports::locked,
    process::{Ground, Process, name, policy},
    schedule::block_on,
};
use crate::fake::{clock::FakeClock, store::FakeStore, store_medium::Medium};
use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex},
};
use told_app::{Engine, Error, Ports, Session};
use told_domain::{
    position::Revision,
    reason::UnavailableReason,
    render::LogRecord,
    session::Trust,
    time::{Date, Timestamp},
};

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Steps taken.
    pub steps: u64,
    /// Boundaries asked for.
    pub boundaries: u64,
    /// Other calls: settlements, forks, reverts, moves and so on.
    pub calls: u64,
    /// Failures of looks, troubles of the store and kills that came.
    pub faults: u64,
    /// Drains that kept coverage.
    pub covered: u64,
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
    before: Medium,
    pub(super) processes: Vec<Process>,
    auditor: Engine,
    auditors: BTreeMap<usize, Session>,
    audited: u64,
    /// By session; nothing where there is none.
    pub(super) ledgers: Vec<Option<Ledger>>,
    /// Where each host's messages end, and what it applied last.
    pub(super) at: [u64; SESSIONS.len()],
    pub(super) applied: [Option<u64>; SESSIONS.len()],
    /// Host-set values by Location.
    pub(super) values: BTreeMap<&'static str, BTreeMap<String, String>>,
    day: i8,
    /// Something was told in two ways that cannot be told apart from outside: the run ends.
    pub(super) doubtful: bool,
    /// The last call may have seen what was cached under coverage.
    pub(super) covered: bool,
    /// The last boundary did, and it was not so any more.
    pub(super) blind: bool,
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
            disk: Arc::new(Mutex::new(Disk::new(&plan.setup))),
            clock: Arc::new(FakeClock::new(Timestamp::from_millisecond(1_796_000_000_000), today)),
            refill: Arc::default(),
            saw: Arc::default(),
            journal: Arc::default(),
            policy: policy(&plan.setup),
            required_plugin: plan.setup.required_plugin,
            watch: plan.setup.watch,
        };
        let medium = FakeStore::new();
        let mut run = Self {
            plan,
            plant,
            before: medium.snapshot(),
            processes: (0..PROCESSES).map(|_| Process::new(&ground, &medium, plant)).collect(),
            auditor: auditor(&ground, &medium),
            medium,
            ground,
            auditors: BTreeMap::new(),
            audited: 0,
            ledgers: vec![None; SESSIONS.len()],
            at: [0; SESSIONS.len()],
            applied: [None; SESSIONS.len()],
            values: BTreeMap::new(),
            day: 1,
            doubtful: false,
            covered: false,
            blind: false,
            numbers: Numbers::default(),
            digest: DefaultHasher::new(),
        };
        for session in 0..2 {
            let opening = Opening {
                location: session,
                back: None,
                unknown_prior: session == 0 && plan.setup.unknown_prior,
                untrusted: session == 1 && plan.setup.untrusted,
            };
            let call = Call { process: 0, session, messages: 0, what: What::Open(opening) };
            run.call(&call, Mishap::None)?;
        }
        Ok(run)
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Edit(edit) => self.edit(edit)?,
            Step::Fail(path, reason) => {
                self.numbers.faults += 1;
                locked(&self.ground.disk).fail(path, *reason);
            }
            Step::Churn(path) => {
                self.numbers.faults += 1;
                locked(&self.ground.disk).churn(path);
            }
            Step::Heal => locked(&self.ground.disk).heal(),
            Step::Do(call, mishap) => self.call(call, *mishap)?,
            Step::Refilled(call, path, content) => {
                if self.looks_twice(call.session, path) {
                    *locked(&self.ground.refill) = Some(Edit::Write(path.clone(), content));
                }
                let done = self.call(call, Mishap::None);
                locked(&self.ground.refill).take();
                done?;
            }
            Step::Race(calls, edits, order, dropped) => {
                self.race(calls, edits, *order, *dropped)?
            }
            Step::LocationValue(process, location, key, value) => {
                self.set_location_value(*process, LOCATIONS[*location], *key, *value)?;
            }
            Step::Plugin(process, speech) => {
                block_on(self.processes[*process].speak(*speech));
            }
            Step::NextDay => {
                self.day = self.day % 28 + 1;
                let today = Date::new(2026, 11, self.day).ok_or("no day")?;
                self.ground.clock.set_today(today);
            }
            Step::Restart(process) => self.restart(*process)?,
            Step::Ask(process, session, any) => self.asked(*process, *session, *any)?,
            Step::Watcher(process, humour) => self.humour(*process, *humour),
            Step::Close(process, location) => self.close(*process, *location)?,
            Step::Vigil(call, count) => self.vigil(call, *count)?,
        }
        Ok(())
    }

    /// Only what was told with a text and is empty now is looked at twice. The second look has a limit
    /// of its own on what it reads in all.
    fn looks_twice(&self, session: usize, path: &str) -> bool {
        let Some(ledger) = &self.ledgers[session] else { return false };
        let key = format!("file:{path}");
        let beliefs = ledger.beliefs();
        let last = beliefs.get(key.as_str()).and_then(|belief| belief.last_value());
        self.notes().is_empty_file(path)
            && last.is_some_and(|text| !text.is_empty())
            && self.plan.setup.total_bytes.is_none()
    }

    /// At the end everything works again: each host is told what stands, the whole log is read once
    /// more by a stranger, and then all goes.
    fn finish(&mut self) -> Result<(), String> {
        locked(&self.ground.disk).heal();
        self.edit(&Edit::Unmapped)?;
        let there = (0..SESSIONS.len()).filter(|session| self.ledgers[*session].is_some());
        let there: Vec<_> = there.collect();
        for &session in &there {
            for process in 0..PROCESSES {
                let ask = Ask { positioned: true, back: 0, since: false, proceed: true };
                let call = Call { process, session, messages: 1, what: What::Sync(ask) };
                self.call(&call, Mishap::None)?;
            }
            self.restart(0)?;
            self.asked(0, session, 0)?;
        }
        for session in there {
            let call = Call { process: 1, session, messages: 0, what: What::Delete };
            self.call(&call, Mishap::None)?;
        }
        for directory in LOCATIONS {
            for key in 0..super::plan::KEYS.len() {
                self.set_location_value(0, directory, key, None)?;
            }
        }
        let texts = self.medium.texts();
        // What cannot be reached keeps its values.
        let values = self.values.values().any(|values| !values.is_empty());
        let fine = texts.is_empty() || values;
        fine.then_some(()).ok_or_else(|| format!("all is deleted, and {texts:?} are there"))?;
        (0..PROCESSES).try_for_each(|process| self.restart(process))
    }

    /// A process ends, and another begins. Nothing that it watched is watched any more (R-WAT-6).
    pub(super) fn restart(&mut self, process: usize) -> Result<(), String> {
        if self.plant == Some(Plant::LastRecordForgotten) {
            self.medium = FakeStore::on(self.before.clone());
            for process in &mut self.processes {
                *process = Process::new(&self.ground, &self.medium, self.plant);
            }
            self.auditor = auditor(&self.ground, &self.medium);
            self.auditors.clear();
            return Ok(());
        }
        let fresh = Process::new(&self.ground, &self.medium, self.plant);
        let lookout = std::mem::replace(&mut self.processes[process], fresh).lookout;
        locked(&self.ground.disk).notes.forgotten_by(process, &LOCATIONS);
        match lookout {
            Some(lookout) => {
                self.numbers.covered += lookout.service().covered;
                let entries = lookout.entries();
                let fine = entries == 0;
                fine.then_some(())
                    .ok_or_else(|| format!("ended, and {entries} entries are watched"))
            }
            None => Ok(()),
        }
    }

    pub(super) fn notes(&self) -> Notes {
        locked(&self.ground.disk).notes.clone()
    }

    pub(super) fn ledger(&mut self, session: usize) -> Result<&mut Ledger, String> {
        self.ledgers[session].as_mut().ok_or_else(|| format!("{} is not there", SESSIONS[session]))
    }

    pub(super) fn view<'b>(&'b self, notes: &'b Notes, ledger: &'b Ledger) -> View<'b> {
        View {
            disk: notes,
            setup: &self.plan.setup,
            directory: &ledger.directory,
            untrusted: ledger.trust == Trust::Untrusted,
            date: format!("2026-11-{:02}", self.day),
            scopes: ledger.told.scopes.keys().map(String::as_str).collect(),
        }
    }

    /// What `process` must see for `session` now. Where markers cannot be looked at, one sight for
    /// each boundary that it may hold to.
    pub(super) fn sights(&self, process: usize, session: usize) -> Vec<(Around, Sight)> {
        let notes = self.notes();
        self.sights_of(&notes, process, session)
    }

    /// What it must see where the disk is so.
    pub(super) fn sights_in(
        &self,
        notes: &Notes,
        process: usize,
        session: usize,
    ) -> Vec<(Around, Sight)> {
        let Some(ledger) = &self.ledgers[session] else { return Vec::new() };
        let view = self.view(notes, ledger);
        let location = self.values.get(ledger.directory.as_str());
        let mut values = location.cloned().unwrap_or_default();
        values.extend(ledger.values.clone());
        let never = Plugin::Never;
        let here = ledger.directory == LOCATIONS[0];
        let plugin = if here { &self.processes[process].plugin } else { &never };
        let (arounds, unknown) = match view.markers() {
            Markers::Found(around) => (vec![around], None),
            Markers::Unknown(marker, reason) => {
                (self.remembered(process, session), Some((marker, reason)))
            }
        };
        let beliefs = ledger.beliefs();
        let told = beliefs.get(PLUGIN).is_some_and(|belief| belief.last_value().is_some());
        let sight = |around: &Around| {
            let mut sight = view.sight(around, &values, plugin);
            let mut fail = |key: String, reason, required| {
                sight.failed.push(Failed { key, reason, required, group: Vec::new() });
            };
            if let Some((marker, reason)) = &unknown {
                fail(format!("file:{marker}"), *reason, true);
                // Nobody can tell the environment then.
                if self.plan.setup.environment {
                    fail(ENVIRONMENT.to_owned(), *reason, true);
                    sight.told.retain(|told| told.key != ENVIRONMENT);
                }
            }
            if *plugin == Plugin::Never && told {
                sight.failed.push(Failed {
                    key: PLUGIN.to_owned(),
                    reason: UnavailableReason::NotRegistered,
                    required: false,
                    group: Vec::new(),
                });
            }
            sight
        };
        let mut distinct: Vec<(Around, Sight)> = Vec::new();
        for around in arounds {
            for found in &self.processes[process].memory[session].found {
                let seen = (around.clone(), Sight { found: found.clone(), ..sight(&around) });
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
        let Some(ledger) = &self.ledgers[session] else { return Vec::new() };
        let (boundary, recorded) = ledger.boundary.clone();
        if let Some((own, at)) = &self.processes[process].memory[session].around
            && *at >= recorded
        {
            return own.clone();
        }
        vec![Around { boundary, marked: true }]
    }

    /// What was written to a session's log since the last time.
    pub(super) fn news(&mut self, session: usize) -> Result<Vec<LogRecord>, String> {
        let after = self.ledgers[session].as_ref().map_or(0, Ledger::revision);
        for _ in 0..2 {
            let known = match self.auditors.get(&session) {
                Some(known) => known.clone(),
                None => match block_on(self.auditor.session(&name(session))) {
                    Ok(found) => found,
                    Err(Error::UnknownSession(_)) => return Ok(Vec::new()),
                    Err(error) => return Err(format!("audit: {error}")),
                },
            };
            match block_on(known.log(Revision(after), 1_000)) {
                Ok(page) => {
                    self.auditors.insert(session, known);
                    self.numbers.records += page.records.len() as u64;
                    return Ok(page.records);
                }
                // It may have been made anew.
                Err(Error::UnknownSession(_)) => self.auditors.remove(&session),
                Err(error) => return Err(format!("the log cannot be read: {error}")),
            };
        }
        Ok(Vec::new())
    }

    /// Whether the session is in the store.
    pub(super) fn is_there(&self, session: usize) -> Result<bool, String> {
        match block_on(self.auditor.session(&name(session))) {
            Ok(_) => Ok(true),
            Err(Error::UnknownSession(_)) => Ok(false),
            Err(error) => Err(format!("audit: {error}")),
        }
    }

    pub(super) fn auditors_forget(&mut self, session: usize) {
        self.auditors.remove(&session);
    }

    /// Whether anything was written since the last time.
    pub(super) fn wrote(&mut self) -> bool {
        let commits = self.medium.commits();
        std::mem::replace(&mut self.audited, commits) != commits
    }

    /// Remembers the medium as it is before a call, for a store that forgets.
    pub(super) fn mark(&mut self) {
        if self.plant == Some(Plant::LastRecordForgotten) {
            self.before = self.medium.snapshot();
        }
    }

    /// Notes something that a host got.
    pub(super) fn got(&mut self, what: &impl std::fmt::Debug) {
        format!("{what:?}").hash(&mut self.digest);
    }
}

fn auditor(ground: &Ground, medium: &FakeStore) -> Engine {
    let ports = Ports {
        files: locked(&ground.disk).files.clone(),
        store: Arc::new(medium.restarted()),
        clock: ground.clock.clone(),
    };
    Engine::new(ports, ground.policy.clone(), "sim")
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
        self.calls += other.calls;
        self.faults += other.faults;
        self.covered += other.covered;
        self.records += other.records;
        self.digest ^= other.digest;
    }
}
