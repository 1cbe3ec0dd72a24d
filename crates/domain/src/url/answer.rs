//! What the head of a server's answer means (R-URL-2).

use super::SourceUrl;
use crate::reason::{HttpStatus, UnavailableReason};

/// Redirects that are followed at most (R-URL-4).
pub const REDIRECTS_MAX: usize = 5;

/// What one fetch may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchLimits {
    /// Milliseconds for all of it: names, every hop, the whole body.
    pub timeout_ms: u64,
    /// The largest body, in bytes.
    pub max_bytes: u64,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { timeout_ms: 5_000, max_bytes: 1024 * 1024 }
    }
}

/// Status and headers of an answer, as far as they count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    status: HttpStatus,
    length: Option<u64>,
    content_type: Option<String>,
    encoded: bool,
    location: Option<String>,
    etag: Option<String>,
    last_modified: Option<String>,
}

/// What is to be done about an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its body is the value: read it, and give it to [`read_body`](super::read_body).
    Read,
    /// The value is what it was.
    NotModified,
    /// 404: it is not there now.
    NotFound,
    /// 410: it is not there, and will not be.
    Gone,
    /// Ask there instead.
    Follow(SourceUrl),
    /// Nobody knows.
    Unavailable(UnavailableReason),
}

impl Head {
    /// The head with this status and these headers. Of a header that is there twice the first counts,
    /// but for codings, of which every one does.
    #[must_use]
    pub fn new<'h>(
        status: HttpStatus,
        headers: impl IntoIterator<Item = (&'h str, &'h [u8])>,
    ) -> Self {
        let mut head = Self {
            status,
            length: None,
            content_type: None,
            encoded: false,
            location: None,
            etag: None,
            last_modified: None,
        };
        for (name, value) in headers {
            head.take(&name.to_ascii_lowercase(), value);
        }
        head
    }

    fn take(&mut self, name: &str, value: &[u8]) {
        let Ok(value) = std::str::from_utf8(value).map(str::trim) else {
            // A coding that cannot be read is one all the same.
            self.encoded |= matches!(name, "content-encoding" | "transfer-encoding");
            return;
        };
        let keep = |place: &mut Option<String>| {
            place.get_or_insert_with(|| value.to_owned());
        };
        match name {
            "content-length" => self.length = self.length.or_else(|| value.parse().ok()),
            "content-type" => keep(&mut self.content_type),
            "content-encoding" => self.encoded |= has_coding(value, &["identity"]),
            "transfer-encoding" => self.encoded |= has_coding(value, &["identity", "chunked"]),
            "location" => keep(&mut self.location),
            "etag" if can_be_sent_back(value) => keep(&mut self.etag),
            "last-modified" if can_be_sent_back(value) => keep(&mut self.last_modified),
            _ => {}
        }
    }

    /// What to do about this answer of `url`. `conditional` says whether it was asked with
    /// [`Validators`](super::Validators).
    #[must_use]
    pub fn verdict(&self, url: &SourceUrl, conditional: bool, limits: FetchLimits) -> Verdict {
        let as_status = Verdict::Unavailable(UnavailableReason::Http(self.status));
        match self.status.get() {
            // A part of a body, which nobody asked for, is another value.
            206 => as_status,
            200..=299 => match self.unreadable(limits) {
                Some(reason) => Verdict::Unavailable(reason),
                None => Verdict::Read,
            },
            304 if conditional => Verdict::NotModified,
            301 | 302 | 303 | 307 | 308 => {
                let next = self.location.as_deref().and_then(|to| url.redirected(to));
                next.map_or(as_status, Verdict::Follow)
            }
            404 => Verdict::NotFound,
            410 => Verdict::Gone,
            _ => as_status,
        }
    }

    /// What the head alone says against the body.
    fn unreadable(&self, limits: FetchLimits) -> Option<UnavailableReason> {
        if self.encoded {
            return Some(UnavailableReason::EncodedBody);
        }
        if self.media_type().is_some_and(|media| !super::body::may_be_text(&media)) {
            return Some(UnavailableReason::UnexpectedContentType);
        }
        let too_large = self.length.is_some_and(|length| length > limits.max_bytes);
        too_large.then_some(UnavailableReason::TooLarge)
    }

    /// `text/plain`, in lower case; nothing where the server says nothing of use.
    pub(super) fn media_type(&self) -> Option<String> {
        let media = self.content_type.as_deref()?.split(';').next()?.trim();
        (!media.is_empty()).then(|| media.to_ascii_lowercase())
    }

    /// The charset that the server names.
    pub(super) fn charset(&self) -> Option<&str> {
        let parameters = self.content_type.as_deref()?.split(';').skip(1);
        let mut pairs = parameters.filter_map(|parameter| parameter.split_once('='));
        let (_, charset) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
        Some(charset.trim().trim_matches(['"', '\'']))
    }

    /// The tag of this version.
    #[must_use]
    pub fn etag(&self) -> Option<&str> {
        self.etag.as_deref()
    }

    /// When this version was made, in the server's own words.
    #[must_use]
    pub fn last_modified(&self) -> Option<&str> {
        self.last_modified.as_deref()
    }
}

