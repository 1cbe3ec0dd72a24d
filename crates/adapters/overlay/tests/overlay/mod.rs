//! One module a question.

mod locations;
mod nothing_provided;
mod provided;
mod what_counts;
