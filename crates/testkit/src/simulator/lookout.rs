//! A process's watcher: truthful, in whatever humour it is. What it cannot know it does not cover; what it
//! loses, it says; it tells things twice, and late answers leave what happens meanwhile to the next drain.

use super::{
    disk::Disk,
    mistaken_watch::{self, Mistaken},
    plan::{Humour, Watch},
    plant::Plant,
    ports::locked,
    schedule::{block_on, others_run},
};
use crate::fake::watcher::{FakeWatcher, Fault};
use async_trait::async_trait;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, Weak},
};
use told_domain::reason::UnavailableReason;
use told_ports::{Coverage, Drained, Subscription, Uncovered, Watched, Watcher};

/// One process's watcher. Clones are one.
#[derive(Clone)]
pub(super) struct Lookout {
    inner: FakeWatcher,
    pub(super) disk: Arc<Mutex<Disk>>,
    pub(super) plant: Option<Plant>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    slow: bool,
    /// The next subscriptions are refused.
    refused: Vec<Uncovered>,
    subscriptions: u64,
    /// Drains that kept coverage.
    covered: u64,
    losses: u64,
    posts: Vec<Weak<Post>>,
}

/// What a lookout went through so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Service {
    pub(super) subscriptions: u64,
    pub(super) covered: u64,
    pub(super) losses: u64,
}

impl Lookout {
    pub(super) fn new(disk: &Arc<Mutex<Disk>>, watch: Watch, plant: Option<Plant>) -> Self {
        let inner = FakeWatcher::new(locked(disk).files.clone());
        inner.limit(watch.limit);
        if let Some(distrusted) = watch.distrusted {
            inner.distrust(distrusted);
        }
        let state = State { slow: watch.slow, ..State::default() };
        Self { inner, disk: disk.clone(), plant, state: Arc::new(Mutex::new(state)) }
    }

    /// Something happens to it. Whether that is a fault.
    pub(super) fn take(&self, humour: Humour) -> bool {
        match humour {
            Humour::Overflow => self.inner.overflow(),
            Humour::OverflowAt(nth) => self.inner.script(nth, Fault::Overflow),
            Humour::DieAt(nth) => self.inner.script(nth, Fault::Die),
            Humour::RepeatAt(nth) => self.inner.script(nth, Fault::Duplicate),
            Humour::Revive => self.inner.revive(),
            Humour::Limit(limit) => self.inner.limit(limit),
            Humour::Refuse(reason, times) => locked(&self.state).refused = vec![reason; times],
            Humour::Slow(slow) => locked(&self.state).slow = slow,
        }
        !matches!(humour, Humour::Revive | Humour::Slow(_) | Humour::Limit(None))
    }

    pub(super) fn service(&self) -> Service {
        let State { subscriptions, covered, losses, .. } = *locked(&self.state);
        Service { subscriptions, covered, losses }
    }

    /// How many entries are watched.
    pub(super) fn entries(&self) -> usize {
        self.inner.entries()
    }

    /// A planted mistake: what happens between the two is told to nobody.
    pub(super) fn look_begins(&self) {
        self.each_post(|post, changed| locked(&post.untold).extend(changed));
    }

    pub(super) fn look_ended(&self) {
        self.each_post(|_, _| ());
    }

    fn each_post(&self, mut takes: impl FnMut(&Post, Vec<Watched>)) {
        let posts: Vec<_> = locked(&self.state).posts.iter().filter_map(Weak::upgrade).collect();
        for post in posts {
            if let Drained::Changed(changed) = block_on(post.inner.drain()) {
                takes(&post, changed);
            }
        }
    }

    /// What looks at these find otherwise than it is.
    fn troubled(&self) -> Troubled {
        locked(&self.disk).notes.troubled()
    }
}

#[async_trait]
impl Watcher for Lookout {
    async fn subscribe(&self, watched: Vec<Watched>) -> Arc<dyn Subscription> {
        others_run().await;
        let refused = locked(&self.state).refused.pop();
        if let Some(reason) = refused {
            return Arc::new(Refused(reason));
        }
        let troubled = Mutex::new(self.troubled());
        let kept = mistaken_watch::kept(self.plant, &locked(&self.disk).notes, &watched);
        let inner = self.inner.subscribe(kept).await;
        let (lookout, untold, mistaken) = (self.clone(), Mutex::default(), Mistaken::default());
        let post = Arc::new(Post { lookout, inner, watched, troubled, untold, mistaken });
        {
            let mut state = locked(&self.state);
            state.subscriptions += 1;
            state.posts.retain(|post| post.strong_count() > 0);
            state.posts.push(Arc::downgrade(&post));
        }
        mistaken_watch::leaks(self.plant, &post);
        others_run().await;
        post
    }
}

/// Looks that fail, with why; none where a file is written all the time.
type Troubled = BTreeMap<String, Option<UnavailableReason>>;

/// One subscription.
pub(super) struct Post {
    lookout: Lookout,
    inner: Arc<dyn Subscription>,
    watched: Vec<Watched>,
    troubled: Mutex<Troubled>,
    /// What was taken from the system, and that no answer has told.
    untold: Mutex<BTreeSet<Watched>>,
    mistaken: Mistaken,
}

impl Post {
    /// What a look would find otherwise than at the last drain though nothing was written: this system tells
    /// of that as well. What is written all the time is told all the time.
    fn restless(&self) -> BTreeSet<Watched> {
        let now = self.lookout.troubled();
        let mut before = locked(&self.troubled);
        let is_other = |path: &&Watched| {
            let path = path.path().as_str();
            before.get(path) != now.get(path) || now.get(path) == Some(&None)
        };
        let restless = self.watched.iter().filter(is_other).cloned().collect();
        *before = now;
        restless
    }

    fn lost(&self, reason: Uncovered) -> Drained {
        locked(&self.lookout.state).losses += 1;
        Drained::Lost(reason)
    }
}

#[async_trait]
impl Subscription for Post {
    fn coverage(&self) -> Coverage {
        mistaken_watch::coverage(self.lookout.plant, self.inner.coverage())
    }

    async fn drain(&self) -> Drained {
        others_run().await;
        let plant = self.lookout.plant;
        let mut mine = match self.mistaken.drained(plant, self.inner.drain().await) {
            Drained::Lost(reason) => return self.lost(reason),
            Drained::Unchanged => BTreeSet::new(),
            Drained::Changed(changed) => changed.into_iter().collect(),
        };
        mine.extend(self.restless());
        self.mistaken.told(plant, &locked(&self.lookout.disk).notes, &mut mine);
        // Who goes away while this answer is late has been told nothing.
        if plant != Some(Plant::DroppedDrainForgets) {
            locked(&self.untold).extend(mine.iter().cloned());
        }
        if locked(&self.lookout.state).slow {
            others_run().await;
            others_run().await;
        }
        mine.append(&mut locked(&self.untold));
        locked(&self.lookout.state).covered += 1;
        match mine.is_empty() {
            true => Drained::Unchanged,
            false => Drained::Changed(mine.into_iter().collect()),
        }
    }
}

/// A subscription that covers nothing.
struct Refused(Uncovered);

#[async_trait]
impl Subscription for Refused {
    fn coverage(&self) -> Coverage {
        Coverage::Direct(self.0)
    }

    async fn drain(&self) -> Drained {
        Drained::Lost(self.0)
    }
}
