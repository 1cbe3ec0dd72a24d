//! The overlay in front of the fake: the contract of files twice (nothing provided; all that can be),
//! and what a provided path means.

mod overlay;
