//! EXECUTE AGENTS and EXECUTE TOOLS: carry out one call of the plan each, side by side. A call that fails is a result too.

use std::time::Instant;

use research_core::{Cx, NodeError};
use serde_json::Value;

use crate::Error;
use crate::dataset::arguments::complete;
use crate::dataset::contribution::Contribution;
use crate::dataset::event::DatasetEventKind;
use crate::dataset::record::{SubAgentCall, ToolCall};
use crate::dataset::results::read_result;
use crate::dataset::services::{DatasetCx, Services};
use crate::dataset::state::{Call, CallError, CallOutcome, DatasetState, DatasetStateUpdate};
use crate::suggest::closest;

pub(in crate::dataset) async fn execute_agent(
    cx: Cx<DatasetState, Services>,
    mut call: SubAgentCall,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    let _slot = cx.slot().await;
    let agent = call.agent.clone();
    cx.emit(DatasetEventKind::AgentStarted { agent: agent.clone() });
    let start = Instant::now();
    let registry = &cx.services().agents;
    let result = match registry.input_schema(&agent) {
        Ok(schema) => {
            let arguments = complete(&agent, std::mem::take(&mut call.arguments), &schema, cx.state(), cx.config());
            let fetches = registry.card(&agent).is_ok_and(|card| card.fetches_data);
            let own = if fetches { cx.clone() } else { cx.without_tools() };
            let result = registry.call(&agent, &own, Value::Object(arguments.clone())).await;
            call.arguments = arguments;
            result.map(|output| Contribution::from_output(&output)).map_err(Error::from)
        }
        Err(unknown) => Err(unknown.into()),
    };
    let ms = elapsed(start);
    cx.emit(DatasetEventKind::AgentFinished { agent: agent.clone(), ok: result.is_ok(), ms });
    // The state has these already; a plan is remembered without a copy of them.
    for large in ["findings", "sub_questions", "aggregation_results", "documents"] {
        call.arguments.remove(large);
    }
    let fetched_data = registry.card(&agent).is_ok_and(|card| card.fetches_data);
    Ok(update(&cx, Call::Agent(call), ms, fetched_data, result))
}

pub(in crate::dataset) async fn execute_tool(
    cx: Cx<DatasetState, Services>,
    call: ToolCall,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    let _slot = cx.slot().await;
    let start = Instant::now();
    let result = run_tool(&cx, &call).await;
    Ok(update(&cx, Call::Tool(call), elapsed(start), true, result))
}

async fn run_tool(cx: &DatasetCx, call: &ToolCall) -> Result<Contribution, Error> {
    let enabled = &cx.state().enabled_tools;
    if !enabled.contains(&call.tool) {
        return Err(Error::UnknownTool {
            name: call.tool.clone(),
            suggestion: closest(&call.tool, enabled.iter().map(String::as_str)).map(str::to_owned),
            known: enabled.clone(),
        });
    }
    let result = cx.call_tool(&call.tool, call.arguments.clone()).await?;
    Ok(read_result(&call.tool, &call.arguments, &result, &cx.reading(&call.tool), 1))
}

fn update(
    cx: &DatasetCx,
    call: Call,
    elapsed_ms: u64,
    fetched_data: bool,
    result: Result<Contribution, Error>,
) -> DatasetStateUpdate {
    let (contribution, error) = match result {
        Ok(contribution) => (contribution, None),
        Err(error) => {
            if !cx.is_cancelled() {
                cx.warn(&error);
            }
            (Contribution::default(), Some(CallError { category: error.category(), message: error.to_string() }))
        }
    };
    let outcome = CallOutcome { call, elapsed_ms, fetched_data, contribution: Box::new(contribution), error };
    DatasetState::update().outcomes(vec![outcome]).usage(cx.used())
}

fn elapsed(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}
