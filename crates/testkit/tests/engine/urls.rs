//! URLs at the boundary: what is asked of servers, and when (R-URL, R-OBS-10, R-BND-1).

use super::{World, open};
use async_trait::async_trait;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;
use told_app::{Engine, Ports, Session, SyncRequest};
use told_domain::{
    briefing::Briefing,
    policy::{FromProjects, Include, Policy},
    time::{Date, Timestamp},
    url::{AddressPolicy, SourceUrl},
};
use told_ports::{Clock, Request, Response, UrlFetcher};
use told_testkit::{
    contract::{block_on, url_fetcher::PUBLIC},
    fake::{
        clock::FakeClock,
        url_fetcher::FakeUrlFetcher,
        url_script::{Answer, Names, Reply, Resolved, Script},
    },
};

/// A user whose configuration names URLs of `rules.test`.
struct Net {
    world: World,
    script: Arc<Script>,
    engine: Engine,
}

impl Net {
    fn new(paths: &[&str], change: impl FnOnce(&mut Policy)) -> Self {
        let (script, names) = (Arc::<Script>::default(), Arc::<Names>::default());
        names.at("rules.test", [Resolved::To(vec![PUBLIC.parse().unwrap()])]);
        names.at("inside.test", [Resolved::To(vec!["10.0.0.1".parse().unwrap()])]);
        let world = World::new();
        world.files.remove("/repo/AGENTS.md").unwrap();
        let url = |path: &&str| Include::new(&format!("http://rules.test{path}"), None, None);
        let engine = world.engine_with(|policy| {
            policy.instructions.include = paths.iter().map(url).map(Result::unwrap).collect();
            change(policy);
        });
        let engine = engine.fetching(Arc::new(FakeUrlFetcher::new(script.clone(), names)));
        Self { world, script, engine }
    }

    fn at<R: Into<Reply>>(&self, path: &str, replies: impl IntoIterator<Item = R>) {
        self.script.at(path, replies);
    }

    /// What servers were asked since the last time: the path, and the tag that was sent.
    fn asked(&self, since: &mut usize) -> Vec<String> {
        let asked = self.script.asked();
        let new = asked[*since..].iter().map(|asked| {
            let tag = asked.header("if-none-match").map(|tag| format!(" {tag}"));
            format!("{}{}", asked.line.trim_start_matches("GET "), tag.unwrap_or_default())
        });
        let new = new.collect();
        *since = asked.len();
        new
    }

    fn pass(&self, seconds: u64) {
        self.world.clock.advance(Duration::from_secs(seconds));
    }
}

async fn sync(session: &Session) -> Briefing {
    session.sync(SyncRequest::default()).await.unwrap()
}

/// What a boundary told last.
fn text(briefing: &Briefing) -> String {
    let last = briefing.updates.last().map(|update| update.text.to_string());
    last.unwrap_or_else(|| briefing.epoch.baseline.text.as_ref().unwrap().to_string())
}

fn held(briefing: &Briefing) -> Vec<String> {
    let word = |held: &told_domain::look::Held| {
        format!("{} {}", held.key.url().unwrap_or_default(), held.reason)
    };
    briefing.held.iter().map(word).collect()
}

fn at_every_boundary(policy: &mut Policy) {
    (policy.urls.ttl_s, policy.urls.retry_after_s) = (0, 0);
}

fn tagged(text: &str, tag: &str) -> Answer {
    Answer::text(text).with("etag", tag)
}

#[test]
fn r_url_5_a_fresh_value_is_not_asked_for_again() {
    block_on(async {
        let net = Net::new(&["/a"], |_| ());
        net.at("/a", [tagged("one", "\"1\""), Answer::new(304), tagged("two", "\"2\"")]);
        let session = open(&net.engine, "a").await;
        let since = &mut 0;
        assert_eq!(text(&sync(&session).await), "Instructions from: http://rules.test/a\none");
        assert_eq!(net.asked(since), ["/a"]);
        for _ in 0..3 {
            assert_eq!(sync(&session).await.admitted, None);
        }
        // Another session of the Location, and a preview, ask nothing either.
        assert!(text(&sync(&open(&net.engine, "b").await).await).ends_with("\none"));
        session.preview(SyncRequest::default()).await.unwrap();
        net.pass(59);
        sync(&session).await;
        assert_eq!(net.asked(since), [""; 0]);
        net.pass(1);
        assert_eq!(sync(&session).await.admitted, None, "304 is the same value");
        assert_eq!(net.asked(since), ["/a \"1\""]);
        net.pass(60);
        assert!(text(&sync(&session).await).ends_with("http://rules.test/a\ntwo"));
        assert_eq!(net.asked(since), ["/a \"1\""], "the tag is the text's");
        net.pass(60);
        sync(&session).await;
        assert_eq!(net.asked(since), ["/a \"2\""]);
    });
}

