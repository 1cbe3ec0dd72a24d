//! Which addresses are reached, and what becomes of those that are not.

use super::ground::{
    Fixture, PUBLIC, SOON, Scheme, fetch, named, outcome, request, said, spelled, to, url_at, word,
};
use crate::fake::url_script::{Answer, Body, Reply, Resolved};
use std::time::Duration;
use told_domain::{reason::UnavailableReason, url::AddressPolicy};
use told_ports::Request;

/// Hosts that no resolver sees, or whose meaning no resolver decides.
const LITERAL: &[&str] = &[
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.0.0.1.",
    "１２７.0.0.1",
    "rules.test@127.0.0.1",
    "169.254.169.254",
    "0.0.0.0",
    "0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "localhost",
    "localhost.",
    "a.LOCALHOST",
];

/// Addresses that a name may resolve to, and may not lead to.
const RESOLVED: &[&str] = &[
    "127.0.0.1",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "192.0.2.1",
    "0.0.0.0",
    "224.0.0.1",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2001:0:0:0:0:0:80ff:fffe",
    "fd00::1",
    "fe80::1",
    "ff02::1",
];

/// UF-13.
pub async fn uf_13_no_refused_address_is_reached(ground: &impl Fixture) {
    let refused = word(UnavailableReason::AddressRefused);
    ground.script().at("/a", [Answer::text("secret")]);
    for host in LITERAL {
        for scheme in [Scheme::Http, Scheme::Https] {
            let url = spelled(ground, scheme, host, "/a");
            assert_eq!(outcome(ground, request(&url)).await, refused, "{url}");
        }
    }
    assert_eq!(ground.names().asked(), [""; 0], "no name was asked for");
    for address in RESOLVED {
        let url = url_at(ground, "/a");
        ground.names().at("rules.test", [to(&[address])]);
        assert_eq!(outcome(ground, request(&url)).await, refused, "{address}");
    }
    assert_eq!(ground.script().asked().len(), 0, "nothing reached the server");
}

/// UF-13.
pub async fn uf_13_a_redirect_reaches_none_either(ground: &impl Fixture) {
    let refused = word(UnavailableReason::AddressRefused);
    ground.script().at("/secret", [Answer::text("secret")]);
    let mut hops = 0;
    for host in LITERAL {
        let there = spelled(ground, Scheme::Http, host, "/secret");
        ground.script().at("/a", [Answer::to(302, &there)]);
        assert_eq!(fetch(ground, "/a").await, refused, "{there}");
        hops += 1;
    }
    for address in RESOLVED {
        let there = named(ground, Scheme::Http, "inside.test", "/secret");
        ground.names().at("inside.test", [to(&[address])]);
        ground.script().at("/a", [Answer::to(302, &there)]);
        assert_eq!(fetch(ground, "/a").await, refused, "{address}");
        hops += 1;
    }
    assert_eq!(ground.script().asked().len(), hops, "nothing followed");
}

/// UF-13.
pub async fn uf_13_of_several_addresses_the_allowed_are_tried(ground: &impl Fixture) {
    ground.script().at("/a", [Answer::text("text")]);
    let url = url_at(ground, "/a");
    ground.names().at("rules.test", [to(&["127.0.0.1", "::1", PUBLIC, "10.0.0.1"])]);
    assert_eq!(outcome(ground, request(&url)).await, "text text");
    ground.names().at("rules.test", [to(&["127.0.0.1", "::1", "10.0.0.1"])]);
    let refused = word(UnavailableReason::AddressRefused);
    assert_eq!(outcome(ground, request(&url)).await, refused);
}

/// UF-13.
pub async fn uf_13_private_addresses_are_reached_where_the_policy_says_so(ground: &impl Fixture) {
    ground.script().at("/a", [Answer::text("text")]);
    let private = |url: &str| Request { address_policy: AddressPolicy::Private, ..request(url) };
    let literal = spelled(ground, Scheme::Http, "127.0.0.1", "/a");
    assert_eq!(outcome(ground, private(&literal)).await, "text text");
    let name = named(ground, Scheme::Http, "inside.test", "/a");
    ground.names().at("inside.test", [to(&["127.0.0.1"])]);
    assert_eq!(outcome(ground, private(&name)).await, "text text");
    for nowhere in ["0.0.0.0", "224.0.0.1", "[::]", "[ff02::1]", "255.255.255.255"] {
        let url = spelled(ground, Scheme::Http, nowhere, "/a");
        let refused = word(UnavailableReason::AddressRefused);
        assert_eq!(outcome(ground, private(&url)).await, refused, "{nowhere}");
    }
}

