//! The adapter against a real server on loopback.

mod fixture;
mod secrets;

told_testkit::url_fetcher_contract!(fixture::Real::new);
