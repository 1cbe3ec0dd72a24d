//! A write returns and a boundary begins, on this machine's own disk: `--rounds N`,
//! `--seed S`. `cargo xtask stale` runs it.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use std::sync::Arc;
    use told_inotify::{InotifyWatcher, Limits};
    use told_testkit::stale::command;

    command::main(|watches| match watches {
        Some(watches) => Arc::new(InotifyWatcher::new(Limits { watches, ..Limits::default() })),
        None => Arc::new(InotifyWatcher::default()),
    })
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("stale: 0 rounds, there is no inotify here");
}
