//! Where a source stands in the order of telling.

use crate::{
    key::{ApiKey, PluginKey},
    path::AbsolutePath,
};
use serde::{Deserialize, Serialize};

/// A source's place. The order of the variants, and then of their fields, is the order of telling
/// (R-AMB-3, R-AMB-7, R-LOC-7): what changes most stands last, so that caches share the front.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A global file, by its place in the configuration.
    Global(u32),
    /// An ambient file: `step` counts directories as the order policy walks them.
    Ambient {
        /// The directory's turn in the walk.
        step: u32,
        /// The name group within the directory.
        group: u32,
    },
    /// A configured file or URL: its entry's place, then its path within the entry.
    Configured {
        /// The entry's place; the user's entries come before the project's.
        entry: u32,
        /// The match within a glob.
        path: Option<AbsolutePath>,
    },
    /// A file found by a tool settlement, broad to specific.
    PathLocal {
        /// The depth of its directory.
        depth: u32,
        /// The directory.
        directory: AbsolutePath,
        /// The name group within the directory.
        group: u32,
    },
    /// The list of skills.
    Skills,
    /// A host-set value.
    Api(ApiKey),
    /// A plugin's guidance.
    Plugin(PluginKey),
    /// The environment.
    Environment,
    /// The date.
    Date,
}
