//! What a provided path means, and what it costs.

use std::sync::Arc;
use told_domain::{
    look::{Containment, EntryKind, FileBytes, Hidden, Listing, Looks, Read, Scan},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    reason::{UnavailableReason, WithheldReason},
};
use told_overlay::{ENTRIES, OverlayFileSystem, PROVIDED_BYTES};
use told_ports::{FileSystem, ProvideError, Provided};
use told_testkit::{change::Change, contract::block_on, fake::file_system::FakeFileSystem};

struct Ground {
    disk: Arc<FakeFileSystem>,
    overlay: OverlayFileSystem,
}

fn path(text: &str) -> AbsolutePath {
    AbsolutePath::new(text).expect("absolute")
}

fn ground(files: &[(&str, &str)]) -> Ground {
    let disk = Arc::new(FakeFileSystem::new());
    for (name, text) in files {
        disk.write(name, *text).expect("can be made");
    }
    let overlay = OverlayFileSystem::new(Arc::clone(&disk) as Arc<dyn FileSystem>);
    Ground { disk, overlay }
}

fn within(directory: &str) -> Containment {
    Containment::Within(CanonicalPath::observed(path(directory)))
}

impl Ground {
    fn content(&self, name: &str, text: &str) {
        let content = Provided::Content(text.as_bytes().into());
        self.overlay.provide(path(name), content).expect("fits");
    }

    fn link(&self, name: &str, target: &str) {
        let change = Change::Link { path: name.into(), target: target.into() };
        self.disk.apply(&change).expect("can be made");
    }

    fn read_all(&self, names: &[&str], total_bytes: u64) -> Vec<String> {
        let read =
            |name: &&str| Read { path: path(name), containment: within("/p"), max_bytes: 100 };
        let reads = names.iter().map(read).collect();
        let looks = Looks { reads, total_bytes, look_ms: 1000, ..Looks::default() };
        let seen = block_on(self.overlay.observe(&looks));
        seen.files.iter().map(told).collect()
    }

    fn read(&self, name: &str) -> String {
        self.read_all(&[name], 1000).remove(0)
    }

    fn kind(&self, name: &str) -> Observation<EntryKind> {
        let looks = Looks { probes: vec![path(name)], look_ms: 1000, ..Looks::default() };
        block_on(self.overlay.observe(&looks)).probes.remove(0)
    }

    fn list(&self, name: &str, max_entries: u64) -> String {
        let listings = vec![Listing { directory: path(name), max_entries }];
        let looks = Looks { listings, look_ms: 1000, ..Looks::default() };
        match block_on(self.overlay.observe(&looks)).listings.remove(0) {
            Observation::Available(found) => {
                let names: Vec<_> = found.names.iter().map(|name| name.to_string_lossy()).collect();
                format!("{}{}", names.join(" "), if found.more { " …" } else { "" })
            }
            other => format!("{other:?}"),
        }
    }

    fn scan(&self, name: &str, hidden: Hidden) -> String {
        let scan = Scan {
            directory: path(name),
            containment: within("/p"),
            max_depth: 3,
            max_entries: 100,
            max_directories: 100,
            hidden,
        };
        let looks = Looks { scans: vec![scan], look_ms: 1000, ..Looks::default() };
        match block_on(self.overlay.observe(&looks)).scans.remove(0) {
            Observation::Available(found) => {
                let paths = found.paths.iter().map(|path| path.to_string_lossy());
                let paths = paths.collect::<Vec<_>>().join(" ");
                format!("{paths}{}", if found.deeper { " …" } else { "" })
            }
            other => format!("{other:?}"),
        }
    }

    fn directory(&self, name: &str) -> Observation<CanonicalPath> {
        block_on(self.overlay.directory(path(name).as_path()))
    }
}

fn told(file: &Observation<FileBytes>) -> String {
    match file {
        Observation::Available(file) => String::from_utf8_lossy(&file.bytes).into_owned(),
        Observation::Absent(Absence::NotFound) => "nothing".into(),
        Observation::Absent(Absence::Withheld(reason)) => reason.to_string(),
        Observation::Unavailable(reason) => reason.to_string(),
    }
}

