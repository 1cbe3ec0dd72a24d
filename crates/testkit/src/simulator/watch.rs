//! What a run does with watchers, and what must come of it: changes that nothing tells of, what a process
//! says it changed itself, and that a cache is never trusted for longer than sixteen boundaries.

use super::{
    disk::{Disk, Notes},
    lookout::Lookout,
    naive::{Around, Sight},
    plan::{Ask, Call, Edit, Humour, LOCATIONS, Mishap, What},
    ports::locked,
    process::Process,
    run::Run,
    schedule::block_on,
};
use std::{path::PathBuf, sync::Mutex};
use told_app::{Caches, Error, RootCoverage, WatchStatus};
use told_ports::Uncovered;

/// Of so many covered boundaries one has looked (R-WAT-3).
const VERIFIED_WITHIN: u64 = 16;

impl Run<'_> {
    /// Somebody changes the disk.
    pub(super) fn edit(&mut self, edit: &Edit) -> Result<(), String> {
        let disk = self.ground.disk.clone();
        block_on(edited(&disk, &self.processes, edit, &mut Vec::new()))
    }

    pub(super) fn humour(&mut self, process: usize, humour: Humour) {
        if let Some(lookout) = &self.processes[process].lookout {
            self.numbers.faults += u64::from(lookout.take(humour));
        }
    }

    /// A closed Location leaves nothing watched and nothing cached (R-WAT-6).
    pub(super) fn close(&mut self, process: usize, location: usize) -> Result<(), String> {
        let (directory, process_of) = (LOCATIONS[location], &self.processes[process]);
        let closed = block_on(process_of.close(directory.as_ref()));
        match closed {
            Ok(()) => {}
            Err(Error::UnknownDirectory { .. }) if !self.notes().reaches(directory) => {
                return Ok(());
            }
            Err(error) => return Err(format!("a Location closes: {error}")),
        }
        locked(&self.ground.disk).notes.forgotten_by(process, &[directory]);
        match self.status(process, directory)? {
            Some(WatchStatus { roots, caches })
                if !roots.is_empty() || caches != Caches::default() =>
            {
                Err(format!("closed is {directory}, and there are {roots:?}, {caches:?}"))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn status(&self, process: usize, directory: &str) -> Result<Option<WatchStatus>, String> {
        match block_on(self.processes[process].watch_status(directory.as_ref())) {
            Ok(status) => Ok(Some(status)),
            Err(Error::UnknownDirectory { .. }) if !self.notes().reaches(directory) => Ok(None),
            Err(error) => Err(format!("a Location's status: {error}")),
        }
    }

    /// Boundaries and nothing between them: what a watcher could not tell is found by the look that
    /// verifies, and then it is not trusted any more.
    pub(super) fn vigil(&mut self, call: &Call, count: usize) -> Result<(), String> {
        let Some(lookout) = self.processes[call.process].lookout.clone() else { return Ok(()) };
        let ask = Ask { positioned: false, back: 0, since: false, proceed: true };
        let begun = lookout.service();
        let mut since_blind = None;
        for _ in 0..count {
            let call = Call { messages: 0, what: What::Sync(ask.clone()), ..call.clone() };
            self.call(&call, Mishap::None)?;
            if self.blind {
                since_blind.get_or_insert(lookout.service());
            }
        }
        let Some(ledger) = &self.ledgers[call.session] else { return Ok(()) };
        let ended = lookout.service();
        let looked = ended.covered - begun.covered > VERIFIED_WITHIN;
        if self.blind && looked {
            return Err("a change stays unseen though boundaries verify (R-WAT-3)".to_owned());
        }
        let Some(status) = self.status(call.process, &ledger.directory.clone())? else {
            return Ok(());
        };
        reported(&status, &lookout)?;
        let mismatch = RootCoverage::Direct(Uncovered::Mismatch);
        let is_reported = status.roots.iter().any(|root| root.coverage == mismatch);
        match since_blind {
            Some(then)
                if !self.blind
                    && !is_reported
                    && (then.losses, then.subscriptions) == (ended.losses, ended.subscriptions) =>
            {
                Err(format!("a mismatch was found, and is not reported: {status:?}"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// What `process` may see for `session` at a moment: what is there, and under coverage what was there
    /// before a change that nothing told of.
    pub(super) fn sights_of(
        &self,
        notes: &Notes,
        process: usize,
        session: usize,
    ) -> Vec<(Around, Sight)> {
        let mut sights = self.sights_in(notes, process, session);
        let Some(ledger) = &self.ledgers[session] else { return sights };
        if !self.covered || !notes.is_unknown_to(process, &ledger.directory) {
            return sights;
        }
        for before in notes.blind() {
            for (around, sight) in self.sights_in(&before, process, session) {
                let seen = sights.iter().any(|(also, other)| {
                    *also == around && Sight { blind: false, ..other.clone() } == sight
                });
                if !seen {
                    sights.push((around, Sight { blind: true, ..sight }));
                }
            }
        }
        sights
    }
}

/// Who watches nothing covers nothing.
fn reported(status: &WatchStatus, lookout: &Lookout) -> Result<(), String> {
    let covered = status.roots.iter().any(|root| root.coverage == RootCoverage::Covered);
    let fine = !covered || lookout.entries() > 0;
    fine.then_some(()).ok_or_else(|| format!("nothing is watched: {status:?}"))
}

/// Makes an edit, which may take some time: each state of the disk on the way is a moment.
pub(super) async fn edited(
    disk: &Mutex<Disk>,
    processes: &[Process],
    edit: &Edit,
    moments: &mut Vec<Notes>,
) -> Result<(), String> {
    let notes = {
        let mut disk = locked(disk);
        disk.edit(edit);
        disk.notes.clone()
    };
    moments.push(notes.clone());
    let Edit::Own(process, location, path, byte) = edit else { return Ok(()) };
    let directory = LOCATIONS[*location];
    let said: [PathBuf; 1] = [notes.said(path, *byte).into()];
    match processes[*process].mutated(directory.as_ref(), &said).await {
        Ok(_) => {
            let mut disk = locked(disk);
            if disk.notes.is_mapped(path) {
                disk.notes.forgotten_by(*process, &[directory]);
            }
            moments.push(disk.notes.clone());
            Ok(())
        }
        Err(Error::UnknownDirectory { .. }) if !notes.reaches(directory) => Ok(()),
        Err(error) => Err(format!("a process changed {path}: {error}")),
    }
}
