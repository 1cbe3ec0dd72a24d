//! Exact names where the file system may fold letter case (R-AMB-2).

use crate::cause::Miss;
use std::{fs, path::Path};

/// Entries of one directory that are compared, at most; past it the name counts as the system's
/// word.
const ENTRIES: usize = 10_000;

/// Whether the directory has an entry of just this name, letter for letter. The caller has opened
/// `path`; a directory that can be searched and not listed leaves the system's word.
pub(crate) fn is_exact(path: &Path) -> Result<bool, Miss> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(true);
    };
    let Ok(entries) = fs::read_dir(parent) else {
        return Ok(true);
    };
    let mut compared = 0;
    for entry in entries {
        if entry?.file_name() == name {
            return Ok(true);
        }
        compared += 1;
        if compared == ENTRIES {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fs_15_only_the_letters_of_the_entry_count() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("agents.md"), "x").unwrap();
        assert!(is_exact(&directory.path().join("agents.md")).unwrap());
        assert!(!is_exact(&directory.path().join("AGENTS.md")).unwrap());
        assert!(is_exact(Path::new("/")).unwrap());
    }
}
