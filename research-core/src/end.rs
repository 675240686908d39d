//! How a run ends that did not fail, and how a step ends in which a task did.

use crate::interrupt::Question;

/// Where a run stopped. All but the first can be [resumed](crate::CompiledGraph::resume).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum End {
    /// At the end of its graph.
    Complete,
    /// Tasks wait for answers; what their siblings did is kept.
    Interrupted(Vec<Question>),
    /// At a breakpoint.
    Paused {
        /// Nodes that are due, and that the run was to pause before. Those of subgraphs stand as paths, as in
        /// [`Breakpoints`](crate::Breakpoints).
        before: Vec<String>,
        /// Nodes that ran in the last step, and that the run was to pause after. Those of subgraphs stand as paths.
        after: Vec<String>,
    },
    /// After a step, because it was asked to.
    Drained,
    /// Its budget was spent and no node is there for that case.
    Spent {
        /// What was used up: the name of a counter, `steps` or `wall`.
        counter: String,
    },
}

/// What becomes of the other tasks of a step when one has failed for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailurePolicy {
    /// They finish, and their results are kept: they may have cost money.
    #[default]
    LetSiblingsFinish,
    /// They are stopped. What had finished before is kept.
    CancelSiblings,
}
