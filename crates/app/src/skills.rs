//! Skills on request: which can be loaded, and the body of one (R-CFG-3). Each call looks: nothing of a
//! body is kept.

use crate::{
    Engine, Error, Session,
    engine::World,
    observe::{Ground, Sight},
};
use std::sync::Arc;
use told_domain::{
    look::{FileBytes, Looks, Read},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    reason::{Retry, UnavailableReason, Warning, WithheldReason},
    skill::{FormerSkills, SkillFile, SkillName, SkillSet, WhereFound},
};

/// The skills that can be loaded, and what became of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillCatalog {
    /// Those that can be loaded, by name.
    pub skills: Vec<SkillView>,
    /// Directories and files that could not be looked at, each with its reason.
    pub held: Vec<(AbsolutePath, UnavailableReason)>,
    /// Those left out, by path.
    pub withheld: Vec<WithheldSkill>,
}

/// One skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillView {
    /// Its name.
    pub name: SkillName,
    /// What it does, and when to use it.
    pub description: Arc<str>,
    /// Its `SKILL.md`; a value of a host's has none.
    pub path: Option<AbsolutePath>,
}

/// A skill, or a directory of skills, that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithheldSkill {
    /// Where.
    pub path: AbsolutePath,
    /// Why, in the protocol's word.
    pub reason: WithheldReason,
    /// How it breaks the format, in a sentence.
    pub fault: Option<String>,
}

/// One skill's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedSkill {
    /// Its name.
    pub name: SkillName,
    /// Its `SKILL.md`; a value of a host's has none.
    pub path: Option<AbsolutePath>,
    /// What follows the front matter.
    pub body: Arc<str>,
    /// What a reader may want to know of it.
    pub warnings: Vec<Warning>,
}

/// What a look at a directory's skills found.
pub(crate) struct Found {
    directory: CanonicalPath,
    set: SkillSet,
}

/// For a new session of a directory.
pub(crate) async fn at(engine: &Engine, directory: &CanonicalPath) -> Found {
    let services = engine.locations.at(directory);
    let offers = services.registry().offers();
    let ground = Ground { offers: &offers, ..Ground::unknown(directory) };
    let sight = engine.world.look(ground, None, None).await;
    found(directory, &sight, &FormerSkills::None)
}

/// For a session as it stands.
pub(crate) async fn of(session: &Session) -> Result<Found, Error> {
    let known = session.fresh().await?;
    let known = known.as_ref().ok_or_else(|| session.unknown())?;
    let state = &known.standing.state;
    let offers = known.services.registry().snapshot_with(session.registry()).offers;
    let ground = Ground {
        known: &known.boundary,
        learned: &known.learned,
        trust: state.trust,
        offers: &offers,
        ..Ground::unknown(&state.location.directory)
    };
    let sight = session.world().look(ground, None, None).await;
    let former = session.former_skills(&known.standing);
    Ok(found(&state.location.directory, &sight, &former))
}

fn found(directory: &CanonicalPath, sight: &Sight, former: &FormerSkills) -> Found {
    Found { directory: directory.clone(), set: sight.plan.skills(&sight.seen, former) }
}

impl Found {
    pub(crate) fn catalog(&self) -> SkillCatalog {
        let set = &self.set;
        let view = |skill: &told_domain::skill::FoundSkill| SkillView {
            name: skill.listed.name.clone(),
            description: skill.listed.description.clone(),
            path: skill.listed.path.clone(),
        };
        let mut withheld: Vec<_> = set.withheld.iter().collect();
        withheld.sort();
        let withheld = withheld.into_iter().filter_map(|left_out| {
            let path = left_out.key.path()?.clone();
            let fault = set.faults.get(&path).map(ToString::to_string);
            Some(WithheldSkill { path, reason: left_out.reason, fault })
        });
        let held = set.held.iter();
        SkillCatalog {
            skills: set.found.iter().map(view).collect(),
            held: held.filter_map(|held| Some((held.key.path()?.clone(), held.reason))).collect(),
            withheld: withheld.collect(),
        }
    }

    /// Reads the body now.
    pub(crate) async fn load(&self, world: &World, name: &str) -> Result<LoadedSkill, Error> {
        let parsed = name.parse::<SkillName>().ok();
        let skill = parsed.as_ref().and_then(|name| self.set.find(name));
        let skill = skill.ok_or_else(|| Error::UnknownSkill { name: name.to_owned() })?;
        let name = &skill.listed.name;
        let not_loaded = |why: String, reason, retry| Error::SkillNotLoaded {
            name: name.clone(),
            path: skill.listed.path.clone(),
            why,
            reason,
            retry,
        };
        let held = |reason: UnavailableReason| {
            not_loaded(format!("it could not be read ({reason})"), reason.as_str(), Retry::Later)
        };
        let (path, containment) = match &skill.place {
            WhereFound::Held(reason) => return Err(held(*reason)),
            WhereFound::Value(body) => {
                let (name, body) = (name.clone(), body.clone());
                return Ok(LoadedSkill { name, path: None, body, warnings: Vec::new() });
            }
            WhereFound::File(path, containment) => (path, containment),
        };
        let max_bytes = world.policy.instructions.max_bytes;
        let read = Read { path: path.clone(), containment: containment.clone(), max_bytes };
        let looks = Looks {
            reads: vec![read],
            total_bytes: max_bytes,
            look_ms: world.policy.limits.look_ms,
            ..Looks::default()
        };
        let mut seen = world.files_at(&self.directory).observe(&looks).await;
        match seen.files.pop() {
            Some(Observation::Available(file)) => loaded(name, path, &file).map_err(|why| {
                not_loaded(why, WithheldReason::InvalidSkill.as_str(), Retry::Later)
            }),
            Some(Observation::Absent(Absence::Withheld(reason))) => {
                let why = format!("it is left out ({reason})");
                Err(not_loaded(why, reason.as_str(), Retry::No))
            }
            // It went since it was listed.
            Some(Observation::Absent(Absence::NotFound)) => {
                Err(Error::UnknownSkill { name: name.to_string() })
            }
            Some(Observation::Unavailable(reason)) => Err(held(reason)),
            None => Err(held(UnavailableReason::IoError)),
        }
    }
}

fn loaded(name: &SkillName, path: &AbsolutePath, file: &FileBytes) -> Result<LoadedSkill, String> {
    let read = SkillFile::read(&file.bytes, file.size, Some(name.as_str()));
    let read = read.map_err(|fault| fault.to_string())?;
    let (body, warnings) = (read.body.text, read.body.warnings);
    Ok(LoadedSkill { name: name.clone(), path: Some(path.clone()), body, warnings })
}
