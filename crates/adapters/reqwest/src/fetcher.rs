//! One fetch, hop by hop. What each answer means the domain says.

use crate::{
    cause,
    client::{client, tls_of_the_system},
    names::{Checked, Dial, Resolver, SystemResolver},
};
use async_trait::async_trait;
use reqwest::Client;
use rustls::ClientConfig;
use std::{fmt, sync::Arc, time::Duration};
use tokio::sync::OnceCell;
use told_domain::{
    reason::{HttpStatus, UnavailableReason},
    url::{AddressPolicy, Head, REDIRECTS_MAX, SourceUrl, Validators, Verdict, read_body},
};
use told_ports::{Fetched, Request, Response, UrlFetcher};

/// Fetches over the network, from within a tokio runtime.
///
/// The first fetch reads the system's certificates; until then it costs nothing.
pub struct ReqwestFetcher {
    resolver: Arc<dyn Resolver>,
    dial: Dial,
    tls: fn() -> Result<ClientConfig, rustls::Error>,
    clients: OnceCell<Clients>,
}

/// One for each policy, since the policy is in the resolver that a client connects with.
struct Clients {
    public: Client,
    private: Client,
}

/// A fetch that came to nothing.
struct Failed(UnavailableReason);

impl From<reqwest::Error> for Failed {
    fn from(error: reqwest::Error) -> Self {
        Self(cause::reason(&error))
    }
}

impl ReqwestFetcher {
    /// A fetcher that resolves names as this system does.
    #[must_use]
    pub fn new() -> Self {
        Self::resolving_with(Arc::new(SystemResolver::default()))
    }

    /// A fetcher with a resolver of the host's own.
    #[must_use]
    pub fn resolving_with(resolver: Arc<dyn Resolver>) -> Self {
        Self { resolver, dial: Dial::Itself, tls: tls_of_the_system, clients: OnceCell::new() }
    }

    /// For tests: names lead to this address instead, whose server proves itself otherwise.
    #[cfg(test)]
    pub(crate) fn dialling(
        resolver: Arc<dyn Resolver>,
        instead: std::net::IpAddr,
        tls: fn() -> Result<ClientConfig, rustls::Error>,
    ) -> Self {
        Self { resolver, dial: Dial::Instead(instead), tls, clients: OnceCell::new() }
    }

    async fn client(&self, policy: AddressPolicy) -> Result<&Client, Failed> {
        let clients = self.clients.get_or_try_init(|| async {
            // Reading the certificates waits for the disk.
            let read = tokio::task::spawn_blocking(self.tls).await;
            let tls =
                read.ok().and_then(Result::ok).ok_or(Failed(UnavailableReason::TlsFailure))?;
            let client = |policy, tls| {
                let resolver = Arc::clone(&self.resolver);
                client(Checked { resolver, policy, dial: self.dial }, tls)
            };
            Ok::<_, Failed>(Clients {
                public: client(AddressPolicy::Public, tls.clone())?,
                private: client(AddressPolicy::Private, tls)?,
            })
        });
        let clients = clients.await?;
        Ok(match policy {
            AddressPolicy::Public => &clients.public,
            AddressPolicy::Private => &clients.private,
        })
    }

    async fn follow(&self, request: &Request) -> Result<Response, Failed> {
        let mut url = request.url.clone();
        // The first request, and then one a redirect.
        for _ in 0..=REDIRECTS_MAX {
            if url.is_refused(request.address_policy) {
                return Err(Failed(UnavailableReason::AddressRefused));
            }
            let client = self.client(request.address_policy).await?;
            let (answer, head, conditional) =
                ask(client, &url, request.validators.as_ref()).await?;
            match head.verdict(&url, conditional, request.limits) {
                Verdict::Follow(next) => url = next,
                Verdict::Read => {
                    let bytes = body(answer, request.limits.max_bytes).await?;
                    let text = read_body(&head, &bytes).map_err(Failed)?;
                    let validators = Validators::of(&url, &head);
                    return Ok(Response::Fetched(Fetched { text, validators }));
                }
                Verdict::NotModified => return Ok(Response::NotModified),
                Verdict::NotFound => return Ok(Response::NotFound),
                Verdict::Gone => return Ok(Response::Gone),
                Verdict::Unavailable(reason) => return Err(Failed(reason)),
            }
        }
        Err(Failed(UnavailableReason::TooManyRedirects))
    }
}

impl Default for ReqwestFetcher {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ReqwestFetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReqwestFetcher").finish_non_exhaustive()
    }
}

#[async_trait]
impl UrlFetcher for ReqwestFetcher {
    async fn fetch(&self, request: Request) -> Response {
        let limit = Duration::from_millis(request.limits.timeout_ms);
        let reason = match tokio::time::timeout(limit, self.follow(&request)).await {
            Ok(Ok(response)) => return response,
            Ok(Err(Failed(reason))) => reason,
            Err(_) => UnavailableReason::Timeout,
        };
        tracing::debug!(url = %request.url, %reason, "a URL is unavailable");
        Response::Unavailable(reason)
    }
}

/// Asks once, and says whether it asked with a condition.
async fn ask(
    client: &Client,
    url: &SourceUrl,
    validators: Option<&Validators>,
) -> Result<(reqwest::Response, Head, bool), Failed> {
    let mut asking = client.get(url.secret().clone());
    let mut conditional = false;
    for (name, value) in validators.iter().flat_map(|validators| validators.headers(url)) {
        asking = asking.header(name, value);
        conditional = true;
    }
    let answer = asking.send().await?;
    let status = HttpStatus::new(answer.status().as_u16());
    let status = status.ok_or(Failed(UnavailableReason::ConnectionFailed))?;
    let headers = answer.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
    let head = Head::new(status, headers);
    Ok((answer, head, conditional))
}

/// The whole body, if it is not over the limit. What the server announced is nothing to rely on.
async fn body(mut answer: reqwest::Response, max_bytes: u64) -> Result<Vec<u8>, Failed> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        if (bytes.len() + chunk.len()) as u64 > max_bytes {
            return Err(Failed(UnavailableReason::TooLarge));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
