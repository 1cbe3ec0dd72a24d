//! What a body must be to be a text.

use super::ground::{Fixture, LIMITS, fetch, outcome, request, url_at, word};
use crate::fake::url_script::{Answer, Body, Reply};
use told_domain::reason::UnavailableReason;
use told_ports::Request;

/// UF-5.
pub async fn uf_5_a_body_over_the_limit_is_not_read_further(ground: &impl Fixture) {
    let too_large = word(UnavailableReason::TooLarge);
    let full = "a".repeat(LIMITS.max_bytes as usize);
    let over = format!("{full}a");
    for body in [Body::Whole, Body::Chunked, Body::UntilClosed] {
        ground.script().at("/full", [Answer::text("").body(body(full.clone().into()))]);
        assert_eq!(fetch(ground, "/full").await, format!("text {full}"));
        ground.script().at("/over", [Answer::text("").body(body(over.clone().into()))]);
        assert_eq!(fetch(ground, "/over").await, too_large);
    }
    let gigabytes = 2 << 30;
    for announced in [None, Some(gigabytes)] {
        ground.script().at("/endless", [Answer::text("").body(Body::Endless(announced))]);
        assert_eq!(fetch(ground, "/endless").await, too_large);
    }
    // What the system's own buffers hold may have left the server.
    let sent = ground.script().sent();
    assert!(sent < gigabytes / 16, "{sent} bytes were sent");
    let none = told_domain::url::FetchLimits { max_bytes: 0, ..LIMITS };
    ground.script().at("/empty", [Answer::text("")]);
    let empty = Request { limits: none, ..request(&url_at(ground, "/empty")) };
    assert_eq!(outcome(ground, empty).await, "text ");
}

/// UF-6.
pub async fn uf_6_identity_is_asked_for_and_a_coded_body_refused(ground: &impl Fixture) {
    let refused = word(UnavailableReason::EncodedBody);
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03KUHI,I\x04\0";
    for coding in ["gzip", "br", "deflate", "zstd", "GZIP", "identity, gzip", "unheard-of"] {
        let coded = Answer::text("").with("content-encoding", coding);
        ground.script().at("/a", [coded.clone().body(Body::Whole(gzip.to_vec()))]);
        assert_eq!(fetch(ground, "/a").await, refused, "{coding}");
        ground.script().at("/a", [coded.body(Body::Endless(None))]);
        assert_eq!(fetch(ground, "/a").await, refused, "{coding}, unread");
    }
    // Without a word of it, by its beginning.
    ground.script().at("/a", [Answer::text("").body(Body::Whole(gzip.to_vec()))]);
    assert_eq!(fetch(ground, "/a").await, refused);
    ground.script().at("/a", [Answer::text("plain").with("content-encoding", "identity")]);
    assert_eq!(fetch(ground, "/a").await, "text plain");
    for asked in ground.script().asked() {
        assert_eq!(asked.header("accept-encoding"), Some("identity"));
    }
}

/// UF-7.
pub async fn uf_7_what_breaks_off_is_no_text(ground: &impl Fixture) {
    let half = || b"Never delete".to_vec();
    for reply in [
        Reply::HangUp,
        Reply::Noise,
        Answer::text("").body(Body::Announced(20, half())).into(),
        Answer::text("").body(Body::Announced(20, Vec::new())).into(),
        Answer::text("").body(Body::BrokenOff(half())).into(),
        Answer::text("").body(Body::BrokenOff(Vec::new())).into(),
    ] {
        ground.script().at("/a", [reply.clone()]);
        let failed = word(UnavailableReason::ConnectionFailed);
        assert_eq!(fetch(ground, "/a").await, failed, "{reply:?}");
    }
    // A server that says less than it sends has said where its text ends.
    ground.script().at("/a", [Answer::text("").body(Body::Announced(5, half()))]);
    assert_eq!(fetch(ground, "/a").await, "text Never");
}

/// UF-8.
pub async fn uf_8_a_page_or_data_is_no_text(ground: &impl Fixture) {
    let refused = word(UnavailableReason::UnexpectedContentType);
    for (content_type, body) in [
        ("text/html", "Sign in"),
        ("Text/HTML; charset=utf-8", "Sign in"),
        ("application/xhtml+xml", "Sign in"),
        ("image/png", "\u{89}PNG"),
        ("text/plain", "<!DOCTYPE html><p>Sign in"),
        ("text/markdown", "\n<html>"),
        ("application/octet-stream", "\0\0\0\0\u{1}"),
    ] {
        let answer = Answer::new(200).with("content-type", content_type);
        ground.script().at("/a", [answer.body(Body::Whole(body.into()))]);
        assert_eq!(fetch(ground, "/a").await, refused, "{content_type}");
    }
    for content_type in ["text/markdown", "text/plain; charset=utf-8", "application/octet-stream"] {
        let answer = Answer::new(200).with("content-type", content_type);
        ground.script().at("/a", [answer.body(Body::Whole("<h1>Rules</h1>".into()))]);
        assert_eq!(fetch(ground, "/a").await, "text <h1>Rules</h1>");
    }
}

/// UF-9.
pub async fn uf_9_the_mark_decides_the_encoding_then_the_server(ground: &impl Fixture) {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    for (content_type, body) in [
        ("text/plain", "café".as_bytes().to_vec()),
        ("text/plain", "\u{feff}café".into()),
        ("text/plain", utf16("\u{feff}café")),
        ("text/plain; charset=iso-8859-1", b"caf\xE9".to_vec()),
        ("text/plain; charset=utf-16le", utf16("café")),
        ("text/plain; charset=iso-8859-1", utf16("\u{feff}café")),
        ("text/plain; charset=never-heard-of", "café".into()),
    ] {
        let answer = Answer::new(200).with("content-type", content_type);
        ground.script().at("/a", [answer.body(Body::Whole(body))]);
        assert_eq!(fetch(ground, "/a").await, "text café", "{content_type}");
    }
}
