//! What the store costs, beside the bare database: `cargo run --release -p told-redb --example
//! store_cost [directory]`. Each number is the median of many runs.

#![expect(clippy::unwrap_used, reason = "an example shows the numbers or the error")]

use redb::{Database, ReadableDatabase, TableDefinition};
use std::{path::Path, sync::Arc, time::Instant};
use told_domain::{
    fold::fold,
    hash::{Blob, ContentHash},
    head::HeadChange,
    key::{Origin, SourceKey},
    look::Look,
    path::{AbsolutePath, CanonicalPath},
    place::Place,
    position::{EpochNumber, Position, Revision},
    record::{Event, Record},
    session::{Location, Prior, SessionId, Trust},
    state::State,
    time::Timestamp,
    told::{Admission, Change, EpochCause, Form},
};
use told_ports::{Append, Mark, SessionSummary, Store};
use told_redb::{RedbOptions, RedbStore};

fn main() {
    let directory = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, Into::into);
    let directory = tempfile::tempdir_in(directory).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    for entries in [12, 100] {
        println!("{entries} sources of 4 KiB each");
        let path = directory.path().join(format!("store-{entries}"));
        runtime.block_on(measure(&path, entries));
        process_cost(&path, entries, &runtime);
    }
    println!("commits at once");
    runtime.block_on(together(&directory.path().join("store-together")));
}

async fn measure(path: &Path, entries: usize) {
    let store = Arc::new(RedbStore::open(path, RedbOptions::default()));
    let mut session = Session::new("claude-code/bench");
    let begun = Instant::now();
    session.append(&*store, session.opened()).await;
    println!("  making the store, first append: {}", shown(begun.elapsed().as_secs_f64()));
    session.append(&*store, session.epoch(entries)).await;

    let directory = session.directory();
    let mut samples = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        for _ in 0..100 {
            store.revisions(&session.id, &directory).await.unwrap();
        }
        samples.push(begun.elapsed().as_secs_f64() / 100.0);
    }
    println!("  revisions: {}", shown(median(samples)));

    let bare = Bare::new(&path.with_extension("bare"));
    bare.commit(&Rows::of(&session.update(0, entries)));
    let mut samples = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        for _ in 0..100 {
            bare.look();
        }
        samples.push(begun.elapsed().as_secs_f64() / 100.0);
    }
    println!("  bare read of one row: {}", shown(median(samples)));

    let mut samples = Vec::new();
    for _ in 0..200 {
        let append = session.update(0, entries);
        session.append(&*store, append).await;
        let begun = Instant::now();
        store.revisions(&session.id, &directory).await.unwrap();
        samples.push(begun.elapsed().as_secs_f64());
    }
    println!("  revisions right after a commit: {}", shown(median(samples)));

    let mut samples = Vec::new();
    for _ in 0..300 {
        let begun = Instant::now();
        let loaded = store.load(&session.id).await.unwrap().unwrap();
        samples.push(begun.elapsed().as_secs_f64());
        assert!(loaded.contents.len() > entries);
    }
    println!("  load: {}", shown(median(samples)));

    // Turn by turn, so that both meet the same disk.
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for step in 0..200 {
        let append = session.update(step, entries);
        let rows = append.clone();
        let begun = Instant::now();
        session.append(&*store, append).await;
        ours.push(begun.elapsed().as_secs_f64());
        let rows = Rows::of(&rows);
        let begun = Instant::now();
        bare.commit(&rows);
        floor.push(begun.elapsed().as_secs_f64());
    }
    let (ours, floor) = (median(ours), median(floor));
    println!("  append of an update: {}", shown(ours));
    println!("  bare commit of the same rows: {} (ratio {:.2})", shown(floor), ours / floor);
}