#[test]
fn r_bnd_1_nothing_is_asked_between_boundaries() {
    block_on(async {
        let net = Net::new(&["/a"], |_| ());
        net.at("/a", [Answer::text("one")]);
        let session = open(&net.engine, "a").await;
        assert_eq!(net.script.asked().len(), 0, "opening looks at no URL");
        sync(&session).await;
        net.pass(1_000_000);
        tokio::task::yield_now().await;
        assert_eq!(net.script.asked().len(), 1);
    });
}

#[test]
fn r_url_5_a_dead_url_costs_no_boundary_its_time_limit() {
    block_on(async {
        let net = Net::new(&["/dead", "/a"], |policy| policy.urls.ttl_s = 0);
        net.at("/dead", [Reply::Silence]);
        net.at("/a", [Answer::text("one")]);
        let session = open(&net.engine, "a").await;
        let since = &mut 0;
        let first = sync(&session).await;
        assert_eq!(held(&first), ["http://rules.test/dead timeout"]);
        assert!(text(&first).ends_with("http://rules.test/a\none"), "the other is told");
        assert_eq!(net.world.clock.sleeps(), [Duration::from_secs(5)]);
        assert_eq!(net.asked(since), ["/dead", "/a"]);
        for _ in 0..5 {
            assert_eq!(held(&sync(&session).await), ["http://rules.test/dead timeout"]);
            assert_eq!(net.asked(since), ["/a"]);
        }
        assert_eq!(net.world.clock.sleeps().len(), 1, "nobody waits for it");
        net.pass(30);
        net.at("/dead", [Answer::text("alive")]);
        let told = sync(&session).await;
        assert!(text(&told).ends_with("http://rules.test/dead\nalive"), "an addition");
        assert_eq!(held(&told), [""; 0]);
    });
}

#[test]
fn r_url_2_two_boundaries_in_a_row_that_see_a_404_tell_a_removal() {
    block_on(async {
        let net = Net::new(&["/a"], at_every_boundary);
        net.at("/a", [Answer::text("one"), Answer::new(404)]);
        let session = open(&net.engine, "a").await;
        sync(&session).await;
        let first = sync(&session).await;
        assert_eq!(
            (first.admitted, held(&first)),
            (None, vec!["http://rules.test/a http_404".into()])
        );
        for _ in 0..3 {
            // What a boundary would tell, and it counts for nothing.
            let foreseen = session.preview(SyncRequest::default()).await.unwrap();
            assert!(text(&foreseen).contains("no longer apply"));
        }
        net.at("/a", [Answer::text("one"), Answer::new(404)]);
        assert_eq!(sync(&session).await.admitted, None, "it was there all the time");
        assert_eq!(sync(&session).await.admitted, None, "the first in a row");
        assert!(text(&sync(&session).await).contains("no longer apply"));
        // Another process begins to count anew, and holds what stands: nothing.
        net.at("/a", [Answer::text("two")]);
        assert!(text(&sync(&session).await).ends_with("\ntwo"));
    });
}

#[test]
fn r_obs_10_a_boundary_that_goes_round_again_looks_at_a_url_once() {
    block_on(async {
        let net = Net::new(&["/a"], at_every_boundary);
        net.at("/a", [Answer::text("one")]);
        net.world.files.write("/repo/AGENTS.md", "Use tabs.\n").unwrap();
        let session = open(&net.engine, "a").await;
        sync(&session).await;
        let since = &mut 0;
        net.asked(since);
        net.at("/a", [Answer::new(404)]);
        // Emptied: the boundary looks at the file once more.
        net.world.files.write("/repo/AGENTS.md", "").unwrap();
        let briefing = sync(&session).await;
        assert_eq!(net.asked(since), ["/a"]);
        assert_eq!(held(&briefing), ["http://rules.test/a http_404"], "one look is no proof");
    });
}

