//! Which addresses a connection gets: the policy stands between the resolver and the socket, so that
//! what was checked is what is connected to (UF-14).

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::{
    fmt,
    io::{self, ErrorKind},
    net::{IpAddr, SocketAddr, ToSocketAddrs as _},
    sync::Arc,
};
use tokio::sync::Semaphore;
use told_domain::url::AddressPolicy;

/// Tells what a name's addresses are.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// The addresses of `name`, in the order to try them.
    ///
    /// # Errors
    /// Where the name has none, or nobody can tell.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's own resolver.
#[derive(Debug)]
pub struct SystemResolver {
    lookups: Arc<Semaphore>,
}

impl SystemResolver {
    /// A lookup cannot be cut short: it keeps a thread, however long ago its fetch was given up.
    const LOOKUPS_MAX: usize = 8;
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self { lookups: Arc::new(Semaphore::new(Self::LOOKUPS_MAX)) }
    }
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let name = name.to_owned();
        let place = Arc::clone(&self.lookups).acquire_owned().await.map_err(io::Error::other)?;
        let lookup = tokio::task::spawn_blocking(move || {
            let found = (name.as_str(), 0).to_socket_addrs();
            drop(place);
            found.map(|found| found.map(|address| address.ip()).collect())
        });
        lookup.await.map_err(io::Error::other)?
    }
}

/// A resolver whose answers have passed the policy.
pub(crate) struct Checked {
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) policy: AddressPolicy,
    pub(crate) dial: Dial,
}

/// Where a checked address is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dial {
    /// There.
    Itself,
    /// For tests, which never leave loopback: at this one instead.
    #[cfg(test)]
    Instead(IpAddr),
}

impl Dial {
    fn of(self, address: IpAddr) -> SocketAddr {
        let address = match self {
            Self::Itself => address,
            #[cfg(test)]
            Self::Instead(instead) => instead,
        };
        // The port is the URL's.
        SocketAddr::new(address, 0)
    }
}

/// Why a name gives no address. It is found again in the chain of the client's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoAddress {
    /// There is none.
    Unresolved,
    /// There are, and the policy allows none of them.
    Refused,
}

impl fmt::Display for NoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unresolved => "the name has no address",
            Self::Refused => "the policy allows none of the name's addresses",
        })
    }
}

impl std::error::Error for NoAddress {}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, policy, dial) = (Arc::clone(&self.resolver), self.policy, self.dial);
        Box::pin(async move {
            let found = match resolver.resolve(name.as_str()).await {
                Ok(found) => found,
                Err(error) => {
                    let kind = error.kind();
                    if kind != ErrorKind::NotFound {
                        tracing::debug!(%kind, "a name was not resolved");
                    }
                    return Err(NoAddress::Unresolved.into());
                }
            };
            let none = found.is_empty();
            let allowed = found.into_iter().filter(|address| policy.allows(*address));
            let allowed: Vec<_> = allowed.map(|address| dial.of(address)).collect();
            match (none, allowed.is_empty()) {
                (true, _) => Err(NoAddress::Unresolved.into()),
                (false, true) => Err(NoAddress::Refused.into()),
                (false, false) => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}
