//! The default wiring: this machine's files, its clock, and a store in one file.

use crate::{
    Engine, Ports,
    configuration::{Configuration, ConfigurationError, WatchMode},
};
use std::sync::Arc;
use told_clock::SystemClock;
use told_fs::LocalFileSystem;
use told_overlay::Overlays;
use told_redb::{RedbOptions, RedbStore};

/// Why a configuration cannot be wired.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Something in it does not hold.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// Nothing says where the store is.
    #[error("there is no home directory to keep the store in: name one with --store or TOLD_STORE")]
    NoStore,
}

/// An engine over this machine's files, clock and store, which takes provided files, and watches a Location
/// from its second boundary on where `watch.mode`, the feature `inotify` and the system allow. With the feature `reqwest`
/// it looks at URLs. Nothing is opened yet: the store is made by the first call that writes. Its calls need a tokio
/// runtime with time, and with I/O where there are URLs.
///
/// # Errors
/// [`ConnectError`].
pub fn connect(configuration: &Configuration) -> Result<Engine, ConnectError> {
    let policy = configuration.policy()?;
    let path = configuration.store.path.clone().ok_or(ConnectError::NoStore)?;
    let store = RedbStore::open(path, RedbOptions { wait_ms: configuration.store.wait_ms });
    let files = Arc::new(LocalFileSystem::new());
    let ports =
        Ports { files: files.clone(), store: Arc::new(store), clock: Arc::new(SystemClock::new()) };
    let engine = Engine::new(ports, policy, std::env::consts::OS);
    let engine = fetching(engine.providing(Arc::new(Overlays::new(files))));
    Ok(match configuration.watch.mode {
        WatchMode::Auto => watching(engine),
        WatchMode::Off => engine,
    })
}

#[cfg(all(feature = "inotify", target_os = "linux"))]
fn watching(engine: Engine) -> Engine {
    engine.watching(Arc::new(told_inotify::InotifyWatcher::default()))
}

#[cfg(not(all(feature = "inotify", target_os = "linux")))]
const fn watching(engine: Engine) -> Engine {
    engine
}

#[cfg(feature = "reqwest")]
fn fetching(engine: Engine) -> Engine {
    engine.fetching(Arc::new(told_reqwest::ReqwestFetcher::new()))
}

#[cfg(not(feature = "reqwest"))]
const fn fetching(engine: Engine) -> Engine {
    engine
}
