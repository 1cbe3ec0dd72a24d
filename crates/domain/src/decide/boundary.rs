//! The safe boundary: from what was found to the one record that tells it.

use super::position;
use crate::{
    command::{BlockedSource, Decision, OnUnavailable, Refusal, SecondLook, Standing},
    compare::{Addition, Comparison, Holds, compare, emptied, found, held},
    context::{Need, Source, SystemContext, Unavailable},
    fold::fold,
    hash::{Blob, ContentRef},
    key::SourceKey,
    look::Look,
    policy::Policy,
    position::Position,
    reason::UnavailableReason,
    record::{Event, Record},
    render::{
        BaselineSource, Instructions, Lead, Line, RenderedText, Renderer, Value, baseline, diff,
        form, update,
    },
    session::Prior,
    skill::SkillListing,
    time::Timestamp,
    told::{Admission, Change, EpochCause},
};
use std::{sync::Arc, time::Duration};

/// How long an emptied file is given to be filled again (R-OBS-4).
const SECOND_LOOK_AFTER: Duration = Duration::from_millis(10);

pub(super) struct Boundary<'a> {
    pub(super) standing: &'a Standing,
    pub(super) context: &'a SystemContext,
    pub(super) policy: &'a Policy,
    pub(super) now: Timestamp,
}

/// A source to tell, with its value and what is stored of it.
struct Telling<'a> {
    admission: Admission,
    renderer: Renderer,
    value: &'a str,
    blob: Option<Blob>,
}

impl<'a> Boundary<'a> {
    pub(super) fn decide(
        &self,
        given: Option<Position>,
        on_unavailable: OnUnavailable,
        second_look: SecondLook,
    ) -> Decision {
        let position = match position(self.standing, given) {
            Ok(position) => position,
            Err(refusal) => return Decision::Refused(refusal),
        };
        if position < self.standing.state.told.window {
            // What would be told there would be there: the window cannot begin after it.
            let mut standing = self.standing.clone();
            standing.state.told.window = position;
            let boundary = Boundary { standing: &standing, ..*self };
            return boundary.decide(given, on_unavailable, second_look);
        }
        match second_look {
            SecondLook::Done => {}
            SecondLook::Pending => {
                let paths = emptied(&self.standing.state, self.context);
                if !paths.is_empty() {
                    return Decision::LookAgain { paths, after: SECOND_LOOK_AFTER };
                }
            }
        }
        let told = &self.standing.state.told;
        match (&told.epoch, told.pending) {
            (None, _) => self.first_epoch(position, on_unavailable),
            (Some(_), Some(pending)) => self.next_epoch(pending.cause, pending.position),
            (Some(_), None) => self.ordinary(position),
        }
    }

    /// The first boundary needs a complete observation (R-BND-2).
    fn first_epoch(&self, position: Position, on_unavailable: OnUnavailable) -> Decision {
        let required = self.context.unavailable.iter().filter(|u| u.need == Need::Required);
        let blocked: Vec<_> =
            required.map(|u| BlockedSource { source: u.key.clone(), reason: u.reason }).collect();
        match on_unavailable {
            OnUnavailable::Block if !blocked.is_empty() => {
                return Decision::Refused(Refusal::Blocked(blocked));
            }
            OnUnavailable::Block | OnUnavailable::Proceed => {}
        }
        match self.standing.state.prior {
            Prior::None => self.initial_epoch(position),
            Prior::Unknown => self.take_over(position),
        }
    }

    /// What another channel told is not told again, unless it has changed since (R-SES-10).
    fn initial_epoch(&self, position: Position) -> Decision {
        let entries = &self.standing.state.told.entries;
        let adopted: Vec<_> = entries.keys().cloned().collect();
        let sources = self.context.sources.iter().filter(|s| !entries.contains_key(&s.key));
        let tellings = sources.map(telling_now).collect();
        let started = self.start_epoch(EpochCause::Initial, position, tellings, adopted);
        if entries.is_empty() { started } else { self.and_what_changed(position, started) }
    }

    /// `started`, and the update that an ordinary boundary right after it would tell.
    fn and_what_changed(&self, position: Position, started: Decision) -> Decision {
        let Decision::Commit { mut records, mut blobs } = started else { return started };
        let mut contents = self.standing.contents.clone();
        contents.extend(blobs.iter().map(|blob| (blob.name().sha256, blob.text().clone())));
        let state = self.standing.state.clone();
        let folded = records.iter().try_fold(state, |state, record| fold(Some(state), record));
        if let Ok(state) = folded {
            let standing = &Standing { state, contents };
            match (Boundary { standing, ..*self }).ordinary(position) {
                Decision::Commit { records: more, blobs: texts } => {
                    records.extend(more);
                    blobs.extend(texts);
                }
                Decision::Unchanged | Decision::LookAgain { .. } | Decision::Refused(_) => {}
            }
        }
        self.commit(records, blobs)
    }

