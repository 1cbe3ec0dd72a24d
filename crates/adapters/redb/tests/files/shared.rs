//! What the lives of sessions leave in the file when they end (R-SES-4).

use super::layout::Place;
use told_domain::{
    command::Standing,
    decide::fork,
    hash::Blob,
    key::{Origin, SourceKey},
    look::Look,
    path::AbsolutePath,
    place::Place as Rank,
    position::{EpochNumber, Position, Revision},
    record::{DiscoveredScope, Event},
    rewind::rewind,
    state::Contents,
    told::{Admission, Change, EpochCause, Form},
};
use told_ports::Store;
use told_testkit::contract::{
    store::StoreFixture,
    store_draft::{Draft, Told, directory, id, set, text_of},
};

fn admission(value: &Blob) -> Admission {
    let path = AbsolutePath::new("/repo/AGENTS.md").unwrap();
    Admission {
        key: SourceKey::File(path.clone()),
        place: Rank::Ambient { step: 0, group: 0 },
        value: value.name(),
        size: value.name().bytes,
        origin: Origin::Project,
        warnings: Vec::new(),
        via: vec![path],
        scope: None,
        removal: None,
    }
}

fn look() -> Look {
    Look { boundary: directory("/repo"), project: None, held: Vec::new(), withheld: Vec::new() }
}

/// An epoch whose baseline tells `word`.
fn epoch(number: u64, position: u64, word: &str) -> Told {
    let (text, value) = (blob(&format!("baseline of {word}")), blob(word));
    let event = Event::EpochStarted {
        number: EpochNumber(number),
        cause: EpochCause::Initial,
        position: Position(position),
        baseline: text.name(),
        parts: Vec::new(),
        sources: vec![admission(&value)],
        adopted: Vec::new(),
        look: look(),
    };
    (event, vec![text, value])
}

/// An update that tells `word`.
fn update(position: u64, word: &str) -> Told {
    let (text, value) = (blob(&format!("update to {word}")), blob(word));
    let change = Change::Changed { admission: admission(&value), form: Form::Full };
    let event = Event::ContextUpdated {
        position: Position(position),
        text: text.name(),
        parts: Vec::new(),
        changes: vec![change],
        look: look(),
    };
    (event, vec![text, value])
}

fn blob(word: &str) -> Blob {
    Blob::new(text_of(word))
}

async fn write(store: &impl Store, draft: &mut Draft, events: Vec<Told>) {
    let append = draft.append(events);
    let mark = store.append(&draft.id, append.clone()).await.unwrap();
    draft.took(&append, mark);
}

/// A life with two epochs, a discovery, a value, and a revert into the first epoch.
async fn lived(store: &impl Store, name: &str) -> Draft {
    let mut draft = Draft::new(id(name));
    let open = draft.open(&directory("/repo"));
    let mark = store.append(&draft.id, open.clone()).await.unwrap();
    draft.took(&open, mark);
    let scope = DiscoveredScope { directory: directory("/repo/web"), project: directory("/repo") };
    let discovered =
        Event::ScopesDiscovered { position: Position(2), agent: None, scopes: vec![scope] };
    let events = vec![epoch(1, 1, "one"), (discovered, Vec::new()), set("mode", "plan")];
    write(store, &mut draft, events).await;
    write(store, &mut draft, vec![update(3, "two"), update(4, "three")]).await;
    let compacted = (Event::Compacted { position: Position(5) }, Vec::new());
    write(store, &mut draft, vec![compacted, epoch(2, 5, "three")]).await;
    let to = Position(3);
    let told = Box::new(rewind(&draft.records, to));
    write(store, &mut draft, vec![(Event::Reverted { to, told }, Vec::new())]).await;
    draft
}

/// A child of `parent`, which was told something of its own, too.
async fn child(store: &impl Store, parent: &Draft, name: &str) -> Draft {
    let state = parent.state.clone().unwrap();
    let standing = Standing { state, contents: Contents::new() };
    let at = parent.records.last().unwrap().at;
    let forked = fork(&parent.id, &standing, &parent.records, None, at);
    let mut draft = Draft::new(id(name));
    write(store, &mut draft, vec![(forked.event, Vec::new())]).await;
    write(store, &mut draft, vec![update(6, "four")]).await;
    draft
}

/// The session is there with every text that its log names and its head needs.
async fn assert_whole(store: &impl Store, draft: &Draft) {
    let loaded = store.load(&draft.id).await.unwrap().unwrap();
    assert_eq!(Some(&loaded.state), draft.state.as_ref());
    let needs = loaded.state.needs();
    assert_eq!(loaded.contents.keys().copied().collect::<Vec<_>>(), needs);
    let records = store.records(&draft.id, Revision::NONE, usize::MAX).await.unwrap();
    assert_eq!(records, draft.records);
    let named: Vec<_> = records.iter().filter_map(told_domain::render::log_needs).collect();
    assert!(!named.is_empty());
    let contents = store.contents(&named).await.unwrap();
    assert!(named.iter().all(|hash| contents.contains_key(hash)), "{}", draft.id);
}

#[tokio::test]
async fn the_last_of_the_sessions_that_share_takes_the_content_with_it() {
    let ways = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for way in ways {
        let place = Place::new();
        let store = place.open();
        let parent = lived(&store, "a/parent").await;
        let child = child(&store, &parent, "a/child").await;
        // Of the same content, and of no one's blood.
        let like = lived(&store, "b/like").await;
        let mut left = vec![parent, child, like];
        let deleted = way.map(|index: usize| left[index].id.clone());
        for session in deleted {
            assert!(!place.texts().is_empty());
            assert!(store.delete(&session, None).await.unwrap());
            left.retain(|draft| draft.id != session);
            for draft in &left {
                assert_whole(&store, draft).await;
            }
        }
        assert_eq!(place.texts(), [], "{way:?}");
    }
}
