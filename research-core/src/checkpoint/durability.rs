//! When a run writes its checkpoints.

/// When a run on a thread writes its checkpoints. The final state is the same in all three.
///
/// A run that is dropped leaves what it has queued to the runtime that it was dropped on, which stores it unless it is shut
/// down, or another run takes the thread over, before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Durability {
    /// Each checkpoint is stored before the next step starts, and each task of several is stored as it finishes. A killed
    /// process loses at most the tasks whose results were not yet recorded.
    #[default]
    Sync,
    /// Checkpoints and finished tasks are stored while the run goes on, at most eight checkpoints behind. A failure of the
    /// store ends the run when it is noticed. What a dropped run began to store is still stored: `thread.state()` right after the
    /// drop may be older than what the next run goes on from.
    Async,
    /// One checkpoint is stored when the run ends, fails or is interrupted. A killed
    /// process, or whoever drops the run, loses what it did.
    Exit,
}
