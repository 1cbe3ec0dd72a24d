//! The URLs that configurations name: each one source (R-URL-1).

use super::{AddressPolicy, SourceUrl};
use crate::{
    key::SourceKey,
    look::Withheld,
    place::Place,
    policy::{FromProjects, Include, Policy},
    reason::WithheldReason,
};
use std::collections::BTreeMap;

/// How many URLs are fetched for one session; what is named after them is withheld (`limit`). Each may
/// hold `urls.max_bytes` (R-OBS-12).
pub const URLS_MAX: usize = 64;

/// A URL that a configuration names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedUrl {
    /// The URL.
    pub url: SourceUrl,
    /// Its source.
    pub key: SourceKey,
    /// Its entry's place.
    pub place: Place,
    /// Where it may lead (R-URL-3).
    pub reach: AddressPolicy,
}

/// The user's own URLs. They are known before any look.
#[must_use]
pub fn of_user(policy: &Policy) -> Vec<NamedUrl> {
    let mut list = UrlList::default();
    for (entry, include) in (0..).zip(&policy.instructions.include) {
        match include {
            Include::Url(url) => list.add_users(url, entry, policy),
            Include::Path(_) | Include::Glob(_) => {}
        }
    }
    list.named
}

/// URLs in the order of their entries. One that is named twice is one source, at its first place.
#[derive(Debug, Default)]
pub(crate) struct UrlList {
    pub(crate) named: Vec<NamedUrl>,
    pub(crate) withheld: Vec<Withheld>,
    /// How many URLs look so.
    alike: BTreeMap<String, Vec<SourceUrl>>,
}

impl UrlList {
    pub(crate) fn add_users(&mut self, url: &SourceUrl, entry: u32, policy: &Policy) {
        self.add(url, entry, Ok(policy.urls.own));
    }

    /// A project's own reaches no private address, whatever the user allows for theirs.
    pub(crate) fn add_projects(&mut self, url: &SourceUrl, entry: u32, policy: &Policy) {
        self.add(
            url,
            entry,
            match policy.urls.from_projects {
                FromProjects::Fetched => Ok(AddressPolicy::Public),
                FromProjects::Disabled => Err(WithheldReason::Disabled),
            },
        );
    }

    fn add(&mut self, url: &SourceUrl, entry: u32, reach: Result<AddressPolicy, WithheldReason>) {
        let alike = self.alike.entry(url.redacted()).or_default();
        // Of what is only shown, nobody knows whether it is the same.
        if alike.contains(url) && !url.is_redacted() {
            return;
        }
        let key = url.key(u32::try_from(alike.len()).unwrap_or(u32::MAX));
        alike.push(url.clone());
        match reach {
            Ok(_) if self.named.len() >= URLS_MAX => {
                self.withheld.push(Withheld { key, reason: WithheldReason::Limit });
            }
            Ok(reach) => {
                let place = Place::Configured { entry, path: None };
                self.named.push(NamedUrl { url: url.clone(), key, place, reach });
            }
            Err(reason) => self.withheld.push(Withheld { key, reason }),
        }
    }
}
