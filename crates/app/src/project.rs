//! A project's own configuration, as a person asks for it.

use crate::{Engine, Error, observe::Ground};
use std::{collections::BTreeMap, path::Path};
use told_domain::{
    instruction::{KnownBoundary, KnownProject},
    plan::{Learned, Thoroughness},
    session::Trust,
};

impl Engine {
    /// What a look now finds of the configuration of the project around a directory (R-CFG-6).
    ///
    /// # Errors
    /// [`Error::UnknownDirectory`].
    pub async fn project(&self, directory: &Path) -> Result<KnownProject, Error> {
        let directory = self.directory(directory).await?;
        let ground = Ground {
            directory: &directory,
            known: &KnownBoundary::No,
            learned: &Learned::default(),
            trust: Trust::Trusted,
            scopes: &BTreeMap::new(),
            thoroughness: Thoroughness::Ordinary,
        };
        Ok(self.world.look(ground, None, None).await.learned.project.clone())
    }
}
