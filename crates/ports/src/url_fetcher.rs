//! The port to URLs: one request, and all that can come of it.

use async_trait::async_trait;
use told_domain::{
    reason::UnavailableReason,
    text::DeliveredText,
    url::{AddressPolicy, FetchLimits, SourceUrl, Validators},
};

/// Fetches a URL, as a stranger's server that may do anything.
///
/// What holds for all that the server did before it answered: the answer is of this request, whole or none.
/// What happens after it is seen by the next request alone; nothing is kept between two.
///
/// Clauses, each with a test of its name in the contract suite:
/// - **UF-1** An answer of success with a text is `Fetched`: its whole text, also where that is empty, and what makes the
///   next request conditional (R-URL-2).
/// - **UF-2** Validators are sent to the URL that gave them and to no other; a 304 to them is `NotModified`, whatever
///   tag it carries (R-URL-1).
/// - **UF-3** 404 is `NotFound` and 410 is `Gone`; every other status is `Unavailable(http_<status>)`, a 304 that nobody asked
///   for among them (R-URL-2).
/// - **UF-4** What has not ended in `timeout_ms` is `Unavailable(Timeout)`: names, every hop and the whole body
///   count (R-URL-1).
/// - **UF-5** A body over `max_bytes` is `Unavailable(TooLarge)`, announced or not, and is not read further; one of exactly
///   so many is whole (R-URL-2).
/// - **UF-6** `identity` is asked for, and a body in any other coding is `Unavailable(EncodedBody)`, unread (R-URL-1).
/// - **UF-7** An answer that breaks off, or is none, is `Unavailable(ConnectionFailed)`: no part of a text is a text.
/// - **UF-8** A page or data is `Unavailable(UnexpectedContentType)`, by its type or by its beginning (R-URL-2).
/// - **UF-9** A byte-order mark decides the encoding, then the server's charset, then it is UTF-8 (R-OBS-5).
/// - **UF-10** Five redirects are followed, in whatever form; a sixth is `Unavailable(TooManyRedirects)`. One that leads nowhere is its
///   status (R-URL-4).
/// - **UF-11** A redirect from https to http is never followed (R-URL-4).
/// - **UF-12** User and password of the URL go to its own server with the first request, and nowhere else. No
///   cookie and no referrer is ever sent (R-URL-4).
/// - **UF-13** An address that the policy does not allow gets no connection, on any hop, however it is named:
///   `Unavailable(AddressRefused)`. Of a name with several addresses the allowed ones are tried (R-URL-3).
/// - **UF-14** A name is resolved once a hop, and the address that was checked is the address that is connected to.
/// - **UF-15** A name without an address is `Unavailable(DnsFailure)`, a server that takes no connection
///   `ConnectionFailed`, one that does not prove its name `TlsFailure` (R-URL-2).
/// - **UF-16** Fetches at the same time take nothing from each other, and one that is dropped leaves nothing.
#[async_trait]
pub trait UrlFetcher: Send + Sync {
    /// Asks once, and follows where it is sent. It never fails otherwise than by its answer.
    async fn fetch(&self, request: Request) -> Response;
}

/// What to ask. It shows no secret of its URL (R-URL-4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Where.
    pub url: SourceUrl,
    /// What an earlier answer of this URL gave.
    pub validators: Option<Validators>,
    /// What it may cost.
    pub limits: FetchLimits,
    /// Where it may lead.
    pub address_policy: AddressPolicy,
}

/// All that can come of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// A text.
    Fetched(Fetched),
    /// The text that the validators are of still stands.
    NotModified,
    /// 404: not there now. How many in a row prove an absence is the caller's policy.
    NotFound,
    /// 410: not there, and it will not be.
    Gone,
    /// Nobody knows.
    Unavailable(UnavailableReason),
}

/// A text that a server sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The text, and what a reader may want to know of it.
    pub text: DeliveredText,
    /// What makes the next request conditional, where the server gave anything.
    pub validators: Option<Validators>,
}
