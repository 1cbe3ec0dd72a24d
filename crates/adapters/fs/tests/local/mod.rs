//! One module a question.

mod batches;
mod contract;
mod differential;
mod hostile;
mod real;
