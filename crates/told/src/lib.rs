//! told keeps a model's standing instructions true: it observes their sources at a safe boundary
//! before each provider call, admits exactly what changed as a durable update, and never rewrites a
//! byte that was already sent.
//!
//! This crate is what a host depends on. With the default features, [`connect`] wires the adapters
//! for a [`configuration::Configuration`]; without them a host hands its own [`Ports`] to
//! [`Engine::new`].
//!
//! **May depend on** the application and, behind the features `fs`, `redb`, `clock`, `inotify` and `reqwest`, on the adapters.
//! **Start** with [`Engine::open`] and [`Session::sync`].

pub mod configuration;
#[cfg(all(feature = "fs", feature = "redb", feature = "clock"))]
mod connect;

#[cfg(all(feature = "fs", feature = "redb", feature = "clock"))]
pub use connect::{ConnectError, connect};
pub use told_app::{
    Adopted, Caches, Contribute, Contribution, Engine, Error, Explanation, Held, KeyTaken,
    LoadedSkill, LocationServices, LogPage, OpenRequest, Opened, Outcome, Ports, ReadKind,
    ReadsOfTool, Registration, ResourceOrigin, RootCoverage, RootStatus, Session, Settled,
    SettledPath, SkillCatalog, SkillView, SyncRequest, SystemContextRegistry, ToolSettlement,
    ValueScope, WatchStatus, WithheldSkill,
};
/// The rules and the values they are about.
pub use told_domain as domain;
/// What the application asks of the world: implement these to bring adapters of your own.
pub use told_ports as ports;
