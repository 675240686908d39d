//! The graph: its nodes, its edges and its routes.

use research_agents_runtime::error::Error;
use research_agents_scr::memo::SectionKind;
use research_core::{CompiledGraph, END, Graph, Sends, Targets};

use crate::agent::citation::citation_agent;
use crate::agent::complexity::complexity_analyzer;
use crate::agent::decision::decision;
use crate::agent::filter::filter_findings;
use crate::agent::kit::FeedbackKit;
use crate::agent::lead::lead_researcher;
use crate::agent::state::FeedbackState;
use crate::agent::subagent::subagent;
use crate::agent::synthesizer::{complete_synthesis, synthesizer};
use crate::agent::verifier::verifier;
use crate::config::FeedbackConfig;

/// The name under which bundles keep runs of the workflow.
pub(crate) const NAME: &str = "feedback";

/// Builds the graph.
pub(crate) fn graph(
    config: &FeedbackConfig,
) -> Result<CompiledGraph<FeedbackState, FeedbackKit>, Error> {
    let (memo, verifies) = (config.memo, config.verify);
    let mut g = Graph::<FeedbackState, FeedbackKit>::new(NAME);
    let analyzing = g.node("complexity_analyzer", complexity_analyzer);
    let leading = g.node("lead_researcher", lead_researcher);
    let researching = g.task("subagent", subagent);
    let filtering = g.node("filter_findings", filter_findings);
    let writing = g.node("synthesizer", synthesizer);
    let deciding = g.node("decision", decision);
    let completing = g.node("complete_synthesis", complete_synthesis);
    let verifying = g.node("verifier", verifier);
    let citing = g.node("citation_agent", citation_agent);

    let after_memo = move || -> Targets {
        if verifies {
            verifying.into()
        } else {
            citing.into()
        }
    };
    g.entry(analyzing)
        .edge(analyzing, leading)
        .edge(researching, filtering)
        .edge(filtering, writing)
        .edge(verifying, citing)
        .edge(citing, END)
        .route(leading, move |state: &FeedbackState| -> Targets {
            let sends: Sends = state
                .subagent_tasks
                .iter()
                .map(|task| researching.send(task.clone()))
                .collect();
            if state.subagent_tasks.is_empty() || state.early_end.is_some() {
                filtering.into()
            } else {
                sends.into()
            }
        })
        .route(writing, move |state: &FeedbackState| -> Targets {
            if state.error.is_none() && state.memo.next_step(memo.until(), &memo).is_some() {
                writing.into()
            } else {
                deciding.into()
            }
        })
        .route(deciding, move |state: &FeedbackState| -> Targets {
            if state.needs_more_research {
                leading.into()
            } else if state
                .memo
                .next_step(SectionKind::Resolution, &memo)
                .is_some()
            {
                completing.into()
            } else {
                after_memo()
            }
        })
        .route(completing, move |state: &FeedbackState| -> Targets {
            let next = state.memo.next_step(SectionKind::Resolution, &memo);
            if next.is_some() {
                completing.into()
            } else {
                after_memo()
            }
        });
    Ok(g.compile()?)
}
