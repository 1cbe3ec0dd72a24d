//! What is true of URLs: which address one may reach, which redirect is followed, what an answer
//! means, and what may be shown of them (R-URL). Whoever fetches asks here, and decides nothing.

mod address;
mod answer;
mod body;
mod course;
mod named;
mod source;
mod validators;

pub use address::{AddressPolicy, Reach};
pub use answer::{FetchLimits, Head, REDIRECTS_MAX, Verdict};
pub use body::read_body;
pub use course::{Ask, Counts, Course, Failed, Failure, Found, Page};
pub(crate) use named::UrlList;
pub use named::{NamedUrl, URLS_MAX, of_user};
pub use source::{SourceUrl, UrlError};
pub use validators::Validators;

#[cfg(test)]
mod tests;
