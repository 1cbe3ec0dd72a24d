//! `told settle`, `fork`, `revert`, `move`, `window`, `holds` and `adopt`.

use super::{Desk, Output, json, sentence};
use crate::{
    answer::{self, Claim, Claimed, GivenUrl},
    arguments::life::{Adopt, Fork, Given, Holds, Move, Revert, Settle, Window},
    failure::Failure,
    view::life,
};
use serde_json::{Value, json as object};
use std::path::{Path, PathBuf};
use told::{
    Outcome, ReadKind, ResourceOrigin, SettledPath, ToolSettlement, domain::position::Revision,
};

pub(crate) async fn settle(desk: &Desk<'_>, asked: Settle) -> Result<Output, Failure> {
    let id = desk.session(&asked.named)?;
    let session = desk.engine()?.session(&id).await?;
    let resources = asked.paths.iter().map(|path| {
        let path = desk.directory.join(path);
        let kind = if path.is_dir() { ReadKind::Directory } else { ReadKind::File };
        SettledPath { path, kind, origin: ResourceOrigin::Local }
    });
    let settlement = ToolSettlement {
        agent: asked.agent.map(Into::into),
        tool: asked.tool.into(),
        input: Value::Null,
        output: Value::Null,
        resources: resources.collect(),
        outcome: Outcome::Succeeded,
        position: asked.at.position,
    };
    let settled = session.settle(&settlement).await?;
    if asked.json.json {
        return json(&answer::settled(&settled));
    }
    let location = session.location().await?;
    let boundary = session.show(None).await?.location.boundary;
    let here = location.directory().as_path();
    let places = desk.places(Some(&boundary));
    Ok(desk.page(&life::settled(&settled, here, places, desk.screen)))
}

pub(crate) async fn fork(desk: &Desk<'_>, asked: Fork) -> Result<Output, Failure> {
    let parent = desk.session(&asked.named)?;
    let forked = desk.engine()?.fork(&parent, &asked.child, asked.position).await?;
    if asked.json.json {
        return json(&answer::forked(&forked));
    }
    let directory = desk.places(None).directory(forked.location.directory.as_path());
    let child = &forked.session;
    Ok(sentence(format!("{child} goes on from {parent} in {directory}; nothing is told again")))
}

pub(crate) async fn revert(desk: &Desk<'_>, asked: Revert) -> Result<Output, Failure> {
    let id = desk.session(&asked.named)?;
    let session = desk.engine()?.session(&id).await?;
    let before = session.show(None).await?.revision;
    let revision = session.revert(asked.position).await?;
    if asked.json.json {
        return json(&object!({ "revision": revision }));
    }
    let position = asked.position;
    Ok(sentence(if revision == before {
        format!("{id} was told nothing after position {position}: nothing changed")
    } else {
        format!("{id} stands as it was told up to position {position} (revision {revision})")
    }))
}

pub(crate) async fn move_to(desk: &Desk<'_>, asked: Move) -> Result<Output, Failure> {
    let id = desk.session(&asked.named)?;
    let session = desk.engine()?.session(&id).await?;
    let (revision, location) = session.move_to(&desk.directory.join(&asked.to)).await?;
    if asked.json.json {
        return json(&answer::moved(revision, &location));
    }
    let directory = desk.places(None).directory(location.directory.as_path());
    Ok(sentence(format!("{id} works in {directory} now; the next sync tells what differs there")))
}

pub(crate) async fn window(desk: &Desk<'_>, asked: Window) -> Result<Output, Failure> {
    let id = desk.session(&asked.named)?;
    let session = desk.engine()?.session(&id).await?;
    let before = session.show(None).await?.revision;
    let revision = session.window(asked.from).await?;
    if asked.json.json {
        return json(&object!({ "revision": revision }));
    }
    let from = asked.from;
    Ok(sentence(if revision == before {
        format!("the window of {id} started at {from} or later already: nothing changed")
    } else {
        format!(
            "the window of {id} starts at position {from}; the next sync tells again what was told \
             only before it (revision {revision})"
        )
    }))
}

pub(crate) async fn holds(desk: &Desk<'_>, asked: Holds) -> Result<Output, Failure> {
    let id = desk.session(&asked.named)?;
    let held = desk.engine()?.session(&id).await?.holds(&asked.revisions).await?;
    if asked.json.json {
        return json(&answer::held(&held));
    }
    Ok(sentence(match held.lost.as_slice() {
        [] => format!("{id} holds every text of its epoch: nothing is told again"),
        lost => {
            let revisions = lost.iter().map(Revision::to_string).collect::<Vec<_>>().join(", ");
            format!("{id} lost the texts of revision {revisions}; the next sync tells them again")
        }
    }))
}

pub(crate) async fn adopt(desk: &Desk<'_>, asked: Adopt) -> Result<Output, Failure> {
    let session = desk.engine()?.session(&desk.session(&asked.named)?).await?;
    let claim = |given: Given| {
        let url = ["http://", "https://"].iter().any(|scheme| given.source.starts_with(scheme));
        let source = if url {
            Claimed::Url(GivenUrl(given.source))
        } else {
            Claimed::Path(real(&desk.directory.join(given.source)))
        };
        Claim { source, sha256: given.sha256 }
    };
    let claims = asked.sources.into_iter().map(claim).collect();
    let adopted = answer::adopt(&session, claims, asked.at.position).await?;
    if asked.json.json {
        return json(&adopted);
    }
    let boundary = session.show(None).await?.location.boundary;
    let places = desk.places(Some(&boundary));
    Ok(desk.page(&life::adopted(&adopted, places, desk.screen)))
}

/// A file by the real path of its directory: a source is known by that, or by a link in it.
fn real(path: &Path) -> PathBuf {
    let directory = path.parent().and_then(|above| std::fs::canonicalize(above).ok());
    match (directory, path.file_name()) {
        (Some(directory), Some(name)) => directory.join(name),
        (Some(_) | None, _) => path.to_owned(),
    }
}
