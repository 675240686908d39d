//! The option of a run for a thread that another run works on.

use std::time::Duration;

/// What a run does when another run works on its thread: it is refused, or it waits until that run has ended.
///
/// A run with this option takes a lease of its thread from the store before it reads the thread, renews the lease while it
/// works, and releases it when it ends, whatever the end. So two workers that retry the same thread take turns, where without
/// the option the later one would end the earlier one with a conflict. The lease of a process that died expires after its
/// [term](IfIdle::term).
///
/// Only runs with this option see and hold leases: set it for every run of the threads that several workers share, for example
/// by [`with_if_idle`](crate::CompiledGraph::with_if_idle). A run without it, and an update, still takes the thread over.
///
/// The expiry of a lease is compared with the clocks of the runs, so the term must be much longer than the clocks of the
/// machines differ. A clock that is wrong costs a conflict, never an update: the claim of the thread fences as without leases.
///
/// ```
/// use std::time::Duration;
/// use research_core::IfIdle;
///
/// let patient = IfIdle::wait(Duration::from_secs(60)).term(Duration::from_secs(15));
/// # let _ = patient;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IfIdle {
    /// The longest wait; zero refuses the run.
    pub(crate) limit: Duration,
    pub(crate) term: Duration,
}

/// How long a lease lasts without a renewal, unless the option says otherwise.
const TERM: Duration = Duration::from_secs(30);

impl IfIdle {
    /// Refuses the run with [`ThreadError::Busy`](crate::ThreadError::Busy).
    #[must_use]
    pub const fn refuse() -> Self {
        Self::wait(Duration::ZERO)
    }

    /// Waits until the thread is idle, and refuses the run when that takes longer than `limit` by the run's clock.
    #[must_use]
    pub const fn wait(limit: Duration) -> Self {
        Self { limit, term: TERM }
    }

    /// Sets how long the lease of this run lasts without a renewal; a run that works renews it three times in that time.
    /// Defaults to 30 seconds, and is at least 3 milliseconds.
    ///
    /// A node that blocks its thread keeps its run from renewing the lease: the term must be longer than such a node takes.
    #[must_use]
    pub fn term(self, term: Duration) -> Self {
        Self { term: term.max(Duration::from_millis(3)), ..self }
    }
}
