//! Mistakes that agents in the field make, to be planted at the ports and at the face between engine
//! and host: the simulator must find each. Product code has no hook for them.

/// A planted mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Plant {
    /// A failed read counts as an absent file.
    FailedReadIsAbsent,
    /// A failed read counts as an empty file.
    FailedReadIsEmpty,
    /// A failed read is answered with what was read last, and nobody is told.
    FailedReadIsRemembered,
    /// A marker that cannot be looked at counts as none.
    FailedProbeIsAbsent,
    /// Answers are one look old.
    StaleCache,
    /// A link may lead out of the project.
    UncheckedLinks,
    /// A directory in a file's place is a failure.
    DirectoryIsFailure,
    /// An append is answered before it is made, and made with the next.
    AckBeforeWrite,
    /// The last record is gone after a restart.
    LastRecordForgotten,
    /// A record that was appended is appended once more.
    RecordTwice,
    /// An append that comes too late overwrites nothing and goes in all the same.
    NoConflicts,
    /// Two texts are stored under each other's name.
    SwappedContents,
    /// The head lacks a row, and says that it is sound.
    HeadRowLost,
    /// Where a session stands is remembered, not asked.
    StaleRevisions,
    /// A Location's values are read once.
    StaleValues,
    /// The date is that of the process's start.
    FrozenDate,
    /// After a restart the baseline is rendered anew.
    BaselineRenderedAnew,
    /// Only the last update of several is sent.
    UpdateDropped,
    /// The last update is sent twice.
    UpdateRepeated,
    /// Updates are sent newest first.
    UpdatesReordered,
    /// A restarted host is told the last update as a new one.
    ToldAgainAfterResume,
    /// A position below the last one is moved up.
    PositionCorrected,
    /// A compaction starts no epoch.
    CompactionIgnored,
    /// Where the commit fails, the text is returned all the same.
    TextBeforeCommit,
    /// What is held is not said.
    HeldUnsaid,
    /// A preview is a sync.
    PreviewWrites,
    /// Every briefing claims to have admitted something.
    AdmittedAlways,
    /// A host that says what it has is believed about anything.
    SinceBelieved,
    /// A child has all that its parent was told, whatever the position.
    ForkSharesLater,
    /// A child has none of its parent's discoveries.
    ForkForgetsDiscoveries,
    /// A child begins with nothing told.
    ChildBeginsAnew,
    /// A revert takes back one position too few.
    RevertTooShort,
    /// A revert keeps the discoveries that are anchored after it.
    RevertKeepsDiscoveries,
    /// A revert keeps the belief of what it takes back.
    RevertKeepsUpdates,
    /// A revert keeps the last anchored position.
    RevertKeepsPosition,
    /// An opening takes nothing back, whatever position it names.
    OpenForgetsPosition,
    /// A move keeps the discoveries.
    MoveKeepsDiscoveries,
    /// A move starts an epoch, which tells everything again.
    MoveBeginsAnew,
    /// What was begun before a move is done after it.
    MoveDoesNotFence,
    /// A declaration of what is held cannot lose the baseline.
    BaselineIsAlwaysHeld,
    /// A window changes nothing.
    WindowIgnored,
    /// A diff counts as at hand though its base is before the window.
    DiffNeedsNoBase,
    /// What is adopted is told all the same.
    AdoptedIsTold,
    /// What is adopted may be another value than the host's.
    AdoptedUnseen,
    /// What was adopted is gone when the session is loaded again.
    AdoptionForgotten,
    /// A deleted session's content stays.
    DeleteLeaks,
    /// A deletion is answered and not made.
    DeleteForgotten,
    /// A settlement writes its scopes twice.
    DiscoveryTwice,
    /// A failed call discovers what it would have read.
    FailedCallsDiscover,
    /// An output that the host manages is taken for a file of the project.
    ManagedOutputsDiscover,
    /// A project inside the project takes the outer one's scopes.
    NestedProjectsUnseen,
    /// A commit whose outcome is unknown is made again.
    UnknownIsTriedAgain,
    /// What was being committed at a crash is committed again.
    CrashIsRedone,
    /// A file is cut and nobody is told.
    CutSilently,
    /// There is no limit on what is read in all.
    NoLimitInAll,
    /// A file that changes while it is read counts as absent.
    ChangingFileIsAbsent,
    /// A required plugin blocks nothing.
    NothingIsRequired,
    /// An event waits, and the watcher says that nothing happened.
    EventDropped,
    /// An event is told by the drain after the one that should have told it.
    EventIsLate,
    /// Where the watcher is lost, nothing happened.
    LossIgnored,
    /// A loss is told one drain too late.
    LossIsLate,
    /// What cannot be covered is taken for covered.
    DirectIsTrusted,
    /// A directory above is another, and the watcher follows the one that was.
    RenameAboveUnseen,
    /// What is not there is not watched.
    AbsentUnwatched,
    /// A link is watched, and what it leads to is not.
    LinkTargetUnwatched,
    /// What is written through another name of a file is not heard of.
    HardLinkUnwatched,
    /// A subscription that is over stays in the system.
    SubscriptionLeaks,
    /// A drain whose caller goes away has told what it took.
    DroppedDrainForgets,
    /// What happens while files are looked at is forgotten.
    LoadForgetsEvents,
    /// What was cached under the last subscription counts under the next.
    CacheOutlivesSubscription,
    /// The look that verifies trusts the watcher that it is to verify.
    VerifyingLookIsCached,
    /// A mismatch is found, and nobody is told that a root is not covered.
    MismatchUnreported,
    /// What a process says that it changed is not listened to.
    MutatedForgotten,
    /// It counts for the path that was said, and not for what leads there.
    MutatedForgetsLinks,
    /// A closed Location is watched on.
    CloseForgotten,
}

