//! The briefing: a session's standing as a host gets it (R-BND-6), and its sources one by one (R-SES-6).

use super::{PartSpan, RenderedText, told_text::SEPARATOR};
use crate::{
    briefing::{
        Baseline, Block, Briefing, BriefingEpoch, BriefingUpdate, ChangeKind, ChangeView,
        SourceState, SourceView, Totals, estimated_tokens,
    },
    hash::{ContentHash, ContentRef},
    key::SourceKey,
    look::{Held, Look, Withheld},
    position::{EpochNumber, Position, Revision},
    session::{Location, SessionId},
    state::{Belief, Contents, State},
    told::{Admission, Change, ContextEpoch, EpochCause, Told, Update},
};
use std::{collections::BTreeMap, sync::Arc};

/// How much of a briefing a host needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    Complete,
    /// Only updates that are newer than this revision.
    After(Revision),
}

/// Whether texts come in parts as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocks {
    /// No.
    #[default]
    Joined,
    /// Yes.
    Apart,
}

/// What a host that applied the briefing of revision `since` needs: newer updates where only updates
/// were added since, else everything.
#[must_use]
pub fn extent_since(state: &State, since: Option<Revision>) -> Extent {
    match since {
        Some(since) if since >= state.reset && since <= state.revision => Extent::After(since),
        Some(_) | None => Extent::Complete,
    }
}

/// A text that a state names and that the contents given with it lack: the store is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text {0} is missing")]
pub struct MissingText(pub ContentHash);

/// The briefing of a session.
///
/// `look` is what the latest look found; `admitted` is what this call wrote.
///
/// # Errors
/// [`MissingText`] where `contents` lacks a text that `state` names.
pub fn briefing(
    session: &SessionId,
    state: &State,
    contents: &Contents,
    look: &Look,
    admitted: Option<Revision>,
    extent: Extent,
    blocks: Blocks,
) -> Result<Briefing, MissingText> {
    let told = &state.told;
    let complete = extent == Extent::Complete;
    let newer = |update: &&Arc<Update>| match extent {
        Extent::Complete => true,
        Extent::After(since) => update.revision > since,
    };
    let updates = told.updates.iter().filter(newer);
    let updates: Result<_, _> =
        updates.map(|update| briefing_update(told, update, contents, blocks)).collect();
    Ok(Briefing {
        session: session.clone(),
        revision: state.revision,
        complete,
        location: Location {
            directory: state.location.directory.clone(),
            boundary: look.boundary.clone(),
        },
        epoch: briefing_epoch(told.epoch.as_ref(), contents, complete, blocks)?,
        updates: updates?,
        admitted,
        held: look.held.clone(),
        withheld: look.withheld.iter().map(withheld_view).collect(),
        totals: totals(told),
    })
}

/// What a session that has had no boundary looks like: nothing told, nothing looked at.
#[must_use]
pub fn look_of(state: &State) -> Look {
    state.told.look.clone().unwrap_or_else(|| Look {
        boundary: state.location.boundary.clone(),
        project: None,
        held: Vec::new(),
        withheld: Vec::new(),
    })
}

/// Every source of a session, from what was told and the latest look (R-SES-6).
#[must_use]
pub fn sources(state: &State, look: &Look) -> Vec<SourceView> {
    let told = &state.told;
    let mut entries: Vec<_> = told.entries.iter().collect();
    entries.sort_by(|one, other| place_of(one.1).cmp(&place_of(other.1)));
    let mut views: Vec<_> = entries
        .into_iter()
        .filter_map(|(key, entry)| match told.last_admitted(entry) {
            Some((admission, revision)) => {
                // Only what is believed because of that very text is still said by it.
                let said = matches!(told.belief(entry), Belief::Value(believed, _)
                    if std::ptr::eq(believed, admission));
                Some(told_view(admission, revision, said))
            }
            None => entry.last.as_ref().map(|last| {
                let mut view = SourceView::new(key.clone(), SourceState::Inactive);
                view.told_at = Some(last.revision);
                view.in_window = Some(told.in_window(last.position));
                view
            }),
        })
        .collect();
    let keys = views.iter().enumerate().map(|(index, view)| (view.source.clone(), index));
    let mut index: BTreeMap<_, _> = keys.collect();
    for held in &look.held {
        hold(&mut views, &mut index, held);
    }
    for withheld in &look.withheld {
        withhold(&mut views, &mut index, withheld);
    }
    views
}

/// What was left out, as a source.
#[must_use]
pub fn withheld_view(withheld: &Withheld) -> SourceView {
    let mut view = SourceView::new(withheld.key.clone(), SourceState::Withheld);
    view.reason = Some(withheld.reason.as_str());
    view
}

/// Where the view of each key stands.
type Index = BTreeMap<SourceKey, usize>;

fn hold(views: &mut Vec<SourceView>, index: &mut Index, held: &Held) {
    let told = index.get(&held.key).and_then(|index| views.get_mut(*index));
    match told {
        Some(view) => {
            view.state = SourceState::Held;
            view.reason = Some(held.reason.as_str());
        }
        None => {
            let mut view = SourceView::new(held.key.clone(), SourceState::Held);
            view.reason = Some(held.reason.as_str());
            view.told_at = held.since;
            index.insert(held.key.clone(), views.len());
            views.push(view);
        }
    }
}

