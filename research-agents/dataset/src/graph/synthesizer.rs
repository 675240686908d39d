//! SYNTHESIZER: has the report written by the agent of that name, when the planner has not done so.

use research_agents_runtime::error::{Error, ErrorCategory};
use research_agents_runtime::event::RunEvent;
use research_core::{Cx, NodeError};
use serde_json::Value;

use crate::agents::contribute::contribution;
use crate::cx::{DatasetCx, Services};
use crate::data::completion::Completion;
use crate::data::event::Phase;
use crate::data::names::SYNTHESIZER;
use crate::data::record::Object;
use crate::graph::plan::arguments::complete_but;
use crate::state::model::{DatasetState, DatasetStateUpdate};

pub(crate) async fn synthesize(
    cx: Cx<DatasetState, Services>,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    let state = cx.state();

    // A failed planner may still have a model that can say so; in all other cases a report from
    // nothing would be a lie.
    if !state.has_data() && state.completion != Some(Completion::PlanningFailed) {
        return Err(nothing(state).into());
    }

    let percent = cx.progress(85, "writing the report");

    let registry = cx.agents();
    let schema = registry.input_schema(SYNTHESIZER).map_err(Error::from)?;
    let filled = registry.filled(SYNTHESIZER).map_err(Error::from)?;
    let arguments = complete_but(
        filled,
        SYNTHESIZER,
        Object::new(),
        &schema,
        state,
        cx.config(),
    );

    let start = std::time::Instant::now();
    cx.emit(RunEvent::AgentStarted {
        agent: SYNTHESIZER.to_owned(),
    });
    let output = registry
        .run(
            SYNTHESIZER,
            &cx.without_tools().in_role(SYNTHESIZER),
            Value::Object(arguments),
        )
        .await;
    let result = output.and_then(contribution);
    let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    cx.emit(RunEvent::AgentFinished {
        agent: SYNTHESIZER.to_owned(),
        ok: result.is_ok(),
        ms,
    });

    let written = match result {
        Ok(written) => written,
        Err(_) if !state.has_data() => return Err(nothing(state).into()),
        Err(error) => return Err(Error::from(error).into()),
    };

    let update = DatasetState::update()
        .final_report(written.report.unwrap_or_default())
        .key_findings(written.key_findings)
        .limitations(written.limitations)
        .suggestions(written.suggestions_for_further_research)
        .notes(written.notes)
        .current_phase(Phase::Synthesizing)
        .progress_percentage(percent);
    let update = cx
        .cost()
        .into_iter()
        .fold(update, DatasetStateUpdate::cost_usd);

    Ok(cx.done(
        written
            .document
            .into_iter()
            .fold(update, DatasetStateUpdate::final_document),
    ))
}

fn nothing(state: &DatasetState) -> Error {
    let failed = state
        .completed_calls
        .iter()
        .rev()
        .find_map(|call| call.error.clone());
    let (reason, category) = match (failed, &state.error_message, state.completion) {
        (Some(error), _, _) => (error.message, error.category),
        (None, Some(message), _) => (message.clone(), ErrorCategory::Unknown),
        (None, None, Some(Completion::Cancelled)) => (
            "the run was stopped before anything was read".to_owned(),
            ErrorCategory::Unknown,
        ),
        (None, None, Some(Completion::Budget)) => (
            "the budget was used up before anything was read".to_owned(),
            ErrorCategory::Unknown,
        ),
        _ => (
            "no plan called a data tool".to_owned(),
            ErrorCategory::Unknown,
        ),
    };

    Error::NothingGathered { reason, category }
}