impl Plant {
    /// Every mistake.
    pub const ALL: [Self; 75] = [
        Self::FailedReadIsAbsent,
        Self::FailedReadIsEmpty,
        Self::FailedReadIsRemembered,
        Self::FailedProbeIsAbsent,
        Self::StaleCache,
        Self::UncheckedLinks,
        Self::DirectoryIsFailure,
        Self::AckBeforeWrite,
        Self::LastRecordForgotten,
        Self::RecordTwice,
        Self::NoConflicts,
        Self::SwappedContents,
        Self::HeadRowLost,
        Self::StaleRevisions,
        Self::StaleValues,
        Self::FrozenDate,
        Self::BaselineRenderedAnew,
        Self::UpdateDropped,
        Self::UpdateRepeated,
        Self::UpdatesReordered,
        Self::ToldAgainAfterResume,
        Self::PositionCorrected,
        Self::CompactionIgnored,
        Self::TextBeforeCommit,
        Self::HeldUnsaid,
        Self::PreviewWrites,
        Self::AdmittedAlways,
        Self::SinceBelieved,
        Self::ForkSharesLater,
        Self::ForkForgetsDiscoveries,
        Self::ChildBeginsAnew,
        Self::RevertTooShort,
        Self::RevertKeepsDiscoveries,
        Self::RevertKeepsUpdates,
        Self::RevertKeepsPosition,
        Self::OpenForgetsPosition,
        Self::MoveKeepsDiscoveries,
        Self::MoveBeginsAnew,
        Self::MoveDoesNotFence,
        Self::BaselineIsAlwaysHeld,
        Self::WindowIgnored,
        Self::DiffNeedsNoBase,
        Self::AdoptedIsTold,
        Self::AdoptedUnseen,
        Self::AdoptionForgotten,
        Self::DeleteLeaks,
        Self::DeleteForgotten,
        Self::DiscoveryTwice,
        Self::FailedCallsDiscover,
        Self::ManagedOutputsDiscover,
        Self::NestedProjectsUnseen,
        Self::UnknownIsTriedAgain,
        Self::CrashIsRedone,
        Self::CutSilently,
        Self::NoLimitInAll,
        Self::ChangingFileIsAbsent,
        Self::NothingIsRequired,
        Self::EventDropped,
        Self::EventIsLate,
        Self::LossIgnored,
        Self::LossIsLate,
        Self::DirectIsTrusted,
        Self::RenameAboveUnseen,
        Self::AbsentUnwatched,
        Self::LinkTargetUnwatched,
        Self::HardLinkUnwatched,
        Self::SubscriptionLeaks,
        Self::DroppedDrainForgets,
        Self::LoadForgetsEvents,
        Self::CacheOutlivesSubscription,
        Self::VerifyingLookIsCached,
        Self::MismatchUnreported,
        Self::MutatedForgotten,
        Self::MutatedForgetsLinks,
        Self::CloseForgotten,
    ];
}
