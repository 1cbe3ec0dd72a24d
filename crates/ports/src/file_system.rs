//! The port to files: one batch of looks, answered whole.

use async_trait::async_trait;
use std::path::Path;
use told_domain::{
    look::{Looks, Seen},
    observation::Observation,
    path::CanonicalPath,
};

/// Looks at files. Discovery and read are one open; there is no `exists`.
///
/// What holds for all that had happened before a look began: the look sees it. What happens during
/// a look may be seen or not, but each file is one version of itself.
///
/// Clauses, each with a test of its name in the contract suite:
/// - **FS-1** Every answer stands at its question's index, and there are as many.
/// - **FS-2** A path that leads nowhere (`NotFound`, `NotADirectory` on the way) is `Absent(NotFound)`;
///   every other failure is `Unavailable` with its cause (R-OBS-1).
/// - **FS-3** A regular file is `Available` with its first `max_bytes` bytes, its whole size and the
///   canonical path of what was opened; an empty file has empty bytes (R-OBS-4, R-OBS-6).
/// - **FS-4** What is no regular file is `Absent(Withheld(NotRegularFile))`, and never blocks (R-OBS-3).
/// - **FS-5** A read `Within` a directory gives a file whose canonical path is at or below it, decided
///   on the opened file; any other is `Absent(Withheld(OutsideProject))`. A link whose target does not
///   exist is `NotFound`, wherever it points (R-OBS-7).
/// - **FS-6** `Anywhere` follows links anywhere.
/// - **FS-7** Bytes and size belong to one version: a file that changes while it is read is read
///   again, three times in all, then `Unavailable(ChangedWhileRead)` (R-OBS-9).
/// - **FS-8** Reads happen in the order asked. One that would pass `total_bytes`, counting what earlier
///   ones delivered, is `Absent(Withheld(Limit))`, unread; a later, smaller one still counts (R-OBS-12).
/// - **FS-9** What has not answered in `look_ms` is `Unavailable(Timeout)`; what has answered by
///   then counts, and the call returns (R-OBS-10).
/// - **FS-10** A canonical path that is no UTF-8 is `Absent(Withheld(PathNotUtf8))` (R-OBS-5).
/// - **FS-11** A probe follows links and tells the kind; a link to nothing is `NotFound`.
/// - **FS-12** A listing gives the names sorted by bytes, without `.` and `..`; past `max_entries` it
///   stops and says so. What is no directory is `Absent(NotFound)`.
/// - **FS-13** `directory` gives the canonical path of a directory; what does not exist or is no
///   directory is `Absent(NotFound)`, one without a UTF-8 path `Absent(Withheld(PathNotUtf8))`.
/// - **FS-14** One look's failure changes no other look's answer (R-OBS-11).
/// - **FS-15** A name is matched exactly, also where the file system folds letter case (R-AMB-2).
/// - **FS-16** A scan gives all that is no directory below its directory, as paths sorted by component.
///   A link is such an entry, and is not entered; nor are `.git`, `node_modules` and, where they are
///   left out, names that begin with a dot. Directories at `max_depth` are not entered either, which
///   it says (R-CFG-1).
/// - **FS-17** A scan stops once it has read `max_entries` entries of all kinds, or listed
///   `max_directories` directories, and says whether there were more; which it gives then is open
///   (R-OBS-12).
/// - **FS-18** A scan of what is no directory is `Absent(NotFound)`, of one that is really outside its
///   containment `Absent(Withheld(OutsideProject))`. Where a directory below it cannot be listed and is
///   not gone, the whole scan is `Unavailable` with that cause (R-CFG-2).
#[async_trait]
pub trait FileSystem: Send + Sync {
    /// Answers a whole batch. It never fails as a whole: each look has its own outcome.
    async fn observe(&self, looks: &Looks) -> Seen;

    /// The directory that `path` (absolute) leads to.
    async fn directory(&self, path: &Path) -> Observation<CanonicalPath>;
}
