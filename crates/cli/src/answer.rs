//! Results that the server and the command line give alike, in the protocol's words.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::{fmt, path::PathBuf};
use told::{
    Error, Explanation, Held, LoadedSkill, Opened, Session, Settled, SkillCatalog, SkillView,
    WithheldSkill,
    domain::{
        command::{self, Adoption},
        decide::NotAdopted,
        hash::ContentHash,
        key::SourceKey,
        path::AbsolutePath,
        position::{Position, Revision},
        reason::UnavailableReason,
        session::Location,
        url::SourceUrl,
    },
};

/// What a settlement discovered.
pub(crate) fn settled(settled: &Settled) -> Value {
    json!({
        "revision": settled.revision,
        "discovered": settled.discovered,
        "ignored": settled.ignored,
    })
}

/// What a declaration of holds came to.
pub(crate) fn held(held: &Held) -> Value {
    json!({ "revision": held.revision, "lost": held.lost })
}

/// A fork.
pub(crate) fn forked(child: &Opened) -> Value {
    json!({ "session": child.session, "revision": child.revision, "location": child.location })
}

/// A move.
pub(crate) fn moved(revision: Revision, location: &Location) -> Value {
    json!({ "revision": revision, "location": location })
}

/// Which instructions apply to a path.
pub(crate) fn explained(found: &Explanation) -> Value {
    json!({ "applies": found.applies, "held": found.held, "withheld": found.withheld })
}

/// The skills that can be loaded, and what became of the others.
pub(crate) fn skills(catalog: &SkillCatalog) -> Value {
    let skill = |skill: &SkillView| {
        let SkillView { name, description, path } = skill;
        match path {
            Some(path) => json!({ "name": name, "description": description, "path": path }),
            None => json!({ "name": name, "description": description }),
        }
    };
    let held = |(path, reason): &(AbsolutePath, UnavailableReason)| json!({ "path": path, "reason": reason.as_str() });
    let withheld = |left_out: &WithheldSkill| {
        let WithheldSkill { path, reason, fault } = left_out;
        match fault {
            Some(fault) => json!({ "path": path, "reason": reason, "fault": fault }),
            None => json!({ "path": path, "reason": reason }),
        }
    };
    json!({
        "skills": catalog.skills.iter().map(skill).collect::<Vec<_>>(),
        "held": catalog.held.iter().map(held).collect::<Vec<_>>(),
        "withheld": catalog.withheld.iter().map(withheld).collect::<Vec<_>>(),
    })
}

/// A skill's body.
pub(crate) fn skill(skill: &LoadedSkill) -> Value {
    let mut answer = json!({ "name": skill.name, "body": skill.body });
    if let Some(path) = &skill.path {
        answer["path"] = json!(path);
    }
    if !skill.warnings.is_empty() {
        answer["warnings"] = json!(skill.warnings);
    }
    answer
}

/// A source that a host says it told by another channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) source: Claimed,
    /// Only this value is adopted.
    pub(crate) sha256: Option<ContentHash>,
}

/// How such a source is named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Claimed {
    /// A file, relative to the session's Location.
    Path(PathBuf),
    /// A URL.
    Url(GivenUrl),
}

/// A URL as a host gave it. Its secrets are said again to nobody (R-URL-4).
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct GivenUrl(pub(crate) String);

impl fmt::Display for GivenUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&SourceUrl::redact(&self.0))
    }
}

impl fmt::Debug for GivenUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for GivenUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What an adoption came to (R-SES-10).
#[derive(Debug, Serialize)]
pub(crate) struct AdoptedSources {
    pub(crate) revision: Revision,
    pub(crate) adopted: Vec<SourceKey>,
    /// In the order of the request.
    pub(crate) refused: Vec<RefusedSource>,
}

/// A claimed source that is not believed.
#[derive(Debug, Serialize)]
pub(crate) struct RefusedSource {
    #[serde(flatten)]
    pub(crate) source: Claimed,
    pub(crate) reason: NotAdopted,
}

/// Adopts what of `claims` stands as it was told.
///
/// # Errors
/// As [`Session::adopt`].
pub(crate) async fn adopt(
    session: &Session,
    claims: Vec<Claim>,
    position: Option<Position>,
) -> Result<AdoptedSources, Error> {
    let location = session.location().await?;
    let mut asked = Vec::with_capacity(claims.len());
    let mut places = Vec::with_capacity(claims.len());
    let mut refused = Vec::new();
    for (place, claim) in claims.iter().enumerate() {
        let source = match &claim.source {
            Claimed::Path(path) => {
                let path = location.directory().resolve(path).ok();
                path.map(|path| command::Claimed::Key(SourceKey::File(path)))
            }
            Claimed::Url(url) => url.0.parse().ok().map(command::Claimed::Url),
        };
        match source {
            Some(source) => {
                asked.push(Adoption { source, sha256: claim.sha256 });
                places.push(place);
            }
            None => refused.push((place, NotAdopted::UnknownSource)),
        }
    }
    let adopted = session.adopt(&asked, position).await?;
    refused.extend(adopted.refused.into_iter().map(|(asked, reason)| (places[asked], reason)));
    refused.sort_by_key(|(place, _)| *place);
    let refused = refused
        .into_iter()
        .map(|(place, reason)| RefusedSource { source: claims[place].source.clone(), reason });
    Ok(AdoptedSources {
        revision: adopted.revision,
        adopted: adopted.adopted,
        refused: refused.collect(),
    })
}
