//! The contract of the `ProvidedFiles` port, one check a clause.

#![expect(clippy::unwrap_used, reason = "a suite is a test, wherever it is run")]

use crate::{change::Change, fake::file_system::FakeFileSystem};
use std::{path::Path, sync::Arc};
use told_domain::{
    look::{Containment, Looks, Read},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    reason::UnavailableReason,
};
use told_ports::{ProvideError, Provided, ProvidedFiles, Provision};

/// Runs the suite: `provided_files_contract!(make)`, where `make(disk)` is a fresh instance in front
/// of that disk.
#[macro_export]
macro_rules! provided_files_contract {
    ($make:expr) => {
        $crate::provided_files_contract! { @clauses $make;
            pf_1_what_is_provided_counts_for_its_directory_alone,
            pf_2_a_change_is_made_whole_or_not_at_all,
            pf_3_of_one_path_the_last_change_counts,
            pf_4_content_follows_a_link_and_absence_does_not,
            pf_4_what_a_path_was_provided_under_withdraws_it,
            pf_5_a_directory_can_be_provided_alone,
            pf_6_what_cannot_be_a_files_path_is_refused,
            pf_7_limits_hold_over_all_directories,
        }
    };
    (@clauses $make:expr; $($clause:ident,)*) => {
        $(#[test] fn $clause() {
            let disk = std::sync::Arc::new($crate::fake::file_system::FakeFileSystem::new());
            let provided = $make(disk.clone());
            let ground = $crate::contract::provided::Ground::new(disk, &provided);
            $crate::contract::block_on($crate::contract::provided::$clause(&ground));
        })*
    };
}

/// A disk with two directories, `/a` and `/b`, of one file each, and `/to-a`, which links to `/a`.
pub struct Ground<'p> {
    disk: Arc<FakeFileSystem>,
    provided: &'p dyn ProvidedFiles,
}

/// What a test says of a path.
type Say<'t> = (&'t str, Option<Provided>);

fn content(text: &str) -> Option<Provided> {
    Some(Provided::Content(text.as_bytes().into()))
}

fn path(text: &str) -> AbsolutePath {
    AbsolutePath::new(text).unwrap()
}

impl<'p> Ground<'p> {
    /// `provided` is in front of `disk`.
    ///
    /// # Panics
    /// Where the disk is not empty.
    #[must_use]
    pub fn new(disk: Arc<FakeFileSystem>, provided: &'p dyn ProvidedFiles) -> Self {
        for name in ["/a/file", "/b/file"] {
            disk.write(name, "disk").unwrap();
        }
        let ground = Self { disk, provided };
        ground.link("/to-a", "/a");
        ground
    }

    fn link(&self, name: &str, target: &str) {
        self.disk.apply(&Change::Link { path: name.into(), target: target.into() }).unwrap();
    }

    async fn provide(&self, directory: &str, say: &[Say<'_>]) -> Result<usize, ProvideError> {
        let provision = |(path, provided): &Say<'_>| Provision {
            path: path.into(),
            provided: provided.clone(),
        };
        self.provided.provide(Path::new(directory), say.iter().map(provision).collect()).await
    }

    /// What a session in `directory` reads.
    async fn read(&self, directory: &str, name: &str) -> String {
        let read =
            Read { path: path(name), containment: Containment::Anywhere, max_bytes: u64::MAX };
        let looks =
            Looks { reads: vec![read], total_bytes: u64::MAX, look_ms: 1_000, ..Looks::default() };
        let files = self.provided.at(&CanonicalPath::observed(path(directory)));
        let files = files.unwrap_or_else(|| self.disk.clone());
        match files.observe(&looks).await.files.remove(0) {
            Observation::Available(file) => String::from_utf8(file.bytes).unwrap(),
            Observation::Absent(Absence::NotFound) => "nothing".into(),
            Observation::Absent(Absence::Withheld(reason)) => reason.to_string(),
            Observation::Unavailable(reason) => reason.to_string(),
        }
    }
}

