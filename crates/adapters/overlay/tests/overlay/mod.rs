//! One module a question.

mod nothing_provided;
mod provided;
mod what_counts;
