//! A call under way while another process moves the session (R-SES-3, R-BND-8).

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use told::{
    Error, ReadKind, ReadsOfTool, ResourceOrigin, Session, SettledPath, ToolSettlement,
    domain::{path::AbsolutePath, position::Revision, session::SessionId},
};
use told_scenarios::{Ground, sync};

/// What a tool read; and while that is found out, another process moves the session, once.
struct MovedMeanwhile {
    ground: Arc<Ground>,
    session: SessionId,
    moved: AtomicBool,
}

impl ReadsOfTool for MovedMeanwhile {
    fn reads(&self, _: &ToolSettlement, _: &AbsolutePath) -> Vec<SettledPath> {
        if !self.moved.swap(true, Ordering::AcqRel) {
            std::thread::scope(|scope| {
                scope.spawn(|| self.move_as_another_process()).join().unwrap();
            });
        }
        Vec::new()
    }
}

impl MovedMeanwhile {
    fn move_as_another_process(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let session = self.ground.engine().session(&self.session).await.unwrap();
            session.move_to(&self.ground.path("farm")).await.unwrap();
        });
    }
}

fn read(path: PathBuf) -> ToolSettlement {
    let resources = vec![SettledPath { path, kind: ReadKind::File, origin: ResourceOrigin::Local }];
    ToolSettlement { tool: "read".into(), resources, ..ToolSettlement::default() }
}

/// Refused, with nothing written after the move.
async fn assert_refused(session: &Session, call: &ToolSettlement) {
    let refused = session.settle(call).await;
    assert!(matches!(refused, Err(Error::LocationChanged(_))), "{refused:?}");
    let log = session.log(Revision::NONE, 100).await.unwrap().records;
    assert_eq!(log.last().map(|record| record.kind), Some("moved"));
}

async fn settled_while_it_moves(known_before: bool) {
    let ground = Arc::new(Ground::new());
    ground.write("shop/web/AGENTS.md", "Web.\n");
    ground.write("farm/AGENTS.md", "Feed the hens.\n");
    let engine = ground.engine();
    let session = ground.open(&engine, "host/1").await;
    sync(&session).await;
    let call = read(ground.path("shop/web/page.rs"));
    if known_before {
        assert_eq!(session.settle(&call).await.unwrap().discovered.len(), 1);
    }
    let reader = MovedMeanwhile {
        ground: ground.clone(),
        session: session.id().clone(),
        moved: AtomicBool::new(false),
    };
    let registered = session.registry().register_reader(Arc::new(reader));
    assert_refused(&session, &call).await;
    drop(registered);
    // Begun under the new Location, the same call is of a path outside.
    let settled = session.settle(&call).await.unwrap();
    assert!(settled.discovered.is_empty());
    assert_eq!(settled.ignored[0].reason.as_str(), "outside_project");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_that_races_a_move_is_refused() {
    settled_while_it_moves(false).await;
}

/// Also one that would write nothing: its answer is of a place where the session no longer works.
#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_of_what_is_known_is_refused_as_well() {
    settled_while_it_moves(true).await;
}
