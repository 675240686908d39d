//! STREAM TO UI: emits the finished report part by part, and ends the run.

use research_core::{Cx, NodeError};

use crate::dataset::event::{DatasetEventKind, Phase};
use crate::dataset::services::{DatasetCx, Services};
use crate::dataset::state::{DatasetState, DatasetStateUpdate};
use crate::kernel::BudgetLeft;

pub(in crate::dataset) async fn stream_report(cx: Cx<DatasetState, Services>) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    // Another report than the recorded one is not shown.
    if let Some(expected) = &cx.services().replays {
        expected.gives(cx.state().final_report.as_deref().unwrap_or_default())?;
    }
    told(cx.state(), Some(cx.budget().left())).into_iter().for_each(|event| cx.emit(event));
    cx.phase(Phase::Complete);
    let percent = cx.progress(100, "done");
    Ok(cx.kept(DatasetState::update().current_phase(Phase::Complete).progress_percentage(percent)))
}

/// The report of a run as events, with what its budget has left while it runs.
pub(in crate::dataset) fn told(state: &DatasetState, left: Option<BudgetLeft>) -> Vec<DatasetEventKind> {
    let report = state.final_report.clone().unwrap_or_default();
    let mut events = vec![DatasetEventKind::ReportStart];
    // Every sentence was checked before it is shown, so the report streams by paragraphs, not by tokens.
    events.extend(report.split_inclusive("\n\n").map(|part| DatasetEventKind::ReportDelta { text: part.to_owned() }));
    events.push(DatasetEventKind::ReportEnd { report, document: state.final_document.clone().map(Box::new) });
    events.push(DatasetEventKind::KeyFindings { key_findings: state.key_findings.clone() });
    let usage = state.usage;
    events.push(DatasetEventKind::Usage {
        tokens_in: usage.tokens_in,
        tokens_out: usage.tokens_out,
        llm_calls: usage.llm_calls,
        mcp_calls: usage.mcp_calls,
        cost: state.cost_usd,
        budget_left: left,
    });
    events
}
