//! CHECK COMPLETE: all documents read, confident enough, out of iterations, nothing new: or back to
//! the planner.

use research_agents_runtime::event::Note;
use research_agents_runtime::limits::{Exceeded, Stop};
use research_core::{Cx, NodeError};

use crate::cx::{DatasetCx, Services};
use crate::data::completion::Completion;
use crate::state::completion::completion;
use crate::state::model::{DatasetState, DatasetStateUpdate};

pub(crate) async fn check_complete(
    cx: Cx<DatasetState, Services>,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    let update = check(&cx);
    Ok(cx.done(update))
}

fn check(cx: &DatasetCx) -> DatasetStateUpdate {
    let state = cx.state();
    let update = DatasetState::update();
    if state.final_report.is_some() {
        return update.completion(Completion::Planner);
    }

    let reason =
        completion(state, cx.config()).filter(|_| state.pending_sub_agent_calls.is_empty());
    match (cx.job().stop(), reason) {
        (Some(Stop::Cancelled), _) => {
            // A scan that was stopped is reported with the coverage.
            let is_reported = state.coverage().stopped_early.is_some();
            let note = (!is_reported).then(|| Note::own("the run was stopped before its end"));
            return update
                .completion(Completion::Cancelled)
                .notes(note.into_iter().collect::<Vec<_>>());
        }
        // What the budget cut short may look complete by another rule; only a whole reading is.
        (Some(Stop::Budget(exceeded)), reason) if reason != Some(Completion::AllDocumentsRead) => {
            return update
                .completion(Completion::Budget)
                .notes(vec![budget_note(&exceeded)]);
        }
        _ => {}
    }

    // Calls that wait for others are part of the iteration: it is judged when they are done.
    if !state.pending_sub_agent_calls.is_empty() {
        return update;
    }

    match reason {
        Some(reason) => update.completion(reason),
        None => update,
    }
}

/// Says in the report why gathering ended.
pub(crate) fn budget_note(exceeded: &Exceeded) -> Note {
    Note::own(format!(
        "{exceeded}: gathering ended, and the report covers what there was by then"
    ))
}
