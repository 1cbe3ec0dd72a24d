//! Which instructions apply to a path, and why others do not.

use crate::{
    Engine, Error, Explanation,
    engine::absolute,
    observe::{Beside, Ground, Sight, compose},
    registry::Snapshot,
    urls::UrlSight,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use told_domain::{
    briefing::{SourceState, SourceView, estimated_tokens},
    context::{Source, SystemContext, Unavailable},
    hash::ContentHash,
    key::{Origin, SourceKey},
    observation::Observation,
    path::{AbsolutePath, CanonicalPath},
    place::Place,
    plan::Thoroughness,
    position::{Position, Revision},
    render::withheld_view,
    skill::FormerSkills,
    told::Scope,
    url::Counts,
};

/// A path can have no more components than this; the system takes no longer ones.
const COMPONENTS_MAX: usize = 2_048;

pub(crate) async fn explain(
    engine: &Engine,
    directory: &CanonicalPath,
    path: &Path,
) -> Result<Explanation, Error> {
    let world = &engine.world;
    let (target, real) = locate(engine, directory, path).await?;
    let boundary = engine.boundary(directory).await;
    let scopes = scopes(&boundary, &real);
    let thoroughness = Thoroughness::NearMisses;
    let services = engine.locations.at(directory);
    let offers = services.registry().offers();
    let ground =
        Ground { scopes: &scopes, thoroughness, offers: &offers, ..Ground::unknown(directory) };
    let sight = world.look(ground, None, None).await;
    let (snapshot, former) = (Snapshot::default(), FormerSkills::None);
    let named = &sight.plan.candidates().urls;
    let mut urls = UrlSight::new(Counts::Uncounted);
    let urls = world.look_at_urls(services.urls(), named, &mut urls).await;
    let nothing = std::iter::empty();
    let beside = Beside { urls, ..Beside::default() };
    let context = compose(world, &services, &sight, beside, &snapshot, &former, nothing)?;
    let configured = configured(&sight);
    let skills: Vec<_> = sight.plan.skill_roots().map(|root| root.directory.clone()).collect();
    let reach = Reach {
        boundary: &boundary,
        target: &target,
        directory: &real,
        configured: &configured,
        skills: &skills,
    };
    Ok(reach.explain(&context))
}

/// The path itself, and the nearest existing directory that holds it (or is it).
pub(crate) async fn locate(
    engine: &Engine,
    directory: &CanonicalPath,
    path: &Path,
) -> Result<(AbsolutePath, CanonicalPath), Error> {
    let files = engine.world.files_at(directory);
    let asked = absolute(directory, path)?;
    for above in asked.ancestors().take(COMPONENTS_MAX) {
        if let Observation::Available(real) = files.directory(above.as_path()).await {
            let below = asked.as_path().strip_prefix(above.as_path()).unwrap_or(Path::new(""));
            let target = absolute(&real, below)?;
            // Directories that do not exist yet are scopes as well: the file's parent is.
            let parent =
                if below.as_os_str().is_empty() { Some(target.clone()) } else { target.parent() };
            let parent = parent.unwrap_or_else(|| real.as_absolute().clone());
            return Ok((target, CanonicalPath::observed(parent)));
        }
    }
    Ok((asked.clone(), directory.clone()))
}

fn scopes(boundary: &CanonicalPath, real: &CanonicalPath) -> BTreeMap<CanonicalPath, Scope> {
    let within = real.ancestors().take_while(|above| above.is_within(boundary));
    let scope = |directory| {
        let scope = Scope {
            project: boundary.clone(),
            agent: None,
            position: Position::START,
            revision: Revision::NONE,
        };
        (CanonicalPath::observed(directory), scope)
    };
    within.map(scope).collect()
}

/// The project's own configuration, and what it and the user's name.
fn configured(sight: &Sight) -> BTreeSet<AbsolutePath> {
    let candidates = sight.plan.candidates();
    let files = candidates.groups.iter().flatten();
    let files = files.filter(|file| matches!(file.place, Place::Configured { .. }));
    let globs = candidates.patterns.iter().map(|pattern| pattern.glob.as_path());
    let files = files.map(|file| file.path.clone());
    files.chain(globs).chain(sight.learned.project.file()).collect()
}

/// What an instruction must stand above to apply.
struct Reach<'a> {
    boundary: &'a CanonicalPath,
    target: &'a AbsolutePath,
    directory: &'a CanonicalPath,
    /// What configurations name: it applies everywhere.
    configured: &'a BTreeSet<AbsolutePath>,
    /// The directories of skills: those can be loaded everywhere.
    skills: &'a [AbsolutePath],
}

impl Reach<'_> {
    fn explain(&self, context: &SystemContext) -> Explanation {
        let applies = context.sources.iter().filter(|source| self.reaches(source));
        let held = context.unavailable.iter().filter(|missed| self.is_on_the_way(&missed.key));
        let withheld = context.withheld.iter().filter(|left_out| self.is_on_the_way(&left_out.key));
        Explanation {
            applies: applies.map(view).collect(),
            held: held.map(held_view).collect(),
            withheld: withheld.map(withheld_view).collect(),
        }
    }

    /// The user's own files apply everywhere, and what a configuration names; a project's from its
    /// directory down.
    fn reaches(&self, source: &Source) -> bool {
        if matches!(source.place, Place::Configured { .. } | Place::Skills) {
            return true;
        }
        match source.origin {
            Origin::User => true,
            Origin::Project => source
                .via
                .iter()
                .filter_map(AbsolutePath::parent)
                .any(|above| self.is_above(&above)),
            Origin::Url | Origin::Host | Origin::Builtin => false,
        }
    }

    fn is_on_the_way(&self, key: &SourceKey) -> bool {
        let is_skill = |path: &AbsolutePath| self.skills.iter().any(|root| path.is_within(root));
        let named = |path| self.configured.contains(path) || is_skill(path);
        if key.path().is_some_and(named) || matches!(key, SourceKey::Url(_)) {
            return true;
        }
        let Some(directory) = key.path().and_then(AbsolutePath::parent) else { return false };
        !directory.is_within(self.boundary) || self.is_above(&directory)
    }

    fn is_above(&self, directory: &AbsolutePath) -> bool {
        self.target.is_within(directory) || self.directory.is_within(directory)
    }
}

fn held_view(unavailable: &Unavailable) -> SourceView {
    SourceView {
        reason: Some(unavailable.reason.as_str()),
        ..SourceView::new(unavailable.key.clone(), SourceState::Held)
    }
}

fn view(source: &Source) -> SourceView {
    SourceView {
        scope: source.scope.clone(),
        warnings: source.warnings.clone(),
        sha256: Some(ContentHash::of(&source.value)),
        bytes: Some(source.size),
        tokens: Some(estimated_tokens(source.value.len() as u64)),
        ..SourceView::new(source.key.clone(), SourceState::Pending)
    }
}
