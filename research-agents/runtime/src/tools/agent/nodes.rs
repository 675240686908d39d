//! The two nodes of an agent with tools, and their graph.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use research_agents_report::text::Marker;
use research_core::{BuildError, CompiledGraph, END, Graph, NodeError, Sends, Targets};
use research_llm::tool::{read_arguments, recover_calls};
use research_llm::{Message, ToolCall, ToolDefinition, ToolResult};
use serde_json::Value;

use crate::error::model::Error;
use crate::job::{Job, JobDone, ToolAnswer};
use crate::tools::agent::event::ToolLoopEvent;
use crate::tools::agent::services::{ToolCx, ToolServices};
use crate::tools::agent::state::{ToolLoopState, ToolLoopStateUpdate, calls_of};
use crate::tools::hub::deferred::{Wanted, wanted};
use crate::tools::hub::present;

/// Returns the graph of an agent with tools, to run, embed or draw.
///
/// # Errors
///
/// Never in a released version, because a test compiles the graph.
pub fn graph() -> Result<CompiledGraph<ToolLoopState, ToolServices>, BuildError> {
    let mut g = Graph::<ToolLoopState, ToolServices>::new("tool_loop");
    let model = g.node("model", ask);
    let tool = g.task("tool", call);
    g.entry(model)
        .route(model, move |state: &ToolLoopState| -> Targets {
            let calls: Vec<ToolCall> = state.pending().cloned().collect();
            if calls.is_empty() {
                END.into()
            } else {
                calls
                    .into_iter()
                    .map(|call| tool.send(call))
                    .collect::<Sends>()
                    .into()
            }
        })
        .edge(tool, model);

    g.compile()
}

/// Asks the model with the conversation so far.
async fn ask(cx: ToolCx) -> Result<ToolLoopStateUpdate, NodeError> {
    let (state, services) = (&*cx.state, &*cx.resources);
    let job = services.job(&cx);
    let iteration = state.iteration + 1;
    cx.emit(ToolLoopEvent::Asking { iteration });

    // A run that must stop asks once more, for an answer from what there is.
    let stop = job.stop();
    let is_last = iteration >= services.max_iterations || stop.is_some();
    let marker = if state.marker.is_empty() {
        services.kit.marker().clone()
    } else {
        Marker::fixed(&state.marker)
    };
    let mut turns: Vec<Message> = Vec::new();
    if !state.results.is_empty() {
        turns.push(Message::tools(state.results.iter().cloned()));
    }
    let messages = state.messages.iter().chain(&turns);
    let request = services.request(&marker, messages, is_last);

    // Stream the answer as the pieces of a message.
    let id: Arc<str> = format!("answer-{iteration}").into();
    let show = |text: &str| cx.message(Arc::clone(&id), text);
    let response = job.chat("answer", request, is_last, show).await?;
    let mut response = if is_last {
        response
    } else {
        recover_calls(response, &services.definitions)
    };
    let taken = calls_of(&state.messages).map(|call| call.id.clone());
    make_ids_unique(&mut response.tool_calls, iteration, taken.collect());

    turns.push(response.to_message());
    let done = job.done();
    let update = ToolLoopState::update()
        .messages(turns)
        .marker(marker.word())
        .iteration(iteration)
        .usage(response.usage)
        .active_ms(u64::try_from(done.active.as_millis()).unwrap_or(u64::MAX))
        .is_limited(is_last && !services.definitions.is_empty())
        .finish(response.finish);
    let update = stop
        .iter()
        .fold(update, |update, stop| update.stopped_by(stop.to_string()));
    let update = if state.iteration == 0 {
        update.used_before(state.used)
    } else {
        update
    };
    let update = record(update, done);
    Ok(if response.tool_calls.is_empty() || is_last {
        update.answer(response.text)
    } else {
        update
    })
}

