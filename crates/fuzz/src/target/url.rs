//! URLs and the addresses that they reach (R-URL-3, R-URL-4).

use super::{Came, Target, assert_one_line};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use told_domain::{
    key::SourceKey,
    url::{AddressPolicy, Reach, SourceUrl},
};

pub(super) const TARGET: Target = Target {
    name: "url",
    holds: "a URL is read again as itself, shows no secret, no redirect makes it less safe, and an address \
            that is not public is refused in every spelling",
    words: &[
        "https://",
        "http://",
        "file:///",
        "://",
        "u:p@",
        "@",
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "0177.0.0.1",
        "2130706433",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[fe80::1%25eth0]",
        "localhost",
        ".",
        "..",
        "example.org",
        "bücher.example",
        "１２７",
        "。",
        "\u{ad}",
        "%2e",
        "%00",
        "/",
        "\\",
        "?",
        "#",
        ":",
        "//",
        ":80",
        ":443",
        ":0",
        ":65536",
        "\t",
        "\n",
        "\u{202e}",
        "javascript:",
        "data:,",
        "//h",
        "/..",
        "?token=s",
        "xn--",
        "169.254.169.254",
        "a\n",
    ],
    bytes_max: 512,
    check,
};

fn check(input: &[u8]) -> Came {
    let text = String::from_utf8_lossy(input);
    // One line names the URL, the next where a server sends its reader.
    let (first, location) = text.split_once('\n').unwrap_or((&text, "/a"));
    addresses(input);
    let url = match first.parse::<SourceUrl>() {
        Ok(url) => url,
        Err(error) => return Came::refused(error.to_string()),
    };
    let whole = url.secret().as_str();
    assert!(whole.len() <= SourceUrl::BYTES_MAX);
    assert_eq!(whole.parse::<SourceUrl>().as_ref(), Ok(&url), "{whole}");
    shows_no_secret(&url);
    let key = url.key(1);
    assert_eq!(key.to_string().parse::<SourceKey>().as_ref(), Ok(&key));
    assert_eq!(key.url(), Some(url.redacted().as_str()));
    let refused = url.is_refused(AddressPolicy::Public);
    assert!(
        refused || !url.is_refused(AddressPolicy::Private),
        "the public policy is the narrower one"
    );
    let host = url.secret().host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let address = host.parse::<IpAddr>().ok();
    if let Some(address) = address {
        assert_eq!(refused, !AddressPolicy::Public.allows(address), "{host}");
    }
    let next = url.redirected(location);
    if let Some(next) = &next {
        assert!(next.is_secure() || !url.is_secure(), "never from https to http");
        let of = next.secret();
        assert!(of.username().is_empty() && of.password().is_none() && of.fragment().is_none());
        assert!(of.host_str().is_some_and(|host| !host.is_empty()));
        shows_no_secret(next);
    }
    Came::accepted((url.is_secure(), refused, address.is_some(), next.map(|next| next.is_secure())))
}

/// What is shown does not follow from what is secret, and stands on one line.
fn shows_no_secret(url: &SourceUrl) {
    let shown = url.redacted();
    assert_one_line(&shown);
    assert!(shown.is_ascii(), "{shown}");
    let mut other = url.secret().clone();
    let user = !other.username().is_empty() || other.password().is_some();
    if user {
        let _ = other.set_username("other");
        let _ = other.set_password(Some("other"));
    }
    if other.query().is_some() {
        other.set_query(Some("other"));
    }
    if let Ok(other) = other.as_str().parse::<SourceUrl>() {
        assert_eq!(other.redacted(), shown, "what is shown follows from a secret");
    }
}

/// Addresses of the bytes at hand, against what the standard library says of them.
fn addresses(input: &[u8]) {
    if let Some(Ok(four)) = input.get(..4).map(<[u8; 4]>::try_from) {
        let address = Ipv4Addr::from(four);
        let reach = Reach::of(address.into());
        if is_inner(address) {
            assert_ne!(reach, Reach::Public, "{address}");
        }
        let number = u32::from(address);
        let spelled = [
            format!("{number}"),
            format!("0x{number:x}"),
            format!("0{number:o}"),
            address.to_string(),
        ];
        for spelled in spelled {
            let url =
                format!("http://{spelled}/").parse::<SourceUrl>().expect("an address is a host");
            assert_eq!(url.is_refused(AddressPolicy::Public), reach != Reach::Public, "{spelled}");
        }
        // By way of a gateway it is no more public than by itself, and never counts as public.
        for wide in [address.to_ipv6_mapped(), address.to_ipv6_compatible()] {
            assert_ne!(Reach::of(wide.into()), Reach::Public, "{wide}");
        }
    }
    if let Some(Ok(sixteen)) = input.get(..16).map(<[u8; 16]>::try_from) {
        let address = Ipv6Addr::from(sixteen);
        let reach = Reach::of(address.into());
        let inner = address.is_loopback()
            || address.is_unspecified()
            || address.is_multicast()
            || address.is_unique_local()
            || address.is_unicast_link_local()
            || address.to_ipv4_mapped().is_some();
        assert!(!inner || reach != Reach::Public, "{address}");
        let url =
            format!("http://[{address}]/").parse::<SourceUrl>().expect("an address is a host");
        assert_eq!(url.is_refused(AddressPolicy::Public), reach != Reach::Public, "{address}");
    }
}

const fn is_inner(address: Ipv4Addr) -> bool {
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_unspecified()
        || address.is_broadcast()
        || address.is_multicast()
        || address.is_documentation()
}
