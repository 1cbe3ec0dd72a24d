//! Strangers' servers behind told's `UrlFetcher` port, by way of reqwest and rustls.
//!
//! It connects to no address that the policy has not seen: a literal host is checked before the
//! request, a name by the resolver that the connection is made with. Redirects are followed by hand,
//! each as a request of its own. Nothing is kept between two requests: no connection, no cookie. No proxy
//! and no setting of the environment counts.
//!
//! **May depend on** `told-ports`, `told-domain` for every decision, reqwest and rustls for the wire, and tokio.
//! **Start** with [`ReqwestFetcher`], then `names` (which addresses a connection gets), `client` (what is
//! switched off) and `cause` (what an error means).

mod cause;
mod client;
mod fetcher;
mod names;

pub use fetcher::ReqwestFetcher;
pub use names::{Resolver, SystemResolver};

#[cfg(test)]
mod tests;
