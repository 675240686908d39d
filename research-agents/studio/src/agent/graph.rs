//! The graph: its nodes, its edges and its routes.

use research_agents_runtime::error::Error;
use research_core::{CompiledGraph, END, Graph, Sends, Targets};

use crate::agent::analyzer::query_analyzer;
use crate::agent::clarify::clarify;
use crate::agent::gap_detector::gap_detector;
use crate::agent::kit::StudioKit;
use crate::agent::orchestrator::orchestrator;
use crate::agent::planner::planner;
use crate::agent::state::StudioState;
use crate::agent::subagent::subagent;
use crate::agent::synthesizer::synthesizer;
use crate::agent::trust_engine::trust_engine;
use crate::agent::writer::writer;
use crate::answers::route::{Next, Progress, Stops, next};

/// The name under which bundles keep runs of the studio.
pub(crate) const NAME: &str = "studio";

/// Maximum number of rounds beyond the settings for questions that the user adds.
const MOST_STEERED: u32 = 3;

/// Builds the graph.
pub(crate) fn graph(stops: Stops) -> Result<CompiledGraph<StudioState, StudioKit>, Error> {
    let mut g = Graph::<StudioState, StudioKit>::new(NAME);
    let analyzing = g.node("query_analyzer", query_analyzer);
    let clarifying = g.node("clarify", clarify);
    let planning = g.node("planner", planner);
    let assigning = g.node("orchestrator", orchestrator);
    let researching = g.task("subagent", subagent);
    let synthesizing = g.node("synthesizer", synthesizer);
    let reviewing = g.node("gap_detector", gap_detector);
    let trusting = g.node("trust_engine", trust_engine);
    let writing = g.node("writer", writer);

    g.entry(analyzing)
        .edge(clarifying, planning)
        .edge(planning, assigning)
        .edge(researching, synthesizing)
        .edge(synthesizing, reviewing)
        .edge(trusting, writing)
        .edge(writing, END)
        .route(analyzing, move |state: &StudioState| -> Targets {
            if state.query_analysis.needs_clarification {
                clarifying.into()
            } else {
                planning.into()
            }
        })
        .route(assigning, move |state: &StudioState| -> Targets {
            let assignments = state.subagent_assignments.iter();
            let sends: Sends = assignments
                .map(|assignment| researching.send(assignment.clone()))
                .collect();
            if state.subagent_assignments.is_empty() {
                synthesizing.into()
            } else {
                sends.into()
            }
        })
        .route(reviewing, move |state: &StudioState| -> Targets {
            if goes_on(state, &stops) {
                assigning.into()
            } else {
                trusting.into()
            }
        });
    Ok(g.compile()?)
}

/// Returns whether another round follows. Questions that the user added get a round even if
/// research is otherwise over.
fn goes_on(state: &StudioState, stops: &Stops) -> bool {
    if state.refinements.is_empty() {
        return false;
    }
    if state.has_steered && state.research_iteration < stops.max_iterations + MOST_STEERED {
        return true;
    }
    let progress = Progress {
        iteration: state.research_iteration,
        confidence: state.overall_confidence,
        previous: state.previous_confidence,
        gaps: state.knowledge_gaps.len(),
    };
    next(&progress, stops) == Next::Orchestrator
}
