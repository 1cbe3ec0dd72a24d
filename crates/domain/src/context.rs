//! `SystemContext`: everything that one look found worth telling, composed from its producers, in
//! the order of telling.

use crate::{
    configuration::ProjectConfiguration,
    instruction::{InstructionSet, KnownProject, ProjectSight},
    key::{Origin, PluginKey, SourceKey},
    look::Withheld,
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    place::Place,
    policy::IncludeGlob,
    reason::{UnavailableReason, Warning, WithheldReason},
    render::Renderer,
    skill::{SkillName, SkillSet},
    text::{self, DeliveredText},
    url::NamedUrl,
};
use std::{collections::BTreeMap, sync::Arc};

/// What one look found, source by source. [`SystemContext::compose`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemContext {
    /// The project boundary as found.
    pub boundary: CanonicalPath,
    /// The project's own configuration that counts, without secrets (R-CFG-6, R-URL-4).
    pub project: Option<Arc<ProjectConfiguration>>,
    /// Sources with a value, in the order of telling.
    pub sources: Vec<Source>,
    /// Sources that could not be observed.
    pub unavailable: Vec<Unavailable>,
    /// What was left out, by key.
    pub withheld: Vec<Withheld>,
    /// Empty `SKILL.md`s of skills that were told (R-OBS-4).
    pub emptied_skills: Vec<AbsolutePath>,
    /// The URLs behind their keys.
    pub urls: Vec<NamedUrl>,
}

/// One source with the value that it has now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name.
    pub key: SourceKey,
    /// Its place in the order of telling.
    pub place: Place,
    /// Who wrote it.
    pub origin: Origin,
    /// The value, as delivered: what is stored and compared.
    pub value: Arc<str>,
    /// The size in bytes of what was observed.
    pub size: u64,
    /// What a reader may want to know of the text.
    pub warnings: Vec<Warning>,
    /// Every candidate that led to it.
    pub via: Vec<AbsolutePath>,
    /// For a path-local file, the directory that it applies to.
    pub scope: Option<CanonicalPath>,
    /// Turns the value into text.
    pub renderer: Renderer,
}

/// One source that could not be observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// Its name; a candidate's is its own path.
    pub key: SourceKey,
    /// Why.
    pub reason: UnavailableReason,
    /// Whether a first boundary can do without it.
    pub need: Need,
    /// Beliefs last found through these paths are held, beside the key's own (R-OBS-11).
    pub holds: Vec<AbsolutePath>,
    /// And those through any path that this glob names: its scan failed (R-CFG-2).
    pub glob: Option<IncludeGlob>,
    /// Files that a later look than the record's found through those paths: they are held too.
    pub found: Vec<AbsolutePath>,
    /// Skills that are listed as they were told.
    pub skills: Vec<SkillName>,
    /// Renders the last admitted value where it has to be told again; a file's renders itself.
    pub renderer: Option<Renderer>,
}

impl Unavailable {
    /// A source that holds nothing but its own belief.
    #[must_use]
    pub const fn new(key: SourceKey, reason: UnavailableReason, need: Need) -> Self {
        Self {
            key,
            reason,
            need,
            holds: Vec::new(),
            glob: None,
            found: Vec::new(),
            skills: Vec::new(),
            renderer: None,
        }
    }

    /// Whether beliefs that were found through `path` are held.
    #[must_use]
    pub fn holds_through(&self, path: &AbsolutePath) -> bool {
        self.holds.contains(path) || self.glob.as_ref().is_some_and(|glob| glob.matches(path))
    }
}

/// Whether a first boundary can do without a source (R-BND-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It cannot.
    Required,
    /// It can; the source is told once it can be read.
    Optional,
}

/// What a producer other than the instruction files contributes: a host's value, a plugin, a
/// built-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contributed {
    /// Its name.
    pub key: SourceKey,
    /// Who wrote it.
    pub origin: Origin,
    /// Whether a first boundary can do without it.
    pub need: Need,
    /// Turns the value into text.
    pub renderer: Renderer,
    /// What was found.
    pub observation: Observation<Arc<str>>,
}

/// A URL and what was found there. No first boundary waits for one (R-BND-2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedUrl {
    /// The URL.
    pub named: NamedUrl,
    /// What was found.
    pub observation: Observation<DeliveredText>,
}

