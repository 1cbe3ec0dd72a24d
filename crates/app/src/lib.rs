//! The application: it looks, appends and waits. It holds no rule: every decision is a pure function
//! of `told-domain`, and every fact of the world comes through a port.
//!
//! **May depend on** `told-domain`, `told-ports`, tokio's locks and `select!`, and tracing; never on
//! an adapter, and so never on a file, a clock or an environment variable.
//! **Start** with [`Engine`] (one a process) and [`Session`] (one a conversation); the safe boundary
//! is in `boundary`, one look in `observe`. A host uses them through the facade `told`.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod boundary;
mod cover;
mod engine;
mod error;
mod explain;
mod found;
mod known;
mod life;
mod location;
mod observe;
mod project;
mod registry;
mod request;
mod session;
mod settlement;
mod skills;
mod turn;
mod urls;

pub use cover::{Caches, RootCoverage, RootStatus, WatchStatus};
pub use engine::{Engine, Ports};
pub use error::Error;
pub use life::{Adopted, Held};
pub use location::LocationServices;
pub use registry::{Contribute, Contribution, KeyTaken, Registration, SystemContextRegistry};
pub use request::{Explanation, LogPage, OpenRequest, Opened, SyncRequest, ValueScope};
pub use session::Session;
pub use settlement::{
    Outcome, ReadKind, ReadsOfTool, ResourceOrigin, Settled, SettledPath, ToolSettlement,
};
pub use skills::{LoadedSkill, SkillCatalog, SkillView, WithheldSkill};
