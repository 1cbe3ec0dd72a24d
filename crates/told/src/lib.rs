//! The engine that keeps a model's standing instructions true: the facade a host depends on.

pub mod configuration;
