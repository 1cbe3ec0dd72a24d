//! `told config`: what counts.

use super::{Desk, Output};
use crate::{
    arguments::ask::Config,
    view::settings::{self, Origins},
    view::tame_json,
};
use serde_json::{Map, json};

pub(crate) fn run(desk: &Desk<'_>, asked: Config) -> Output {
    let loaded = &desk.loaded;
    if asked.json.json {
        let keys = loaded.entries().map(|entry| {
            let value = if asked.origin {
                json!({ "value": entry.value, "origin": entry.origin.to_string() })
            } else {
                entry.value
            };
            (entry.key.to_owned(), value)
        });
        let text = tame_json(serde_json::Value::Object(keys.collect::<Map<_, _>>()).to_string());
        return Output { text: text + "\n", ..Output::default() };
    }
    let origins = if asked.origin { Origins::Said } else { Origins::Unsaid };
    desk.page(&settings::counted(loaded, origins))
}
