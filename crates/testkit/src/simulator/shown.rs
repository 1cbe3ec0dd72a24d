//! Whether a briefing shows exactly what was told: the bytes, their order, and what stands beside them.

use super::{
    ledger::Ledger,
    told::{Text, Transcript},
};
use told_domain::briefing::Briefing;

impl Ledger {
    /// Whether a briefing shows this session exactly as it stood at the briefing's revision.
    pub(super) fn shows(
        &self,
        briefing: &Briefing,
        since: Option<u64>,
        marks: bool,
    ) -> Result<(), String> {
        let revision = briefing.revision.0;
        let Some(stood) = self.stood(revision) else {
            return Err(format!("there is no revision {revision}"));
        };
        let known = since.is_some_and(|since| since >= stood.reset && since <= revision);
        if briefing.complete == known {
            return Err(format!("complete is {}, since is {since:?}", briefing.complete));
        }
        self.shows_epoch(briefing, stood, marks)?;
        let after = if known { since.unwrap_or_default() } else { 0 };
        let own = |text: &&Text| text.text.is_some() && text.revision > after;
        let told: Vec<_> = stood
            .texts
            .iter()
            .filter(own)
            .map(|text| {
                let in_window = text.position >= stood.window;
                (text.revision, text.position, sent(text, marks), in_window, text.inherited)
            })
            .collect();
        let updates = briefing.updates.iter();
        let shown: Vec<_> = updates
            .map(|u| (u.revision.0, u.position.0, u.text.to_string(), u.in_window, u.inherited))
            .collect();
        if shown != told {
            return Err(format!("the updates are {shown:?}, told were {told:?}"));
        }
        let apart = briefing.updates.iter().filter_map(|u| Some((&*u.text, u.blocks.as_ref()?)));
        let baseline = &briefing.epoch.baseline;
        let baseline = baseline.text.as_deref().zip(baseline.blocks.as_ref());
        for (text, blocks) in apart.chain(baseline) {
            let blocks: Vec<_> = blocks.iter().map(|block| &*block.text).collect();
            if blocks.join("\n\n") != text {
                return Err(format!("the parts {blocks:?} do not make the text"));
            }
        }
        let sources = stood.beliefs().values().filter(|b| b.last_value().is_some()).count() as u64;
        let fine = briefing.totals.sources == sources;
        fine.then_some(()).ok_or_else(|| format!("{sources} sources, {:?}", briefing.totals))
    }

    fn shows_epoch(
        &self,
        briefing: &Briefing,
        stood: &Transcript,
        marks: bool,
    ) -> Result<(), String> {
        let shown = &briefing.epoch;
        let text = shown.baseline.text.as_deref();
        let Some(epoch) = &stood.epoch else {
            let fine = shown.number.0 == 0 && text.is_none_or(str::is_empty);
            return fine.then_some(()).ok_or_else(|| "told before the first epoch".to_owned());
        };
        let (told, baseline) = (&epoch.baseline, sent(&epoch.baseline, marks));
        if (shown.number.0, shown.revision.0, shown.cause, shown.position.0)
            != (epoch.number, told.revision, epoch.cause, told.position)
        {
            return Err(format!("epoch {:?} is not the one that was told", shown.number));
        }
        let fine = if briefing.complete { text == Some(&*baseline) } else { text.is_none() };
        if !fine || shown.baseline.bytes != baseline.len() as u64 {
            return Err(format!("the baseline is {text:?}, told was {baseline:?}"));
        }
        Ok(())
    }
}

/// A text as a host gets it.
pub(super) fn sent(text: &Text, marks: bool) -> String {
    let plain = text.text.as_deref().unwrap_or_default();
    let (session, revision) = &text.origin;
    match (marks, plain.is_empty()) {
        (false, _) => plain.to_owned(),
        (true, true) => format!("[told: session {session}, revision {revision}]"),
        (true, false) => format!("[told: session {session}, revision {revision}]\n\n{plain}"),
    }
}
