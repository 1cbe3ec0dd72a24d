//! A project's own configuration, as a person asks for it.

use crate::{Engine, Error, observe::Ground};
use std::path::Path;
use told_domain::instruction::KnownProject;

impl Engine {
    /// What a look now finds of the configuration of the project around a directory (R-CFG-6).
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`].
    pub async fn project(&self, directory: &Path) -> Result<KnownProject, Error> {
        let directory = self.directory(directory).await?;
        Ok(self.world.look(Ground::unknown(&directory), None, None).await.learned.project.clone())
    }
}
