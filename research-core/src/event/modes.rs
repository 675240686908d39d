//! Which kinds of events a stream subscribes to.

use std::ops::BitOr;

/// Which kinds of events a stream subscribes to; combine with `|`.
///
/// What concerns the run as a whole always comes: its start and end, questions that are open or abandoned, a spent budget, and
/// gaps.
///
/// ```
/// use research_core::Modes;
///
/// let modes = Modes::UPDATES | Modes::MESSAGES;
/// assert_eq!(modes | modes, modes);
/// assert_ne!(modes.without_subgraphs(), modes);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Modes(u16);

impl Modes {
    /// [`Values`](crate::EventKind::Values) and [`ChildValues`](crate::EventKind::ChildValues). A snapshot that is still
    /// held when its step ends is copied once.
    pub const VALUES: Self = Self(1);
    /// [`Updated`](crate::EventKind::Updated) and [`ChildUpdated`](crate::EventKind::ChildUpdated); each update is cloned.
    pub const UPDATES: Self = Self(1 << 1);
    /// [`Custom`](crate::EventKind::Custom).
    pub const CUSTOM: Self = Self(1 << 2);
    /// [`TaskStarted`](crate::EventKind::TaskStarted), [`TaskFinished`](crate::EventKind::TaskFinished) and
    /// [`Asked`](crate::EventKind::Asked).
    pub const TASKS: Self = Self(1 << 3);
    /// [`StepStarted`](crate::EventKind::StepStarted) and [`StepFinished`](crate::EventKind::StepFinished).
    pub const STEPS: Self = Self(1 << 4);
    /// [`Message`](crate::EventKind::Message).
    pub const MESSAGES: Self = Self(1 << 5);
    /// [`Checkpoint`](crate::EventKind::Checkpoint).
    pub const CHECKPOINTS: Self = Self(1 << 6);
    /// Everything.
    pub const ALL: Self = Self((1 << 7) - 1);
    /// Everything but [`VALUES`](Modes::VALUES), which costs copies of the state. The default.
    pub const DEBUG: Self = Self(Self::ALL.0 & !Self::VALUES.0);

    const ROOT_ONLY: u16 = 1 << 15;

    /// These kinds, of the root graph alone: nothing that happens in a subgraph comes.
    #[must_use]
    pub const fn without_subgraphs(self) -> Self {
        Self(self.0 | Self::ROOT_ONLY)
    }

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 & Self::ALL.0 != 0
    }

    pub(crate) const fn has_subgraphs(self) -> bool {
        self.0 & Self::ROOT_ONLY == 0
    }
}

/// [`Modes::DEBUG`].
impl Default for Modes {
    fn default() -> Self {
        Self::DEBUG
    }
}

impl BitOr for Modes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
