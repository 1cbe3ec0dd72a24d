//! A fetcher without a network: servers and names are a script, and time passes on tokio's clock.

use super::url_script::{Answer, Asked, Body, Names, Reply, Resolved, Script};
use async_trait::async_trait;
use std::{
    collections::BTreeSet,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use told_domain::{
    reason::{HttpStatus, UnavailableReason},
    url::{Head, REDIRECTS_MAX, SourceUrl, Validators, Verdict, read_body},
};
use told_ports::{Fetched, Request, Response, UrlFetcher};

/// The fake. Every name and every allowed address leads to one server, which does what the script says.
#[derive(Debug, Default)]
pub struct FakeUrlFetcher {
    script: Arc<Script>,
    names: Arc<Names>,
    closed: Mutex<BTreeSet<u16>>,
    unproven: Mutex<BTreeSet<String>>,
}

/// What ends a fetch before there is an answer.
enum End {
    Because(UnavailableReason),
    /// Nothing more comes: the time runs out.
    Never,
}

impl FakeUrlFetcher {
    /// A network in which this server answers and these names resolve.
    #[must_use]
    pub fn new(script: Arc<Script>, names: Arc<Names>) -> Self {
        Self { script, names, ..Self::default() }
    }

    /// Nobody listens at this port.
    pub fn close(&self, port: u16) {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner).insert(port);
    }

    /// The server has no certificate for this name.
    pub fn unprove(&self, name: &str) {
        self.unproven.lock().unwrap_or_else(PoisonError::into_inner).insert(name.into());
    }

    fn hops(&self, request: &Request) -> Result<Response, End> {
        let because = |reason| Err(End::Because(reason));
        let mut url = request.url.clone();
        for _ in 0..=REDIRECTS_MAX {
            self.connect(&url, request)?;
            let sent: Vec<_> =
                request.validators.iter().flat_map(|validators| validators.headers(&url)).collect();
            let answer = match self.script.reply(asked(&url, &sent)) {
                Reply::Silence => return Err(End::Never),
                Reply::HangUp | Reply::Noise => {
                    return because(UnavailableReason::ConnectionFailed);
                }
                Reply::Answer(answer) => answer,
            };
            let head = head(&answer)?;
            match head.verdict(&url, !sent.is_empty(), request.limits) {
                Verdict::Follow(next) => url = next,
                Verdict::Read => return read(&url, &head, &answer.body, request),
                Verdict::NotModified => return Ok(Response::NotModified),
                Verdict::NotFound => return Ok(Response::NotFound),
                Verdict::Gone => return Ok(Response::Gone),
                Verdict::Unavailable(reason) => return because(reason),
            }
        }
        because(UnavailableReason::TooManyRedirects)
    }

    fn connect(&self, url: &SourceUrl, request: &Request) -> Result<(), End> {
        let because = |reason| Err(End::Because(reason));
        let policy = request.address_policy;
        if url.is_refused(policy) {
            return because(UnavailableReason::AddressRefused);
        }
        let host = url.secret().host_str().unwrap_or_default();
        if host.trim_matches(['[', ']']).parse::<IpAddr>().is_err() {
            match self.names.resolve(host) {
                Resolved::Hangs => return Err(End::Never),
                Resolved::Nothing => return because(UnavailableReason::DnsFailure),
                Resolved::To(addresses) if addresses.is_empty() => {
                    return because(UnavailableReason::DnsFailure);
                }
                Resolved::To(addresses) => {
                    if !addresses.into_iter().any(|address| policy.allows(address)) {
                        return because(UnavailableReason::AddressRefused);
                    }
                }
            }
        }
        let port = url.secret().port_or_known_default().unwrap_or_default();
        if self.closed.lock().unwrap_or_else(PoisonError::into_inner).contains(&port) {
            return because(UnavailableReason::ConnectionFailed);
        }
        let unproven = self.unproven.lock().unwrap_or_else(PoisonError::into_inner);
        if url.is_secure() && unproven.contains(host) {
            return because(UnavailableReason::TlsFailure);
        }
        Ok(())
    }
}

#[async_trait]
impl UrlFetcher for FakeUrlFetcher {
    async fn fetch(&self, request: Request) -> Response {
        match self.hops(&request) {
            Ok(response) => response,
            Err(End::Because(reason)) => Response::Unavailable(reason),
            Err(End::Never) => {
                tokio::time::sleep(Duration::from_millis(request.limits.timeout_ms)).await;
                Response::Unavailable(UnavailableReason::Timeout)
            }
        }
    }
}

/// What the server sees of a request.
fn asked(url: &SourceUrl, conditions: &[(&'static str, &str)]) -> Asked {
    let url = url.secret();
    let query = url.query().map_or_else(String::new, |query| format!("?{query}"));
    let mut headers = vec![
        ("accept-encoding".to_owned(), "identity".to_owned()),
        ("user-agent".to_owned(), "told/fake".to_owned()),
    ];
    if !url.username().is_empty() || url.password().is_some() {
        headers.push(("authorization".into(), "Basic of the URL's own user".into()));
    }
    headers.extend(conditions.iter().map(|(name, value)| ((*name).into(), (*value).into())));
    Asked { line: format!("GET {}{query}", url.path()), headers }
}

fn head(answer: &Answer) -> Result<Head, End> {
    let broken = || End::Because(UnavailableReason::ConnectionFailed);
    let status = HttpStatus::new(answer.status).ok_or_else(broken)?;
    let length = match &answer.body {
        Body::Announced(length, _) | Body::Endless(Some(length)) => Some(length.to_string()),
        Body::Whole(bytes) => Some(bytes.len().to_string()),
        _ => None,
    };
    let headers = answer.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
    let length = length.iter().map(|length| ("content-length", length.as_bytes()));
    Ok(Head::new(status, headers.chain(length)))
}

fn read(url: &SourceUrl, head: &Head, body: &Body, request: &Request) -> Result<Response, End> {
    let because = |reason| Err(End::Because(reason));
    let bytes = match body {
        Body::Whole(bytes) | Body::Chunked(bytes) | Body::UntilClosed(bytes) => bytes.as_slice(),
        Body::Announced(length, bytes) => {
            let length = usize::try_from(*length).unwrap_or(usize::MAX);
            match bytes.get(..length) {
                Some(bytes) => bytes,
                None => return because(UnavailableReason::ConnectionFailed),
            }
        }
        Body::BrokenOff(_) => return because(UnavailableReason::ConnectionFailed),
        Body::Stalls | Body::Drips => return Err(End::Never),
        Body::Endless(_) => return because(UnavailableReason::TooLarge),
    };
    if bytes.len() as u64 > request.limits.max_bytes {
        return because(UnavailableReason::TooLarge);
    }
    match read_body(head, bytes) {
        Ok(text) => Ok(Response::Fetched(Fetched { text, validators: Validators::of(url, head) })),
        Err(reason) => because(reason),
    }
}
