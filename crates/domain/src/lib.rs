//! What is true about a model's standing instructions. Every rule of told is a pure function here.
//!
//! A boundary runs through four of them. [`plan::plan`] says what to look at; somebody looks, and
//! [`context::SystemContext::compose`] puts what was found in the order of telling.
//! [`decide::decide`] compares that with what the model believes, and says which records to append.
//! [`fold::fold`] makes the next [`state::State`] of each record, and [`render::briefing`] the exact
//! texts to send. [`rewind::rewind`] finds what was believed at an earlier position.
//!
//! Start with `plan`, then read `decide`, `fold` and `render`; [`record`] holds the facts they share.
//!
//! No I/O, no async, no clock, no environment: whoever calls brings what was seen and what time it
//! is. It may depend on libraries that compute (serde, sha2, similar, globset, toml, serde-saphyr, jiff,
//! url), on no crate of told, and on nothing that touches the world.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod briefing;
pub mod command;
pub mod compare;
pub mod configuration;
pub mod context;
pub mod decide;
pub mod discover;
pub mod fold;
pub mod hash;
pub mod head;
mod holds;
pub mod instruction;
pub mod key;
pub mod look;
pub mod observation;
pub mod path;
pub mod place;
pub mod plan;
pub mod policy;
pub mod position;
pub mod reason;
pub mod record;
pub mod render;
pub mod rewind;
pub mod session;
pub mod skill;
pub mod state;
pub mod text;
pub mod time;
pub mod told;
pub mod url;

#[cfg(test)]
mod testing;
