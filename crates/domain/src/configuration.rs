//! How the text of a configuration is read, and what a project's own says (R-CFG-6).
//!
//! A text becomes a [`Node`] with the lines where it says each thing. [`lay_over`] walks it, finds each
//! known key and names the nearest one to what nobody knows; a [`Reading`] checks one key's value. What
//! does not count is a [`ConfigurationError`]: one sentence with the file, the line and the key. The
//! user's keys are not known here, since most are no rule's; the [`ProjectConfiguration`] is.

mod error;
mod keys;
mod node;
mod project;
mod reading;

pub use error::{ConfigurationError, Place, Problem};
pub use keys::lay_over;
pub use node::{Named, Node, Value};
pub use project::{PROJECT_BYTES_MAX, PROJECT_FILE, ProjectConfiguration, ProjectInclude};
pub use reading::{Reading, Source};
