//! One value that is loaded once, and again only after it was invalidated: [`Refreshable`].
//!
//! It remembers one fact, whether a successful observation needs loading again, and has two
//! operations, `get` and `invalidate`. It starts no task, keeps no time, and wakes nobody but
//! the callers of a load that is under way.
//!
//! **May depend on** nothing: any runtime can poll it, and its one lock comes from `sync`, which
//! the schedule checker replaces in this crate's unit tests.
//! **Start** with [`Refreshable`], then `load` (how callers share one load).

mod load;
mod refreshable;
#[cfg(test)]
mod schedules;
mod sync;

pub use refreshable::Refreshable;
