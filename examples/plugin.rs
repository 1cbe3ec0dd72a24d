//! A plugin that takes part in both ways: it has guidance of its own to tell, and it knows what its own
//! tool reads.
//!
//! Run it with `cargo run -p told --example plugin`. It works in a scratch directory of its own.

use async_trait::async_trait;
use std::{error::Error, fs, path::Path, sync::Arc};
use told::{
    Contribute, Contribution, OpenRequest, ReadKind, ReadsOfTool, ResourceOrigin, SettledPath,
    SyncRequest, ToolSettlement,
    configuration::{Configuration, Surroundings},
    domain::{
        context::Need,
        observation::Observation,
        path::AbsolutePath,
        render::Verbatim,
        session::{Location, Prior, Trust},
    },
};

/// Guidance for a tool that the plugin brings.
struct Viewer;

#[async_trait]
impl Contribute for Viewer {
    async fn observe(&self, _: &Location) -> Observation<Arc<str>> {
        Observation::Available(
            "Use `view_image` to look at a picture; never guess its content.".into(),
        )
    }
}

/// The tool's input is `{"picture": PATH}`: a picture is a read like any other.
impl ReadsOfTool for Viewer {
    fn reads(&self, settlement: &ToolSettlement, _: &AbsolutePath) -> Vec<SettledPath> {
        let picture = settlement.input.get("picture").and_then(serde_json::Value::as_str);
        let read = |path: &str| SettledPath {
            path: path.into(),
            kind: ReadKind::File,
            origin: ResourceOrigin::Local,
        };
        let mine = &*settlement.tool == "view_image";
        picture.filter(|_| mine).map(read).into_iter().collect()
    }
}

/// What the model is told before and after the tool looked at a picture in `art`.
pub async fn run(scratch: &Path) -> Result<[String; 2], Box<dyn Error>> {
    fs::create_dir_all(scratch.join("art"))?;
    fs::write(scratch.join("art/AGENTS.md"), "Pictures are in the public domain.\n")?;
    fs::write(scratch.join("art/boat.png"), [0x89, b'P', b'N', b'G'])?;
    let mut configuration = Configuration::new(&Surroundings::default());
    configuration.store.path = Some(scratch.join("told.redb"));
    configuration.context.date = false;
    let engine = told::connect(&configuration)?;
    let request = OpenRequest {
        session: "example/plugin".parse()?,
        directory: scratch.to_owned(),
        position: None,
        prior: Prior::None,
        trust: Trust::Trusted,
    };
    let session = engine.session(&engine.open(request).await?.session).await?;
    let location = session.location().await?;
    let contribution = Contribution {
        key: "viewer/guidance".parse()?,
        need: Need::Optional,
        guidance: Arc::new(Verbatim),
        source: Arc::new(Viewer),
    };
    let _guidance = location.registry().register(contribution)?;
    let _reader = location.registry().register_reader(Arc::new(Viewer));
    let before = session.sync(SyncRequest::default()).await?;
    let settlement = ToolSettlement {
        tool: "view_image".into(),
        input: serde_json::json!({"picture": "art/boat.png"}),
        ..ToolSettlement::default()
    };
    session.settle(&settlement).await?;
    let after = session.sync(SyncRequest::default()).await?;
    let baseline = before.epoch.baseline.text.unwrap_or_default();
    let update = after.updates.last().map(|update| update.text.clone()).unwrap_or_default();
    Ok([baseline.to_string(), update.to_string()])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let [baseline, update] = run(&scratch.path().canonicalize()?).await?;
    println!("{baseline}\n--- after the picture ---\n{update}");
    Ok(())
}
