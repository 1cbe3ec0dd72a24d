//! What a person sees. A page is lines of toned text; only [`Page::render`] makes bytes of it, and
//! all text in it went through [`Shown`], so that nothing a repository holds can move the cursor or
//! colour.

mod amount;
pub(crate) mod briefing;
pub(crate) mod checks;
mod fit;
pub(crate) mod history;
pub(crate) mod life;
mod page;
mod place;
pub(crate) mod reason;
pub(crate) mod sessions;
pub(crate) mod settings;
mod shown;
pub(crate) mod skills;
pub(crate) mod sources;
#[cfg(test)]
mod tests;
pub(crate) mod text;

pub(crate) use page::{Line, Page, Screen, Tone};
pub(crate) use place::Places;
pub(crate) use shown::{Shown, tame_json};
