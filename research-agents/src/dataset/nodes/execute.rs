//! EXECUTE AGENTS and EXECUTE TOOLS: carry out one call of the plan each, side by side. A call that fails is a result too.

use std::time::Instant;

use research_core::{Cx, NodeError};
use research_mcp::McpError;
use serde_json::Value;

use crate::Error;
use crate::dataset::arguments::complete;
use crate::dataset::contribution::Contribution;
use crate::dataset::event::DatasetEventKind;
use crate::dataset::note::{Note, clause};
use crate::dataset::record::{Object, SubAgentCall, ToolCall};
use crate::dataset::results::read_result;
use crate::dataset::retry::{Changed, again_with, less_may_help, reduce, shortfall, was_tried};
use crate::dataset::services::{DatasetCx, Services, TOOLS_ROLE};
use crate::dataset::state::{Call, CallError, CallOutcome, DatasetState, DatasetStateUpdate};
use crate::kernel::policy::{Action, ReasonCode};
use crate::subagent::SubAgentError;
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
            let own = if fetches { cx.clone() } else { cx.without_tools() }.in_role(&agent);
            let (result, arguments) = run_agent(&own, &agent, arguments).await;
            call.arguments = arguments;
            result
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

/// Runs a sub-agent. One that failed as a whole for a passing reason is run again, with smaller arguments where that may help;
/// not one of whose calls failed that were made again already.
async fn run_agent(cx: &DatasetCx, agent: &str, mut arguments: Object) -> (Result<Contribution, Error>, Object) {
    let mut failed = 0;
    loop {
        let result = cx.services().agents.call(agent, cx, Value::Object(arguments.clone())).await;
        let error = match result {
            Ok(output) => return (Ok(Contribution::from_output(&output)), arguments),
            Err(error) => Error::from(error),
        };
        failed += 1;
        let mut fewer = arguments.clone();
        let changed = if less_may_help(&error) { reduce(&mut fewer) } else { Changed::new() };
        let is_pointless = was_tried(&error) || (error.category().needs_less() && changed.is_empty());
        if is_pointless || cx.is_cancelled() || !again_with(cx, agent, &arguments, failed, &error, changed).await {
            return (Err(error), arguments);
        }
        arguments = fewer;
    }
}

pub(in crate::dataset) async fn execute_tool(
    cx: Cx<DatasetState, Services>,
    mut call: ToolCall,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx).in_role(TOOLS_ROLE);
    let _slot = cx.slot().await;
    let start = Instant::now();
    let result = run_tool(&cx, &mut call).await;
    Ok(update(&cx, Call::Tool(call), elapsed(start), true, result))
}

/// Carries the call out. What was sent in the end stands in the call afterwards, for later calls to begin with.
async fn run_tool(cx: &DatasetCx, call: &mut ToolCall) -> Result<Contribution, Error> {
    let enabled = &cx.state().enabled_tools;
    if !enabled.contains(&call.tool) {
        return Err(Error::UnknownTool {
            name: call.tool.clone(),
            suggestion: closest(&call.tool, enabled.iter().map(String::as_str)).map(str::to_owned),
            known: enabled.clone(),
        });
    }
    let (result, sent) = cx.call_tool_for(&call.tool, call.arguments.clone()).await?;
    let mut contribution = read_result(&call.tool, &sent, &result, &cx.reading(&call.tool), 1);
    contribution.notes.extend(shortfall(&call.arguments, &sent).map(Note::own));
    call.arguments = sent;
    Ok(contribution)
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
            let error = CallError {
                category: error.category(),
                told: told(cx, &call, &error),
                is_invalid: could_not_begin(&error),
                message: error.to_string(),
            };
            (Contribution::default(), Some(error))
        }
    };
    let outcome = CallOutcome { call, elapsed_ms, fetched_data, contribution: Box::new(contribution), error };
    cx.kept(DatasetState::update().outcomes(vec![outcome]).usage(cx.used()))
}

/// A failure for the reader of a report. A name that was called may be anybody's text, unless it is one that there is.
fn told(cx: &DatasetCx, call: &Call, error: &Error) -> String {
    let name = match call {
        Call::Agent(call) if cx.services().agents.card(&call.agent).is_ok() => &call.agent,
        Call::Tool(call) if cx.state().enabled_tools.contains(&call.tool) => &call.tool,
        Call::Agent(_) => return "a plan called a sub-agent that there is none of".to_owned(),
        Call::Tool(_) => return "a plan called a tool that this run does not use".to_owned(),
    };
    format!("a call of {name} failed: {}", clause(&error.user_message()))
}

/// Whether what was given is to blame, so that nothing was done at all. A role that may call no tool is not.
fn could_not_begin(error: &Error) -> bool {
    match error.root() {
        Error::Filters { .. } | Error::Condition { .. } | Error::UnknownField { .. } | Error::UnknownTool { .. } => {
            true
        }
        Error::Refused(refusal) => refusal.action != Action::Tool,
        Error::Tool(error) => is_refused_for_its_arguments(error),
        Error::SubAgent(error) => match &**error {
            SubAgentError::Unknown { .. } | SubAgentError::InvalidInput { .. } => true,
            SubAgentError::Failed { source, .. } => could_not_begin(source),
            SubAgentError::InvalidOutput { .. } => false,
        },
        _ => false,
    }
}

/// Whether a page was refused for an address or a path in its arguments. To who walks pages a refusal comes as an error of the
/// tool, which names the reason at its end.
fn is_refused_for_its_arguments(error: &McpError) -> bool {
    const REASONS: [ReasonCode; 10] = [
        ReasonCode::EgressNone,
        ReasonCode::HostFromUntrusted,
        ReasonCode::PrivateHost,
        ReasonCode::PublicHost,
        ReasonCode::SchemeNotAllowed,
        ReasonCode::CredentialsInAddress,
        ReasonCode::MalformedAddress,
        ReasonCode::PathFromUntrusted,
        ReasonCode::PathEscapes,
        ReasonCode::MalformedPath,
    ];
    let McpError::Refused { reason, .. } = error else { return false };
    let named = reason.strip_suffix(')').and_then(|reason| reason.rsplit_once('(')).map(|(_, code)| code);
    named.is_some_and(|named| REASONS.iter().any(|code| code.as_str() == named))
}

fn elapsed(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}
