//! STREAM TO UI: emits the finished report part by part, and ends the run.

use research_core::{Cx, NodeError};

use crate::dataset::event::{DatasetEventKind, Phase};
use crate::dataset::services::{DatasetCx, Services};
use crate::dataset::state::{DatasetState, DatasetStateUpdate};

pub(in crate::dataset) async fn stream_report(cx: Cx<DatasetState, Services>) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    let state = cx.state();
    let report = state.final_report.clone().unwrap_or_default();
    cx.emit(DatasetEventKind::ReportStart);
    // Every sentence was checked before it is shown, so the report streams by paragraphs, not by tokens.
    for part in report.split_inclusive("\n\n") {
        cx.emit(DatasetEventKind::ReportDelta { text: part.to_owned() });
    }
    cx.emit(DatasetEventKind::ReportEnd { report, document: state.final_document.clone().map(Box::new) });
    cx.emit(DatasetEventKind::KeyFindings { key_findings: state.key_findings.clone() });
    let usage = state.usage;
    cx.emit(DatasetEventKind::Usage {
        tokens_in: usage.tokens_in,
        tokens_out: usage.tokens_out,
        llm_calls: usage.llm_calls,
        mcp_calls: usage.mcp_calls,
    });
    cx.phase(Phase::Complete);
    let percent = cx.progress(100, "done");
    Ok(DatasetState::update().current_phase(Phase::Complete).progress_percentage(percent))
}
