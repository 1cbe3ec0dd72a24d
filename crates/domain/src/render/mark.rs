//! Marks: a line in front of each text that names the session and record that told it, so that the
//! text can be found in a foreign transcript (R-SES-9).

use super::{MissingText, told_text::SEPARATOR};
use crate::{
    briefing::{Block, Briefing},
    hash::Blob,
    key::Origin,
    position::Revision,
    session::SessionId,
    state::{Contents, State},
    told::FirstTold,
};
use std::sync::Arc;

/// Whether each text opens with a line that names session and revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// No.
    #[default]
    None,
    /// Yes. A host that asks for marks asks for them in every call, or its bytes change.
    Shown,
}

/// `briefing` of `state` with a mark in front of each text. An inherited text keeps the mark that it
/// had in the parent, so that a shared prefix has the same bytes.
///
/// # Errors
/// [`MissingText`] where `contents` lacks the baseline.
pub fn marked(
    mut briefing: Briefing,
    state: &State,
    contents: &Contents,
) -> Result<Briefing, MissingText> {
    let session = briefing.session.clone();
    if let Some(epoch) = &state.told.epoch {
        let line = mark(&session, epoch.revision, epoch.first_told.as_ref());
        let hash = epoch.baseline.sha256;
        let text = contents.get(&hash).ok_or(MissingText(hash))?;
        let blob = Blob::new(behind(&line, text));
        let baseline = &mut briefing.epoch.baseline;
        (baseline.sha256, baseline.bytes) = (blob.name().sha256, blob.name().bytes);
        baseline.text = baseline.text.take().map(|_| blob.text().clone());
        baseline.blocks.iter_mut().for_each(|blocks| blocks.insert(0, block(&line)));
    }
    // The briefing's updates are the last ones of the epoch.
    let newer = state.told.updates.iter().rev().zip(briefing.updates.iter_mut().rev());
    for (update, shown) in newer {
        let line = mark(&session, update.revision, update.first_told.as_ref());
        shown.text = behind(&line, &shown.text);
        shown.blocks.iter_mut().for_each(|blocks| blocks.insert(0, block(&line)));
    }
    Ok(briefing)
}

fn mark(session: &SessionId, revision: Revision, first: Option<&FirstTold>) -> String {
    let (session, revision) =
        first.map_or((session, revision), |first| (&first.session, first.revision));
    format!("[told: session {session}, revision {revision}]")
}

fn behind(line: &str, text: &str) -> Arc<str> {
    if text.is_empty() { line.into() } else { format!("{line}{SEPARATOR}{text}").into() }
}

fn block(line: &str) -> Block {
    Block { source: None, origin: Origin::Builtin, text: line.into() }
}
