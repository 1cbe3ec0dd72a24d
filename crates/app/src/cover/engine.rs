//! What a host says and asks of the files that are watched.

use super::WatchStatus;
use crate::{Engine, Error, LocationServices, engine::absolute};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

impl Engine {
    /// This process changed these paths (relative ones below the directory): no later boundary there
    /// answers from what was known of them (R-WAT-5). Gives how many answers that took.
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`].
    pub async fn mutated(&self, directory: &Path, paths: &[PathBuf]) -> Result<usize, Error> {
        let directory = self.directory(directory).await?;
        let paths = paths.iter().map(|path| absolute(&directory, path));
        let paths = paths.collect::<Result<Vec<_>, _>>()?;
        let services = self.locations.held(&directory);
        Ok(covered(&services).map_or(0, |cover| cover.mutated(&paths)))
    }

    /// How the files of a directory are watched. Nothing is, where nobody holds its Location.
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`].
    pub async fn watch_status(&self, directory: &Path) -> Result<WatchStatus, Error> {
        let services = self.locations.held(&self.directory(directory).await?);
        match covered(&services) {
            Some(cover) => Ok(cover.status().await),
            None => Ok(WatchStatus::default()),
        }
    }

    /// Lets go of all that is watched and cached for a directory. The next boundary there begins anew.
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`].
    pub async fn close_location(&self, directory: &Path) -> Result<(), Error> {
        let services = self.locations.held(&self.directory(directory).await?);
        if let Some(cover) = covered(&services) {
            cover.close().await;
        }
        Ok(())
    }
}

fn covered(services: &Option<Arc<LocationServices>>) -> Option<&super::Cover> {
    services.as_ref().and_then(|services| services.cover())
}
