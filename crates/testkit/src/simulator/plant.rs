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
}

impl Plant {
    /// Every mistake.
    pub const ALL: [Self; 28] = [
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
    ];
}
