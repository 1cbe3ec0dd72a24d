//! How long a session is kept: `store.keep_days`.

use std::time::Duration;
use told::{Engine, configuration::Configuration};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Deletes the sessions that had no record for `store.keep_days`; 0 keeps them. Whoever begins a
/// session or a server pays for it. That it fails spoils nothing: the next one tries again.
pub(crate) async fn delete_unused(engine: &Engine, configuration: &Configuration) {
    let days = u32::try_from(configuration.store.keep_days).unwrap_or(u32::MAX);
    if days == 0 {
        return;
    }
    match engine.delete_older_than(DAY.saturating_mul(days)).await {
        Ok(deleted) if deleted.is_empty() => {}
        Ok(deleted) => {
            tracing::info!(sessions = deleted.len(), days, "deleted what is older than keep_days");
        }
        Err(error) => tracing::warn!(kind = error.kind(), "sessions are not deleted by age"),
    }
}
