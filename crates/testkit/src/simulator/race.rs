//! What must come of boundaries at once: each change is told once, and nothing that never was.

use super::{
    disk::{Disk, Notes},
    naive::{Around, Plugin, Sight},
    plan::{Ask, Edit},
    ports::locked,
    run::Run,
    schedule::{self, Task, others_run},
};
use std::{collections::BTreeSet, sync::Mutex};
use told_app::Error;
use told_domain::{briefing::Briefing, render::LogRecord};

impl Run<'_> {
    /// Boundaries of one session at once: each change is told once, and then everything stands.
    pub(super) fn race(&mut self, asks: &[Ask], edits: &[Edit], order: u64) -> Result<(), String> {
        let Some(session) = asks.first().map(|ask| ask.session) else { return Ok(()) };
        let mut requests = Vec::new();
        for ask in asks {
            let handle = self.handle(ask.process, session)?;
            requests.push((ask.process, handle, self.request(ask)));
        }
        self.mark();
        let mut moments = vec![self.notes()];
        let disk = self.ground.disk.clone();
        let mut outcomes = {
            let moments = &mut moments;
            let editor: Task<'_, Option<Result<Briefing, Error>>> = Box::pin(async move {
                for edit in edits {
                    moments.push(edited(&disk, edit));
                    others_run().await;
                    others_run().await;
                }
                None
            });
            let mut tasks = vec![editor];
            for (process, handle, request) in &requests {
                let process = &self.processes[*process];
                tasks.push(Box::pin(async move { Some(process.sync(handle, *request).await) }));
            }
            schedule::run(tasks, &mut fastrand::Rng::with_seed(order), None)
        };
        outcomes.remove(0);
        let outcomes: Vec<_> = outcomes.into_iter().flatten().flatten().collect();
        self.got(&outcomes);
        let mut sights = Vec::new();
        for notes in &moments {
            for (process, ..) in &requests {
                sights.extend(self.sights_of(notes, *process, session));
            }
        }
        let records = self.news(session, false)?;
        if records.len() > moments.len() * requests.len() + 1 {
            return Err(format!("{} records of one race", records.len()));
        }
        for record in &records {
            self.ledgers[session].take(record, None)?;
        }
        self.was_so(session, &records, &sights)?;
        let seen: Vec<_> = sights.iter().map(|(_, sight)| sight).collect();
        if !self.ledgers[session].place_all(&seen) {
            self.doubtful = true;
            return Ok(());
        }
        for (outcome, (.., request)) in outcomes.iter().zip(&requests) {
            match outcome {
                Ok(briefing) => {
                    self.ledgers[session].shows(briefing, request.since.map(|s| s.0))?;
                }
                Err(Error::Blocked(_)) if self.blocked_once(session, &records) => {}
                Err(error) => return Err(format!("a race ended in {error}")),
            }
        }
        for process in 0..self.processes.len() {
            let mut around = self.remembered(process, session);
            around.extend(sights.iter().map(|(around, _)| around.clone()));
            let revision = self.ledgers[session].revision();
            self.processes[process].around[session] = Some((around, revision));
            self.processes[process].held[session] = None;
            let all: Vec<_> = sights.iter().map(|(_, sight)| sight.clone()).collect();
            self.remember_found(process, session, false, &all);
        }
        self.settled(asks, session, edits.is_empty() && !records.is_empty())
    }

    /// A first boundary may be blocked while it is the first.
    fn blocked_once(&self, session: usize, records: &[LogRecord]) -> bool {
        let epochs = self.ledgers[session].epochs.len();
        epochs == 0 || records.iter().any(|r| r.kind == "epoch_started") && epochs == 1
    }

    /// Everything that a race told was so at some moment of it.
    fn was_so(
        &self,
        session: usize,
        records: &[LogRecord],
        sights: &[(Around, Sight)],
    ) -> Result<(), String> {
        let revisions: BTreeSet<_> = records.iter().map(|record| record.revision.0).collect();
        for (key, belief) in &self.ledgers[session].beliefs {
            let told = |sight: &Sight| sight.find(key).is_some_and(|told| told.text == belief.text);
            let restated = records.iter().any(|record| record.kind == "epoch_started");
            if revisions.contains(&belief.told_at)
                && !restated
                && !sights.iter().any(|(_, sight)| told(sight))
            {
                return Err(format!("{key} never had the value {:?}", belief.text));
            }
        }
        Ok(())
    }

    /// After a race each process is asked once more. What came before must have told all that one
    /// process can see, where nothing moved.
    fn settled(&mut self, asks: &[Ask], session: usize, told: bool) -> Result<(), String> {
        let alike = self.processes.iter().all(|p| p.plugin == Plugin::Never);
        for (number, ask) in asks.iter().enumerate().take(2) {
            let again = Ask { session, messages: 0, since: false, ..ask.clone() };
            let revision = self.ledgers[session].revision();
            self.boundary(&again, None)?;
            let wrote = self.ledgers[session].revision() != revision;
            if told && alike && number == 0 && wrote {
                return Err("a race left something untold".to_owned());
            }
        }
        Ok(())
    }
}

/// The disk after an edit.
fn edited(disk: &Mutex<Disk>, edit: &Edit) -> Notes {
    let mut disk = locked(disk);
    disk.edit(edit);
    disk.notes.clone()
}
