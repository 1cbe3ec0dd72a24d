//! What makes the next request conditional (R-URL-1).

use super::{Head, SourceUrl};

/// What a server said to ask again with. It counts for the URL that gave it and for no other: where a
/// redirect leads elsewhere tomorrow, an equal tag there means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validators {
    of: SourceUrl,
    etag: Option<String>,
    last_modified: Option<String>,
}

impl Validators {
    /// What this answer of `url` gives, if it gives any.
    #[must_use]
    pub fn of(url: &SourceUrl, head: &Head) -> Option<Self> {
        let (etag, last_modified) = (head.etag(), head.last_modified());
        (etag.is_some() || last_modified.is_some()).then(|| Self {
            of: url.clone(),
            etag: etag.map(str::to_owned),
            last_modified: last_modified.map(str::to_owned),
        })
    }

    /// The headers to ask `url` with: name and value.
    pub fn headers(&self, url: &SourceUrl) -> impl Iterator<Item = (&'static str, &str)> {
        let ours = self.of == *url;
        let etag = self.etag.as_deref().map(|value| ("if-none-match", value));
        let date = self.last_modified.as_deref().map(|value| ("if-modified-since", value));
        etag.into_iter().chain(date).filter(move |_| ours)
    }
}
