//! A write returns and a boundary begins, on this machine's own disk: `--rounds N`,
//! `--seed S`. `cargo xtask stale` runs it.

fn main() -> std::process::ExitCode {
    use std::sync::Arc;
    use told_notify::NotifyWatcher;

    #[cfg(target_os = "linux")]
    return told_testkit::stale::command::main(|watches| match watches {
        Some(watches) => {
            use told_notify::Limits;
            Arc::new(NotifyWatcher::new(Limits { watches, ..Limits::default() }))
        }
        None => Arc::new(NotifyWatcher::default()),
    });
    #[cfg(not(target_os = "linux"))]
    told_testkit::stale::command::main(|_| Arc::new(NotifyWatcher))
}
