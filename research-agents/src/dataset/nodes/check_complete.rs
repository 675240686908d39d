//! CHECK COMPLETE: all documents read, confident enough, out of iterations, nothing new: or back to the planner.

use research_core::{Cx, NodeError};

use crate::dataset::completion::completion;
use crate::dataset::services::{DatasetCx, Services};
use crate::dataset::state::{Completion, DatasetState, DatasetStateUpdate};

pub(in crate::dataset) async fn check_complete(
    cx: Cx<DatasetState, Services>,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    let state = cx.state();
    let update = DatasetState::update();
    if state.final_report.is_some() {
        return Ok(update.completion(Completion::Planner));
    }
    if cx.is_cancelled() {
        // A scan that was stopped says so itself, where the report tells how far it came.
        let told = state.coverage().stopped_early.is_some();
        let note = (!told).then(|| "the run was stopped before its end".to_owned());
        return Ok(update.completion(Completion::Cancelled).notes(note.into_iter().collect::<Vec<_>>()));
    }
    // Calls that wait for others are part of the iteration: it is judged when they are done.
    if !state.pending_sub_agent_calls.is_empty() {
        return Ok(update);
    }
    Ok(match completion(state, cx.config()) {
        Some(reason) => update.completion(reason),
        None => update,
    })
}
