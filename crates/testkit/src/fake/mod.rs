//! Fakes of the ports: in memory, from a script, and stricter than the real ones.

pub mod clock;
pub mod file_system;
pub mod store;
pub mod store_medium;
pub mod url_fetcher;
pub mod url_script;
pub mod url_server;
pub mod watcher;