    /// A new epoch's baseline restates every active source: observed anew, or as last admitted
    /// (R-EPO-2). What nobody provides any more is left out (R-EPO-5).
    fn next_epoch(&self, cause: EpochCause, position: Position) -> Decision {
        let state = &self.standing.state;
        let mut tellings: Vec<_> = self.context.sources.iter().map(telling_now).collect();
        let (holds, found) = (Holds::new(self.context), found(self.context));
        for (key, entry) in &state.told.entries {
            if found.contains(key) {
                continue;
            }
            let held = holds.of(key, entry, state);
            // A URL that this process cannot fetch is one that its configuration still names.
            let provided = |held: &&Unavailable| {
                held.reason != UnavailableReason::NotRegistered || key.url().is_some()
            };
            let Some(held) = held.filter(provided) else { continue };
            if let Some((admission, _)) = state.told.last_admitted(entry) {
                tellings.extend(self.telling_again(admission, Some(held)));
            }
        }
        tellings.sort_by(|one, other| order(&one.admission).cmp(&order(&other.admission)));
        self.start_epoch(cause, position, tellings, Vec::new())
    }

    fn start_epoch(
        &self,
        cause: EpochCause,
        position: Position,
        tellings: Vec<Telling<'_>>,
        adopted: Vec<SourceKey>,
    ) -> Decision {
        let told: Vec<_> = tellings.iter().map(Telling::in_baseline).collect();
        let text = baseline(&told, self.policy.instructions.framing);
        let (sources, mut blobs) = admissions(tellings);
        let record = self.epoch_record(0, cause, position, &text, sources, adopted);
        blobs.push(text.blob);
        self.commit(vec![record], blobs)
    }

    /// A session taken over in mid-conversation: an empty baseline, and the complete set as its first
    /// update (R-SES-8). It replaces what another channel told as well, and so tells that too.
    fn take_over(&self, position: Position) -> Decision {
        let tellings: Vec<_> = self.context.sources.iter().map(telling_now).collect();
        let framing = self.policy.instructions.framing;
        let empty = baseline(&[], framing);
        let cause = EpochCause::Unknown;
        let epoch = self.epoch_record(0, cause, position, &empty, Vec::new(), Vec::new());
        let lines: Vec<_> = tellings.iter().map(|told| Line::Added(told.in_update())).collect();
        let text = update(Lead::ReplacesAll, &lines, Instructions::Remain, framing);
        let (admissions, mut blobs) = admissions(tellings);
        let changes = admissions.into_iter().map(|admission| Change::Added { admission }).collect();
        let record = self.update_record(1, position, &text, changes);
        blobs.extend([empty.blob, text.blob]);
        self.commit(vec![epoch, record], blobs)
    }

    /// A later boundary tells exactly what changed, as one update (R-BND-3).
    fn ordinary(&self, position: Position) -> Decision {
        let comparison = compare(&self.standing.state, &self.standing.contents, self.context);
        if comparison.is_unchanged() {
            return Decision::Unchanged;
        }
        let instructions = self.instructions(&comparison);
        let again: Vec<_> = comparison
            .additions
            .iter()
            .filter_map(|addition| match addition {
                Addition::Now(source) => Some(telling_now(source)),
                Addition::Again(admission, held) => self.telling_again(admission, *held),
            })
            .collect();
        let changed: Vec<_> =
            comparison.changes.iter().map(|change| telling_now(change.source)).collect();
        let mut lines = Vec::new();
        let mut changes = Vec::new();
        for removal in &comparison.removals {
            lines.push(Line::Removed { key: removal.key, removal: removal.removal });
            let (key, place) = (removal.key.clone(), removal.place.clone());
            changes.push(Change::Removed { key, place });
        }
        for told in &again {
            lines.push(Line::Added(told.in_update()));
            changes.push(Change::Added { admission: told.admission.clone() });
        }
        for (told, change) in changed.iter().zip(&comparison.changes) {
            let line =
                Line::Changed(told.in_update(), self.diff(change.source, change.base.as_ref()));
            changes.push(Change::Changed { admission: told.admission.clone(), form: form(&line) });
            lines.push(line);
        }
        if lines.is_empty() {
            return Decision::Unchanged;
        }
        let text = update(Lead::None, &lines, instructions, self.policy.instructions.framing);
        let record = self.update_record(0, position, &text, changes);
        let mut blobs: Vec<_> =
            again.into_iter().chain(changed).filter_map(|told| told.blob).collect();
        blobs.push(text.blob);
        self.commit(vec![record], blobs)
    }

