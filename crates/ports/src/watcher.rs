//! The port to changes of files: a promise to notice them, or the word that there is none.

use async_trait::async_trait;
use std::{fmt, sync::Arc};
use told_domain::path::AbsolutePath;

/// Watches entries, never trees.
///
/// What holds for all that had happened before a drain began: what happened to a watched
/// entry since `subscribe` returned is in the answer of this drain or of an earlier one, or the answer is
/// `Lost`. What happens during a drain may be in its answer, and else is in the next one's.
///
/// So a look that begins after a drain sees all that the drain told, and what that look does not see is told
/// by the next one. A system's own watching gives far less: it is late, follows inodes
/// instead of names, and is silent about much. An implementation makes up for it, or answers `Direct`:
/// that is never wrong.
///
/// Clauses, each with a test of its name in the contract suite. A "change" is one whose call has returned.
/// "Told" is `Changed` with that entry, or `Lost`:
/// - **WA-1** `subscribe` does not fail. It gives `Covered` where every later change will be told, proven by an event
///   that arrived; else `Direct` with its reason. A drain of a `Direct` subscription is `Lost`.
/// - **WA-2** A write in place, a truncation, a removal, an entry made, and a change of permissions are told.
/// - **WA-3** So is a rename over the entry or away from it, and removal and making anew; and then every change of the
///   new file, as often as it is replaced.
/// - **WA-4** `Changed` has each entry once, in the order of subscription. A change of a neighbour, a look at the entry and
///   a change that was told already are no changes.
/// - **WA-5** An entry that is absent is told when it appears, also below directories that appear with it, however fast.
/// - **WA-6** A directory above that is renamed, removed, replaced or exchanged makes it `Lost`.
/// - **WA-7** A link is an entry, and what it leads to is as well: a link that is swapped or made to dangle is told, and so is
///   a change of its target, wherever that is.
/// - **WA-8** An entry with another hard link is `Direct`. One that is made later is told, and so is what is then
///   written through it.
/// - **WA-9** What is written through a mapping of the file is told no later than when the file is closed. Until
///   then nothing tells it, which is one reason why a boundary verifies (R-WAT-3).
/// - **WA-10** A mount over the entry or a directory above, and an unmount there, make it `Lost`. Other mounts do not.
/// - **WA-11** Where the system lost events, it is `Lost` for every subscription that they could have been for.
/// - **WA-12** `Lost` is for good: coverage is `Direct` with its reason from then on, and every drain is `Lost`. A new
///   subscription starts afresh.
/// - **WA-13** Subscriptions take nothing from each other, also equal ones, and also by ending.
/// - **WA-14** The last one to end for an entry releases what the system keeps for it. Nothing is left behind, in files,
///   descriptors or threads, by however many.
/// - **WA-15** A limit that is reached makes a subscription `Direct(Limit)`, and takes nothing from the others.
/// - **WA-16** A burst of changes costs no more memory than there are entries, and is one answer.
/// - **WA-17** Watching writes nothing where it watches.
/// - **WA-18** `Names` is told when a name in that directory is made, removed or renamed, and not when a file changes.
/// - **WA-19** What lies on a file system whose events cannot be trusted is `Direct(FileSystem)`, also through a link.
/// - **WA-20** Drains at the same time each keep the promise; one that is cancelled loses nothing.
#[async_trait]
pub trait Watcher: Send + Sync {
    /// Begins to watch, until the subscription is dropped. What was looked at before it
    /// returned proves nothing: look after it.
    async fn subscribe(&self, watched: Vec<Watched>) -> Arc<dyn Subscription>;
}

/// Entries that are watched together.
#[async_trait]
pub trait Subscription: Send + Sync {
    /// Whether a drain can say `Unchanged`, as far as is known now.
    fn coverage(&self) -> Coverage;

    /// What happened, and is not told yet.
    async fn drain(&self) -> Drained;
}

/// What is watched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Watched {
    /// An entry, absent or not, as a look at this path finds it, through links.
    Entry(AbsolutePath),
    /// The names in this directory.
    Names(AbsolutePath),
}

impl Watched {
    /// The path of the entry or directory.
    #[must_use]
    pub const fn path(&self) -> &AbsolutePath {
        match self {
            Self::Entry(path) | Self::Names(path) => path,
        }
    }
}

/// Whether every change will be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// It will.
    Covered,
    /// Only a direct look knows.
    Direct(Uncovered),
}

/// The answer of a drain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drained {
    /// Nothing happened since the last drain.
    Unchanged,
    /// Something may have happened to these.
    Changed(Vec<Watched>),
    /// Anything may have happened, and coverage is over.
    Lost(Uncovered),
}

/// Why there is no coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Uncovered {
    /// This system's watching keeps no order, or this is no system that can be watched.
    Platform,
    /// A network, user-space or unknown file system: others change it unseen.
    FileSystem,
    /// The system guards a directory above: it may not be watched.
    Protected,
    /// Too many links, or one whose target cannot be watched.
    Link,
    /// A file has another hard link.
    HardLink,
    /// A directory folds letter case, or is reached by two paths at once.
    Ambiguous,
    /// As many watches are in use as the system, or told's own bound, allows.
    Limit,
    /// No event arrived that proved the watches.
    Unproven,
    /// The answer did not come in time.
    Timeout,
    /// Things changed faster than they could be watched.
    Unsettled,
    /// The system lost events.
    Overflow,
    /// The system's watching failed.
    Failed,
    /// A directory above was renamed, removed or replaced.
    Replaced,
    /// Something was mounted or unmounted above.
    Mounts,
    /// A direct look found a change that was not told.
    Mismatch,
}

impl Uncovered {
    /// The protocol's word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Platform => "platform",
            Self::FileSystem => "file_system",
            Self::Protected => "protected",
            Self::Link => "link",
            Self::HardLink => "hard_link",
            Self::Ambiguous => "ambiguous",
            Self::Limit => "limit",
            Self::Unproven => "unproven",
            Self::Timeout => "timeout",
            Self::Unsettled => "unsettled",
            Self::Overflow => "overflow",
            Self::Failed => "failed",
            Self::Replaced => "replaced",
            Self::Mounts => "mounts",
            Self::Mismatch => "mismatch",
        }
    }
}

impl fmt::Display for Uncovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
