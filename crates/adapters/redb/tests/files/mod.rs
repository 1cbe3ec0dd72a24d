//! What the contract does not say, on real files and with other processes.

pub(crate) mod layout;

#[cfg(unix)]
mod child;
#[cfg(unix)]
mod full;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod processes;
mod replaced;
mod shared;
mod strays;
