//! What is true about a model's standing instructions. Every rule of told is a pure function here:
//! no I/O, no async, no clock.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod briefing;
pub mod command;
pub mod compare;
pub mod context;
pub mod decide;
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
pub mod state;
pub mod text;
pub mod time;
pub mod told;
