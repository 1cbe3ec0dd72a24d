//! One module a question.

mod any_text;
mod lines;
mod programs;
mod table;
