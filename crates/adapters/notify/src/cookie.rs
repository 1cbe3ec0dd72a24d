//! How a drain knows that it heard all: it makes a file in a directory of our own and waits until that is heard
//! of. notify has one queue and one thread, so whatever happened before is applied by then.

use std::{
    collections::HashMap,
    ffi::OsString,
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tempfile::TempDir;
use tokio::sync::oneshot;

/// A directory of our own, gone with it, and who waits for what is made there.
#[derive(Debug)]
pub(crate) struct Cookies {
    directory: TempDir,
    /// Without links, as notify names it.
    path: PathBuf,
    made: AtomicU64,
    waiting: Mutex<HashMap<OsString, oneshot::Sender<()>>>,
}

/// A file that was made, until it was heard of or given up.
pub(crate) struct Cookie<'a> {
    cookies: &'a Cookies,
    name: OsString,
    heard: oneshot::Receiver<()>,
}

impl Cookies {
    /// Private to this user, among the system's temporary files.
    pub(crate) fn new() -> io::Result<Self> {
        let private = fs::Permissions::from_mode(0o700);
        let directory = tempfile::Builder::new().prefix("told-").permissions(private).tempdir()?;
        let path = directory.path().canonicalize()?;
        let (made, waiting) = (AtomicU64::new(0), Mutex::default());
        Ok(Self { directory, path, made, waiting })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<OsString, oneshot::Sender<()>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes one. No two have a name in common: the kernel makes one event of two equal ones.
    pub(crate) fn make(&self) -> io::Result<Cookie<'_>> {
        let name = OsString::from(self.made.fetch_add(1, Ordering::Relaxed).to_string());
        let (tell, heard) = oneshot::channel();
        self.waiting().insert(name.clone(), tell);
        let cookie = Cookie { cookies: self, name, heard };
        fs::File::create_new(self.directory.path().join(&cookie.name))?;
        Ok(cookie)
    }

    /// The system lost events, and may have lost any of these: who waits hears that.
    pub(crate) fn hear_all(&self) {
        for (_, waiting) in self.waiting().drain() {
            // Who gave up hears nothing.
            waiting.send(()).ok();
        }
    }

    /// One was heard of. Whether this path is ours at all.
    pub(crate) fn hear(&self, path: &Path) -> bool {
        if path != self.path && path.parent() != Some(&self.path) {
            return false;
        }
        let told = path.file_name().and_then(|name| self.waiting().remove(name));
        if let Some(waiting) = told {
            // Who gave up hears nothing.
            waiting.send(()).ok();
        }
        true
    }
}

impl Cookie<'_> {
    /// Whether it was heard of; not where notify is gone.
    pub(crate) async fn heard(&mut self) -> bool {
        (&mut self.heard).await.is_ok()
    }
}

impl Drop for Cookie<'_> {
    fn drop(&mut self) {
        self.cookies.waiting().remove(&self.name);
        // What is left goes with the directory.
        fs::remove_file(self.cookies.path.join(&self.name)).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_is_private_and_nothing_is_left_in_it_or_of_it() {
        let cookies = Cookies::new().unwrap();
        let path = cookies.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        let (one, other) = (cookies.make().unwrap(), cookies.make().unwrap());
        assert_ne!(one.name, other.name);
        assert!(cookies.hear(&path.join(&one.name)) && cookies.hear(&path));
        assert!(!cookies.hear(Path::new("/somewhere/else")));
        drop((one, other));
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
        assert!(cookies.waiting().is_empty());
        drop(cookies);
        assert!(!path.exists());
    }
}
