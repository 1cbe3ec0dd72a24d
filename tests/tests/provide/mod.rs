//! A host in Rust provides an editor's buffers.

use told::{
    Error,
    ports::{Provided, Provision},
};
use told_scenarios::{Ground, sync, texts};

fn content(path: &str, text: &str) -> Provision {
    Provision { path: path.into(), provided: Some(Provided::Content(text.as_bytes().into())) }
}

fn withdrawn(path: &str) -> Provision {
    Provision { path: path.into(), provided: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_buffer_counts_for_its_engine_and_location() {
    let ground = Ground::new();
    let (engine, other) = (ground.engine(), ground.engine());
    let session = ground.open(&engine, "host/1").await;
    sync(&session).await;
    let api = ground.path("shop/api");
    let provided = engine.provide(&api, vec![content("AGENTS.md", "Api.\n")]).await;
    assert_eq!(provided.unwrap(), 1);
    assert!(texts(&sync(&session).await)[1].contains("AGENTS.md\nApi.\n"));
    // No session needs to be open, and the Location need not stay open.
    drop(session);
    assert_eq!(engine.locations_open(), 0);
    let preview = engine.preview(&api).await.unwrap();
    assert!(texts(&preview)[0].contains("Api."));
    assert!(!texts(&other.preview(&api).await.unwrap())[0].contains("Api."));
    // An engine that takes its place goes on with what it has.
    let files = engine.provided_files().unwrap();
    let heir = other.providing(files);
    assert!(texts(&heir.preview(&api).await.unwrap())[0].contains("Api."));
    assert_eq!(heir.provide(&api, vec![withdrawn("AGENTS.md")]).await.unwrap(), 0);
    assert!(!texts(&engine.preview(&api).await.unwrap())[0].contains("Api."));
}

#[tokio::test]
async fn what_is_refused_changes_nothing() {
    let ground = Ground::new();
    let engine = ground.engine();
    let (api, nowhere) = (ground.path("shop/api"), ground.path("nowhere"));
    let torn = vec![content("AGENTS.md", "Api.\n"), content("/", "no file")];
    let refused = engine.provide(&api, torn).await;
    assert!(matches!(refused, Err(Error::Provide(_))), "{refused:?}");
    assert_eq!(engine.provide(&api, Vec::new()).await.unwrap(), 0);
    let refused = engine.provide(&nowhere, vec![withdrawn("AGENTS.md")]).await;
    assert!(matches!(refused, Err(Error::UnknownDirectory { .. })), "{refused:?}");
}
