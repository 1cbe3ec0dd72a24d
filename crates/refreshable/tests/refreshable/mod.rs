//! The rules (`rules`), and every order of things (`interleavings`).

mod explorer;
mod history;
mod interleavings;
mod loads;
mod rules;