    /// A diff stands for an instruction's own text, and the list of skills is told by what differs
    /// (R-CFG-5): other renderings are short.
    fn diff(&self, source: &Source, base: Option<&Arc<str>>) -> Option<String> {
        match source.key {
            SourceKey::Skills => SkillListing::delta(base?, &source.value),
            SourceKey::File(_) | SourceKey::Url(_) => {
                diff(base?, &source.value, self.policy.instructions.update_text)
            }
            SourceKey::Environment | SourceKey::Date | SourceKey::Api(_) | SourceKey::Plugin(_) => {
                None
            }
        }
    }

    fn instructions(&self, comparison: &Comparison<'_>) -> Instructions {
        let gone = comparison.removals.iter().any(|removal| removal.key.is_instruction());
        if gone && comparison.instructions_left == 0 {
            Instructions::Gone
        } else {
            Instructions::Remain
        }
    }

    /// A stored value told again: its own renderer, or the unavailable producer's.
    fn telling_again(
        &self,
        admission: &'a Admission,
        held: Option<&'a Unavailable>,
    ) -> Option<Telling<'a>> {
        let value = self.standing.contents.get(&admission.value.sha256)?;
        let renderer = held.and_then(|held| held.renderer.clone());
        let stored = || Renderer::of_stored(&admission.key, admission.scope.as_ref());
        let renderer = renderer.or_else(stored)?;
        Some(Telling { admission: admission.clone(), renderer, value, blob: None })
    }

    /// What each record's look says of held sources is so once the record is: a source that it
    /// restates was told by it.
    fn commit(&self, mut records: Vec<Record>, blobs: Vec<Blob>) -> Decision {
        if !self.context.unavailable.is_empty() {
            let mut state = Some(self.standing.state.clone());
            for record in &mut records {
                // The revisions are the next ones: the fold takes them.
                state = fold(state, record).ok();
                let held = state.iter().flat_map(|state| held(state, self.context)).collect();
                if let Event::EpochStarted { look, .. } | Event::ContextUpdated { look, .. } =
                    &mut record.event
                {
                    look.held = held;
                }
            }
        }
        Decision::Commit { records, blobs }
    }

    fn look(&self) -> Look {
        Look {
            boundary: self.context.boundary.clone(),
            project: self.context.project.clone(),
            held: Vec::new(),
            withheld: self.context.withheld.clone(),
        }
    }

    fn epoch_record(
        &self,
        after: usize,
        cause: EpochCause,
        position: Position,
        text: &RenderedText,
        sources: Vec<Admission>,
        adopted: Vec<SourceKey>,
    ) -> Record {
        let event = Event::EpochStarted {
            number: self.standing.state.epochs.next(),
            cause,
            position,
            baseline: text.name(),
            parts: text.parts.clone(),
            sources,
            adopted,
            look: self.look(),
        };
        Record { revision: self.standing.next().plus(after), at: self.now, event }
    }

    fn update_record(
        &self,
        after: usize,
        position: Position,
        text: &RenderedText,
        changes: Vec<Change>,
    ) -> Record {
        let event = Event::ContextUpdated {
            position,
            text: text.name(),
            parts: text.parts.clone(),
            changes,
            look: self.look(),
        };
        Record { revision: self.standing.next().plus(after), at: self.now, event }
    }
}

impl Telling<'_> {
    fn in_baseline(&self) -> BaselineSource<'_> {
        BaselineSource {
            key: &self.admission.key,
            origin: self.admission.origin,
            renderer: self.renderer.clone(),
            value: self.value,
        }
    }

    fn in_update(&self) -> Value<'_> {
        Value {
            key: &self.admission.key,
            origin: self.admission.origin,
            renderer: self.renderer.clone(),
            value: self.value,
        }
    }
}

fn telling_now(source: &Source) -> Telling<'_> {
    let blob = Blob::new(source.value.clone());
    Telling {
        admission: admission(source, blob.name()),
        renderer: source.renderer.clone(),
        value: &source.value,
        blob: Some(blob),
    }
}

pub(super) fn admission(source: &Source, value: ContentRef) -> Admission {
    Admission {
        key: source.key.clone(),
        place: source.place.clone(),
        value,
        size: source.size,
        origin: source.origin,
        warnings: source.warnings.clone(),
        via: source.via.clone(),
        scope: source.scope.clone(),
        removal: source.renderer.removal().map(Arc::from),
    }
}

fn admissions(tellings: Vec<Telling<'_>>) -> (Vec<Admission>, Vec<Blob>) {
    let mut blobs = Vec::new();
    let admissions = tellings.into_iter().map(|told| {
        blobs.extend(told.blob);
        told.admission
    });
    (admissions.collect(), blobs)
}

const fn order(admission: &Admission) -> (&crate::place::Place, &SourceKey) {
    (&admission.place, &admission.key)
}
