//! Location-scoped services, sessions and the safe boundary.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
