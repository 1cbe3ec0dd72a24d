//! Why something was left out, held or refused. The words are the protocol's.

mod unavailable;

pub use unavailable::{HttpStatus, UnavailableReason};

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The protocol's word for it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// Why something that exists is left out by policy. It counts as absent: if it was told, it is
    /// told as removed (R-OBS-1).
    WithheldReason {
        /// A directory, FIFO, socket or device of that name (R-OBS-3).
        NotRegularFile = "not_regular_file",
        /// A link that leads out of the project (R-OBS-7).
        OutsideProject = "outside_project",
        /// An `exclude` glob names its canonical path (R-AMB-5).
        Excluded = "excluded",
        /// A switch leaves it out (R-AMB-5).
        Disabled = "disabled",
        /// An earlier name of its group won (R-AMB-2), or a nearer skill of its name (R-CFG-4).
        Shadowed = "shadowed",
        /// Its name differs from a wanted one by letter case only (R-AMB-2).
        NearMiss = "near_miss",
        /// It passes a limit of R-OBS-12, and was not read.
        Limit = "limit",
        /// Its real path is no UTF-8 (R-OBS-5).
        PathNotUtf8 = "path_not_utf8",
        /// Its renderer gave no text (R-TXT-3).
        EmptyText = "empty_text",
        /// A configuration that breaks its format; the last good one counts (R-CFG-6).
        InvalidConfiguration = "invalid_configuration",
        /// A `SKILL.md` that breaks its format (R-CFG-4).
        InvalidSkill = "invalid_skill",
        /// The project offers it and the session is untrusted (R-AMB-9).
        Untrusted = "untrusted",
    }
}

words! {
    /// What a reader of the delivered text may want to know about it.
    Warning {
        /// Some bytes were no valid text (R-OBS-5).
        InvalidText = "invalid_text",
        /// Tag or bidirectional-control characters are in it (R-OBS-5).
        InvisibleCharacters = "invisible_characters",
        /// It was cut at the size limit (R-OBS-6).
        Truncated = "truncated",
        /// It seems to import other files, which is not followed (R-CFG-7).
        UnexpandedImport = "unexpanded_import",
    }
}

/// When a refused call is worth trying again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Retry {
    /// At once.
    Now,
    /// When something outside has changed.
    Later,
    /// Never as it is.
    No,
}

impl Retry {
    /// The protocol's word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Later => "later",
            Self::No => "no",
        }
    }
}
