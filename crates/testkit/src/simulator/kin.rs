//! How sessions begin: opened, opened again, or as a copy of another.

use super::{
    calls::Done,
    fate::{Fate, Write},
    ledger::Ledger,
    plan::{SESSIONS, What},
    process::name,
    request::Answer,
    run::Run,
};
use serde_json::json;
use told_app::OpenRequest;

impl Run<'_> {
    /// A session begins, or is found as it is; what is anchored after its host's end is taken back
    /// (R-SES-5).
    pub(super) fn opened(&mut self, done: &Done<'_>, request: &OpenRequest) -> Result<(), String> {
        let session = done.call.session;
        let directory = request.directory.to_string_lossy().into_owned();
        let position = request.position.map(|position| position.0);
        let created = self.ledgers[session].is_none();
        let fate = match &self.ledgers[session] {
            _ if !self.notes().reaches(&directory) => Fate::Refused("unknown_directory"),
            None => {
                let boundary = self.boundary_of(&directory);
                let details = json!({
                    "location": {"directory": directory, "boundary": boundary},
                    "prior": request.prior, "trust": request.trust,
                });
                Fate::Writes(Write { kind: "opened", position, details, ..Write::default() })
            }
            Some(ledger) if ledger.directory != directory => Fate::Refused("session_exists"),
            Some(ledger) => match position {
                Some(to) if ledger.told.reaches_beyond(to) => {
                    Fate::Writes(Write { kind: "reverted", position, ..Write::default() })
                }
                _ => Fate::Nothing,
            },
        };
        let ended = self.fits(done, &fate)?;
        if created && !done.records.is_empty() {
            self.forgotten(session, Some(Ledger::new(SESSIONS[session])));
        }
        for record in done.records {
            self.ledger(session)?.take(record, &[])?;
        }
        match done.came {
            Some(Ok(answer)) if ended => self.begun(done, session, answer, created),
            _ => Ok(()),
        }
    }

    /// A child begins with what its parent had at a position (R-SES-1).
    pub(super) fn forked(&mut self, done: &Done<'_>, position: Option<u64>) -> Result<(), String> {
        let What::Fork(child, _) = done.call.what else { return Ok(()) };
        let parent = self.ledger(done.call.session)?;
        let at = position.unwrap_or_else(|| parent.told.default_position());
        let (name_of_parent, begun) = (parent.name.clone(), parent.child(SESSIONS[child], at));
        let location = json!({"directory": begun.directory, "boundary": begun.boundary.0});
        let created = self.ledgers[child].is_none();
        let same = self.ledgers[child].as_ref().is_some_and(|child| match &child.records[..] {
            [record] => {
                let parent = record.details.get("parent").and_then(|parent| parent.as_str());
                record.kind == "forked"
                    && parent == Some(&*name_of_parent)
                    && record.position.map(|position| position.0) == Some(at)
            }
            _ => false,
        });
        let fate = match (created, same) {
            (true, _) => {
                let details = json!({"parent": &*name_of_parent, "location": location});
                let position = Some(at);
                Fate::Writes(Write { kind: "forked", position, details, ..Write::default() })
            }
            (false, true) => Fate::Nothing,
            (false, false) => Fate::Refused("session_exists"),
        };
        let ended = self.fits(done, &fate)?;
        if created && !done.records.is_empty() {
            self.forgotten(child, Some(begun));
            self.at[child] = position.unwrap_or(self.at[done.call.session]);
        }
        for record in done.records {
            self.ledger(child)?.take(record, &[])?;
        }
        match done.came {
            Some(Ok(answer)) if ended => self.begun(done, child, answer, created),
            _ => Ok(()),
        }
    }

    fn begun(
        &mut self,
        done: &Done<'_>,
        session: usize,
        answer: &Answer,
        created: bool,
    ) -> Result<(), String> {
        let ledger = self.ledger(session)?;
        let Answer::Opened(opened) = answer else { return Err(format!("answered {answer:?}")) };
        let fine = opened.session == name(session)
            // Whose record it is that a lost answer was about, nobody can say where both are the same.
            && (opened.created == created || done.troubled)
            && opened.revision.0 == ledger.revision()
            && opened.location.directory.as_str() == ledger.directory
            && opened.location.boundary.as_str() == ledger.boundary.0;
        fine.then_some(()).ok_or_else(|| format!("answered {opened:?}"))
    }
}