/// PF-1.
pub async fn pf_1_what_is_provided_counts_for_its_directory_alone(ground: &Ground<'_>) {
    assert_eq!(ground.provide("/a", &[("file", content("buffer"))]).await, Ok(1));
    // A Location's files can lie anywhere.
    assert_eq!(ground.provide("/a", &[("/b/file", content("seen from a"))]).await, Ok(2));
    assert_eq!(ground.read("/a", "/a/file").await, "buffer");
    assert_eq!(ground.read("/a", "/b/file").await, "seen from a");
    assert_eq!(ground.read("/b", "/a/file").await, "disk");
    assert_eq!(ground.read("/b", "/b/file").await, "disk");
    assert_eq!(ground.provide("/b", &[("file", Some(Provided::Absent))]).await, Ok(1));
    let denied = Provided::Unavailable(UnavailableReason::PermissionDenied);
    assert_eq!(ground.provide("/a", &[("file", Some(denied))]).await, Ok(2));
    assert_eq!(ground.read("/a", "/a/file").await, "permission_denied");
    assert_eq!(ground.read("/b", "/b/file").await, "nothing");
    let at = |directory| ground.provided.at(&CanonicalPath::observed(path(directory)));
    assert!(at("/a").is_some());
    assert_eq!(ground.provide("/a", &[("file", None), ("/b/file", None)]).await, Ok(0));
    assert!(at("/a").is_none() && at("/b").is_some() && at("/").is_none());
    assert_eq!(ground.read("/a", "/a/file").await, "disk");
    assert_eq!(ground.read("/b", "/b/file").await, "nothing");
}

/// PF-2.
pub async fn pf_2_a_change_is_made_whole_or_not_at_all(ground: &Ground<'_>) {
    ground.provide("/a", &[("file", content("one")), ("other", content("two"))]).await.unwrap();
    let torn = [("file", content("three")), ("other", None), ("/", Some(Provided::Absent))];
    let refused = ground.provide("/a", &torn).await;
    assert!(matches!(refused, Err(ProvideError::Path { .. })), "{refused:?}");
    assert_eq!(ground.read("/a", "/a/file").await, "one");
    assert_eq!(ground.read("/a", "/a/other").await, "two");
    assert_eq!(ground.provide("/a", &[]).await, Ok(2));
    let refused = ground.provide("/b", &torn).await;
    assert!(matches!(refused, Err(ProvideError::Path { .. })), "{refused:?}");
    assert_eq!(ground.provide("/b", &[]).await, Ok(0));
    assert_eq!(ground.read("/b", "/b/file").await, "disk");
}

/// PF-3.
pub async fn pf_3_of_one_path_the_last_change_counts(ground: &Ground<'_>) {
    let both = [("file", content("first")), ("/a/./file", content("last")), ("new", None)];
    assert_eq!(ground.provide("/a", &both).await, Ok(1));
    assert_eq!(ground.read("/a", "/a/file").await, "last");
    assert_eq!(ground.provide("/a", &[("file", None), ("file", content("again"))]).await, Ok(1));
    assert_eq!(ground.read("/a", "/a/file").await, "again");
}

/// PF-4.
pub async fn pf_4_content_follows_a_link_and_absence_does_not(ground: &Ground<'_>) {
    ground.link("/a/link", "file");
    ground.link("/a/to-b", "/b");
    ground.provide("/to-a", &[("link", content("buffer"))]).await.unwrap();
    assert_eq!(ground.read("/a", "/a/file").await, "buffer");
    assert_eq!(ground.read("/a", "/a/link").await, "buffer");
    ground.provide("/a", &[("link", Some(Provided::Absent))]).await.unwrap();
    assert_eq!(ground.read("/a", "/a/link").await, "nothing");
    assert_eq!(ground.read("/a", "/a/file").await, "disk");
    // Through links above the file, also where it does not exist yet.
    let new = [("/to-a/to-b/file", content("far")), ("to-b/d/new", content("new"))];
    ground.provide("/to-a", &new).await.unwrap();
    assert_eq!(ground.read("/a", "/b/file").await, "far");
    assert_eq!(ground.read("/a", "/b/d/new").await, "new");
}

/// PF-4.
pub async fn pf_4_what_a_path_was_provided_under_withdraws_it(ground: &Ground<'_>) {
    ground.link("/a/link", "file");
    ground.provide("/a", &[("link", content("buffer"))]).await.unwrap();
    // The link goes: what it led to is withdrawn all the same.
    ground.disk.remove("/a/link").unwrap();
    assert_eq!(ground.provide("/a", &[("link", None)]).await, Ok(0));
    assert_eq!(ground.read("/a", "/a/file").await, "disk");
    // A link comes: what stood under its name goes.
    ground.provide("/a", &[("new", content("one"))]).await.unwrap();
    ground.link("/a/new", "file");
    assert_eq!(ground.provide("/a", &[("new", content("two"))]).await, Ok(1));
    assert_eq!(ground.read("/a", "/a/file").await, "two");
    assert_eq!(ground.read("/a", "/a/new").await, "two");
    assert_eq!(ground.provide("/to-a", &[("/to-a/new", None)]).await, Ok(0));
    assert_eq!(ground.read("/a", "/a/new").await, "disk");
    // Two names of one file: the one that was used last withdraws it.
    ground.provide("/a", &[("new", content("one")), ("file", content("two"))]).await.unwrap();
    assert_eq!(ground.provide("/a", &[("new", None)]).await, Ok(1));
    assert_eq!(ground.read("/a", "/a/new").await, "two");
    assert_eq!(ground.provide("/a", &[("file", None)]).await, Ok(0));
}

