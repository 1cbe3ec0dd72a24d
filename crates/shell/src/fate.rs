//! What the line's success says about one of its commands.

/// From knowing nothing to knowing all. A weaker fate is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    /// It may not have run, or somewhere else than we think.
    Maybe,
    /// It began, and may have been cut short: its reader in a pipe can go away.
    Started,
    /// It ran to its end, with whatever status.
    Ran,
    /// It ran and succeeded.
    Succeeded,
}

impl Fate {
    /// The fate of something whose own status does not decide.
    pub(crate) fn whatever_status(self) -> Self {
        self.min(Self::Ran)
    }

    /// The fate of what runs only where everything before it succeeded.
    pub(crate) fn if_sure(self) -> Self {
        if self == Self::Succeeded { self } else { Self::Maybe }
    }

    /// The fate of what stands behind something that may be cut short.
    pub(crate) fn behind(self) -> Self {
        if self == Self::Started { Self::Maybe } else { self }
    }
}
