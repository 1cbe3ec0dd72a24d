use std::{path::PathBuf, sync::Arc};
use told_domain::{look::Looks, path::AbsolutePath, reason::UnavailableReason};
use told_ports::{Coverage, Drained, Subscription, Uncovered, Watched, Watcher};
use told_testkit::{
    change::Refused,
    contract::{
        block_on,
        watcher::{Act, Fixture},
    },
    fake::{
        file_system::{FakeFileSystem, Mounted},
        watcher::{FakeWatcher, Fault},
    },
};

struct Fake {
    files: Arc<FakeFileSystem>,
    watcher: FakeWatcher,
    mounted: Vec<(PathBuf, Mounted)>,
}

fn make() -> Fake {
    let files = Arc::new(FakeFileSystem::new());
    files.make_directories("/some/where").expect("can be made");
    files.write("/remote/file", "one").expect("can be made");
    let watcher = FakeWatcher::new(Arc::clone(&files));
    watcher.distrust("/remote");
    Fake { files, watcher, mounted: Vec::new() }
}

impl Fixture for Fake {
    fn root(&self) -> PathBuf {
        "/some/where".into()
    }

    fn act(&mut self, act: &Act) -> Result<(), Refused> {
        match act {
            Act::Change(change) => self.files.apply(change),
            Act::HardLink { file, name } => self.files.hard_link(file, name),
            Act::Exchange(one, other) => self.files.exchange(one, other),
            Act::Guard { path, guarded } => {
                self.files.refuse(path, guarded.then_some(UnavailableReason::PermissionDenied))
            }
            Act::MappedWrite { path, byte } => {
                self.files.write_mapped(path, *byte)?;
                self.files.close_mapped(path)
            }
            Act::Mount(path) => {
                let mounted = self.files.mount(path)?;
                self.mounted.push((path.clone(), mounted));
                Ok(())
            }
            Act::Unmount(path) => {
                let at = self.mounted.iter().position(|(at, _)| at == path).ok_or(Refused)?;
                let (path, mounted) = self.mounted.remove(at);
                self.files.unmount(path, mounted)
            }
            Act::Look(path) => {
                let path = AbsolutePath::new(path).expect("absolute");
                let looks = Looks { probes: vec![path], ..Looks::default() };
                assert_eq!(self.files.observe_now(&looks).probes.len(), 1);
                Ok(())
            }
        }
    }

    fn watcher(&self) -> Arc<dyn Watcher> {
        Arc::new(self.watcher.clone())
    }

    fn watcher_limited_to(&self, watches: usize) -> Arc<dyn Watcher> {
        Arc::new(FakeWatcher::limited_to(Arc::clone(&self.files), watches))
    }

    fn covers(&self) -> bool {
        true
    }

    fn lose_events(&mut self) {
        self.watcher.overflow();
    }

    fn kept(&self) -> usize {
        self.watcher.entries()
    }

    fn untrusted(&self) -> Option<PathBuf> {
        Some("/remote/file".into())
    }
}

told_testkit::watcher_contract!(make);

async fn watch(fake: &Fake, path: &str) -> Arc<dyn Subscription> {
    fake.watcher.subscribe(vec![entry(path)]).await
}

fn entry(path: &str) -> Watched {
    Watched::Entry(AbsolutePath::new(path).expect("absolute"))
}

#[test]
fn a_mapped_write_is_hidden_until_the_file_is_closed() {
    block_on(async {
        let fake = make();
        fake.files.write("/a", "one").unwrap();
        let watch = watch(&fake, "/a").await;
        fake.files.write_mapped("/a", b'x').unwrap();
        assert_eq!(watch.drain().await, Drained::Unchanged);
        fake.files.close_mapped("/a").unwrap();
        assert_eq!(watch.drain().await, Drained::Changed(vec![entry("/a")]));
    });
}

#[test]
fn a_lie_is_told_by_the_script_alone_and_is_counted() {
    block_on(async {
        let fake = make();
        fake.files.write("/a", "one").unwrap();
        let watch = watch(&fake, "/a").await;
        let told = Drained::Changed(vec![entry("/a")]);
        let check = async |fault: Option<Fault>, answers: &[&Drained]| {
            if let Some(fault) = fault {
                fake.watcher.script(1, fault);
            }
            fake.files.write("/a", "two").unwrap();
            for answer in answers {
                assert_eq!(watch.drain().await, **answer, "{fault:?}");
            }
        };
        let nothing = Drained::Unchanged;
        check(None, &[&told, &nothing]).await;
        check(Some(Fault::Drop), &[&nothing, &nothing]).await;
        check(Some(Fault::Delay(2)), &[&nothing, &nothing, &told, &nothing]).await;
        check(Some(Fault::Duplicate), &[&told, &told, &nothing]).await;
        assert_eq!((fake.watcher.lies(), fake.watcher.drains()), (3, 11));
    });
}

#[test]
fn it_dies_for_all_and_covers_again_when_revived() {
    block_on(async {
        let fake = make();
        let (first, second) = (watch(&fake, "/a").await, watch(&fake, "/b").await);
        fake.watcher.script(1, Fault::Die);
        for watch in [&first, &second] {
            assert_eq!(watch.drain().await, Drained::Lost(Uncovered::Failed));
        }
        let dead = watch(&fake, "/a").await;
        assert_eq!(dead.coverage(), Coverage::Direct(Uncovered::Failed));
        fake.watcher.revive();
        assert_eq!(watch(&fake, "/a").await.coverage(), Coverage::Covered);
        fake.watcher.script(1, Fault::Overflow);
        let third = watch(&fake, "/c").await;
        assert_eq!(third.drain().await, Drained::Lost(Uncovered::Overflow));
        assert_eq!(first.coverage(), Coverage::Direct(Uncovered::Failed));
    });
}