#[test]
fn r_url_3_a_projects_url_reaches_no_private_address_and_the_users_does_where_they_say_so() {
    block_on(async {
        let net = Net::new(&["/a"], |policy| {
            at_every_boundary(policy);
            policy.urls.own = AddressPolicy::Private;
            policy.urls.from_projects = FromProjects::Fetched;
            let url = "http://inside.test/users";
            policy.instructions.include.push(Include::new(url, None, None).unwrap());
        });
        net.at("/a", [Answer::text("one")]);
        net.at("/users", [Answer::text("mine")]);
        net.at("/projects", [Answer::text("theirs")]);
        let include = "[instructions]\ninclude = [\"http://inside.test/projects\", \
                       \"http://127.0.0.1/projects\", \"http://rules.test/projects\"]";
        net.world.files.write("/repo/.told/config.toml", include).unwrap();
        let session = open(&net.engine, "a").await;
        let briefing = sync(&session).await;
        let told = text(&briefing);
        assert!(told.contains("http://inside.test/users\nmine"), "{told}");
        assert!(told.contains("http://rules.test/projects\ntheirs"), "{told}");
        let refused = ["http://127.0.0.1/projects", "http://inside.test/projects"];
        assert_eq!(held(&briefing), refused.map(|url| format!("{url} address_refused")));
    });
}

#[test]
fn r_url_1_a_process_that_cannot_fetch_takes_nothing_away() {
    block_on(async {
        let net = Net::new(&["/a"], |_| ());
        net.at("/a", [Answer::text("one")]);
        let session = open(&net.engine, "a").await;
        sync(&session).await;
        let policy = |policy: &mut Policy| {
            let url = Include::new("http://rules.test/a", None, None).unwrap();
            policy.instructions.include = vec![url];
        };
        let blind = net.world.engine_with(policy);
        let briefing = sync(&blind.session(session.id()).await.unwrap()).await;
        assert_eq!(
            (briefing.admitted, held(&briefing)),
            (None, vec!["http://rules.test/a not_registered".to_owned()])
        );
    });
}

#[test]
fn r_url_4_a_url_that_only_a_record_knows_is_held_and_not_asked() {
    block_on(async {
        let net = Net::new(&[], |policy| {
            at_every_boundary(policy);
            policy.urls.from_projects = FromProjects::Fetched;
        });
        net.at("/a?s3cret", [Answer::text("one")]);
        let include = "[instructions]\ninclude = [\"http://rules.test/a?s3cret\"]";
        net.world.files.write("/repo/.told/config.toml", include).unwrap();
        let session = open(&net.engine, "a").await;
        assert!(text(&sync(&session).await).ends_with("http://rules.test/a?***\none"));
        net.world.files.write("/repo/.told/config.toml", "[").unwrap();
        assert_eq!(held(&sync(&session).await), [""; 0], "the last good one counts");
        assert_eq!(net.script.asked().len(), 2);
        // The engine forgets the session with its last holder.
        let id = session.id().clone();
        drop(session);
        let again = sync(&net.engine.session(&id).await.unwrap()).await;
        assert_eq!(
            (again.admitted, held(&again)),
            (None, vec!["http://rules.test/a?*** io_error".to_owned()])
        );
        assert_eq!(net.script.asked().len(), 2);
        net.world.files.write("/repo/.told/config.toml", include).unwrap();
        assert_eq!(held(&sync(&net.engine.session(&id).await.unwrap()).await), [""; 0]);
        assert_eq!(net.script.asked().len(), 3);
    });
}

/// Counts how many fetches are under way.
#[derive(Default)]
struct Crowd {
    ends: bool,
    now: AtomicUsize,
    most: AtomicUsize,
    asked: AtomicUsize,
}

#[async_trait]
impl UrlFetcher for Crowd {
    async fn fetch(&self, _: Request) -> Response {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        // Long enough for all who may to begin.
        tokio::task::yield_now().await;
        if !self.ends {
            std::future::pending::<()>().await;
        }
        self.now.fetch_sub(1, Ordering::SeqCst);
        Response::Gone
    }
}

/// A clock whose sleeps are over when the test says so.
struct Bell {
    clock: Arc<FakeClock>,
    rung: Notify,
}

#[async_trait]
impl Clock for Bell {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn today(&self) -> Date {
        self.clock.today()
    }

    async fn sleep(&self, _: Duration) {
        self.rung.notified().await;
    }
}

/// An engine whose user names so many URLs.
fn crowded(crowd: &Arc<Crowd>, urls: usize) -> (Engine, Arc<Bell>) {
    let world = World::new();
    let bell = Arc::new(Bell { clock: world.clock.clone(), rung: Notify::new() });
    let mut policy = Policy::default();
    let url = |number| Include::new(&format!("http://rules.test/{number}"), None, None);
    policy.instructions.include = (0..urls).map(url).map(Result::unwrap).collect();
    let (files, store) = (world.files.clone(), Arc::new(world.store.clone()));
    let ports = Ports { files, store, clock: bell.clone() };
    (Engine::new(ports, policy, "linux").fetching(crowd.clone()), bell)
}

