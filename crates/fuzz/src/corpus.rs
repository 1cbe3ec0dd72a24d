//! The kept inputs: one directory a target, one file an input. Seeds have names; what once failed is
//! named `found-…`.

use crate::target::Target;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Where the inputs are: beside this crate's sources.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The inputs of `target` with their names, in the order of the names.
///
/// # Errors
/// Whatever the file system refuses.
pub fn read(target: &Target) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut inputs = Vec::new();
    for entry in fs::read_dir(root().join(target.name))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        inputs.push((name, fs::read(&path)?));
    }
    inputs.sort();
    Ok(inputs)
}

/// Keeps a failing input, so that every test run repeats it; its name.
///
/// # Errors
/// Whatever the file system refuses.
pub fn keep(target: &Target, input: &[u8]) -> io::Result<PathBuf> {
    let hash = told_domain::hash::ContentHash::of(&input.escape_ascii().to_string()).to_string();
    let file = root().join(target.name).join(format!("found-{}", hash.get(..8).unwrap_or(&hash)));
    fs::write(&file, input)?;
    Ok(file)
}
