//! Why a step gives nothing.

use std::fmt;

use research_agents_runtime::error::{Error, ErrorCategory};
use serde::{Deserialize, Serialize};

use crate::memo::SectionKind;

/// One question to the model port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Writes or updates a section.
    Section(SectionKind),
    /// Judges the first whole memo.
    Reflection,
    /// Refines a section.
    Refinement(SectionKind),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Section(kind) => write!(f, "Step {} ({kind})", kind.step()),
            Self::Reflection => f.write_str("Reflection"),
            Self::Refinement(kind) => write!(f, "Refinement, step {} ({kind})", kind.step()),
        }
    }
}

/// The error of a synthesizer. The memo keeps what the steps before it wrote, and the next update
/// or completion continues at the step that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScrError {
    /// The model did not answer, or with nothing that can be used, after all attempts.
    #[error("{step} failed: {error}")]
    Step {
        /// The step.
        step: Step,
        /// The error of the model.
        error: Box<Error>,
    },
    /// The settings cannot be used.
    #[error("`top_k` is {0}; it must be 1 to 50")]
    TopK(usize),
    /// The runtime refuses the graph.
    #[error(transparent)]
    Runtime(#[from] Error),
}

impl ScrError {
    /// Returns whether the model did not answer in time.
    pub fn is_timeout(&self) -> bool {
        match self {
            Self::Step { error, .. } => error.category() == ErrorCategory::Timeout,
            _ => false,
        }
    }

    /// Returns whether a recorded run has no such question.
    pub fn is_divergence(&self) -> bool {
        match self {
            Self::Step { error, .. } => matches!(error.root(), Error::Diverged { .. }),
            _ => false,
        }
    }
}
