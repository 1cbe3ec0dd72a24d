//! The contract (`fixture`), and notify's own faults (`own`).

#[path = "../../../inotify/tests/watcher/acts.rs"]
mod acts;
mod fixture;
mod own;
