//! Content and texts are stored once and named by their hash.

use serde::{Deserialize, Serialize, de};
use sha2::{Digest, Sha256};
use std::{fmt, str::FromStr, sync::Arc};

/// The SHA-256 of a text's UTF-8 bytes; lower-case hex on the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// The 32 bytes, for a store's keys.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The hash with these bytes, as a store kept them.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rows and records are full of hashes: one string costs less than 32 formatted bytes.
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(64);
        for byte in self.0 {
            for half in [byte >> 4, byte & 0xF] {
                text.push(char::from(DIGITS[usize::from(half)]));
            }
        }
        f.write_str(&text)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash is 64 lower-case hexadecimal digits")]
pub struct NoHash;

impl FromStr for ContentHash {
    type Err = NoHash;

    fn from_str(text: &str) -> Result<Self, NoHash> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(NoHash);
        }
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(NoHash),
        };
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for ContentHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A stored text by name: its hash and its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentRef {
    /// The SHA-256 of the text.
    pub sha256: ContentHash,
    /// Its length in bytes of UTF-8.
    pub bytes: u64,
}

/// A text with its name. The hash is taken once, when the text is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    name: ContentRef,
    text: Arc<str>,
}

impl Blob {
    /// The text under its name.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let name = ContentRef { sha256: ContentHash::of(&text), bytes: text.len() as u64 };
        Self { name, text }
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> ContentRef {
        self.name
    }

    /// The text itself.
    #[must_use]
    pub const fn text(&self) -> &Arc<str> {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_sha_256_in_lower_case_hexadecimal() {
        let hash = ContentHash::of("abc").to_string();
        assert_eq!(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hash.parse(), Ok(ContentHash::of("abc")));
        assert_eq!(
            ContentHash::from_bytes(*ContentHash::of("abc").as_bytes()),
            ContentHash::of("abc")
        );
        for text in
            ["", "ba78", &hash.to_uppercase(), &hash[1..], &format!("{hash}0"), &"é".repeat(32)]
        {
            assert_eq!(text.parse::<ContentHash>(), Err(NoHash), "{text}");
        }
    }
}
