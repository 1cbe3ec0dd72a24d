//! Strangers' bytes against every reader of them: fuzz targets on the stable toolchain, without coverage.
//!
//! A [`Target`] reads bytes and asserts a property that holds for all of them: what was accepted prints
//! back to itself, a replay is the fold step by step, what is shown steers no terminal. The [`engine`]
//! changes the inputs of a kept [`corpus`], and keeps those that came to something new; a failing input
//! is made as short as it can be. One seed fixes everything but how far a run comes in its time.
//!
//! **May depend on** whatever reads strangers' bytes: the rules, the shell reader, the facade, and the
//! seam that the command line has for it. **Start** with [`target::TARGETS`]; `cargo xtask fuzz` runs them.

pub mod corpus;
pub mod engine;
mod mutate;
mod shrink;
mod tale;
pub mod target;

pub use engine::{Finding, Plan, Run, Until};
pub use target::{Came, Target};
