//! Judges how much research the question needs.

use research_agents_fieldwork::asked::Asked;
use research_agents_runtime::ask::UserText;
use research_agents_runtime::run::NodeJob;
use research_core::{Cx, NodeError};

use crate::agent::kit::FeedbackKit;
use crate::agent::state::{FeedbackState, FeedbackStateUpdate};
use crate::records::ComplexityAnalysis;
use crate::tasks::{COMPLEXITY, COMPLEXITY_PROMPT, ComplexityTask};

/// Judges the question. A model that fails leaves it medium.
pub(super) async fn complexity_analyzer(
    cx: Cx<FeedbackState, FeedbackKit>,
) -> Result<FeedbackStateUpdate, NodeError> {
    let job = cx.job();
    job.phase("analyzing");
    job.progress(2, "judging how much research the question needs");

    let task = ComplexityTask {
        question: cx.state.input.question.clone(),
    };
    let asked = Asked::new(&COMPLEXITY_PROMPT, COMPLEXITY, &task)
        .set("question", UserText::new(&*task.question));
    let analysis = asked
        .or_compute(&job, |_| ComplexityAnalysis::default())
        .await?;
    let update = FeedbackState::update().complexity_analysis(analysis.clamped());
    Ok(cx.done(&job, update))
}