/// What a process pays that opens the store, reads a session and appends once.
fn process_cost(path: &Path, entries: usize, runtime: &tokio::runtime::Runtime) {
    const NAME: &str = "claude-code/process";
    runtime.block_on(async {
        let store = RedbStore::open(path, RedbOptions::default());
        let mut session = Session::new(NAME);
        session.append(&store, session.opened()).await;
        session.append(&store, session.epoch(entries)).await;
    });
    let (mut look, mut read, mut write, mut close) = (vec![], vec![], vec![], vec![]);
    for step in 0..30 {
        runtime.block_on(async {
            let begun = Instant::now();
            let store = RedbStore::open(path, RedbOptions::default());
            let mut session = Session::new(NAME);
            let id = session.id.clone();
            store.revisions(&id, &session.directory()).await.unwrap();
            look.push(begun.elapsed().as_secs_f64());

            let begun = Instant::now();
            let loaded = store.load(&id).await.unwrap().unwrap();
            read.push(begun.elapsed().as_secs_f64());
            (session.mark, session.state) = (Some(loaded.mark), Some(loaded.state));
            let append = session.update(1000 + step, entries);
            let begun = Instant::now();
            session.append(&store, append).await;
            write.push(begun.elapsed().as_secs_f64());
            let begun = Instant::now();
            drop(store);
            close.push(begun.elapsed().as_secs_f64());
        });
    }
    println!(
        "  a process: open and revisions {}, load {}, first append {}, close {}",
        shown(median(look)),
        shown(median(read)),
        shown(median(write)),
        shown(median(close)),
    );
}

