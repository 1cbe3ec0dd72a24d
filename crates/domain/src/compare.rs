//! What has changed: one look's `SystemContext` against what the model believes (R-BND-3).

use crate::{
    context::{Source, SystemContext, Unavailable},
    key::SourceKey,
    look::Held,
    path::AbsolutePath,
    place::Place,
    policy::IncludeGlob,
    position::Revision,
    skill::SkillListing,
    state::{Belief, Contents, State},
    text::same_but_for_line_endings,
    told::{Admission, Entry, Telling, TellingContent, UnderHolds},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// What a boundary has to tell, and what it leaves as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison<'a> {
    /// Believed, and no longer there: in the order of the belief's places.
    pub removals: Vec<Removal<'a>>,
    /// There, and not believed: in the order of telling.
    pub additions: Vec<Addition<'a>>,
    /// Believed with another value: in the order of telling.
    pub changes: Vec<Changed<'a>>,
    /// Unavailable: what was told stands.
    pub held: Vec<Held>,
    /// What the model believes once this is told, of instruction files and URLs.
    pub instructions_left: usize,
}

/// A source to be told as removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal<'a> {
    /// Its name.
    pub key: &'a SourceKey,
    /// Where it stood.
    pub place: &'a Place,
    /// Its own sentence, if it has one.
    pub removal: Option<&'a str>,
}

/// A source to be told in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addition<'a> {
    /// As it is now.
    Now(&'a Source),
    /// As it was last admitted, since it cannot be observed and the text that told it is gone from
    /// the transcript (R-SES-7).
    Again(&'a Admission, Option<&'a Unavailable>),
}

/// A source whose value is another now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed<'a> {
    /// As it is now.
    pub source: &'a Source,
    /// The value that the transcript gives in full, where a diff may stand on it.
    pub base: Option<Arc<str>>,
}

impl Addition<'_> {
    /// Its name.
    #[must_use]
    pub const fn key(&self) -> &SourceKey {
        match self {
            Self::Now(source) => &source.key,
            Self::Again(admission, _) => &admission.key,
        }
    }

    const fn place(&self) -> &Place {
        match self {
            Self::Now(source) => &source.place,
            Self::Again(admission, _) => &admission.place,
        }
    }
}

impl Comparison<'_> {
    /// Whether there is nothing to tell.
    #[must_use]
    pub const fn is_unchanged(&self) -> bool {
        self.removals.is_empty() && self.additions.is_empty() && self.changes.is_empty()
    }
}

/// Compares `context` with what `state` believes; `contents` holds the believed values.
#[must_use]
pub fn compare<'a>(
    state: &'a State,
    contents: &Contents,
    context: &'a SystemContext,
) -> Comparison<'a> {
    let mut comparison = Comparison::default();
    for source in &context.sources {
        comparison.hear(source, state, contents);
    }
    let holds = Holds::new(context);
    let mut instructions = context.sources.iter().filter(|s| s.key.is_instruction()).count();
    let found = found(context);
    for (key, entry) in state.told.entries.iter().filter(|(key, _)| !found.contains(key)) {
        let beliefs = [state.told.belief(entry), state.told.belief_restored(entry)];
        match holds.of(key, entry, state) {
            Some(held) => {
                let last = state.told.last_admitted(entry);
                instructions += usize::from(last.is_some() && key.is_instruction());
                comparison.restate(key, entry, (last, beliefs), held, contents);
            }
            None => comparison.remove(key, entry, beliefs),
        }
    }
    comparison.held = held(state, context);
    comparison.instructions_left = instructions;
    comparison.removals.sort_by(|one, other| (one.place, one.key).cmp(&(other.place, other.key)));
    comparison.additions.sort_by(|a, b| (a.place(), a.key()).cmp(&(b.place(), b.key())));
    comparison
}

