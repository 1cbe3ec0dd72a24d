//! What the contract does not say, on real files and with other processes.

pub(crate) mod layout;

mod child;
mod full;
mod hostile;
mod processes;