/// Two producers gave the same key: a programming error of a host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two contributions have the key `{0}`")]
pub struct DuplicateKey(pub SourceKey);

/// What producers gave for one look, before it is put in order.
#[derive(Debug)]
pub struct Parts<'a> {
    /// The boundary as found.
    pub boundary: CanonicalPath,
    /// The marker that could not be looked at, where that left the boundary unknown (R-AMB-4).
    pub unknown_boundary: Option<(AbsolutePath, UnavailableReason)>,
    /// The project's own configuration, as the look found it.
    pub project: KnownProject,
    /// The instruction files.
    pub instructions: InstructionSet<'a>,
    /// The skills (R-CFG-3).
    pub skills: SkillSet,
    /// The URLs, each looked at.
    pub urls: Vec<ObservedUrl>,
    /// All other producers.
    pub contributed: Vec<Contributed>,
    /// Plugin keys that are believed and that this process neither provides nor dropped (R-EPO-5).
    pub not_registered: Vec<PluginKey>,
}

impl SystemContext {
    /// Composes what the producers gave, in the order of telling (R-AMB-7).
    ///
    /// # Errors
    /// [`DuplicateKey`] where two contributions have one key.
    pub fn compose(parts: Parts<'_>) -> Result<Self, DuplicateKey> {
        let mut context = Self {
            boundary: parts.boundary,
            project: parts.project.counts().map(ProjectConfiguration::shown),
            sources: Vec::new(),
            unavailable: Vec::new(),
            withheld: parts.instructions.withheld.clone(),
            emptied_skills: Vec::new(),
            urls: Vec::new(),
        };
        context.add_instructions(&parts.instructions);
        context.add_project(&parts.project);
        context.add_skills(parts.skills);
        if let Some((marker, reason)) = parts.unknown_boundary {
            let key = SourceKey::File(marker);
            context.unavailable.push(Unavailable::new(key, reason, Need::Required));
        }
        for key in parts.not_registered {
            let (key, reason) = (SourceKey::Plugin(key), UnavailableReason::NotRegistered);
            context.unavailable.push(Unavailable::new(key, reason, Need::Optional));
        }
        for url in parts.urls {
            context.add_url(url);
        }
        for contributed in parts.contributed {
            context.add(contributed);
        }
        context.withhold_empty_texts();
        context
            .sources
            .sort_by(|one, other| (&one.place, &one.key).cmp(&(&other.place, &other.key)));
        context.withheld.sort();
        context.withheld.dedup();
        context.unavailable.sort_by(|one, other| one.key.cmp(&other.key));
        // A global candidate that is an ambient one as well fails once, for both groups.
        context.unavailable.dedup_by(|again, first| {
            let same = again.key == first.key;
            if same {
                first.holds.append(&mut again.holds);
                first.skills.append(&mut again.skills);
            }
            same
        });
        let mut keys = BTreeMap::new();
        for source in &context.sources {
            if keys.insert(&source.key, ()).is_some() {
                return Err(DuplicateKey(source.key.clone()));
            }
        }
        Ok(context)
    }

    /// The source with `key`.
    #[must_use]
    pub fn source(&self, key: &SourceKey) -> Option<&Source> {
        self.sources.iter().find(|source| source.key == *key)
    }

    fn add_instructions(&mut self, set: &InstructionSet<'_>) {
        for loaded in &set.files {
            let path = loaded.file.canonical.as_absolute();
            let delivered = text::deliver(&loaded.file.bytes, loaded.file.size);
            self.sources.push(Source {
                key: SourceKey::File(path.clone()),
                place: loaded.place.clone(),
                origin: loaded.origin,
                value: delivered.text,
                size: loaded.file.size,
                warnings: delivered.warnings,
                via: loaded.via.clone(),
                scope: loaded.scope.clone(),
                renderer: Renderer::File { path: path.clone(), scope: loaded.scope.clone() },
            });
        }
        for failed in &set.unavailable {
            let key = SourceKey::File(failed.path.clone());
            self.unavailable.push(Unavailable {
                holds: failed.group.clone(),
                glob: failed.glob.clone(),
                ..Unavailable::new(key, failed.reason, Need::Required)
            });
        }
    }