/// Gives every call an id that no other call of the conversation has; some servers send none, or
/// the same with every answer.
fn make_ids_unique(calls: &mut [ToolCall], iteration: u32, mut taken: HashSet<String>) {
    for (at, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() || taken.contains(&call.id) {
            let free = (0..)
                .map(|round| format!("call_{iteration}_{at}_{round}"))
                .find(|id| !taken.contains(id));
            call.id = free.unwrap_or_default();
        }
        taken.insert(call.id.clone());
    }
}

/// Runs one tool.
async fn call(cx: ToolCx, call: ToolCall) -> Result<ToolLoopStateUpdate, NodeError> {
    let (services, job) = (&*cx.resources, cx.resources.job(&cx));
    let started = ToolLoopEvent::ToolStarted {
        call_id: call.id.clone(),
        tool: call.name.clone(),
        arguments: call.arguments.clone(),
    };
    cx.emit(started);

    let start = Instant::now();
    let mut result = result_of(&job, services, &call).await?;
    let finished = ToolLoopEvent::ToolFinished {
        call_id: call.id,
        tool: call.name,
        ok: !result.is_error,
        ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    cx.emit(finished);

    result.content = services.marked(result.content, &cx.state.marker);
    let update = ToolLoopState::update().results(vec![result]);
    Ok(record(update, job.done()))
}

/// Makes a call and returns the result that the model is shown. A failure is a result too.
async fn result_of(
    job: &Job,
    services: &ToolServices,
    call: &ToolCall,
) -> Result<ToolResult, NodeError> {
    let failed = |problem: String| Ok(ToolResult::new(call, problem).error());
    if !services
        .definitions
        .iter()
        .any(|tool| tool.name == call.name)
    {
        return failed(not_allowed(&call.name, &services.definitions));
    }
    let arguments = match read_arguments(&call.arguments) {
        Ok(Value::Object(arguments)) => arguments,
        Ok(_) => return failed("the arguments are no JSON object".to_owned()),
        Err(problem) => return failed(problem),
    };

    // With many tools the model calls one by way of another that finds them.
    let hub = services.tools.hub.as_ref();
    let (name, arguments) = match hub.map(|hub| wanted(hub, &call.name, arguments.clone())) {
        None => (call.name.clone(), arguments),
        Some(Ok(Wanted::Call { name, arguments })) => (name, arguments),
        Some(Ok(Wanted::Found(found))) => return Ok(ToolResult::new(call, found)),
        Some(Err(problem)) => return failed(problem),
    };

    match job
        .call_and_ask("result", &call.id, &name, arguments)
        .await?
    {
        Ok(ToolAnswer { output, .. }) if output.is_error => failed(present::result(&output)),
        Ok(ToolAnswer { output, .. }) => Ok(ToolResult::new(call, present::result(&output))),
        Err(Error::Tool(error)) => failed(present::failure(&error)),
        Err(error) => failed(error.to_string()),
    }
}

fn not_allowed(name: &str, allowed: &[ToolDefinition]) -> String {
    let names: Vec<&str> = allowed.iter().map(|tool| tool.name.as_str()).collect();
    format!(
        "no tool `{name}` may be called; there are: {}",
        names.join(", ")
    )
}

/// Adds what a job did to the update of its task.
fn record(update: ToolLoopStateUpdate, done: JobDone) -> ToolLoopStateUpdate {
    let update = update.used(done.usage);
    done.record
        .into_iter()
        .fold(update, |update, record| update.recording([record]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graph_compiles() {
        let graph = graph().unwrap();
        assert_eq!(graph.node_names().collect::<Vec<_>>(), ["model", "tool"]);
    }

    #[test]
    fn ids_of_calls_are_made_unique() {
        let mut calls = ["", "a", "a", "b"].map(|id| ToolCall::new(id, "t", "{}"));
        make_ids_unique(&mut calls, 3, HashSet::from(["b".to_owned()]));
        assert_eq!(
            calls.map(|call| call.id),
            ["call_3_0_0", "a", "call_3_2_0", "call_3_3_0"]
        );
    }
}