const NOTHING: Observation<EntryKind> = Observation::Absent(Absence::NotFound);
const DIRECTORY: Observation<EntryKind> = Observation::Available(EntryKind::Directory);

#[test]
fn what_is_provided_counts_until_it_is_withdrawn() {
    let ground = ground(&[("/p/a", "disk"), ("/p/b", "disk")]);
    ground.content("/p/a", "buffer");
    ground.overlay.provide(path("/p/b"), Provided::Absent).expect("fits");
    let denied = Provided::Unavailable(UnavailableReason::PermissionDenied);
    ground.overlay.provide(path("/p/c"), denied).expect("fits");
    assert_eq!(
        ground.read_all(&["/p/a", "/p/b", "/p/c"], 99),
        ["buffer", "nothing", "permission_denied"]
    );
    assert_eq!(ground.kind("/p/b"), NOTHING);
    assert_eq!(ground.kind("/p/c"), Observation::Unavailable(UnavailableReason::PermissionDenied));
    assert_eq!(ground.list("/p", 9), "a");
    ground.content("/p/b", "anew");
    assert_eq!(ground.read("/p/b"), "anew");
    for name in ["/p/a", "/p/b", "/p/c"] {
        assert!(ground.overlay.withdraw(&path(name)));
        assert!(!ground.overlay.withdraw(&path(name)));
    }
    assert_eq!(ground.read_all(&["/p/a", "/p/b", "/p/c"], 99), ["disk", "disk", "nothing"]);
    assert_eq!(ground.overlay.provided(), 0);
}

#[test]
fn directories_above_a_provided_file_exist_as_long_as_it() {
    let ground = ground(&[("/p/x", "")]);
    ground.content("/p/d/e/f", "text");
    ground.content("/p/d/g", "text");
    assert_eq!(ground.kind("/p/d/e"), DIRECTORY);
    assert_eq!(
        ground.directory("/p/d/e"),
        Observation::Available(CanonicalPath::observed(path("/p/d/e")))
    );
    assert_eq!(ground.read("/p/d"), WithheldReason::NotRegularFile.to_string());
    assert_eq!((ground.list("/p", 9), ground.list("/p/d", 9)), ("d x".into(), "e g".into()));
    assert!(ground.overlay.withdraw(&path("/p/d/e/f")));
    assert_eq!((ground.kind("/p/d/e"), ground.kind("/p/d")), (NOTHING, DIRECTORY));
    assert_eq!(ground.list("/p/d", 9), "g");
    assert!(ground.overlay.withdraw(&path("/p/d/g")));
    assert_eq!((ground.kind("/p/d"), ground.list("/p", 9)), (NOTHING, "x".into()));
}

#[test]
fn below_a_provided_file_or_absence_is_only_what_is_provided() {
    let ground = ground(&[("/p/d/a", "disk"), ("/p/d/b", "disk"), ("/p/e/a", "disk")]);
    ground.overlay.provide(path("/p/d"), Provided::Absent).expect("fits");
    ground.content("/p/e", "a file now");
    assert_eq!(
        ground.read_all(&["/p/d/a", "/p/e/a", "/p/e"], 99),
        ["nothing", "nothing", "a file now"]
    );
    assert_eq!(ground.directory("/p/e"), Observation::Absent(Absence::NotFound));
    assert_eq!(ground.directory("/p/d"), Observation::Absent(Absence::NotFound));
    assert_eq!(ground.list("/p", 9), "e");
    ground.content("/p/d/a", "buffer");
    assert_eq!(ground.read_all(&["/p/d/a", "/p/d/b"], 99), ["buffer", "nothing"]);
    assert_eq!((ground.list("/p/d", 9), ground.list("/p", 9)), ("a".into(), "d e".into()));
    let io = Provided::Unavailable(UnavailableReason::IoError);
    ground.overlay.provide(path("/p/d"), io).expect("fits");
    assert_eq!(ground.read_all(&["/p/d/a", "/p/d/b"], 99), ["buffer", "io_error"]);
}

