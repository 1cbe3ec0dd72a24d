//! The ground that the suite stands on: a scripted server under scripted names.

use crate::fake::url_script::{Names, Resolved, Script};
use std::{net::IpAddr, sync::Arc};
use told_domain::{
    reason::UnavailableReason,
    url::{AddressPolicy, FetchLimits, SourceUrl, Validators},
};
use told_ports::{Fetched, Request, Response, UrlFetcher};

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// In plain text.
    Http,
    /// Over TLS.
    Https,
}

/// An address of the public network, under which the fixture's server is reached. No test leaves loopback.
pub const PUBLIC: &str = "93.184.216.34";

/// What the suite asks of an implementation's test.
pub trait Fixture {
    /// What the server does.
    fn script(&self) -> &Script;

    /// What names resolve to. Every name that resolves to [`PUBLIC`] or to loopback leads to the server.
    fn names(&self) -> &Names;

    /// The server's port. Over TLS it proves each name below `test`, but for `wrong.test`.
    fn port(&self, scheme: Scheme) -> u16;

    /// A port at which nobody listens.
    fn closed_port(&self) -> u16;

    /// The implementation.
    fn fetcher(&self) -> Arc<dyn UrlFetcher>;
}

/// More than any test takes, unless it is about time.
pub(super) const LIMITS: FetchLimits = FetchLimits { timeout_ms: 60_000, max_bytes: 64 * 1024 };

/// So little that a test can wait for it.
pub(super) const SOON: FetchLimits = FetchLimits { timeout_ms: 200, max_bytes: 64 * 1024 };

/// `http://rules.test:1234` and `path`, resolving to the public address.
pub(super) fn url_at(ground: &impl Fixture, path: &str) -> String {
    named(ground, Scheme::Http, "rules.test", path)
}

pub(super) fn named(ground: &impl Fixture, scheme: Scheme, name: &str, path: &str) -> String {
    let host = name.rsplit('@').next().unwrap_or(name);
    ground.names().at(host, [to(&[PUBLIC])]);
    spelled(ground, scheme, name, path)
}

/// The same, and nobody resolves the host.
pub(super) fn spelled(ground: &impl Fixture, scheme: Scheme, host: &str, path: &str) -> String {
    let word = if scheme == Scheme::Http { "http" } else { "https" };
    format!("{word}://{host}:{}{path}", ground.port(scheme))
}

pub(super) fn to(addresses: &[&str]) -> Resolved {
    let parsed = addresses.iter().map(|address| address.parse::<IpAddr>().unwrap());
    Resolved::To(parsed.collect())
}

pub(super) fn request(url: &str) -> Request {
    Request {
        url: url.parse::<SourceUrl>().unwrap(),
        validators: None,
        limits: LIMITS,
        address_policy: AddressPolicy::Public,
    }
}

/// What a path of the server gives, in a word or its text.
pub(super) async fn fetch(ground: &impl Fixture, path: &str) -> String {
    outcome(ground, request(&url_at(ground, path))).await
}

pub(super) async fn outcome(ground: &impl Fixture, request: Request) -> String {
    said(&ground.fetcher().fetch(request).await)
}

pub(super) fn said(response: &Response) -> String {
    match response {
        Response::Fetched(fetched) => format!("text {}", fetched.text.text),
        Response::NotModified => "not modified".into(),
        Response::NotFound => "not found".into(),
        Response::Gone => "gone".into(),
        Response::Unavailable(reason) => reason.to_string(),
    }
}

pub(super) async fn validators(ground: &impl Fixture, url: &str) -> Option<Validators> {
    match ground.fetcher().fetch(request(url)).await {
        Response::Fetched(Fetched { validators, .. }) => validators,
        other => panic!("no text: {other:?}"),
    }
}

pub(super) fn word(reason: UnavailableReason) -> String {
    reason.to_string()
}
