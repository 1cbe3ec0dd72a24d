//! What is true about a model's standing instructions. Every rule of told is a pure function here:
//! no I/O, no async, no clock.
pub mod hash;
pub mod look;
pub mod observation;
pub mod path;
pub mod position;
pub mod reason;
pub mod session;
pub mod time;