#[test]
fn a_provided_path_is_its_own_canonical_one_and_is_contained_by_components() {
    let ground = ground(&[("/outside/a", "disk")]);
    ground.link("/out", "/outside");
    ground.disk.make_directories("/p").expect("can be made");
    ground.link("/p/link", "/outside");
    ground.content("/p/link/a", "below a link");
    ground.content("/outside/b", "outside");
    ground.content("/p-too/c", "beside");
    assert_eq!(
        ground.read_all(&["/p/link/a", "/outside/b", "/p-too/c"], 99),
        ["below a link", "outside_project", "outside_project"]
    );
    // Where the link leads it is not seen, and the directory is still the real one.
    assert_eq!(ground.list("/outside", 9), "a b");
    let real = CanonicalPath::observed(path("/outside"));
    assert_eq!(ground.directory("/p/link"), Observation::Available(real));
}

#[test]
fn a_link_to_a_provided_path_reads_what_is_provided() {
    let ground = ground(&[("/p/a", "disk"), ("/p/b", "disk"), ("/p/d/c", "disk")]);
    for (link, target) in [("/p/to-a", "a"), ("/p/to-b", "b"), ("/p/to-c", "d/c"), ("/p/to-n", "n")]
    {
        ground.link(link, target);
    }
    ground.content("/p/a", "buffer");
    ground.overlay.provide(path("/p/b"), Provided::Absent).expect("fits");
    ground.overlay.provide(path("/p/d"), Provided::Absent).expect("fits");
    ground.content("/p/n", "only provided");
    assert_eq!(
        ground.read_all(&["/p/to-a", "/p/to-b", "/p/to-c", "/p/to-n"], 99),
        ["buffer", "nothing", "nothing", "nothing"]
    );
}