    /// The list of skills is one source, however many directories it comes from (R-CFG-5).
    fn add_skills(&mut self, set: SkillSet) {
        let (listing, origin) = (set.listing(), set.origin());
        let unavailable = |reason| Unavailable::new(SourceKey::Skills, reason, Need::Optional);
        match set.stands {
            Some(reason) => self.unavailable.push(unavailable(reason)),
            None if listing.skills().is_empty() => {}
            None => {
                let value = listing.encode();
                self.sources.push(Source {
                    key: SourceKey::Skills,
                    place: Place::Skills,
                    origin,
                    size: value.len() as u64,
                    value,
                    warnings: listing.warnings(),
                    via: Vec::new(),
                    scope: None,
                    renderer: Renderer::Skills,
                });
            }
        }
        self.unavailable.extend(set.held.into_iter().map(|held| Unavailable {
            skills: held.names,
            ..Unavailable::new(held.key, held.reason, Need::Optional)
        }));
        self.withheld.extend(set.withheld);
        self.emptied_skills = set.emptied;
    }

    /// The project's configuration is told to nobody; what became of it is listed under its path.
    fn add_project(&mut self, project: &KnownProject) {
        let Some(key) = project.file().map(SourceKey::File) else { return };
        match project.sight() {
            ProjectSight::Unseen | ProjectSight::Missing | ProjectSight::Good(_) => {}
            ProjectSight::Broken(..) => {
                let reason = WithheldReason::InvalidConfiguration;
                self.withheld.push(Withheld { key, reason });
            }
            ProjectSight::Withheld(reason) => self.withheld.push(Withheld { key, reason: *reason }),
            ProjectSight::Unavailable(reason) => {
                self.unavailable.push(Unavailable::new(key, *reason, Need::Required));
            }
        }
    }

    fn add(&mut self, contributed: Contributed) {
        let Contributed { key, origin, need, renderer, observation } = contributed;
        match observation {
            Observation::Available(value) => self.sources.push(Source {
                place: place_of(&key),
                key,
                origin,
                size: value.len() as u64,
                value,
                warnings: Vec::new(),
                via: Vec::new(),
                scope: None,
                renderer,
            }),
            Observation::Absent(Absence::NotFound) => {}
            Observation::Absent(Absence::Withheld(reason)) => {
                self.withheld.push(Withheld { key, reason });
            }
            Observation::Unavailable(reason) => self.unavailable.push(Unavailable {
                renderer: Some(renderer),
                ..Unavailable::new(key, reason, need)
            }),
        }
    }

    fn add_url(&mut self, url: ObservedUrl) {
        let ObservedUrl { named, observation } = url;
        let key = named.key.clone();
        match observation {
            Observation::Available(DeliveredText { text, warnings }) => self.sources.push(Source {
                renderer: Renderer::Url(key.url().unwrap_or_default().into()),
                key,
                place: named.place.clone(),
                origin: Origin::Url,
                size: text.len() as u64,
                value: text,
                warnings,
                via: Vec::new(),
                scope: None,
            }),
            Observation::Absent(Absence::NotFound) => {}
            Observation::Absent(Absence::Withheld(reason)) => {
                self.withheld.push(Withheld { key, reason });
            }
            Observation::Unavailable(reason) => {
                self.unavailable.push(Unavailable::new(key, reason, Need::Optional));
            }
        }
        self.urls.push(named);
    }

    /// A renderer that gives no text is a programming error: the source is left out (R-TXT-3).
    fn withhold_empty_texts(&mut self) {
        let withheld = &mut self.withheld;
        self.sources.retain(|source| {
            let says_something = source.renderer.says_something(&source.value);
            if !says_something {
                let key = source.key.clone();
                withheld.push(Withheld { key, reason: WithheldReason::EmptyText });
            }
            says_something
        });
    }
}

/// The place of a source that is no instruction file. A file or URL has its place from its plan.
fn place_of(key: &SourceKey) -> Place {
    match key {
        SourceKey::File(path) => Place::Configured { entry: 0, path: Some(path.clone()) },
        SourceKey::Url(_) => Place::Configured { entry: 0, path: None },
        SourceKey::Skills => Place::Skills,
        SourceKey::Api(key) => Place::Api(key.clone()),
        SourceKey::Plugin(key) => Place::Plugin(key.clone()),
        SourceKey::Environment => Place::Environment,
        SourceKey::Date => Place::Date,
    }
}

#[cfg(test)]
mod tests;
