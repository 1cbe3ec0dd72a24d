//! A real directory to look at.

use async_trait::async_trait;
use rustix::fs::{CWD, FileType, Mode, OFlags};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};
use told_domain::{
    look::{Looks, Seen},
    observation::Observation,
    path::CanonicalPath,
};
use told_fs::{Hook, LocalFileSystem, Step};
use told_ports::FileSystem;
use told_testkit::{
    change::{Change, Refused},
    contract::file_system::Fixture,
};

/// A temporary directory, and the adapter beside it.
pub(super) struct Real {
    directory: tempfile::TempDir,
    plain: Arc<Twice>,
    hooked: Arc<LocalFileSystem>,
    script: Arc<Script>,
    scripted: bool,
}

/// What the hook does, and where.
#[derive(Default)]
struct Script {
    changes: Mutex<HashMap<PathBuf, VecDeque<Change>>>,
    hanging: Mutex<HashSet<PathBuf>>,
    released: Condvar,
}

impl Real {
    pub(super) fn new() -> Self {
        let script = Arc::new(Script::default());
        let acting = Arc::clone(&script);
        let hook: Hook = Arc::new(move |step| acting.act(step));
        Self {
            directory: tempfile::tempdir().expect("a temporary directory"),
            plain: Arc::new(Twice(LocalFileSystem::settled_after(Duration::ZERO))),
            hooked: Arc::new(LocalFileSystem::with_hook(hook)),
            script,
            scripted: false,
        }
    }
}

impl Script {
    fn act(&self, step: Step<'_>) {
        match step {
            Step::Reading(path) => {
                let next = self
                    .changes
                    .lock()
                    .expect("no panic")
                    .get_mut(path)
                    .and_then(VecDeque::pop_front);
                if let Some(change) = next {
                    apply(&change).expect("a change that can be made");
                }
            }
            Step::Looking(path) => {
                let hanging = self.hanging.lock().expect("no panic");
                drop(self.released.wait_while(hanging, |hanging| hanging.contains(path)));
            }
            Step::Stamping(_) => {}
        }
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        self.script.hanging.lock().expect("no panic").clear();
        self.script.released.notify_all();
    }
}

impl Fixture for Real {
    fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().expect("the temporary directory")
    }

    fn apply(&mut self, change: &Change) -> Result<(), Refused> {
        apply(change)
    }

    fn change_during_reads(&mut self, path: &Path, changes: Vec<Change>) {
        self.scripted = true;
        self.script.changes.lock().expect("no panic").insert(path.into(), changes.into());
    }

    fn hang(&mut self, path: &Path) {
        self.scripted = true;
        self.script.hanging.lock().expect("no panic").insert(path.into());
    }

    fn system(&self) -> Arc<dyn FileSystem> {
        if self.scripted {
            Arc::clone(&self.hooked) as Arc<dyn FileSystem>
        } else {
            Arc::clone(&self.plain) as Arc<dyn FileSystem>
        }
    }
}

/// Looks twice at what does not change: first with a hop, since the directory is new, then, where
/// the platform can, on the caller's own thread. Both must see the same.
pub(super) struct Twice(pub(super) LocalFileSystem);

#[async_trait]
impl FileSystem for Twice {
    async fn observe(&self, looks: &Looks) -> Seen {
        let first = self.0.observe(looks).await;
        assert_eq!(self.0.observe(looks).await, first, "the second way sees something else");
        first
    }

    async fn directory(&self, path: &Path) -> Observation<CanonicalPath> {
        self.0.directory(path).await
    }
}

/// Makes one change on the disk.
pub(super) fn apply(change: &Change) -> Result<(), Refused> {
    let mode = Mode::from_raw_mode(0o644);
    // Without waiting: a FIFO has no reader here.
    let writing = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let done = match change {
        // Cut behind the write: a file that is cut to nothing first is flushed to the disk at its
        // close by some file systems, which is slow and of no use here.
        Change::Write { path, bytes } => rustix::fs::open(path, writing | OFlags::CREATE, mode)
            .map_err(std::io::Error::from)
            .and_then(|file| {
                let mut file = File::from(file);
                file.write_all(bytes)?;
                file.set_len(bytes.len() as u64)
            }),
        Change::Resize { path, size } => rustix::fs::open(path, writing, mode)
            .map_err(Into::into)
            .and_then(|file| File::from(file).set_len(*size)),
        Change::Remove { path } => fs::remove_file(path),
        Change::MakeDirectory { path } => fs::create_dir(path),
        Change::RemoveDirectory { path } => fs::remove_dir(path),
        Change::Rename { from, to } => fs::rename(from, to),
        Change::Link { path, target } => std::os::unix::fs::symlink(target, path),
        Change::Fifo { path } => {
            rustix::fs::mknodat(CWD, path, FileType::Fifo, mode, 0).map_err(Into::into)
        }
        Change::Socket { path } => {
            rustix::fs::mknodat(CWD, path, FileType::Socket, mode, 0).map_err(Into::into)
        }
    };
    done.map_err(|_| Refused)
}
