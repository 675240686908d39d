//! What an action works with.

use std::fmt;
use std::sync::Arc;

use research_agents_runtime::job::Job;

use crate::actions::result::ActionResult;
use crate::run::Evidence;
use crate::space::View;

/// What an action works with: the code base within the scope, and what the run has found so far.
#[derive(Clone)]
#[non_exhaustive]
pub struct ActionContext {
    /// The code base within the scope of the run.
    pub view: View,
    /// The question of the run.
    pub question: Arc<str>,
    /// The evidence so far.
    pub evidence: Arc<[Evidence]>,
    /// The job of the step, for actions that ask the model.
    pub job: Job,
}

impl ActionContext {
    /// Creates the context of a step.
    pub fn new(view: View, question: &str, evidence: &[Evidence], job: &Job) -> Self {
        Self {
            view,
            question: question.into(),
            evidence: evidence.into(),
            job: job.clone(),
        }
    }

    /// Does work that blocks on a thread for it, with the view of the code base.
    pub async fn blocking(
        &self,
        work: impl FnOnce(&View) -> ActionResult + Send + 'static,
    ) -> ActionResult {
        let view = self.view.clone();
        match tokio::task::spawn_blocking(move || work(&view)).await {
            Ok(result) => result,
            Err(error) => ActionResult::failed(format!("the action ended early: {error}")),
        }
    }
}

impl fmt::Debug for ActionContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionContext")
            .field("view", &self.view)
            .field("evidence", &self.evidence.len())
            .finish_non_exhaustive()
    }
}
