//! Other processes: this test binary once more, in a role.

use super::layout::{PATIENT, raw};
use std::{
    io::{BufRead, BufReader, Lines, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};
use told_domain::position::Revision;
use told_ports::{Mark, Store, StoreError};
use told_redb::{RedbOptions, RedbStore};
use told_testkit::contract::{
    block_on,
    store_draft::{Draft, directory, id, set},
};

const ROLE: &str = "TOLD_REDB_TEST_ROLE";
const PATH: &str = "TOLD_REDB_TEST_PATH";
const SAYS: &str = "child says ";

/// What a child does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Appends for ever, and says each revision when it is acknowledged.
    Write,
    /// Holds a write transaction for ever.
    Hold,
    /// Appends 40 records to one session, against all that do the same.
    Race,
    /// Appends until something is wrong, and says what.
    Fill,
    /// Reads a session, tries to append, and says what came of it.
    Look,
}

const ROLES: [(Role, &str); 5] = [
    (Role::Write, "write"),
    (Role::Hold, "hold"),
    (Role::Race, "race"),
    (Role::Fill, "fill"),
    (Role::Look, "look"),
];

/// Records of a child in [`Role::Race`].
pub(crate) const RACED: u64 = 40;

/// A process in a role; killed when dropped.
pub(crate) struct Process {
    child: Child,
    said: Lines<BufReader<ChildStdout>>,
}

impl Process {
    pub(crate) fn start(role: Role, path: &Path) -> Self {
        Self::run(Command::new(std::env::current_exe().unwrap()), role, path)
    }

    /// Under a shell that sets limits first.
    pub(crate) fn start_after(shell: &str, role: Role, path: &Path) -> Self {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{shell}; exec \"$0\" \"$@\""));
        command.arg(std::env::current_exe().unwrap());
        Self::run(command, role, path)
    }

    pub(crate) fn run(mut command: Command, role: Role, path: &Path) -> Self {
        let name = ROLES.iter().find(|(known, _)| *known == role).unwrap().1;
        let mut child = command
            .args(["--exact", "files::child::plays_the_role_it_is_given", "--nocapture"])
            .env(ROLE, name)
            .env(PATH, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, said }
    }

    /// The next thing that it says; `None` when it has ended.
    pub(crate) fn says(&mut self) -> Option<String> {
        self.said
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.find(SAYS).map(|at| line[at + SAYS.len()..].to_owned()))
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([format!("-{name}"), pid]).status().unwrap();
        assert!(sent.success());
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn say(what: impl std::fmt::Display) {
    println!("{SAYS}{what}");
    std::io::stdout().flush().unwrap();
}

#[test]
fn plays_the_role_it_is_given() {
    let (Ok(role), Some(path)) = (std::env::var(ROLE), std::env::var_os(PATH)) else {
        assert!(std::env::var_os(ROLE).is_none(), "a role needs a path");
        return;
    };
    let role = ROLES.iter().find(|(_, name)| *name == role).expect("a known role").0;
    let path = PathBuf::from(path);
    match role {
        Role::Write => block_on(write(&path)),
        Role::Hold => hold(&path),
        Role::Race => block_on(race(&path)),
        Role::Fill => block_on(fill(&path)),
        Role::Look => block_on(look(&path)),
    }
}

/// The session as it is stored; made where it is not.
pub(crate) async fn session(store: &dyn Store, name: &str) -> Draft {
    let mut draft = Draft::new(id(name));
    loop {
        if let Some(loaded) = store.load(&draft.id).await.unwrap() {
            (draft.mark, draft.state) = (Some(loaded.mark), Some(loaded.state));
            draft.records = store.records(&draft.id, Revision::NONE, usize::MAX).await.unwrap();
            return draft;
        }
        match store.append(&draft.id, draft.open(&directory("/repo"))).await {
            Ok(_) | Err(StoreError::Conflict { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

/// Appends one value that names its record and its writer.
pub(crate) async fn append(
    store: &dyn Store,
    draft: &mut Draft,
    writer: &str,
) -> Result<Mark, StoreError> {
    let next = draft.mark.map_or(Revision::NONE, |mark| mark.revision).next();
    let append = draft.append(vec![set("value", &format!("{next} by {writer}"))]);
    let mark = store.append(&draft.id, append.clone()).await?;
    draft.took(&append, mark);
    Ok(mark)
}

async fn write(path: &Path) {
    let store = RedbStore::open(path, PATIENT);
    let mut draft = session(&store, "killed").await;
    loop {
        match append(&store, &mut draft, "a child").await {
            Ok(mark) => say(mark.revision),
            // A commit cut off just before its end is not seen before somebody writes again.
            Err(StoreError::Conflict { .. }) => draft = session(&store, "killed").await,
            Err(other) => panic!("{other}"),
        }
    }
}

fn hold(path: &Path) {
    let database = raw().open(path).unwrap();
    let _held = database.begin_write().unwrap();
    say("holding");
    // Until the parent goes or kills.
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

async fn race(path: &Path) {
    let store = RedbStore::open(path, PATIENT);
    let writer = std::process::id().to_string();
    let mut draft = session(&store, "raced").await;
    let mut done = 0;
    while done < RACED {
        match append(&store, &mut draft, &writer).await {
            Ok(_) => done += 1,
            Err(StoreError::Conflict { .. }) => draft = session(&store, "raced").await,
            Err(other) => panic!("{other}"),
        }
    }
    say(writer);
}

async fn fill(path: &Path) {
    let store = RedbStore::open(path, PATIENT);
    let mut draft = session(&store, "full").await;
    let error = loop {
        if let Err(error) = append(&store, &mut draft, "a child").await {
            break error;
        }
    };
    say(format!("{error:?}"));
    // What is there can still be read, and is what was acknowledged.
    let loaded = store.load(&draft.id).await.unwrap().unwrap();
    assert_eq!((Some(loaded.mark), Some(loaded.state)), (draft.mark, draft.state));
    say(loaded.mark.revision);
}

async fn look(path: &Path) {
    let store = RedbStore::open(path, RedbOptions { wait_ms: 2_000 });
    match store.load(&id("a")).await {
        Ok(Some(loaded)) => say(loaded.mark.revision),
        other => say(format!("{other:?}")),
    }
    let expected = store.load(&id("a")).await.ok().flatten().map(|loaded| loaded.mark);
    let draft = Draft::new(id("a"));
    let mut append = draft.open(&directory("/repo"));
    if let Some(mark) = expected {
        append.expected = Some(mark);
        append.records[0].revision = mark.revision.next();
        append.summary.revision = mark.revision.next();
    }
    say(format!("{:?}", store.append(&id("a"), append).await.map(|mark| mark.revision)));
}
