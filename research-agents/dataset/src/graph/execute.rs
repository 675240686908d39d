//! EXECUTE AGENTS and EXECUTE TOOLS: carry out one call of the plan each, concurrently. A call that
//! fails is a result too.

use std::time::Instant;

use research_agents_runtime::error::{Error, closest};
use research_agents_runtime::event::{Note, RunEvent, clause};
use research_agents_runtime::job::{less_may_help, was_retried};
use research_agents_runtime::limits::Changed;
use research_agents_runtime::limits::policy::{Action, ReasonCode};
use research_agents_runtime::tools::registry::SubAgentError;
use research_core::{Cx, NodeError};
use research_mcp::McpError;
use serde_json::Value;

use crate::agents::contribute::contribution;
use crate::cx::{DatasetCx, Services, TOOLS_ROLE};
use crate::data::call::{Call, CallError, CallOutcome};
use crate::data::contribution::Contribution;
use crate::data::names::STATE_OWNED;
use crate::data::record::{Object, SubAgentCall, ToolCall};
use crate::graph::plan::arguments::{complete, complete_but};
use crate::state::model::{DatasetState, DatasetStateUpdate};
use crate::tools::reduce::{reduce, shortfall};
use crate::tools::results::read_result;

pub(crate) async fn execute_agent(
    cx: Cx<DatasetState, Services>,
    mut call: SubAgentCall,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    let _slot = cx.job().slot().await;
    let agent = call.agent.clone();
    cx.emit(RunEvent::AgentStarted {
        agent: agent.clone(),
    });

    let start = Instant::now();
    let registry = cx.agents();
    let result = match registry.input_schema(&agent) {
        Ok(schema) => {
            let given = std::mem::take(&mut call.arguments);
            let planned = PlannedAgent {
                agent: &agent,
                schema: &schema,
            };
            // An agent whose card does not say that it fetches data gets no tools.
            let fetches = registry.card(&agent).is_ok_and(|card| card.fetches_data);
            let own = if fetches {
                cx.clone()
            } else {
                cx.without_tools()
            }
            .in_role(&agent);
            let (result, arguments) = run_agent(&own, &planned, given).await;
            call.arguments = arguments;
            result
        }
        Err(unknown) => Err(unknown.into()),
    };

    let ms = elapsed(start);
    cx.emit(RunEvent::AgentFinished {
        agent: agent.clone(),
        ok: result.is_ok(),
        ms,
    });

    // The state has these already; a plan is remembered without a copy of them.
    for owned in STATE_OWNED {
        call.arguments.remove(*owned);
    }

    let fetched_data = registry.card(&agent).is_ok_and(|card| card.fetches_data);
    Ok(update(&cx, Call::Agent(call), ms, fetched_data, result))
}

/// A sub-agent that a plan calls.
struct PlannedAgent<'a> {
    agent: &'a str,
    schema: &'a Value,
}

impl PlannedAgent<'_> {
    /// Returns the arguments of the plan, completed with those that the agent does not fill itself.
    fn completed(&self, cx: &DatasetCx, given: Object) -> Object {
        let filled = cx.agents().filled(self.agent).unwrap_or_default();
        let (state, config) = (cx.state(), cx.config());
        complete_but(filled, self.agent, given, self.schema, state, config)
    }

    /// Returns the arguments with those that the agent fills. A recording knows a pause by them.
    fn in_full(&self, cx: &DatasetCx, arguments: Object) -> Object {
        complete(self.agent, arguments, self.schema, cx.state(), cx.config())
    }
}