/// What was told as removed because it is withheld is one source, with its reason.
fn withhold(views: &mut Vec<SourceView>, index: &mut Index, withheld: &Withheld) {
    let told = index.get(&withheld.key).and_then(|index| views.get_mut(*index));
    match told {
        Some(view) if view.state == SourceState::Inactive => {
            view.state = SourceState::Withheld;
            view.reason = Some(withheld.reason.as_str());
        }
        Some(_) | None => views.push(withheld_view(withheld)),
    }
}

/// An admitted value as a source.
fn told_view(admission: &Admission, revision: Revision, in_window: bool) -> SourceView {
    SourceView {
        scope: admission.scope.clone(),
        warnings: admission.warnings.clone(),
        sha256: Some(admission.value.sha256),
        bytes: Some(admission.size),
        tokens: Some(estimated_tokens(admission.value.bytes)),
        told_at: Some(revision),
        in_window: Some(in_window),
        ..SourceView::new(admission.key.clone(), SourceState::Active)
    }
}

fn place_of(entry: &crate::told::Entry) -> Option<&crate::place::Place> {
    use crate::told::TellingContent;
    match &entry.last {
        Some(last) => match &last.content {
            TellingContent::Value(admission) => Some(&admission.place),
            TellingContent::Removal(place) => Some(place),
        },
        None => entry.baseline.as_ref().map(|admission| &admission.place),
    }
}

fn briefing_epoch(
    epoch: Option<&ContextEpoch>,
    contents: &Contents,
    complete: bool,
    blocks: Blocks,
) -> Result<BriefingEpoch, MissingText> {
    let Some(epoch) = epoch else { return Ok(no_epoch()) };
    let text = if complete { Some(text_of(contents, epoch.baseline)?) } else { None };
    Ok(BriefingEpoch {
        number: epoch.number,
        revision: epoch.revision,
        cause: epoch.cause,
        position: epoch.position,
        baseline: Baseline {
            blocks: text.as_ref().and_then(|text| apart(text, &epoch.parts, blocks)),
            text,
            sha256: epoch.baseline.sha256,
            bytes: epoch.baseline.bytes,
        },
    })
}

/// Before the first epoch the model was told nothing: the empty text, of epoch 0.
fn no_epoch() -> BriefingEpoch {
    let empty = RenderedText::new(Vec::new());
    BriefingEpoch {
        number: EpochNumber(0),
        revision: Revision::NONE,
        cause: EpochCause::Initial,
        position: Position::START,
        baseline: Baseline {
            text: Some(empty.blob.text().clone()),
            sha256: empty.name().sha256,
            bytes: 0,
            blocks: None,
        },
    }
}

fn briefing_update(
    told: &Told,
    update: &Update,
    contents: &Contents,
    blocks: Blocks,
) -> Result<BriefingUpdate, MissingText> {
    let text = text_of(contents, update.text)?;
    Ok(BriefingUpdate {
        revision: update.revision,
        position: update.position,
        in_window: told.in_window(update.position),
        inherited: update.first_told.is_some(),
        changes: update.changes.iter().map(change_view).collect(),
        blocks: apart(&text, &update.parts, blocks),
        text,
    })
}

/// A change as a briefing and a log show it.
#[must_use]
pub fn change_view(change: &Change) -> ChangeView {
    let (kind, bytes) = match change {
        Change::Added { admission } => (ChangeKind::Added, Some(admission.value.bytes)),
        Change::Changed { admission, .. } => (ChangeKind::Changed, Some(admission.value.bytes)),
        Change::Removed { .. } => (ChangeKind::Removed, None),
    };
    let source = change.key().clone();
    ChangeView {
        kind,
        path: source.path().cloned(),
        url: source.url().map(Arc::from),
        source,
        form: change.form(),
        bytes,
    }
}

fn totals(told: &Told) -> Totals {
    let sources = told.entries.values().filter(|entry| told.last_admitted(entry).is_some()).count();
    let baseline = told.epoch.as_ref().map_or(0, |epoch| epoch.baseline.bytes);
    let bytes = baseline + told.updates.iter().map(|update| update.text.bytes).sum::<u64>();
    Totals { sources: sources as u64, bytes, tokens: estimated_tokens(bytes) }
}

fn text_of(contents: &Contents, name: ContentRef) -> Result<Arc<str>, MissingText> {
    contents.get(&name.sha256).cloned().ok_or(MissingText(name.sha256))
}

/// Cuts a text into its parts again.
fn apart(text: &str, parts: &[PartSpan], blocks: Blocks) -> Option<Vec<Block>> {
    match blocks {
        Blocks::Joined => None,
        Blocks::Apart => {
            let mut start = 0;
            let cut = parts.iter().map(|part| {
                let end = start + usize::try_from(part.bytes).unwrap_or(usize::MAX);
                let piece = text.get(start..end).unwrap_or_default();
                start = end + SEPARATOR.len();
                Block { source: part.source.clone(), origin: part.origin, text: piece.into() }
            });
            Some(cut.collect())
        }
    }
}
