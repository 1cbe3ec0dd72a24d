//! `[urls]`: when and how URLs are looked at (R-URL).

use crate::url::{AddressPolicy, FetchLimits};

/// When and how URLs are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlPolicy {
    /// What one fetch may cost.
    pub limits: FetchLimits,
    /// How many looks in a row must see a 404 to prove an absence (R-URL-2).
    pub not_found_after: u64,
    /// Whether a project's own configuration may name URLs (R-URL-3).
    pub from_projects: FromProjects,
    /// Where the user's own may lead; a project's never lead to private addresses (R-URL-3).
    pub own: AddressPolicy,
    /// How long a value is fresh, in seconds; 0 looks at every boundary (R-URL-5).
    pub ttl_s: u64,
    /// How long a failure is not tried again, in seconds, doubling to 600; 0 tries at every boundary
    /// (R-URL-5).
    pub retry_after_s: u64,
}

impl Default for UrlPolicy {
    fn default() -> Self {
        Self {
            limits: FetchLimits::default(),
            not_found_after: 2,
            from_projects: FromProjects::Disabled,
            own: AddressPolicy::Public,
            ttl_s: 60,
            retry_after_s: 30,
        }
    }
}

/// Whether a project's own configuration may name URLs (R-URL-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromProjects {
    /// It may.
    Fetched,
    /// They are listed as withheld (`disabled`).
    Disabled,
}
