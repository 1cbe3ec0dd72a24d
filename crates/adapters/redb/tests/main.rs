//! The store on real files.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests, and their helpers")]

mod files;

use files::layout::Place;

told_testkit::store_contract!(Place::new);
