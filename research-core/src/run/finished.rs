//! How a run ends that did not fail.

use std::error::Error;
use std::fmt;
use std::pin::Pin;

use crate::checkpoint::CheckpointId;
use crate::end::End;
use crate::error::RunError;
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

    /// Returns the state of a run that reached the end of its graph. A node that runs another graph by hand passes the error on
    /// with `?`, so that a question or a pause of that graph is not taken for its end.
    ///
    /// # Errors
    ///
    /// When the run stopped before the end of its graph.
    pub fn complete(self) -> Result<S, Incomplete> {
        match self.end {
            End::Complete => Ok(self.state),
            end => Err(Incomplete { run_id: self.run_id, end }),
        }
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

/// A run that stopped before the end of its graph; from [`Finished::complete`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Incomplete {
    /// Id of the run.
    pub run_id: String,
    /// Why it stopped.
    pub end: End,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the run {} stopped before the end of its graph: ", self.run_id)?;
        match &self.end {
            End::Complete => f.write_str("it is complete"),
            End::Interrupted(questions) => {
                write!(f, "{} questions wait for an answer", questions.len())?;
                questions.iter().try_for_each(|question| write!(f, "; {question}"))
            }
            End::Paused { .. } => f.write_str("it paused at a breakpoint"),
            End::Drained => f.write_str("it was asked to stop"),
            End::Spent { counter } => write!(f, "its budget of `{counter}` is spent"),
        }
    }
}

impl Error for Incomplete {}

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

/// A run on its way to its end.
pub(crate) type RunFuture<S> = Pin<Box<dyn Future<Output = Result<Finished<S>, RunError>> + Send>>;
