//! The node `stream_report`: emits the finished report part by part, and ends the run.

use research_agents_runtime::event::RunEvent;
use research_agents_runtime::limits::BudgetLeft;
use research_core::{Cx, NodeError};

use crate::cx::{DatasetCx, Services};
use crate::data::event::Phase;
use crate::state::model::{DatasetState, DatasetStateUpdate};

pub(crate) async fn stream_report(
    cx: Cx<DatasetState, Services>,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    // A replay never shows a report that differs from the recorded one.
    if let Some(expected) = cx.job().kit().expected() {
        expected.compare_report(cx.state().final_report.as_deref().unwrap_or_default())?;
    }

    let left = cx.budget().left();
    report_events(cx.state(), Some(left))
        .into_iter()
        .for_each(|event| cx.emit(event));
    cx.phase(Phase::Complete);
    let percent = cx.progress(100, "done");

    let update = DatasetState::update()
        .current_phase(Phase::Complete)
        .progress_percentage(percent);
    Ok(cx.done(update))
}

/// Returns the events that stream the report of a run. `left` is the remaining budget of a run that
/// has not ended.
pub(crate) fn report_events(state: &DatasetState, left: Option<BudgetLeft>) -> Vec<RunEvent> {
    let report = state.final_report.as_deref().unwrap_or_default();
    let mut events = RunEvent::report(report, state.final_document.clone());
    events.push(RunEvent::KeyFindings {
        key_findings: state.key_findings.clone(),
    });
    events.push(RunEvent::usage(&state.usage, state.cost_usd, left));
    events
}
