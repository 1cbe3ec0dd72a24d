//! What an answer is, and what makes it conditional.

use super::ground::{
    Fixture, SOON, Scheme, fetch, named, outcome, request, to, url_at, validators, word,
};
use crate::fake::url_script::{Answer, Body, Reply, Resolved};
use told_domain::reason::UnavailableReason;
use told_ports::Request;

/// UF-1.
pub async fn uf_1_a_text_comes_whole(ground: &impl Fixture) {
    let long = "Be brief.\n".repeat(6_000);
    for body in [
        Body::Whole(long.clone().into()),
        Body::Chunked(long.clone().into()),
        Body::UntilClosed(long.clone().into()),
    ] {
        ground.script().at("/a?b=c", [Answer::new(200).body(body)]);
        assert_eq!(fetch(ground, "/a?b=c").await, format!("text {long}"));
    }
    let asked = ground.script().asked();
    assert!(asked.iter().all(|asked| asked.line == "GET /a?b=c"), "{asked:?}");
    let agent = asked[0].header("user-agent").unwrap();
    assert!(agent.starts_with("told/"), "{agent}");
}

/// UF-1.
pub async fn uf_1_an_empty_answer_is_an_empty_text(ground: &impl Fixture) {
    for answer in [
        Answer::new(204),
        Answer::text(""),
        Answer::new(200).body(Body::Chunked(Vec::new())),
        Answer::new(200).body(Body::UntilClosed(Vec::new())),
    ] {
        ground.script().at("/a", [answer]);
        assert_eq!(fetch(ground, "/a").await, "text ");
    }
}

/// UF-2.
pub async fn uf_2_validators_go_to_the_url_that_gave_them(ground: &impl Fixture) {
    let date = "Tue, 01 Dec 2026 00:00:00 GMT";
    let dated = Answer::text("one").with("etag", "\"1\"").with("last-modified", date);
    ground.script().at("/latest", [Answer::to(302, "/v1"), Answer::to(302, "/v2")]);
    ground.script().at("/v1", [dated.clone()]);
    ground.script().at("/v2", [dated]);
    let url = url_at(ground, "/latest");
    let kept = validators(ground, &url).await;
    assert!(kept.is_some());
    // The redirect leads elsewhere now, where an equal tag says nothing.
    let again = Request { validators: kept.clone(), ..request(&url) };
    assert_eq!(outcome(ground, again).await, "text one");
    ground.script().at("/latest", [Answer::to(302, "/v1")]);
    let again = Request { validators: kept, ..request(&url) };
    assert_eq!(outcome(ground, again).await, "text one");
    let sent: Vec<_> = ground
        .script()
        .asked()
        .into_iter()
        .map(|asked| {
            let sent = |name| asked.header(name).unwrap_or("-").to_owned();
            format!("{} {} {}", asked.line, sent("if-none-match"), sent("if-modified-since"))
        })
        .collect();
    let none = |path: &str| format!("GET {path} - -");
    let expected = [
        none("/latest"),
        none("/v1"),
        none("/latest"),
        none("/v2"),
        none("/latest"),
        format!("GET /v1 \"1\" {date}"),
    ];
    assert_eq!(sent, expected);
    ground.script().at("/bare", [Answer::text("no tag")]);
    assert_eq!(validators(ground, &url_at(ground, "/bare")).await, None);
}

/// UF-2.
pub async fn uf_2_a_304_is_the_same_value_with_any_tag(ground: &impl Fixture) {
    ground.script().at(
        "/a",
        [
            Answer::text("one").with("etag", "\"1\""),
            Answer::new(304),
            Answer::new(304).with("etag", "\"2\""),
            Answer::text("two").with("etag", "\"2\""),
        ],
    );
    let url = url_at(ground, "/a");
    let kept = validators(ground, &url).await;
    for expected in ["not modified", "not modified", "text two"] {
        let again = Request { validators: kept.clone(), ..request(&url) };
        assert_eq!(outcome(ground, again).await, expected);
    }
}

/// UF-3.
pub async fn uf_3_each_status_is_its_own_outcome(ground: &impl Fixture) {
    for status in [206, 300, 304, 400, 401, 403, 407, 408, 418, 429, 451, 500, 502, 503, 504, 599] {
        ground.script().at("/a", [Answer::new(status)]);
        assert_eq!(fetch(ground, "/a").await, format!("http_{status}"));
    }
    let page = Body::Whole("<!doctype html>Not here.".into());
    ground.script().at("/gone", [Answer::new(410).with("content-type", "text/html").body(page)]);
    assert_eq!(fetch(ground, "/gone").await, "gone");
    assert_eq!(fetch(ground, "/nothing").await, "not found");
    assert_eq!(fetch(ground, "/nothing").await, "not found", "the count is the caller's");
    // What comes with a refusal is not waited for.
    ground.script().at("/slow", [Answer::new(404).body(Body::Stalls)]);
    assert_eq!(fetch(ground, "/slow").await, "not found");
}

/// UF-4.
pub async fn uf_4_time_is_limited_in_all(ground: &impl Fixture) {
    let timeout = word(UnavailableReason::Timeout);
    for reply in [
        Reply::Silence,
        Answer::text("").body(Body::Stalls).into(),
        Answer::text("").body(Body::Drips).into(),
    ] {
        ground.script().at("/a", [reply]);
        let soon = Request { limits: SOON, ..request(&url_at(ground, "/a")) };
        assert_eq!(outcome(ground, soon).await, timeout);
    }
    ground.script().at("/b", [Answer::to(302, "/c")]);
    ground.script().at("/c", [Reply::Silence]);
    let soon = Request { limits: SOON, ..request(&url_at(ground, "/b")) };
    assert_eq!(outcome(ground, soon).await, timeout);
    let url = named(ground, Scheme::Http, "slow.test", "/a");
    ground.names().at("slow.test", [Resolved::Hangs, to(&[super::PUBLIC])]);
    assert_eq!(outcome(ground, Request { limits: SOON, ..request(&url) }).await, timeout);
}