#[test]
fn the_total_holds_over_both_in_the_order_asked() {
    let ground = ground(&[("/p/d8", "eeeeeeee"), ("/p/d4", "ffff"), ("/p/d2", "gg")]);
    ground.content("/p/o5", "ooooo");
    ground.content("/p/o1", "o");
    let table: &[(u64, &[&str], &[&str])] = &[
        (10, &["o5", "d8", "d4", "o1"], &["ooooo", "limit", "ffff", "o"]),
        (10, &["d8", "o5", "d4", "d2"], &["eeeeeeee", "limit", "limit", "gg"]),
        (9, &["o5", "d4", "o1", "d2"], &["ooooo", "ffff", "limit", "limit"]),
        (0, &["o1", "d2"], &["limit", "limit"]),
        (8, &["o1", "d8", "d8", "d4", "o5", "d2"], &["o", "limit", "limit", "ffff", "limit", "gg"]),
        (19, &["d8", "o5", "d4", "d2"], &["eeeeeeee", "ooooo", "ffff", "gg"]),
    ];
    for (total, names, expected) in table {
        let names: Vec<String> = names.iter().map(|name| format!("/p/{name}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(ground.read_all(&names, *total), *expected, "{names:?} of {total}");
    }
}

#[test]
fn everything_else_goes_through_in_one_batch_and_nothing_where_all_is_provided() {
    let ground = ground(&[("/p/a", "disk"), ("/p/b", "disk")]);
    ground.content("/p/c", "buffer");
    let before = ground.disk.calls();
    assert_eq!(
        ground.read_all(&["/p/a", "/p/c", "/p/b", "/p/c"], 99),
        ["disk", "buffer", "disk", "buffer"]
    );
    let calls = ground.disk.calls();
    assert_eq!((calls.batches - before.batches, calls.reads - before.reads), (1, 2));
    assert_eq!(ground.read_all(&["/p/c"], 99), ["buffer"]);
    assert_eq!(ground.disk.calls(), calls);
}

#[test]
fn a_cut_listing_has_as_many_names_as_asked_for() {
    let ground = ground(&[("/p/a", ""), ("/p/b", ""), ("/p/c", ""), ("/p/d", "")]);
    ground.overlay.provide(path("/p/d"), Provided::Absent).expect("fits");
    ground.overlay.provide(path("/p/c"), Provided::Absent).expect("fits");
    assert_eq!((ground.list("/p", 2), ground.list("/p", 1)), ("a b".into(), "b …".into()));
    ground.content("/p/e", "");
    assert_eq!((ground.list("/p", 3), ground.list("/p", 2)), ("a b e".into(), "a b …".into()));
}

#[test]
fn a_scan_finds_what_is_provided_and_not_what_is_taken_out() {
    let io_error = Provided::Unavailable(UnavailableReason::IoError);
    let ground = ground(&[("/p/a", ""), ("/p/d/b", ""), ("/p/e/c", "")]);
    let scan = |hidden| ground.scan("/p", hidden);
    assert_eq!(scan(Hidden::LeftOut), "a d/b e/c");
    ground.content("/p/d/new/x", "");
    ground.content("/p/d/new/far/y", "");
    ground.content("/p/.hidden/x", "");
    ground.content("/p/.git/x", "");
    ground.content("/p/node_modules/x", "");
    ground.overlay.provide(path("/p/e"), Provided::Absent).expect("fits");
    assert_eq!(scan(Hidden::LeftOut), "a d/b d/new/x …");
    assert_eq!(scan(Hidden::Counts), ".hidden/x a d/b d/new/x …");
    // A file where a directory was, and the other way about.
    ground.content("/p/d", "");
    ground.content("/p/a/below", "");
    assert_eq!(scan(Hidden::LeftOut), "a/below d/new/x …");
    // What nobody knows is still named; its own look says so.
    ground.overlay.provide(path("/p/gone/x"), io_error.clone()).expect("fits");
    ground.overlay.provide(path("/p/e"), io_error.clone()).expect("fits");
    assert_eq!(scan(Hidden::LeftOut), "a/below d/new/x e e/c gone/x …");
    assert_eq!(ground.scan("/p/gone", Hidden::LeftOut), "x");
    assert_eq!(ground.scan("/p/e", Hidden::LeftOut), "Unavailable(IoError)");
    ground.content("/out/x", "");
    assert_eq!(ground.scan("/out", Hidden::LeftOut), "Absent(Withheld(OutsideProject))");
}

#[test]
fn two_overlays_on_one_disk_do_not_see_each_other() {
    let ground = ground(&[("/p/a", "disk")]);
    let other = OverlayFileSystem::new(Arc::clone(&ground.disk) as Arc<dyn FileSystem>);
    other.provide(path("/p/a"), Provided::Absent).expect("fits");
    assert_eq!(ground.read("/p/a"), "disk");
}

#[test]
fn what_passes_a_limit_is_refused_and_the_rest_stands() {
    let ground = ground(&[]);
    let absent = |name: String| ground.overlay.provide(path(&name), Provided::Absent);
    assert!(matches!(absent("/".into()), Err(ProvideError::Path { .. })));
    for at in 0..ENTRIES {
        absent(format!("/p/{at}")).expect("fits");
    }
    assert_eq!(
        absent("/p/more".into()),
        Err(ProvideError::Files { limit: ENTRIES, files: ENTRIES + 1 })
    );
    absent("/p/0".into()).expect("replaces");
    let huge: Arc<[u8]> = vec![0; PROVIDED_BYTES].into();
    ground.overlay.provide(path("/p/0"), Provided::Content(Arc::clone(&huge))).expect("fits");
    let one = Provided::Content(b"x".as_slice().into());
    assert_eq!(
        ground.overlay.provide(path("/p/1"), one.clone()),
        Err(ProvideError::Bytes { limit: PROVIDED_BYTES, bytes: PROVIDED_BYTES + 1 })
    );
    ground.overlay.provide(path("/p/0"), one).expect("replaces");
    assert_eq!(ground.overlay.provided(), ENTRIES);
}