impl<'a> Comparison<'a> {
    /// A source that is there is told where the texts at hand do not give it, or the lost ones, which
    /// come back with the next briefing, would give another value (R-SES-9).
    fn hear(&mut self, source: &'a Source, state: &'a State, contents: &Contents) {
        let Some(entry) = state.told.entries.get(&source.key) else {
            return self.additions.push(Addition::Now(source));
        };
        let given = |belief: Belief<'_>| match belief {
            Belief::Value(admission, _) => contents.get(&admission.value.sha256),
            Belief::Nothing | Belief::Unclear => None,
        };
        let is_given =
            |belief: Belief<'_>| given(belief).is_some_and(|value| is_same(source, value));
        match state.told.belief(entry) {
            Belief::Nothing => self.additions.push(Addition::Now(source)),
            Belief::Unclear => self.changes.push(Changed { source, base: None }),
            belief @ Belief::Value(admission, _) if !is_given(belief) => {
                let stands = |base: &&Arc<str>| {
                    source.renderer.decodes(base) && state.told.is_told_last(admission)
                };
                let base = given(belief).filter(stands).cloned();
                self.changes.push(Changed { source, base });
            }
            Belief::Value(..) if is_given(state.told.belief_restored(entry)) => {}
            Belief::Value(..) => self.changes.push(Changed { source, base: None }),
        }
    }

    /// A held source is told again as last admitted where the transcript no longer says so (R-SES-7).
    fn restate(
        &mut self,
        key: &'a SourceKey,
        entry: &'a Entry,
        (last, beliefs): (Option<(&'a Admission, Revision)>, [Belief<'a>; 2]),
        held: &'a Unavailable,
        contents: &Contents,
    ) {
        let Some((last, _)) = last else { return self.remove(key, entry, beliefs) };
        let is_said = |belief: Belief<'_>| match belief {
            Belief::Value(believed, _) => is_equal(last, believed, contents),
            Belief::Nothing | Belief::Unclear => false,
        };
        if !beliefs.into_iter().all(is_said) {
            self.additions.push(Addition::Again(last, Some(held)));
        }
    }

    /// What is not there is told as removed, unless neither the texts at hand nor the lost ones, which
    /// come back with the next briefing, say anything of it (R-SES-9).
    fn remove(&mut self, key: &'a SourceKey, entry: &'a Entry, beliefs: [Belief<'a>; 2]) {
        let says = |belief: &Belief<'_>| *belief != Belief::Nothing;
        let Some(belief) = beliefs.into_iter().find(says) else { return };
        let last = entry.last.as_ref();
        let at_hand = match (belief, &entry.under_holds) {
            (Belief::Value(believed, _), _) => Some(believed),
            (_, Some(UnderHolds::Telling(telling))) => telling.value(),
            _ => None,
        };
        let admission = last.and_then(Telling::value).or(at_hand).or(entry.baseline.as_ref());
        let removal = admission.and_then(|admission| admission.removal.as_deref());
        // Where the transcript lost a removal, and nothing else is left of the source, that one's place.
        let repeated = last.and_then(|last| match &last.content {
            TellingContent::Removal(place) => Some(place),
            TellingContent::Value(_) => None,
        });
        if let Some(place) = admission.map(|admission| &admission.place).or(repeated) {
            self.removals.push(Removal { key, place, removal });
        }
    }
}

/// Whether `source` still has the value `base` (R-BND-4, R-OBS-5).
fn is_same(source: &Source, base: &Arc<str>) -> bool {
    is_same_value(&source.key, &source.value, base)
}

/// Whether two values of a source tell the same.
fn is_same_value(key: &SourceKey, one: &Arc<str>, other: &Arc<str>) -> bool {
    match key {
        SourceKey::File(_) | SourceKey::Url(_) => same_but_for_line_endings(one, other),
        SourceKey::Skills => SkillListing::tell_the_same(one, other),
        SourceKey::Environment | SourceKey::Date | SourceKey::Api(_) | SourceKey::Plugin(_) => {
            one == other
        }
    }
}

/// Whether two admissions of a source give one value: line endings alone are no difference (R-OBS-5).
fn is_equal(one: &Admission, other: &Admission, contents: &Contents) -> bool {
    let text = |admission: &Admission| contents.get(&admission.value.sha256);
    let same = |(a, b): (&Arc<str>, &Arc<str>)| is_same_value(&one.key, a, b);
    one.value == other.value || text(one).zip(text(other)).is_some_and(same)
}

/// Which beliefs an unavailable source holds (R-OBS-11).
pub(crate) struct Holds<'a> {
    context: &'a SystemContext,
    /// By index, the unavailable sources with each key.
    by_key: BTreeMap<&'a SourceKey, usize>,
    /// By index, the unavailable sources whose group has each path, in the order of their keys.
    by_path: BTreeMap<&'a AbsolutePath, Vec<usize>>,
    /// By index, the unavailable sources through which each file was last found.
    by_file: BTreeMap<&'a AbsolutePath, Vec<usize>>,
    /// By index, the globs whose scan failed (R-CFG-2).
    globs: Vec<(usize, &'a IncludeGlob)>,
}

