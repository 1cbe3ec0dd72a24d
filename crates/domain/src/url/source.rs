//! A URL that holds secrets, of which only the redacted form can be printed (R-URL-4).

use super::AddressPolicy;
use crate::{hash::ContentHash, key::SourceKey};
use ::url::{Host, Url};
use std::{fmt, str::FromStr, sync::Arc};

/// A URL that can be fetched: http or https, with a host. It has no fragment: that is never sent.
///
/// `Display` and `Debug` hide who asks and every value of the query.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceUrl(Arc<Url>);

/// A text that names nothing to fetch. It repeats nothing of the text, which may hold a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no URL to fetch: {why}")]
pub struct UrlError {
    why: &'static str,
}

impl SourceUrl {
    /// The longest URL, in bytes of its normal form.
    pub const BYTES_MAX: usize = 8 * 1024;

    /// The whole URL, secrets included, for the one who fetches it and for nobody else.
    #[must_use]
    pub fn secret(&self) -> &Url {
        &self.0
    }

    /// What may be shown of it.
    #[must_use]
    pub fn redacted(&self) -> String {
        self.to_string()
    }

    /// The key of its source: what may be shown, and a hash of that and of `number`, which counts the
    /// URLs that look the same. No secret is in it, so that none can be guessed from it, and a new
    /// password or token is no new source.
    #[must_use]
    pub fn key(&self, number: u32) -> SourceKey {
        let hash = ContentHash::of(&format!("{self} {number}")).to_string();
        SourceKey::Url(format!("{self}#{}", &hash[..16]).into())
    }

    /// Whether it is what was shown of a URL with secrets: that cannot be fetched.
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        self.0.username() == HIDDEN || self.0.query() == Some(HIDDEN)
    }

    /// What may be shown of a text that may or may not be a URL to fetch.
    #[must_use]
    pub fn redact(text: &str) -> String {
        let unreadable = || match text.split_once("://") {
            Some((scheme, _)) => format!("{scheme}://{HIDDEN}"),
            None => HIDDEN.to_owned(),
        };
        text.parse().map_or_else(|_| unreadable(), |url: Self| url.redacted())
    }

    /// Whether it is fetched over TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether its host is one that `policy` refuses without any name being resolved: an address in
    /// whatever spelling, or a name that always means this machine. A resolver never sees the first.
    #[must_use]
    pub fn is_refused(&self, policy: AddressPolicy) -> bool {
        match self.0.host() {
            Some(Host::Ipv4(address)) => !policy.allows(address.into()),
            Some(Host::Ipv6(address)) => !policy.allows(address.into()),
            Some(Host::Domain(name)) => policy == AddressPolicy::Public && is_local_name(name),
            None => true,
        }
    }

    /// Where a redirect leads, if it is followed: to http or https, and never from https to http.
    /// No user goes along, neither this URL's nor one that the server names (R-URL-4).
    #[must_use]
    pub fn redirected(&self, location: &str) -> Option<Self> {
        let next = Self::new(self.0.join(location).ok()?).ok()?;
        let next = Self(Arc::new(next.without_user()));
        (next.is_secure() || !self.is_secure()).then_some(next)
    }

    fn new(mut url: Url) -> Result<Self, UrlError> {
        let refuse = |why| Err(UrlError { why });
        if !matches!(url.scheme(), "http" | "https") {
            return refuse("it is neither http nor https");
        }
        url.set_fragment(None);
        if url.as_str().len() > Self::BYTES_MAX {
            return refuse("it is longer than 8192 bytes");
        }
        match url.host() {
            // A name of dots alone, or with an empty part, is none.
            Some(Host::Domain(name)) if name.trim_end_matches('.').is_empty() => {
                refuse("it names no host")
            }
            None => refuse("it names no host"),
            Some(_) => Ok(Self(Arc::new(url))),
        }
    }

    fn without_user(&self) -> Url {
        let mut url = Url::clone(&self.0);
        // Neither fails for a URL with a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url
    }
}

/// What stands for a secret.
const HIDDEN: &str = "***";

/// `localhost` and all below it are this machine, whatever a resolver would say.
fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

impl FromStr for SourceUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let url = Url::parse(text).map_err(|_| UrlError { why: "it cannot be read" })?;
        Self::new(url)
    }
}

impl fmt::Display for SourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = &self.0;
        let user = !url.username().is_empty() || url.password().is_some();
        write!(f, "{}://{}", url.scheme(), if user { "***@" } else { "" })?;
        f.write_str(url.host_str().unwrap_or_default())?;
        if let Some(port) = url.port() {
            write!(f, ":{port}")?;
        }
        f.write_str(url.path())?;
        // Also a name without a value may be a secret.
        f.write_str(if url.query().is_some() { "?***" } else { "" })
    }
}

