//! A medium without room.

use super::{
    child::{Process, Role, append, session},
    layout::Place,
};
use std::{path::Path, process::Command};
use told_redb::{RedbOptions, RedbStore};
use told_testkit::contract::block_on;

/// The child fills the store until it is full; then it is whole, and goes on when there is room.
fn fills(mut child: Process, path: &Path, make_room: impl FnOnce()) {
    let error = child.says().expect("the child says how it ended");
    assert!(error.starts_with("Full"), "{error}");
    let revision: u64 = child.says().expect("the store can still be read").parse().unwrap();
    assert!(revision > 10);
    drop(child);
    make_room();
    block_on(async {
        let store = RedbStore::open(path, RedbOptions::default());
        let mut draft = session(&store, "full").await;
        assert_eq!(draft.records.len() as u64, revision, "nothing half");
        append(&store, &mut draft, "the parent").await.unwrap();
    });
}

#[test]
fn a_file_at_its_limit_is_full_and_whole() {
    let place = Place::new();
    // Where the signal is ignored, the write fails instead.
    let limit = "trap '' XFSZ; ulimit -f 4096";
    let child = Process::start_after(limit, Role::Fill, &place.path());
    fills(child, &place.path(), || ());
}

#[test]
fn a_full_disk_is_full_and_whole() {
    let place = Place::new();
    let Some(disk) = SmallDisk::mount(place.directory()) else { return };
    let path = disk.0.join("store");
    // Also too full to make a store at all.
    let ballast = disk.0.join("ballast");
    std::fs::write(&ballast, vec![1; 1024 * 1024]).unwrap();
    let child = Process::start(Role::Fill, &path);
    fills(child, &path, || std::fs::remove_file(&ballast).unwrap());
}

/// A file system of 3 MiB in memory, where this process may mount one.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(directory: &Path) -> Option<Self> {
        let point = directory.join("disk");
        std::fs::create_dir(&point).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=3m", "told-test"])
            .arg(&point)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(point)),
            Ok(output) => {
                let why = String::from_utf8_lossy(&output.stderr);
                println!("skipped: this process may not mount a small disk: {why}");
                None
            }
            Err(error) => {
                println!("skipped: there is no `mount`: {error}");
                None
            }
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg(&self.0).status().ok();
    }
}
