//! How a run ends that did not fail.

use std::fmt;

use crate::checkpoint::CheckpointId;
use crate::end::End;
use crate::interrupt::Question;

/// A run that ended without an error.
#[derive(Clone)]
#[non_exhaustive]
pub struct Finished<S> {
    /// The state when it ended.
    pub state: S,
    /// Steps it took.
    pub steps: u64,
    /// Id of the run.
    pub run_id: String,
    /// Whether it reached the end of its graph, and if not, why it stopped.
    pub end: End,
    /// The checkpoint it ended at, when it belongs to a thread.
    pub checkpoint: Option<CheckpointId>,
}

impl<S> Finished<S> {
    /// Whether the run reached the end of its graph.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.end == End::Complete
    }

    /// The questions that wait for an answer.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        match &self.end {
            End::Interrupted(questions) => questions,
            _ => &[],
        }
    }
}

/// Leaves the state out, which may not be printable.
impl<S> fmt::Debug for Finished<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finished")
            .field("steps", &self.steps)
            .field("run_id", &self.run_id)
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}
