//! The suite of the port, on real files.

use super::real::Real;

told_testkit::file_system_contract!(Real::new);
