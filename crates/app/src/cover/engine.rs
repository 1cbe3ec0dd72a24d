//! What a host says and asks of the files that are watched.

use super::{RootCoverage, WatchStatus};
use crate::{Engine, Error, LocationServices, engine::absolute, observe::Ground};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use told_domain::{
    instruction::KnownBoundary,
    look::{Containment, FileBytes, Looks, Read},
    observation::Observation,
    path::AbsolutePath,
};
use told_ports::{FileSystem, RealPaths};

/// How long the disk has to say where changed paths lead, in milliseconds.
const LINK_MS: u64 = 2_000;

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
        let Some(cover) = covered(&services) else { return Ok(0) };
        let mut changed = paths.clone();
        changes_through_links(self.world.disk(), paths, &mut changed).await;
        Ok(cover.mutated(&changed))
    }

    /// How the files of a directory are watched. Nothing is, where nobody holds its Location.
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`].
    pub async fn watch_status(&self, directory: &Path) -> Result<WatchStatus, Error> {
        let directory = self.directory(directory).await?;
        let services = self.locations.held(&directory);
        let Some(cover) = covered(&services) else { return Ok(WatchStatus::default()) };
        let mut status = cover.status().await;
        if !self.world.is_disk(&self.world.files_at(&directory)) {
            for root in &mut status.roots {
                root.coverage = RootCoverage::Provided;
            }
        }
        Ok(status)
    }

    /// How the files of a directory can be watched: begins to, says, and lets go again.
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`].
    pub async fn try_watching(&self, directory: &Path) -> Result<WatchStatus, Error> {
        let directory = self.directory(directory).await?;
        let services = self.locations.at(&directory);
        let Some(cover) = services.cover() else { return Ok(WatchStatus::default()) };
        let known = KnownBoundary::Marked(self.boundary(&directory).await);
        let ground = Ground { known: &known, ..Ground::unknown(&directory) };
        let first = self.world.look(ground, None, Some(cover)).await;
        let ground = Ground { learned: &first.learned, ..ground };
        self.world.look(ground, Some(&first), Some(cover)).await;
        let status = cover.status().await;
        cover.close().await;
        Ok(status)
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

/// What else changed where a path is a link, or lies below one: only the disk is cached.
async fn changes_through_links(
    files: &dyn FileSystem,
    paths: Vec<AbsolutePath>,
    changed: &mut Vec<AbsolutePath>,
) {
    let mut real = RealPaths::new(files);
    for path in &paths {
        changed.push(real.entry(path).await);
        // A link to a directory is that directory; what is none stays as it is named.
        changed.push(real.directory(path.clone()).await);
    }
    let read = |path| Read { path, containment: Containment::Anywhere, max_bytes: 0 };
    let reads = paths.into_iter().map(read).collect();
    let looks = Looks { reads, total_bytes: u64::MAX, look_ms: LINK_MS, ..Looks::default() };
    for found in files.observe(&looks).await.files {
        match found {
            Observation::Available(FileBytes { canonical, .. }) => {
                changed.push(canonical.as_absolute().clone());
            }
            Observation::Absent(_) => {}
            // Where it leads nobody can say: it may be anything that is cached.
            Observation::Unavailable(_) => changed.extend(AbsolutePath::new("/")),
        }
    }
    changed.sort_unstable();
    changed.dedup();
}

fn covered(services: &Option<Arc<LocationServices>>) -> Option<&super::Cover> {
    services.as_ref().and_then(|services| services.cover())
}
