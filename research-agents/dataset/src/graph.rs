//! The graph of the dataset agent: its nodes and edges.

pub(crate) mod accumulate;
pub(crate) mod check_complete;
pub(crate) mod clarify;
pub(crate) mod execute;
pub(crate) mod initialize;
pub(crate) mod merge;
pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod read_question;
pub(crate) mod stream_report;
pub(crate) mod synthesizer;

use research_core::{BuildError, CompiledGraph, END, Graph, Sends, Targets};

use crate::cx::Services;
use crate::graph::accumulate::accumulate;
use crate::graph::check_complete::check_complete;
use crate::graph::clarify::clarify;
use crate::graph::execute::{execute_agent, execute_tool};
use crate::graph::initialize::initialize;
use crate::graph::plan::correct::ready;
use crate::graph::planner::plan;
use crate::graph::stream_report::stream_report;
use crate::graph::synthesizer::synthesize;
use crate::state::model::DatasetState;

/// Returns the graph of the dataset agent, to run, embed or draw.
///
/// ```text
/// initialize → planner → { execute_agents ∥ execute_tools } → accumulate → check_complete
///                 ↑                                                             │
///                 └──────────────────────────── no ─────────────────────────────┤
///                                                                               │ yes
///                                                       stream_report ← synthesizer
/// ```
///
/// Between `initialize` and `planner` a question that can be read in several ways passes `clarify`,
/// which asks the user or takes the likeliest reading.
///
/// # Errors
///
/// Never in a released version: the graph is checked by a test.
pub fn graph() -> Result<CompiledGraph<DatasetState, Services>, BuildError> {
    let mut g = Graph::<DatasetState, Services>::new("dataset");
    let initialize = g.node("initialize", initialize);
    let clarify = g.node("clarify", clarify);
    let planner = g.node("planner", plan);
    let execute_agents = g.task("execute_agents", execute_agent);
    let execute_tools = g.task("execute_tools", execute_tool);
    let accumulate = g.node("accumulate", accumulate);
    let check_complete = g.node("check_complete", check_complete);
    let synthesizer = g.node("synthesizer", synthesize);
    let stream_report = g.node("stream_report", stream_report);

    // Both paths start in one step: the sub-agents that wait for no call, and the tools.
    let execute = move |state: &DatasetState| -> Sends {
        let agents = ready(&state.pending_sub_agent_calls, &state.pending_tool_calls);
        let agents = agents
            .into_iter()
            .map(move |call| execute_agents.send(call));
        agents
            .chain(
                state
                    .pending_tool_calls
                    .iter()
                    .cloned()
                    .map(|call| execute_tools.send(call)),
            )
            .collect()
    };
    let has_calls = |state: &DatasetState| {
        !state.pending_sub_agent_calls.is_empty() || !state.pending_tool_calls.is_empty()
    };

    g.entry(initialize)
        .route(initialize, move |state: &DatasetState| -> Targets {
            if state.is_unclear {
                clarify.into()
            } else {
                planner.into()
            }
        })
        .edge(clarify, planner)
        .route(planner, move |state: &DatasetState| -> Targets {
            match state.completion {
                Some(_) => synthesizer.into(),
                None if has_calls(state) => execute(state).into(),
                None => accumulate.into(),
            }
        })
        .edge(execute_agents, accumulate)
        .edge(execute_tools, accumulate)
        .edge(accumulate, check_complete)
        .route(check_complete, move |state: &DatasetState| -> Targets {
            match state.completion {
                _ if state.final_report.is_some() => stream_report.into(),
                Some(_) => synthesizer.into(),
                None if has_calls(state) => execute(state).into(),
                None => planner.into(),
            }
        })
        .edge(synthesizer, stream_report)
        .edge(stream_report, END);
    g.compile()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_graph_compiles_and_has_the_nodes_of_the_picture() {
        let graph = crate::graph::graph().unwrap();
        let names: Vec<&str> = graph.node_names().collect();
        assert_eq!(
            names,
            [
                "initialize",
                "clarify",
                "planner",
                "execute_agents",
                "execute_tools",
                "accumulate",
                "check_complete",
                "synthesizer",
                "stream_report"
            ]
        );
    }
}
