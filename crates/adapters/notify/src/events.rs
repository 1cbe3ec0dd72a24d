//! What an event of notify means. It names paths: the one that somebody gave, also where that leads elsewhere
//! by now, which the steps above it tell.

use crate::{cookie::Cookies, hub::Paths};
use notify::{
    Event, EventKind,
    event::{AccessKind, AccessMode, ModifyKind},
};
use std::{os::unix::ffi::OsStrExt as _, path::Path};
use told_ports::Uncovered;
use told_steps::{Happened, State};

/// Tells those whom it concerns.
pub(crate) fn apply(
    event: &notify::Result<Event>,
    cookies: &Cookies,
    paths: &Paths,
    state: &mut State,
) {
    let event = match event {
        // First of all: it has no path, and its kind says nothing.
        Ok(event) if event.need_rescan() => return lose_all(Uncovered::Overflow, cookies, state),
        Ok(event) => event,
        Err(error) => {
            let limit = matches!(error.kind, notify::ErrorKind::MaxFilesWatch);
            let reason = if limit { Uncovered::Limit } else { Uncovered::Failed };
            return lose_all(reason, cookies, state);
        }
    };
    let Some(happened) = happened(&event.kind) else { return };
    for path in &event.paths {
        if !cookies.hear(path) {
            at(path, happened, paths, state);
        }
    }
}

/// Who waits for a file of our own is told after all are lost.
fn lose_all(reason: Uncovered, cookies: &Cookies, state: &mut State) {
    state.table.lose_all(reason);
    cookies.hear_all();
}

fn at(path: &Path, happened: Happened, paths: &Paths, state: &mut State) {
    if let Some(number) = paths.number(path) {
        let gone = matches!(happened, Happened::Gone);
        // Of a name that was made there again the old inode knows nothing.
        if happened != Happened::Bound {
            state.table.at_itself(number, happened);
        }
        if gone {
            // notify ends its watches there and below, and does not say so.
            for number in paths.at_or_below(path) {
                state.table.prove(number, false);
            }
        }
    }
    let directory = path.parent().and_then(|directory| paths.number(directory));
    if let (Some(directory), Some(name)) = (directory, path.file_name()) {
        state.table.at_name(directory, name.as_bytes(), happened);
    }
}

/// What this kind of event says, if anything changed. A close after writing counts: a mapping says nothing
/// earlier.
fn happened(kind: &EventKind) -> Option<Happened> {
    match kind {
        EventKind::Create(_) => Some(Happened::Bound),
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => Some(Happened::Gone),
        EventKind::Modify(ModifyKind::Metadata(_)) => Some(Happened::Attributes),
        EventKind::Modify(ModifyKind::Data(_)) => Some(Happened::Written),
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => Some(Happened::Written),
        EventKind::Access(_) => None,
        // Whatever it is, it is not nothing.
        EventKind::Modify(ModifyKind::Any | ModifyKind::Other) => Some(Happened::Attributes),
        EventKind::Any | EventKind::Other => Some(Happened::Gone),
    }
}
