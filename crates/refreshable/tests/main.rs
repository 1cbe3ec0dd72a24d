//! `Refreshable` by its rules: single cases, every await cancelled, and all interleavings of up to five
//! operations by three actors, judged by a history that knows nothing of how it is made.

mod refreshable;
