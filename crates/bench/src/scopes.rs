//! Many directories that tool settlements made relevant, most of them without an instruction file: an
//! unchanged boundary held against the looks themselves and one store read.

use crate::{
    command::{Options, Trouble},
    figure::Figure,
    rounds::Host,
    scene::{Scene, Shape, let_files_age},
    unchanged::{Repeated, measure},
};
use told::{ReadKind, ResourceOrigin, Session, SettledPath, ToolSettlement};

const SCOPES: usize = 10_000;
/// Directories of one directory.
const BREADTH: usize = 100;
const ONE_IN: usize = 10;
const BOUND: f64 = 1.5;
const REPEATED: Repeated = Repeated { rounds: 30, calls: 1 };
/// Paths of one settlement.
const AT_ONCE: usize = 500;

pub(crate) fn run(options: &Options) -> Result<Vec<Figure>, Trouble> {
    let mut figures = Vec::new();
    for host in Host::ALL {
        let name = format!("{SCOPES} scopes, 1 in {ONE_IN} with a file, {}", host.name());
        if name.contains(&options.matching) {
            let shape = Shape { directories: 1, names: 1, one_in: 1 };
            let mut scene = Scene::new(options.directory.as_deref(), shape)?;
            let scopes = scene.add_scopes(SCOPES, BREADTH, ONE_IN)?;
            let_files_age();
            let (ours, floor) = host.run(async move {
                let engine = scene.engine()?;
                let session = scene.session(&engine, "bench/scopes").await?;
                settle(&session, &scopes).await?;
                measure(&scene, &session, REPEATED).await
            })?;
            figures.push(Figure::ratio(name, ours, floor, BOUND));
        }
    }
    Ok(figures)
}

/// An agent has listed every one of these directories.
async fn settle(session: &Session, scopes: &[std::path::PathBuf]) -> Result<(), Trouble> {
    let mut discovered = 0;
    for listed in scopes.chunks(AT_ONCE) {
        let listed = listed.iter().map(|path| SettledPath {
            path: path.clone(),
            kind: ReadKind::Directory,
            origin: ResourceOrigin::Local,
        });
        let settlement =
            ToolSettlement { resources: listed.collect(), ..ToolSettlement::default() };
        discovered += session.settle(&settlement).await?.discovered.len();
    }
    if discovered != scopes.len() {
        return Err(format!("{discovered} scopes are tracked, not {}", scopes.len()).into());
    }
    Ok(())
}
