//! `told config`: what counts.

use super::{Desk, Output};
use crate::{
    arguments::ask::Config,
    view::settings::{self, Origins},
    view::tame_json,
};
use serde_json::{Map, Value, json};
use told::domain::{
    instruction::{KnownProject, ProjectSight},
    reason::WithheldReason,
};

pub(crate) async fn run(desk: &Desk<'_>, asked: Config) -> Output {
    let loaded = &desk.loaded;
    // A directory that cannot be worked in, or no place for a store, leaves the user's own.
    let project = match desk.engine() {
        Ok(engine) => engine.project(&desk.directory).await.unwrap_or_default(),
        Err(_) => KnownProject::default(),
    };
    if asked.json.json {
        let keys = loaded.entries().map(|entry| {
            let value = if asked.origin {
                json!({ "value": entry.value, "origin": entry.origin.to_string() })
            } else {
                entry.value
            };
            (entry.key.to_owned(), value)
        });
        let mut keys = keys.collect::<Map<_, _>>();
        keys.extend(of_project(&project).map(|found| ("project".to_owned(), found)));
        let text = tame_json(serde_json::Value::Object(keys).to_string());
        return Output { text: text + "\n", ..Output::default() };
    }
    let origins = if asked.origin { Origins::Said } else { Origins::Unsaid };
    desk.page(&settings::counted(loaded, &project, origins))
}

/// The project's own configuration, where it has one.
fn of_project(project: &KnownProject) -> Option<Value> {
    let file = project.file()?;
    match project.sight() {
        ProjectSight::Unseen | ProjectSight::Missing => None,
        ProjectSight::Good(_) => {
            let counts = project.counts().map(|counts| json!(counts)).unwrap_or_default();
            Some(json!({ "file": file, "counts": counts }))
        }
        ProjectSight::Broken(_, why) => {
            let reason = WithheldReason::InvalidConfiguration;
            Some(json!({ "file": file, "reason": reason, "message": &**why }))
        }
        ProjectSight::Withheld(reason) => Some(json!({ "file": file, "reason": reason })),
        ProjectSight::Unavailable(reason) => Some(json!({ "file": file, "reason": reason })),
    }
}