#[test]
fn r_obs_10_urls_are_looked_at_side_by_side_and_so_many_at_a_time() {
    let crowd = Arc::new(Crowd { ends: true, ..Crowd::default() });
    block_on(async {
        let (engine, _bell) = crowded(&crowd, 40);
        sync(&open(&engine, "a").await).await;
    });
    assert_eq!(crowd.asked.load(Ordering::SeqCst), 40);
    assert_eq!(crowd.most.load(Ordering::SeqCst), 16);
}

#[test]
fn r_url_5_what_no_look_began_for_is_tried_at_the_next_boundary() {
    let crowd = Arc::new(Crowd::default());
    block_on(async {
        let (engine, bell) = crowded(&crowd, 20);
        let session = open(&engine, "a").await;
        // All of the boundary's time limits pass, and there are sixteen places.
        for asked in [16, 20] {
            let boundary = async {
                let briefing = sync(&session).await;
                assert_eq!(briefing.held.len(), 20);
                assert!(briefing.held.iter().all(|held| held.reason.as_str() == "timeout"));
            };
            let time = async {
                while crowd.asked.load(Ordering::SeqCst) < asked {
                    tokio::task::yield_now().await;
                }
                bell.clock.advance(Duration::from_secs(5));
                bell.rung.notify_waiters();
            };
            tokio::join!(boundary, time);
            assert_eq!(crowd.asked.load(Ordering::SeqCst), asked);
        }
        assert_eq!(sync(&session).await.held.len(), 20, "no server is asked, and no time passes");
        assert_eq!(crowd.asked.load(Ordering::SeqCst), 20);
    });
}

#[test]
fn r_ref_5_boundaries_of_one_moment_share_a_look() {
    let crowd = Arc::new(Crowd { ends: true, ..Crowd::default() });
    block_on(async {
        let (engine, _bell) = crowded(&crowd, 1);
        let (one, other) = (open(&engine, "a").await, open(&engine, "b").await);
        tokio::join!(sync(&one), sync(&other));
    });
    assert_eq!(crowd.asked.load(Ordering::SeqCst), 1);
}

#[test]
fn r_ref_5_a_boundary_that_was_given_up_leaves_nothing() {
    let crowd = Arc::new(Crowd::default());
    block_on(async {
        let (engine, bell) = crowded(&crowd, 1);
        let session = open(&engine, "a").await;
        for asked in 1..=3 {
            let boundary = async {
                sync(&session).await;
                unreachable!("its server never answers");
            };
            let given_up = async {
                while crowd.asked.load(Ordering::SeqCst) < asked {
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! { () = boundary => {}, () = given_up => {} }
        }
        // Nobody took what failed for a failure: it is asked again, until its time is over.
        let time = async {
            while crowd.asked.load(Ordering::SeqCst) < 4 {
                tokio::task::yield_now().await;
            }
            bell.clock.advance(Duration::from_secs(5));
            bell.rung.notify_waiters();
        };
        let (briefing, ()) = tokio::join!(sync(&session), time);
        assert_eq!(briefing.held.len(), 1);
        assert_eq!(sync(&session).await.held.len(), 1);
        assert_eq!(crowd.asked.load(Ordering::SeqCst), 4);
    });
}

#[test]
fn r_url_4_no_answer_says_a_secret() {
    block_on(async {
        let net = Net::new(&[], |policy| {
            at_every_boundary(policy);
            for url in ["http://me:s3cret@rules.test/a?s3cret", "http://rules.test/b?key=s3cret"] {
                policy.instructions.include.push(Include::new(url, None, None).unwrap());
            }
        });
        net.at("/a?s3cret", [Answer::text("one")]);
        net.at("/b?key=s3cret", [Answer::new(500)]);
        let session = open(&net.engine, "a").await;
        let briefing = sync(&session).await;
        assert!(text(&briefing).contains("Instructions from: http://***@rules.test/a?***\none"));
        let log = session.log(told_domain::position::Revision::NONE, 10).await.unwrap();
        let sources = session.sources(true).await.unwrap();
        let explained = net.engine.explain("/repo".as_ref(), "/repo/x".as_ref()).await.unwrap();
        let all = format!("{briefing:?} {log:?} {sources:?} {explained:?}");
        assert!(!all.contains("s3cret"), "{all}");
        assert!(all.contains("http://***@rules.test/a?***"));
        let url: SourceUrl = "http://me:s3cret@rules.test/a?s3cret".parse().unwrap();
        assert_eq!(explained.applies[0].source, url.key(0));
        assert_eq!(explained.held[0].url.as_deref(), Some("http://rules.test/b?***"));
        // The user's password is sent, to the server that it is for.
        assert!(net.script.asked()[0].header("authorization").is_some());
    });
}
