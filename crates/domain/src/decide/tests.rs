//! Sessions over several boundaries: R-BND, R-EPO, R-SES, R-API. Every step also asserts what
//! `testing::Session` asserts of any.

mod between;
mod boundary;
mod epoch;
mod life;
mod skills;