impl fmt::Debug for SourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> SourceUrl {
        text.parse().unwrap()
    }

    #[test]
    fn r_url_4_only_the_redacted_form_can_be_printed() {
        for (text, shown) in [
            ("https://example.org", "https://example.org/"),
            ("https://example.org/rules.md?token=s3cret&v=1#x", "https://example.org/rules.md?***"),
            ("https://s3cret@example.org/a", "https://***@example.org/a"),
            ("https://:s3cret@example.org/a", "https://***@example.org/a"),
            ("https://u:s3cret@example.org:8443/a?s3cret", "https://***@example.org:8443/a?***"),
            ("HTTP://EXAMPLE.org:80/a/../b", "http://example.org/b"),
            (
                "https://bücher.example/ü\u{202e}\u{7}a",
                "https://xn--bcher-kva.example/%C3%BC%E2%80%AE%07a",
            ),
            ("https://a\u{1b}[31m", ""),
        ] {
            let Ok(url) = text.parse::<SourceUrl>() else {
                assert_eq!(shown, "", "{text}");
                continue;
            };
            assert_eq!(url.to_string(), shown);
            assert_eq!(format!("{url:?} {:?}", url.key(0)).matches("s3cret").count(), 0, "{text}");
            assert_eq!(url.key(0).url(), Some(shown));
            assert_eq!(SourceUrl::redact(text), shown);
            // What is shown is a URL again, and shows the same.
            let again: SourceUrl = shown.parse().unwrap();
            assert_eq!((again.redacted(), again.key(1)), (shown.to_owned(), url.key(1)));
            assert_eq!(again.is_redacted(), text.contains("s3cret"), "{text}");
            assert!(!url.is_redacted(), "{text}");
        }
        let error = "gopher://u:s3cret@h/?s3cret".parse::<SourceUrl>().unwrap_err();
        assert!(!format!("{error} {error:?}").contains("s3cret"));
    }

    #[test]
    fn r_url_4_a_key_tells_urls_apart_and_knows_no_secret() {
        let key = |text: &str, number| url(text).key(number);
        assert_ne!(key("https://h/a", 0), key("https://h/b", 0));
        assert_ne!(key("https://h/a?v=1", 0), key("https://h/a?v=2", 1));
        assert_eq!(key("https://h/a?token=1", 0), key("https://h/a?token=2", 0));
        assert_eq!(key("https://u:one@h/a", 0), key("https://u:two@h/a", 0));
        assert_eq!(key("https://h/a#x", 0), key("https://h/a#y", 0), "a fragment is never sent");
        let two = key("https://h/a", 2);
        assert_eq!(two.to_string().parse(), Ok(two));
        assert_eq!(SourceUrl::redact("https://u:s3cret@[/?s3cret"), "https://***");
        assert_eq!(SourceUrl::redact("s3cret"), "***");
    }

    #[test]
    fn only_http_with_a_host_can_be_fetched() {
        let long = format!("https://h/{}", "a".repeat(9_000));
        for text in [
            "",
            "h/a",
            "file:///etc/passwd",
            "ftp://h/a",
            "data:text/plain,a",
            "http://",
            "https://./",
            &long,
        ] {
            assert!(text.parse::<SourceUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn r_url_3_a_host_is_refused_in_every_spelling() {
        for host in [
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.0.0.1",
            "0x7F.1",
            "0177.0.0.1",
            "017700000001",
            "127.0.0.1.",
            "127%2e0%2E0.1",
            "１２７.０.０.１",
            "127。0。0。1",
            "①②⑦.0.0.1",
            "example.org@127.0.0.1",
            "example.org:80@127.1",
            "example.org%2f@127.0.0.1",
            "0",
            "0.0.0.0",
            "0x0",
            "10.1",
            "192.168.257",
            "169.254.169.254",
            "2852039166",
            "0xa9fea9fe",
            "0251.0376.0251.0376",
            "[::1]",
            "[::]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "localhost",
            "LOCALHOST",
            "localhost.",
            "localhost..",
            "a.localhost",
            "a.localhost.",
            "ⓛocalhost",
            "loc\u{ad}alhost",
            "user:pass@localhost",
        ] {
            for text in [format!("http://{host}/"), format!("https://{host}:8080/a")] {
                let url = url(&text);
                assert!(url.is_refused(AddressPolicy::Public), "{text} is {url}");
            }
        }
        for host in [
            "example.org",
            "93.184.216.34",
            "[2606:2800:220:1:248:1893:25c8:1946]",
            "localhost.example",
        ] {
            assert!(!url(&format!("https://{host}/")).is_refused(AddressPolicy::Public), "{host}");
        }
        for (host, refused) in
            [("localhost", false), ("127.1", false), ("[::1]", false), ("0", true)]
        {
            let url = url(&format!("http://{host}/"));
            assert_eq!(url.is_refused(AddressPolicy::Private), refused, "{host}");
        }
    }

    #[test]
    fn r_url_4_a_redirect_is_followed_or_not() {
        let from = url("https://u:p@example.org/a/b?q=1");
        let plain = url("http://u:p@example.org/a/b?q=1");
        for (location, next, of_plain) in [
            ("c", Some("https://example.org/a/c"), Some("http://example.org/a/c")),
            ("/c?x=1#f", Some("https://example.org/c?x=1"), Some("http://example.org/c?x=1")),
            ("//other.example/c", Some("https://other.example/c"), Some("http://other.example/c")),
            (
                "https://x:y@other.example",
                Some("https://other.example/"),
                Some("https://other.example/"),
            ),
            ("http://example.org/c", None, Some("http://example.org/c")),
            ("", Some("https://example.org/a/b?q=1"), Some("http://example.org/a/b?q=1")),
            ("file:///etc/passwd", None, None),
            ("ftp://example.org/", None, None),
            ("data:text/plain,hello", None, None),
            ("javascript:alert(1)", None, None),
            ("http://[", None, None),
        ] {
            let follow =
                |from: &SourceUrl| from.redirected(location).map(|to| to.secret().to_string());
            assert_eq!(follow(&from).as_deref(), next, "{location}");
            assert_eq!(follow(&plain).as_deref(), of_plain, "{location}");
        }
    }
}