/// Sessions that commit at once share the flush.
async fn together(path: &Path) {
    let store = Arc::new(RedbStore::open(path, RedbOptions::default()));
    for sessions in [1, 8, 32] {
        let begun = Instant::now();
        let tasks: Vec<_> = (0..sessions)
            .map(|number| {
                let store = Arc::clone(&store);
                tokio::spawn(async move {
                    let mut session = Session::new(&format!("together/{sessions}/{number}"));
                    session.append(&*store, session.opened()).await;
                    for step in 0..49 {
                        session.append(&*store, session.update(step, 12)).await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        let each = begun.elapsed().as_secs_f64() / 50.0 / f64::from(sessions);
        println!("  {sessions} sessions: {} an append", shown(each));
    }
}

struct Session {
    id: SessionId,
    mark: Option<Mark>,
    state: Option<State>,
}

fn repo(name: &str) -> AbsolutePath {
    AbsolutePath::new(format!("/home/user/projects/repository/{name}")).unwrap()
}

fn look() -> Look {
    let boundary = CanonicalPath::observed(repo(""));
    Look { boundary, project: None, held: Vec::new(), withheld: Vec::new() }
}

fn value(name: &str) -> Blob {
    Blob::new(format!("{name}\n{}", "- a rule of some length, as such files have.\n".repeat(90)))
}

fn admission(number: usize, value: &Blob) -> Admission {
    let path = repo(&format!("crates/crate-{number}/AGENTS.md"));
    Admission {
        key: SourceKey::File(path.clone()),
        place: Place::Ambient { step: 1, group: 0 },
        value: value.name(),
        size: value.name().bytes,
        origin: Origin::Project,
        warnings: Vec::new(),
        via: vec![path],
        scope: None,
        removal: None,
    }
}

impl Session {
    fn new(name: &str) -> Self {
        Self { id: name.parse().unwrap(), mark: None, state: None }
    }

    fn directory(&self) -> CanonicalPath {
        look().boundary
    }

    fn opened(&self) -> Append {
        let location = Location { directory: self.directory(), boundary: self.directory() };
        let (prior, trust) = (Prior::None, Trust::Trusted);
        self.with(Event::Opened { location, position: None, prior, trust }, Vec::new())
    }

    fn epoch(&self, entries: usize) -> Append {
        let values: Vec<_> = (0..entries).map(|number| value(&format!("file {number}"))).collect();
        let sources = values.iter().enumerate().map(|(n, value)| admission(n, value)).collect();
        let baseline =
            Blob::new(values.iter().map(|v| &**v.text()).collect::<Vec<_>>().join("\n\n"));
        let event = Event::EpochStarted {
            number: EpochNumber(1),
            cause: EpochCause::Initial,
            position: Position(0),
            baseline: baseline.name(),
            parts: Vec::new(),
            sources,
            adopted: Vec::new(),
            look: look(),
        };
        self.with(event, values.into_iter().chain([baseline]).collect())
    }

    fn update(&self, step: usize, entries: usize) -> Append {
        let new = value(&format!("{} at step {step}", self.id));
        let text = Blob::new(format!("It replaces what was said.\n\n{}", new.text()));
        let admission = admission(step % entries, &new);
        let event = Event::ContextUpdated {
            position: Position(step as u64),
            text: text.name(),
            parts: Vec::new(),
            changes: vec![Change::Changed { admission, form: Form::Full }],
            look: look(),
        };
        self.with(event, vec![new, text])
    }

    fn with(&self, event: Event, blobs: Vec<Blob>) -> Append {
        let revision = self.mark.map_or(Revision::NONE, |mark| mark.revision).next();
        let at = Timestamp::from_millisecond(1_700_000_000_000);
        let record = Record { revision, at, event };
        let state = fold(self.state.clone(), &record).unwrap();
        let head = match &self.state {
            Some(old) => HeadChange::between(old, &state),
            None => HeadChange::whole(&state),
        };
        let summary = SessionSummary {
            session: self.id.clone(),
            directory: state.location.directory.clone(),
            boundary: state.location.boundary.clone(),
            revision,
            opened_at: state.opened_at,
            last_record_at: at,
        };
        Append { expected: self.mark, records: vec![record], blobs, head, summary }
    }

    async fn append(&mut self, store: &dyn Store, append: Append) {
        let state = fold(self.state.take(), &append.records[0]).unwrap();
        self.mark = Some(store.append(&self.id, append).await.unwrap());
        self.state = Some(state);
    }
}

/// The same rows in tables of the same shape, written by redb alone.
struct Bare(Database);

const PLACES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("places");
const LOG: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("log");
const HEAD: TableDefinition<'_, (u64, &str), &[u8]> = TableDefinition::new("head");
const BLOBS: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("blobs");
const NEEDED_BY: TableDefinition<'_, (&[u8; 32], u64), ()> = TableDefinition::new("needed_by");
const NEEDS: TableDefinition<'_, (u64, &[u8; 32]), ()> = TableDefinition::new("needs");

struct Rows {
    revision: u64,
    record: Vec<u8>,
    head: Vec<(String, Option<Vec<u8>>)>,
    blobs: Vec<(ContentHash, Arc<str>)>,
}

impl Rows {
    fn of(append: &Append) -> Self {
        let head = match &append.head {
            HeadChange::Rows(rows) => {
                rows.iter().map(|(k, v)| (k.to_string(), v.clone())).collect()
            }
            HeadChange::Whole(_) => Vec::new(),
        };
        let record = &append.records[0];
        Self {
            revision: record.revision.0,
            record: record.encode(),
            head,
            blobs: append.blobs.iter().map(|b| (b.name().sha256, b.text().clone())).collect(),
        }
    }
}

impl Bare {
    fn new(path: &Path) -> Self {
        let mut builder = redb::Builder::new();
        builder.set_cache_size(16 * 1024 * 1024);
        builder.set_concurrency_mode(redb::ConcurrencyMode::MultiWriter);
        let database = builder.create(path).unwrap();
        assert!(database.begin_read().is_ok());
        Self(database)
    }

    fn look(&self) {
        let places = self.0.begin_read().unwrap().open_table(PLACES).unwrap();
        assert!(places.get(b"sclaude-code/bench".as_slice()).unwrap().is_some());
    }

    fn commit(&self, rows: &Rows) {
        let transaction = self.0.begin_write().unwrap();
        {
            let mut log = transaction.open_table(LOG).unwrap();
            log.insert((1, rows.revision), rows.record.as_slice()).unwrap();
            let mut blobs = transaction.open_table(BLOBS).unwrap();
            let mut needs = transaction.open_table(NEEDS).unwrap();
            let mut needed_by = transaction.open_table(NEEDED_BY).unwrap();
            for (hash, text) in &rows.blobs {
                blobs.insert(hash.as_bytes(), text.as_bytes()).unwrap();
                needs.insert((1, hash.as_bytes()), ()).unwrap();
                needed_by.insert((hash.as_bytes(), 1), ()).unwrap();
            }
            let mut head = transaction.open_table(HEAD).unwrap();
            for (key, row) in &rows.head {
                match row {
                    Some(row) => head.insert((1, key.as_str()), row.as_slice()).unwrap(),
                    None => head.remove((1, key.as_str())).unwrap(),
                };
            }
            let mut places = transaction.open_table(PLACES).unwrap();
            places.insert(b"sclaude-code/bench".as_slice(), [0; 120].as_slice()).unwrap();
        }
        transaction.commit().unwrap();
    }
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn shown(seconds: f64) -> String {
    if seconds < 1e-3 {
        format!("{:.2} µs", seconds * 1e6)
    } else {
        format!("{:.2} ms", seconds * 1e3)
    }
}
