//! Why a look failed. One word carries a number, so that it is read and written by hand.

use serde::{Deserialize, Serialize, de};
use std::{fmt, str::FromStr};

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)*) => {
        /// Why a look failed. A failure is never an absence: what was told stands (R-OBS-1).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum UnavailableReason {
            $($(#[$doc])* $variant,)*
            /// A server answered with this status, `http_<status>` (R-URL-2).
            Http(HttpStatus),
        }

        impl UnavailableReason {
            /// Every reason that is one word, in the order of declaration. `http_<status>` is beside them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The protocol's word for it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Http(status) => status.word(),
                }
            }
        }
    };
}

reasons! {
    /// No answer within the limit (R-OBS-10, R-URL-1).
    Timeout = "timeout",
    /// The system refused the look.
    PermissionDenied = "permission_denied",
    /// Any other failure of the medium or the system.
    IoError = "io_error",
    /// A loop of symbolic links, or too long a chain.
    TooManyLinks = "too_many_links",
    /// A name or path longer than the file system takes.
    NameTooLong = "name_too_long",
    /// It changed during each of three reads (R-OBS-9).
    ChangedWhileRead = "changed_while_read",
    /// A plugin's key that no one in this process provides (R-EPO-5).
    NotRegistered = "not_registered",
    /// More redirects than are followed (R-URL-4).
    TooManyRedirects = "too_many_redirects",
    /// A server's body is compressed, though `identity` was asked for (R-URL-1).
    EncodedBody = "encoded_body",
    /// A server's body is over the size limit (R-URL-2).
    TooLarge = "too_large",
    /// A server's body is no text, or a page where text was expected (R-URL-2).
    UnexpectedContentType = "unexpected_content_type",
    /// An address that this URL may not reach (R-URL-3).
    AddressRefused = "address_refused",
    /// The server's name leads to no address.
    DnsFailure = "dns_failure",
    /// The server did not prove who it is.
    TlsFailure = "tls_failure",
    /// No connection, or one that broke off before the whole answer came.
    ConnectionFailed = "connection_failed",
}

impl fmt::Display for UnavailableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that is no reason of this version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("that is no reason why a look fails")]
pub struct NoReason;

impl FromStr for UnavailableReason {
    type Err = NoReason;

    fn from_str(word: &str) -> Result<Self, NoReason> {
        let mut named = Self::ALL.iter().copied();
        if let Some(reason) = named.find(|reason| reason.as_str() == word) {
            return Ok(reason);
        }
        let digits = word.strip_prefix("http_").filter(|digits| digits.len() == 3);
        let status = digits.and_then(|digits| digits.parse().ok()).and_then(HttpStatus::new);
        status.map(Self::Http).filter(|reason| reason.as_str() == word).ok_or(NoReason)
    }
}

impl Serialize for UnavailableReason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for UnavailableReason {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// The status of a server's answer, 100 to 999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HttpStatus(u16);

impl HttpStatus {
    /// The status of this number, where it has three digits.
    #[must_use]
    pub const fn new(status: u16) -> Option<Self> {
        if matches!(status, 100..=999) { Some(Self(status)) } else { None }
    }

    /// Its number.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// `http_404` of 404. A reason is a word for everyone, so all of them are there from the start.
    const fn word(self) -> &'static str {
        let at = (self.0 as usize - 100) * WORD_BYTES;
        let (_, from) = WORDS.split_at(at);
        let (word, _) = from.split_at(WORD_BYTES);
        match std::str::from_utf8(word) {
            Ok(word) => word,
            Err(_) => "http_000",
        }
    }
}

impl fmt::Display for HttpStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

const WORD_BYTES: usize = "http_000".len();

/// `http_100http_101…`.
static WORDS: [u8; 900 * WORD_BYTES] = words();

const fn words() -> [u8; 900 * WORD_BYTES] {
    let mut words = [0; 900 * WORD_BYTES];
    let mut status = 100;
    while status < 1000 {
        let digits = [status / 100, status / 10 % 10, status % 10];
        let mut at = 0;
        while at < WORD_BYTES {
            let byte = if at < 5 { b"http_"[at] } else { b'0' + digits[at - 5] as u8 };
            words[(status - 100) * WORD_BYTES + at] = byte;
            at += 1;
        }
        status += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_survives_its_word() {
        let statuses = (100..1000).map(|status| HttpStatus::new(status).unwrap());
        let reasons = statuses.map(UnavailableReason::Http).chain(UnavailableReason::ALL.to_vec());
        for reason in reasons {
            assert_eq!(reason.as_str().parse(), Ok(reason));
            let written = serde_json::to_string(&reason).unwrap();
            assert_eq!(written, format!("\"{reason}\""));
            assert_eq!(serde_json::from_str::<UnavailableReason>(&written).unwrap(), reason);
        }
        let not_found = UnavailableReason::Http(HttpStatus::new(404).unwrap());
        assert_eq!(not_found.as_str(), "http_404");
    }

    #[test]
    fn no_other_word_is_a_reason() {
        for word in ["", "http_", "http_99", "http_099", "http_+40", "http_4040", "Timeout", "no"] {
            assert_eq!(word.parse::<UnavailableReason>(), Err(NoReason), "{word}");
        }
        assert_eq!((HttpStatus::new(99), HttpStatus::new(1000)), (None, None));
    }
}
