//! The checkout: where it is, what files it holds, how its cargo is called.

use crate::report::Trouble;
use std::{
    env, fs,
    path::{Component, Path, PathBuf},
    process::Command,
};

/// The checkout that the commands look at.
pub(crate) struct Project {
    root: PathBuf,
}

/// A text file of the project.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    /// Relative to the root, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Directories deeper than this are no sources of ours.
const DEPTH_MAX: usize = 16;

impl Project {
    /// The checkout this binary was started from: cargo names the directory of xtask at run time,
    /// so a moved checkout finds itself.
    pub(crate) fn here() -> Result<Self, Trouble> {
        let own = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        match own.parent() {
            Some(root) if root.join("Cargo.toml").is_file() => Ok(Self { root: root.into() }),
            _ => Err(Trouble::new(format!("no workspace around {}", own.display()))),
        }
    }

    /// The cargo that started us, at the root.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.root).args(arguments);
        command
    }

    /// Every file whose name ends so, sorted by path. Build output and dot directories are skipped,
    /// symbolic links not followed.
    pub(crate) fn files(&self, name_end: &str) -> Result<Vec<SourceFile>, Trouble> {
        let mut found = Vec::new();
        self.collect(&self.root, name_end, 0, &mut found)?;
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    fn collect(
        &self,
        directory: &Path,
        name_end: &str,
        depth: usize,
        found: &mut Vec<SourceFile>,
    ) -> Result<(), Trouble> {
        if depth > DEPTH_MAX {
            return Err(Trouble::new(format!("{} is too deep", directory.display())));
        }
        let cannot = |path: &Path, error: std::io::Error| {
            Trouble::new(format!("cannot read {}: {error}", path.display()))
        };
        for entry in fs::read_dir(directory).map_err(|error| cannot(directory, error))? {
            let entry = entry.map_err(|error| cannot(directory, error))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(|error| cannot(&path, error))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if kind.is_dir() {
                // `target` only at the root: a module of that name is a source.
                let output = depth == 0 && name.starts_with("target");
                if !name.starts_with('.') && !output {
                    self.collect(&path, name_end, depth + 1, found)?;
                }
            } else if kind.is_file() && name.ends_with(name_end) {
                let text = fs::read_to_string(&path).map_err(|error| cannot(&path, error))?;
                found.push(SourceFile { path: self.relative(&path), text });
            }
        }
        Ok(())
    }

    fn relative(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        let parts: Vec<_> = inside
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name.to_string_lossy()),
                _ => None,
            })
            .collect();
        parts.join("/")
    }
}

/// The lines of a Rust file that are not comments, numbered from 1.
pub(crate) fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checkout_finds_its_own_sources() {
        let project = Project::here().unwrap();
        let files = project.files(".rs").unwrap();
        assert!(files.iter().any(|file| file.path == "xtask/src/project.rs"));
        assert!(files.iter().all(|file| !file.path.starts_with("target")));
    }

    #[test]
    fn comments_are_no_code_and_keep_the_count() {
        let lines: Vec<_> = code_lines("//! a\nfn b() {}\n    // c\nd").collect();
        assert_eq!(lines, [(2, "fn b() {}"), (4, "d")]);
    }
}
