//! The embedded store behind told's Store port.