/// UF-14.
pub async fn uf_14_the_address_that_was_checked_is_connected_to(ground: &impl Fixture) {
    ground.script().at("/a", [Answer::text("text")]);
    let url = url_at(ground, "/a");
    // First public, then this machine: whoever resolved again would be led inside.
    ground.names().at("rules.test", [to(&[PUBLIC]), to(&["127.0.0.1"])]);
    assert_eq!(outcome(ground, request(&url)).await, "text text");
    assert_eq!(ground.names().asked(), ["rules.test"]);
    let refused = word(UnavailableReason::AddressRefused);
    assert_eq!(outcome(ground, request(&url)).await, refused, "no connection was kept");
    ground.names().at("rules.test", [to(&[PUBLIC]), to(&["127.0.0.1"])]);
    ground.script().at("/back", [Answer::to(302, "/a")]);
    let back = spelled(ground, Scheme::Http, "rules.test", "/back");
    assert_eq!(outcome(ground, request(&back)).await, refused, "a hop is checked anew");
    assert_eq!(ground.script().asked().len(), 2);
}

/// UF-15.
pub async fn uf_15_each_failure_has_its_reason(ground: &impl Fixture) {
    let dns = word(UnavailableReason::DnsFailure);
    for answer in [Resolved::Nothing, Resolved::To(Vec::new())] {
        let url = named(ground, Scheme::Http, "nowhere.test", "/a");
        ground.names().at("nowhere.test", [answer]);
        assert_eq!(outcome(ground, request(&url)).await, dns);
    }
    let _ = named(ground, Scheme::Http, "rules.test", "/a");
    for scheme in ["http", "https"] {
        let closed = format!("{scheme}://rules.test:{}/a", ground.closed_port());
        let failed = word(UnavailableReason::ConnectionFailed);
        assert_eq!(outcome(ground, request(&closed)).await, failed);
    }
    ground.script().at("/a", [Answer::text("text")]);
    let wrong = named(ground, Scheme::Https, "wrong.test", "/a");
    let tls = word(UnavailableReason::TlsFailure);
    assert_eq!(outcome(ground, request(&wrong)).await, tls);
    assert_eq!(ground.script().asked().len(), 0);
}

/// UF-16.
pub async fn uf_16_fetches_take_nothing_from_each_other(ground: &impl Fixture) {
    for (path, reply) in [
        ("/silent", Reply::Silence),
        ("/drips", Answer::text("").body(Body::Drips).into()),
        ("/broken", Reply::HangUp),
        ("/text", Answer::text("text").into()),
    ] {
        ground.script().at(path, [reply]);
    }
    let fetcher = ground.fetcher();
    let soon = |path| Request { limits: SOON, ..request(&url_at(ground, path)) };
    let (silent, drips, broken, text, again) = tokio::join!(
        fetcher.fetch(soon("/silent")),
        fetcher.fetch(soon("/drips")),
        fetcher.fetch(request(&url_at(ground, "/broken"))),
        fetcher.fetch(request(&url_at(ground, "/text"))),
        fetcher.fetch(request(&url_at(ground, "/text"))),
    );
    let found = [silent, drips, broken, text, again].map(|response| said(&response));
    assert_eq!(found, ["timeout", "timeout", "connection_failed", "text text", "text text"]);
}

/// UF-16.
pub async fn uf_16_a_dropped_fetch_leaves_nothing(ground: &impl Fixture) {
    ground.script().at("/silent", [Reply::Silence]);
    let fetcher = ground.fetcher();
    {
        let fetch = fetcher.fetch(request(&url_at(ground, "/silent")));
        let asked = async {
            while ground.script().asked().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            () = asked => {}
            response = fetch => panic!("answered: {response:?}"),
        }
    }
    let mut open = ground.script().open();
    let closed = tokio::time::timeout(Duration::from_secs(30), open.wait_for(|open| *open == 0));
    assert!(closed.await.is_ok_and(|open| open.is_ok()), "the connection is still open");
}
