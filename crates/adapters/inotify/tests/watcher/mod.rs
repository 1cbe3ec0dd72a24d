//! The contract (`fixture`), and what the port leaves open (`own`).

pub(crate) mod acts;
mod fixture;
mod own;
