//! The calls that compute the answer to the question as code reads it: they are made before a
//! report, whatever a model plans, and they replace a plan that brings nothing new.

use serde_json::Value;

use crate::data::call::CompletedCall;
use crate::data::filters::filters_of;
use crate::data::names::{AGGREGATOR, SCANNER, SYNTHESIZER};
use crate::data::record::{AggregationKind, Object, SubAgentCall};
use crate::data::task::{PlanTask, PlannerOutput};
use crate::offline::plan::computed::computed;
use crate::offline::plan::plan as computed_plan;
use crate::state::model::DatasetState;

/// Arguments that a retry may lower: a call with fewer records or groups is the same call.
const SIZES: [&str; 3] = ["page_size", "top_n", "samples_per_bucket"];

/// Adds the calls that compute the answer to a plan that gathers nothing at first, or that ends the
/// research without them, and replaces a plan that only repeats what was done, or calls nothing, by
/// the computed one. Returns what was changed, in words.
///
/// Nothing changes if the question was not read, or if its tool computes no statistics.
pub(crate) fn start_from_reading(
    plan: &mut PlannerOutput,
    task: &PlanTask,
    state: &DatasetState,
) -> Option<String> {
    let calls = computed(task);
    if calls.is_empty() {
        return None;
    }

    let is_made = |call: &SubAgentCall| {
        let done = state.completed_calls.iter();
        let done = done.map(|done| (&done.name, &done.arguments));
        let planned = plan.sub_agent_calls.iter();
        let planned = planned.map(|planned| (&planned.agent, &planned.arguments));
        done.chain(planned)
            .any(|(name, arguments)| name == AGGREGATOR && is_same(call, arguments))
    };
    let missing: Vec<SubAgentCall> = calls
        .into_iter()
        .filter(|call| !is_made(call) && !is_counted(call, state))
        .collect();

    let is_idle = is_idle(plan, state);
    let is_last = task.iteration >= task.max_iterations
        || plan
            .sub_agent_calls
            .iter()
            .any(|call| call.agent == SYNTHESIZER);
    if !missing.is_empty() && (is_idle || is_last || !gathers(plan) && !state.has_data()) {
        if is_idle {
            plan.sub_agent_calls.clear();
            plan.tool_calls.clear();
        }
        plan.sub_agent_calls.extend(missing);
        let words = "the calls that compute the answer were added to the plan";
        return Some(words.to_owned());
    }

    if is_idle && missing.is_empty() {
        let PlannerOutput {
            sub_agent_calls,
            tool_calls,
            ..
        } = computed_plan(task);
        (plan.sub_agent_calls, plan.tool_calls) = (sub_agent_calls, tool_calls);
        let words = "the plan brings nothing new; the computed plan replaced it";
        return Some(words.to_owned());
    }
    None
}

/// Returns whether a plan asks a data tool for something.
fn gathers(plan: &PlannerOutput) -> bool {
    let is_asking = |call: &SubAgentCall| matches!(call.agent.as_str(), AGGREGATOR | SCANNER);
    !plan.tool_calls.is_empty() || plan.sub_agent_calls.iter().any(is_asking)
}

/// Returns whether a call asks for nothing but groups that are counted already.
fn is_counted(call: &SubAgentCall, state: &DatasetState) -> bool {
    const COUNTED: [&str; 4] = ["tool_name", "filters", "group_by", "order_by"];
    let is_plain =
        |name: &String| COUNTED.contains(&name.as_str()) || SIZES.contains(&name.as_str());
    if !call.arguments.keys().all(is_plain) {
        return false;
    }

    let text = |name: &str| call.arguments.get(name).and_then(Value::as_str);
    let filters = filters_of(&call.arguments);
    state.aggregation_results.iter().any(|table| {
        table.kind == AggregationKind::GroupBy
            && Some(table.field.as_str()) == text("group_by")
            && Some(table.source_tool.as_str()) == text("tool_name")
            && table.filters == filters
    })
}

/// Returns whether a call asks for the same as the given arguments do.
fn is_same(call: &SubAgentCall, arguments: &Object) -> bool {
    let mut own = call.arguments.iter();
    own.all(|(name, value)| {
        SIZES.contains(&name.as_str())
            || arguments
                .get(name)
                .is_some_and(|other| parsed(other) == parsed(value))
    })
}

/// Returns an argument that may be written as JSON or as the text of it.
fn parsed(value: &Value) -> Value {
    let text = value.as_str();
    let parsed = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
    parsed.unwrap_or_else(|| value.clone())
}

/// Returns whether every call of a plan was made already without new data since, so that it cannot
/// bring anything else.
fn is_idle(plan: &PlannerOutput, state: &DatasetState) -> bool {
    let succeeded = |call: &&CompletedCall| call.error.is_none();
    let since: Vec<&CompletedCall> = state
        .completed_calls
        .iter()
        .rev()
        .take_while(|call| !(call.fetched_data && call.error.is_none()))
        .filter(succeeded)
        .collect();

    let fetched = || {
        let completed = state.completed_calls.iter();
        completed.filter(|call| call.fetched_data && call.error.is_none())
    };
    let is_repeated = |name: &str, arguments: &Object| {
        let has_all = |done: &CompletedCall| {
            let mut given = arguments.iter();
            done.name == name && given.all(|(name, value)| done.arguments.get(name) == Some(value))
        };
        // A scan that is planned again reads what is still unread.
        let reads_on = name == SCANNER && state.ledger.wanting().is_some();
        !reads_on && (fetched().any(has_all) || since.iter().any(|done| has_all(done)))
    };

    let mut agents = plan.sub_agent_calls.iter();
    let mut tools = plan.tool_calls.iter();
    agents.all(|call| call.agent != SYNTHESIZER && is_repeated(&call.agent, &call.arguments))
        && tools.all(|call| is_repeated(&call.tool, &call.arguments))
}