/// PF-5.
pub async fn pf_5_a_directory_can_be_provided_alone(ground: &Ground<'_>) {
    let none = Observation::Absent(Absence::NotFound);
    let real = |text| Observation::Available(CanonicalPath::observed(path(text)));
    let far = Path::new("/to-a/far/repo");
    assert_eq!(ground.provided.directory(Path::new("/to-a")).await, real("/a"));
    assert_eq!(ground.provided.directory(far).await, none);
    for nothing in [&[][..], &[("AGENTS.md", Some(Provided::Absent))], &[("/a/x", content("x"))]] {
        let refused = ground.provide("/to-a/far/repo", nothing).await;
        assert!(matches!(refused, Err(ProvideError::Directory { .. })), "{refused:?}");
    }
    assert_eq!(ground.provided.directory(far).await, none);
    let files = [("AGENTS.md", content("Far.")), (".git/HEAD", content(""))];
    assert_eq!(ground.provide("/to-a/far/repo", &files).await, Ok(2));
    assert_eq!(ground.provided.directory(far).await, real("/a/far/repo"));
    assert_eq!(ground.provided.directory(Path::new("/a/far")).await, none, "of its own alone");
    assert_eq!(ground.read("/a/far/repo", "/a/far/repo/AGENTS.md").await, "Far.");
    let gone = [("AGENTS.md", None), (".git/HEAD", None)];
    assert_eq!(ground.provide("/to-a/far/repo", &gone).await, Ok(0));
    assert_eq!(ground.provided.directory(far).await, none);
}

/// PF-6.
pub async fn pf_6_what_cannot_be_a_files_path_is_refused(ground: &Ground<'_>) {
    let long = "n".repeat(256);
    let far = "n/".repeat(2_048);
    for none in ["", ".", "..", "x/..", "../..", "/", "/a", "a\0b", &long, &far] {
        for say in [content("x"), Some(Provided::Absent), None] {
            let refused = ground.provide("/a", &[("file", content("x")), (none, say)]).await;
            assert!(matches!(refused, Err(ProvideError::Path { .. })), "{none:?}: {refused:?}");
        }
    }
    assert_eq!(ground.read("/a", "/a/file").await, "disk", "all of a change, or none");
    let beside = [("../b/file", content("x")), (&long[1..], content("x"))];
    assert_eq!(ground.provide("/a", &beside).await, Ok(2));
}

/// PF-7.
pub async fn pf_7_limits_hold_over_all_directories(ground: &Ground<'_>) {
    let refused = |bytes: usize| async move {
        match ground.provide("/a", &[("big", Some(Provided::Content(vec![0; bytes].into())))]).await
        {
            Err(ProvideError::Bytes { limit, bytes }) => Some((limit, bytes)),
            other => other.map(|_| None).unwrap(),
        }
    };
    let mut bytes = 1 << 20;
    let limit = loop {
        match refused(bytes).await {
            Some((limit, asked)) => break (asked == bytes).then_some(limit).unwrap(),
            None => bytes *= 2,
        }
        assert!(bytes < 1 << 30, "there is a limit");
    };
    assert_eq!(refused(limit).await, None, "what is replaced does not count");
    assert_eq!(ground.provide("/a", &[("file", content(""))]).await, Ok(2));
    let over = ground.provide("/b", &[("file", content("x"))]).await;
    assert_eq!(over, Err(ProvideError::Bytes { limit, bytes: limit + 1 }));
    assert_eq!(ground.read("/b", "/b/file").await, "disk");
    assert_eq!(ground.provide("/a", &[("big", None)]).await, Ok(1));
    assert_eq!(ground.provide("/b", &[("file", content("x"))]).await, Ok(1));

    let names: Vec<_> = (0..200_000).map(|at| at.to_string()).collect();
    let many: Vec<_> = names.iter().map(|name| (&**name, Some(Provided::Absent))).collect();
    let Err(ProvideError::Files { limit, files }) = ground.provide("/a", &many).await else {
        panic!("there is a limit");
    };
    assert_eq!((files, ground.provide("/a", &[]).await), (many.len(), Ok(1)));
    assert_eq!(ground.provide("/a", &many[..limit - 2]).await, Ok(limit - 1));
    let over = ground.provide("/b", &[("more", Some(Provided::Absent))]).await;
    assert_eq!(over, Err(ProvideError::Files { limit, files: limit + 1 }));
}