/// Runs a sub-agent. One that failed as a whole for a passing reason is run again, with smaller
/// arguments where that may help; not one of whose calls failed that were made again already.
async fn run_agent(
    cx: &DatasetCx,
    planned: &PlannedAgent<'_>,
    given: Object,
) -> (Result<Contribution, Error>, Object) {
    let mut arguments = planned.completed(cx, given);
    let mut failed = 0;
    loop {
        let output = cx
            .agents()
            .run(planned.agent, cx, Value::Object(arguments.clone()))
            .await;
        let error = match output.and_then(contribution) {
            Ok(contribution) => return (Ok(contribution), arguments),
            Err(error) => Error::from(error),
        };

        // A retry asks for less if less may help; the arguments that were sent in the end are
        // returned.
        failed += 1;
        let mut fewer = arguments.clone();
        let changed = if less_may_help(&error) {
            reduce(&mut fewer)
        } else {
            Changed::new()
        };

        let is_pointless =
            was_retried(&error) || (error.category().needs_less() && changed.is_empty());
        if is_pointless
            || cx.is_cancelled()
            || !cx
                .job()
                .retry(
                    planned.agent,
                    &planned.in_full(cx, arguments.clone()),
                    failed,
                    &error,
                    changed,
                )
                .await
        {
            return (Err(error), arguments);
        }

        arguments = fewer;
    }
}

pub(crate) async fn execute_tool(
    cx: Cx<DatasetState, Services>,
    mut call: ToolCall,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx).in_role(TOOLS_ROLE);
    let _slot = cx.job().slot().await;
    let start = Instant::now();
    let result = run_tool(&cx, &mut call).await;
    Ok(update(&cx, Call::Tool(call), elapsed(start), true, result))
}

/// Carries the call out. Afterwards the call contains what was sent in the end, for later calls to
/// begin with.
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
    let reading = cx.reading(&call.tool);
    let asked = reading.arguments.in_words_of_a_plan(&sent);
    let mut contribution = read_result(&call.tool, &asked, &result, &reading, 1);
    contribution
        .notes
        .extend(shortfall(&call.arguments, &sent).map(Note::own));
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
                told: reader_message(cx, &call, &error),
                is_invalid: could_not_begin(&error),
                message: error.to_string(),
            };
            (Contribution::default(), Some(error))
        }
    };

    let outcome = CallOutcome {
        call,
        elapsed_ms,
        fetched_data,
        contribution: Box::new(contribution),
        error,
    };
    cx.done(DatasetState::update().outcomes(vec![outcome]))
}

/// Returns a failure for the reader of a report. The name that was called may be anybody's text,
/// unless it exists.
fn reader_message(cx: &DatasetCx, call: &Call, error: &Error) -> String {
    let name = match call {
        Call::Agent(call) if cx.agents().card(&call.agent).is_ok() => &call.agent,
        Call::Tool(call) if cx.state().enabled_tools.contains(&call.tool) => &call.tool,
        Call::Agent(_) => return "a plan called a sub-agent that there is none of".to_owned(),
        Call::Tool(_) => return "a plan called a tool that this run does not use".to_owned(),
    };
    format!("a call of {name} failed: {}", clause(&error.user_message()))
}

/// Returns whether what was given is to blame, so that nothing was done at all. A role that may
/// call no tool is not.
fn could_not_begin(error: &Error) -> bool {
    match error.root() {
        Error::Filters { .. }
        | Error::Condition { .. }
        | Error::UnknownField { .. }
        | Error::UnknownTool { .. } => true,
        Error::Refused(refusal) => refusal.action != Action::Tool,
        Error::Tool(error) => is_refused_for_its_arguments(error),
        Error::SubAgent(error) => match &**error {
            SubAgentError::Unknown { .. } | SubAgentError::InvalidInput { .. } => true,
            SubAgentError::Failed { source, .. } => could_not_begin(source),
            _ => false,
        },
        _ => false,
    }
}

/// Returns `true` if a page was refused for an address or a path in its arguments. Pagers see a
/// refusal as a tool error, which carries its code.
fn is_refused_for_its_arguments(error: &McpError) -> bool {
    const CODES: [ReasonCode; 10] = [
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

    let McpError::Refused {
        code: Some(code), ..
    } = error
    else {
        return false;
    };
    CODES.iter().any(|known| known.as_str() == code)
}

fn elapsed(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}
