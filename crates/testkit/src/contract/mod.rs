//! Contract suites: one macro a port, one test a clause, run by every implementation.

pub mod clock;
pub mod file_system;
pub mod provided;
pub mod store;
pub mod store_draft;
pub mod store_sharing;
pub mod url_fetcher;
pub mod watcher;

/// Runs one clause to its end on a runtime of its own.
///
/// # Panics
/// Where the system has no resources for a runtime.
pub fn block_on<T>(clause: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime for the clause");
    runtime.block_on(clause)
}
