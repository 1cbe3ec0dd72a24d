//! What the application asks of the world: small, object-safe traits whose guarantees are numbered
//! clauses. One contract suite in `told-testkit` proves each clause for every implementation, the
//! fakes included.
//!
//! **May depend on** `told-domain`, async-trait and thiserror; it knows no adapter and no runtime.
//! **Start** with [`FileSystem`]: read its clauses, then the adapter that keeps them.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod clock;
mod directory;
mod file_system;
mod provided;
mod store;
mod url_fetcher;
mod watcher;

pub use clock::Clock;
pub use directory::{NoDirectory, RealPaths};
pub use file_system::FileSystem;
pub use provided::{ProvideError, Provided, ProvidedFiles, Provision};
pub use store::{
    Append, HeadCondition, Loaded, LocationValues, Mark, Revisions, SessionSummary, Source, Store,
    StoreError,
};
pub use url_fetcher::{Fetched, Request, Response, UrlFetcher};
pub use watcher::{Coverage, Drained, Subscription, Uncovered, Watched, Watcher};
