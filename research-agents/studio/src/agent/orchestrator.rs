//! Hands research questions to sub-agents.

use research_agents_fieldwork::assignment::Assignment;
use research_agents_runtime::run::NodeJob;
use research_core::{Cx, NodeError};

use crate::agent::kit::StudioKit;
use crate::agent::state::{StudioState, StudioStateUpdate};

/// Assigns the questions of the plan in the first round, and the refinements of the gap detector
/// after it. Queries that were asked before are left out.
pub(super) async fn orchestrator(
    cx: Cx<StudioState, StudioKit>,
) -> Result<StudioStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    let wanted: Vec<Assignment> = if state.research_iteration == 0 {
        let questions = state.research_plan.research_questions.iter();
        let assignment = |question: &crate::records::ResearchQuestion| {
            Assignment::new(&*question.id, &*question.question)
                .with_queries(question.queries.iter().cloned())
                .in_section(&*question.section)
        };
        questions.map(assignment).collect()
    } else {
        state.refinements.clone()
    };

    let round = state.research_iteration + 1;
    let mut asked = state.asked.clone();
    let assignments = if job.is_stopped() {
        Vec::new()
    } else {
        asked.admit_all(wanted)
    };
    job.phase("researching");
    let rounds = cx.resources.config.stops.max_iterations.max(round);
    let percent = 10 + 70 * (round - 1) / rounds;
    job.progress(
        u8::try_from(percent).unwrap_or(80),
        format!("round {round}: {} questions", assignments.len()),
    );

    let update = StudioState::update()
        .research_iteration(round)
        .subagent_assignments(assignments)
        .asked(asked)
        .refinements(Vec::new())
        .has_steered(false);
    Ok(cx.done(&job, update))
}
