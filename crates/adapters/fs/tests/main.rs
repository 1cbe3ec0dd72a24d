//! The local file system on real files: the contract, hostile entries, batches, and the same random
//! changes as the fake.

#[cfg(unix)]
mod local;
