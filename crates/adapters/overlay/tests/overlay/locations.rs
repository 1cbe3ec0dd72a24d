//! The contract of the port that keeps an overlay a Location.

use std::sync::Arc;
use told_overlay::Overlays;
use told_testkit::fake::file_system::FakeFileSystem;

fn make(disk: Arc<FakeFileSystem>) -> Overlays {
    Overlays::new(disk)
}

told_testkit::provided_files_contract!(make);
