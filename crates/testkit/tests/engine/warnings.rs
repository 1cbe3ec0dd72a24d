//! What an engine says of files that are not watched, and how often.

use super::{World, open};
use std::{
    fmt::{Debug, Write as _},
    sync::{Arc, Mutex},
};
use told_app::{OpenRequest, SyncRequest};
use told_domain::session::{Prior, Trust};
use told_testkit::{contract::block_on, fake::watcher::FakeWatcher};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

/// Keeps every warning as a line.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{}={value:?} ", field.name()).unwrap();
    }
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// However many Locations and attempts there are.
#[test]
fn r_wat_7_exhausted_limits_are_warned_of_once() {
    let warnings = Warnings::default();
    tracing::subscriber::with_default(warnings.clone(), || {
        block_on(async {
            let world = World::new();
            let watcher = FakeWatcher::limited_to(world.files.clone(), 1);
            let engine = world.engine.clone().watching(Arc::new(watcher));
            let one = open(&engine, "a").await;
            let elsewhere = OpenRequest {
                session: "b".parse().unwrap(),
                directory: "/farm".into(),
                position: None,
                prior: Prior::None,
                trust: Trust::Trusted,
            };
            engine.open(elsewhere).await.unwrap();
            let other = engine.session(&"b".parse().unwrap()).await.unwrap();
            for _ in 0..40 {
                one.sync(SyncRequest::default()).await.unwrap();
                other.sync(SyncRequest::default()).await.unwrap();
            }
        });
    });
    let warnings = warnings.0.lock().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("reason=limit"), "{warnings:?}");
}
