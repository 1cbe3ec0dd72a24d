//! Where a redirect leads, and what goes along.

use super::ground::{Fixture, Scheme, fetch, named, outcome, request, url_at, word};
use crate::fake::url_script::Answer;
use told_domain::{reason::UnavailableReason, url::REDIRECTS_MAX};

/// UF-10.
pub async fn uf_10_five_redirects_are_followed(ground: &impl Fixture) {
    ground.script().at("/0", [Answer::text("arrived")]);
    for (left, status) in [301, 302, 303, 307, 308, 301].into_iter().enumerate() {
        let next =
            if left % 2 == 0 { format!("/{left}") } else { url_at(ground, &format!("/{left}")) };
        ground.script().at(&format!("/{}", left + 1), [Answer::to(status, &next)]);
    }
    let too_many = word(UnavailableReason::TooManyRedirects);
    assert_eq!(fetch(ground, &format!("/{REDIRECTS_MAX}")).await, "text arrived");
    assert_eq!(fetch(ground, &format!("/{}", REDIRECTS_MAX + 1)).await, too_many);
    ground.script().at("/loop", [Answer::to(302, "/loop")]);
    let before = ground.script().asked().len();
    assert_eq!(fetch(ground, "/loop").await, too_many);
    assert_eq!(ground.script().asked().len() - before, REDIRECTS_MAX + 1);
    // To another server, and to what is not there.
    let other = named(ground, Scheme::Http, "other.test", "/0");
    ground.script().at("/away", [Answer::to(302, &other)]);
    assert_eq!(fetch(ground, "/away").await, "text arrived");
    ground.script().at("/lost", [Answer::to(302, "/nowhere")]);
    assert_eq!(fetch(ground, "/lost").await, "not found");
}

/// UF-10.
pub async fn uf_10_a_redirect_that_leads_nowhere_is_its_status(ground: &impl Fixture) {
    for status in [301, 302, 303, 307, 308] {
        ground.script().at("/a", [Answer::new(status)]);
        assert_eq!(fetch(ground, "/a").await, format!("http_{status}"));
        for location in ["file:///etc/passwd", "ftp://rules.test/", "data:text/plain,a", "http://["]
        {
            ground.script().at("/a", [Answer::to(status, location)]);
            assert_eq!(fetch(ground, "/a").await, format!("http_{status}"), "{location}");
        }
    }
    ground.script().at("/a", [Answer::to(300, "/b")]);
    assert_eq!(fetch(ground, "/a").await, "http_300");
}

/// UF-11.
pub async fn uf_11_https_never_leads_to_http(ground: &impl Fixture) {
    ground.script().at("/a", [Answer::text("text")]);
    let secure = named(ground, Scheme::Https, "secure.test", "/a");
    assert_eq!(outcome(ground, request(&secure)).await, "text text");
    ground.script().at("/up", [Answer::to(301, &secure)]);
    assert_eq!(fetch(ground, "/up").await, "text text");
    let before = ground.script().asked().len();
    ground.script().at("/down", [Answer::to(301, &url_at(ground, "/a"))]);
    let down = named(ground, Scheme::Https, "secure.test", "/down");
    assert_eq!(outcome(ground, request(&down)).await, "http_301");
    ground.script().at("/up-down", [Answer::to(302, &down)]);
    assert_eq!(fetch(ground, "/up-down").await, "http_301", "also after a hop");
    assert_eq!(ground.script().asked().len() - before, 3);
}

/// UF-12.
pub async fn uf_12_who_asks_is_never_forwarded(ground: &impl Fixture) {
    let elsewhere = named(ground, Scheme::Http, "other.test", "/b");
    let strangers = named(ground, Scheme::Http, "user:word@other.test", "/b");
    ground.script().at("/b", [Answer::text("text")]);
    for location in ["/b", &elsewhere, &strangers] {
        ground.script().at("/a", [Answer::to(302, location)]);
        let before = ground.script().asked().len();
        let url = named(ground, Scheme::Http, "user:s3cret@rules.test", "/a");
        let asked = request(&url);
        assert!(!format!("{asked:?}").contains("s3cret"));
        assert_eq!(outcome(ground, asked).await, "text text");
        let asked = &ground.script().asked()[before..];
        let known: Vec<_> = asked.iter().map(|a| a.header("authorization").is_some()).collect();
        assert_eq!(known, [true, false], "{location}");
        assert!(!format!("{:?}", asked[1]).contains("s3cret"));
    }
}

/// UF-12.
pub async fn uf_12_no_cookie_and_no_referrer_is_sent(ground: &impl Fixture) {
    let cookie = Answer::to(302, "/b").with("set-cookie", "id=1; Path=/");
    ground.script().at("/a", [cookie]);
    ground.script().at("/b", [Answer::text("text").with("set-cookie", "id=2")]);
    for _ in 0..2 {
        assert_eq!(fetch(ground, "/a?token=s3cret").await, "not found");
        assert_eq!(fetch(ground, "/a").await, "text text");
    }
    for asked in ground.script().asked() {
        for header in ["cookie", "referer", "origin", "authorization"] {
            assert_eq!(asked.header(header), None, "{asked:?}");
        }
    }
}
