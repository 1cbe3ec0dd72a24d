//! Location-scoped services, sessions and the safe boundary.
