//! Lists a directory, to a limit (R-OBS-12).

use crate::cause::Miss;
use std::fs;
use told_domain::look::{Listing, Names};

/// The names in the directory. Reading stops at the limit, so which names count past it is the
/// file system's choice. Opening a directory never waits for a FIFO of that name.
pub(crate) fn list(listing: &Listing) -> Result<Names, Miss> {
    let mut names = Vec::new();
    let mut more = false;
    for entry in fs::read_dir(&listing.directory)? {
        let entry = entry?;
        if names.len() as u64 >= listing.max_entries {
            more = true;
            break;
        }
        names.push(entry.file_name());
    }
    // By their bytes where names are bytes; the standard library orders them so.
    names.sort_unstable();
    Ok(Names { names, more })
}
