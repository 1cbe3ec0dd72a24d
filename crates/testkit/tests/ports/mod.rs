//! One module a port.

mod clock;
mod file_system;
mod url_fetcher;
mod watcher;
