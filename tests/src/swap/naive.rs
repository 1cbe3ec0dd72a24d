//! A reader that checks a path and then opens it, as most do.

use super::ground::{Ground, SECRET};
use std::{
    fs::{self, OpenOptions},
    io::Read,
    os::unix::fs::OpenOptionsExt,
};

/// Whether it read what lies outside, though the path led inside a moment before.
pub(super) fn is_fooled(ground: &Ground) -> bool {
    let project = ground.at("project");
    ["project/AGENTS.md", "project/sub/AGENTS.md"].iter().any(|path| {
        let path = ground.at(path);
        let inside = fs::canonicalize(&path).is_ok_and(|real| real.starts_with(&project));
        if !inside || !fs::metadata(&path).is_ok_and(|found| found.is_file()) {
            return false;
        }
        // It would wait at a FIFO for ever; this one has the luck not to.
        let flags = rustix::fs::OFlags::NONBLOCK.bits();
        let flags = i32::try_from(flags).unwrap_or_default();
        let mut text = String::new();
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(&path);
        opened.is_ok_and(|mut file| file.read_to_string(&mut text).is_ok() && text.contains(SECRET))
    })
}