impl<'a> Holds<'a> {
    pub(crate) fn new(context: &'a SystemContext) -> Self {
        let mut by_key = BTreeMap::new();
        let mut by_path: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut by_file: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut globs = Vec::new();
        for (index, unavailable) in context.unavailable.iter().enumerate() {
            by_key.entry(&unavailable.key).or_insert(index);
            for path in &unavailable.holds {
                by_path.entry(path).or_default().push(index);
            }
            for file in &unavailable.found {
                by_file.entry(file).or_default().push(index);
            }
            globs.extend(unavailable.glob.as_ref().map(|glob| (index, glob)));
        }
        Self { context, by_key, by_path, by_file, globs }
    }

    /// The unavailable source that keeps `key` as it is, if one does.
    pub(crate) fn of(
        &self,
        key: &SourceKey,
        entry: &Entry,
        state: &State,
    ) -> Option<&'a Unavailable> {
        let own = self.by_key.get(key).into_iter();
        let through = self.through(key, entry, state);
        own.chain(through).min().and_then(|index| self.context.unavailable.get(*index))
    }

    /// The unavailable sources through which `key` was found, when it was told or since.
    fn through<'b>(
        &'b self,
        key: &'b SourceKey,
        entry: &'b Entry,
        state: &'b State,
    ) -> impl Iterator<Item = &'b usize> {
        let by_path = |path| self.by_path.get(path).into_iter().flatten();
        let by_file = |path| self.by_file.get(path).into_iter().flatten();
        let by_glob = |path: &'b AbsolutePath| {
            self.globs.iter().filter(|(_, glob)| glob.matches(path)).map(|(index, _)| index)
        };
        let paths = via(entry, state).chain(key.path());
        let told = paths.flat_map(move |path| by_path(path).chain(by_glob(path)));
        told.chain(key.path().into_iter().flat_map(by_file))
    }
}

/// The candidates that led to what was last admitted of `entry`.
fn via<'a>(entry: &'a Entry, state: &'a State) -> impl Iterator<Item = &'a AbsolutePath> {
    state.told.last_admitted(entry).into_iter().flat_map(|(admission, _)| &admission.via)
}

/// Every unavailable source with the record that told what stands, in the order of their keys.
#[must_use]
pub fn held(state: &State, context: &SystemContext) -> Vec<Held> {
    if context.unavailable.is_empty() {
        return Vec::new();
    }
    let holds = Holds::new(context);
    let found = found(context);
    let mut since = vec![None; context.unavailable.len()];
    for (key, entry) in &state.told.entries {
        let Some((_, revision)) = state.told.last_admitted(entry) else { continue };
        let own = holds.by_key.get(key).into_iter();
        let through = holds.through(key, entry, state).filter(|_| !found.contains(key));
        for index in own.chain(through) {
            since[*index] = since[*index].max(Some(revision));
        }
        if *key == SourceKey::Skills {
            let holding = context.unavailable.iter().zip(&mut since);
            for (_, since) in holding.filter(|(held, _)| !held.skills.is_empty()) {
                *since = (*since).max(Some(revision));
            }
        }
    }
    let held = context.unavailable.iter().zip(since).map(|(unavailable, since)| Held {
        key: unavailable.key.clone(),
        reason: unavailable.reason,
        since,
    });
    held.collect()
}

/// The keys that `context` has a value for.
pub(crate) fn found(context: &SystemContext) -> BTreeSet<&SourceKey> {
    context.sources.iter().map(|source| &source.key).collect()
}

/// Paths of empty files whose last admitted content was not empty: editors that save in place
/// truncate first, so these are looked at once more (R-OBS-4).
#[must_use]
pub fn emptied(state: &State, context: &SystemContext) -> Vec<AbsolutePath> {
    let skills = context.emptied_skills.iter().cloned();
    let emptied: BTreeSet<_> = context
        .sources
        .iter()
        .filter(|source| source.key.is_instruction() && source.value.is_empty())
        .filter(|source| {
            let entry = state.told.entries.get(&source.key);
            let last = entry.and_then(|entry| state.told.last_admitted(entry));
            last.is_some_and(|(admission, _)| admission.value.bytes > 0)
        })
        .flat_map(|source| source.via.iter().cloned())
        .chain(skills)
        .collect();
    emptied.into_iter().collect()
}
