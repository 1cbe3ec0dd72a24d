//! What an error of the client means.

use crate::names::NoAddress;
use std::{error::Error, io};
use told_domain::reason::UnavailableReason;

/// Errors are told apart by what is in their chain, and this many links at most are looked at.
const LINKS_MAX: usize = 16;

/// The reason behind a failed request. Its text is not used: it holds the URL.
pub(crate) fn reason(error: &reqwest::Error) -> UnavailableReason {
    let mut link: Option<&(dyn Error + 'static)> = Some(error);
    for _ in 0..LINKS_MAX {
        let Some(error) = link else { break };
        if let Some(reason) = known(error) {
            return reason;
        }
        link = inner(error);
    }
    UnavailableReason::ConnectionFailed
}

fn known(error: &(dyn Error + 'static)) -> Option<UnavailableReason> {
    if let Some(none) = error.downcast_ref::<NoAddress>() {
        return Some(match none {
            NoAddress::Unresolved => UnavailableReason::DnsFailure,
            NoAddress::Refused => UnavailableReason::AddressRefused,
        });
    }
    error.is::<rustls::Error>().then_some(UnavailableReason::TlsFailure)
}

/// An `io::Error` hides what it wraps from its chain.
fn inner<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    wrapped.map(|wrapped| wrapped as &(dyn Error + 'static)).or_else(|| error.source())
}
