//! In a home of its own, with no environment but that.

pub(crate) mod bench;
mod configured;
mod exit;
mod forms;
mod life;
mod readme;
mod sessions;
mod skills;
mod urls;
mod values;