fn has_coding(value: &str, harmless: &[&str]) -> bool {
    let mut codings = value.split(',').map(str::trim).filter(|coding| !coding.is_empty());
    codings.any(|coding| !harmless.iter().any(|harmless| coding.eq_ignore_ascii_case(harmless)))
}

/// Short, and nothing that could begin a header of its own.
fn can_be_sent_back(value: &str) -> bool {
    (1..=1024).contains(&value.len()) && value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url::Validators;

    fn head(status: u16, headers: &[(&str, &str)]) -> Head {
        let status = HttpStatus::new(status).unwrap();
        Head::new(status, headers.iter().map(|(name, value)| (*name, value.as_bytes())))
    }

    fn verdict(status: u16, headers: &[(&str, &str)]) -> String {
        let url: SourceUrl = "https://example.org/a".parse().unwrap();
        let limits = FetchLimits { timeout_ms: 1, max_bytes: 100 };
        match head(status, headers).verdict(&url, true, limits) {
            Verdict::Read => "read".into(),
            Verdict::NotModified => "not modified".into(),
            Verdict::NotFound => "not found".into(),
            Verdict::Gone => "gone".into(),
            Verdict::Follow(next) => format!("to {next}"),
            Verdict::Unavailable(reason) => reason.to_string(),
        }
    }

    #[test]
    fn r_url_2_each_status_means_one_thing() {
        for status in 100..1000 {
            let expected = match status {
                206 => "http_206".into(),
                200..=299 => "read".into(),
                304 => "not modified".into(),
                404 => "not found".into(),
                410 => "gone".into(),
                other => format!("http_{other}"),
            };
            assert_eq!(verdict(status, &[]), expected);
        }
    }

    #[test]
    fn r_url_2_a_304_that_nobody_asked_for_is_no_value() {
        let url: SourceUrl = "https://example.org/a".parse().unwrap();
        let found = head(304, &[]).verdict(&url, false, FetchLimits::default());
        assert_eq!(found, Verdict::Unavailable("http_304".parse().unwrap()));
    }

    #[test]
    fn r_url_2_a_head_can_speak_against_its_body() {
        for (name, value, expected) in [
            ("Content-Encoding", "gzip", "encoded_body"),
            ("content-encoding", "identity", "read"),
            ("content-encoding", "", "read"),
            ("content-encoding", "identity, br", "encoded_body"),
            ("transfer-encoding", "chunked", "read"),
            ("transfer-encoding", "gzip, chunked", "encoded_body"),
            ("content-length", "100", "read"),
            ("content-length", "101", "too_large"),
            ("content-length", "2147483648", "too_large"),
            ("content-type", "text/html; charset=utf-8", "unexpected_content_type"),
            ("content-type", "TEXT/HTML", "unexpected_content_type"),
            ("content-type", "application/xhtml+xml", "unexpected_content_type"),
            ("content-type", "image/png", "unexpected_content_type"),
            ("content-type", "text/markdown", "read"),
            ("content-type", "application/octet-stream", "read"),
            ("content-type", "", "read"),
        ] {
            assert_eq!(verdict(200, &[(name, value)]), expected, "{name}: {value}");
        }
        let twice = [("content-encoding", "identity"), ("content-encoding", "gzip")];
        assert_eq!(verdict(200, &twice), "encoded_body");
        let unreadable =
            Head::new(HttpStatus::new(200).unwrap(), [("content-encoding", &b"\xFF"[..])]);
        assert!(unreadable.encoded);
    }

    #[test]
    fn r_url_4_a_redirect_leads_somewhere_or_is_its_status() {
        for status in [301, 302, 303, 307, 308] {
            assert_eq!(verdict(status, &[("location", "/b")]), "to https://example.org/b");
            for nowhere in ["http://example.org/b", "file:///b", "http://["] {
                assert_eq!(verdict(status, &[("location", nowhere)]), format!("http_{status}"));
            }
            assert_eq!(verdict(status, &[]), format!("http_{status}"));
        }
        for status in [300, 305, 306] {
            assert_eq!(verdict(status, &[("location", "/b")]), format!("http_{status}"));
        }
    }

    #[test]
    fn r_url_1_validators_count_for_the_url_that_gave_them() {
        let (one, other): (SourceUrl, SourceUrl) =
            ("https://h/a".parse().unwrap(), "https://h/b".parse().unwrap());
        let headers = [("ETag", "W/\"1\""), ("Last-Modified", "Tue, 01 Dec 2026 00:00:00 GMT")];
        let validators = Validators::of(&one, &head(200, &headers)).unwrap();
        let sent: Vec<_> = validators.headers(&one).collect();
        let date = ("if-modified-since", "Tue, 01 Dec 2026 00:00:00 GMT");
        assert_eq!(sent, [("if-none-match", "W/\"1\""), date]);
        assert_eq!(validators.headers(&other).count(), 0);
        for useless in ["", "\"é\"", "a\tb", &"a".repeat(1025)] {
            assert_eq!(Validators::of(&one, &head(200, &[("etag", useless)])), None, "{useless:?}");
        }
    }
}
