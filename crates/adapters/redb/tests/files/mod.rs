//! What the contract does not say, on real files and with other processes.

pub(crate) mod layout;
