//! The job of a node.

use research_core::Cx;

use crate::job::{Job, Kit};
use crate::run::state::RunState;

/// Gives nodes their [`Job`].
pub trait NodeJob {
    /// The state of the graph.
    type State: RunState;

    /// Returns the job of this task.
    fn job(&self) -> Job;

    /// Adds what a job did to the update of its task.
    fn done(
        &self,
        job: &Job,
        update: <Self::State as research_core::State>::Update,
    ) -> <Self::State as research_core::State>::Update {
        Self::State::record(update, job.done())
    }
}

impl<S: RunState, R: AsRef<Kit> + Send + Sync + 'static> NodeJob for Cx<S, R> {
    type State = S;

    fn job(&self) -> Job {
        let (state, kit) = (&*self.state, (*self.resources).as_ref());
        // A run that was resumed in another process has used what its state says.
        kit.carry(&state.usage(), state.active());
        let place = state.place(self.node(), self.task().index);
        Job::new(self.clone(), kit, place, state.beginning().is_some())
    }
}
