//! The product as a host in Rust has it, on real files and a real store.

mod life;
