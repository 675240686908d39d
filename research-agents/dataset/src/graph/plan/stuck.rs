//! Plans that repeat themselves: their calls were made several times, without new data since.

use research_agents_runtime::event::Note;

use crate::data::call::CompletedCall;
use crate::data::names::{AGGREGATOR, SYNTHESIZER};
use crate::data::record::{Object, SubAgentCall};
use crate::data::task::PlannerOutput;
use crate::state::model::DatasetState;

/// The maximum number of times that a call is made without new data in between.
const TIMES: usize = 3;

/// Replaces a plan that only repeats itself by the next step: the report, or a count of all records
/// if none matched so far.
pub(crate) fn move_on(plan: &mut PlannerOutput, state: &DatasetState, counted: &mut Vec<Note>) {
    let reads = |call: &&CompletedCall| call.fetched_data && call.error.is_none();
    let since = state
        .completed_calls
        .iter()
        .rev()
        .take_while(|call| !reads(call));
    let done: Vec<&CompletedCall> = since
        .filter(|call| !call.fetched_data && call.error.is_none())
        .collect();

    // A finished call has the arguments from the state in addition to those of its plan.
    let is_same = |done: &CompletedCall, call: &SubAgentCall| {
        done.name == call.agent
            && call
                .arguments
                .iter()
                .all(|(name, value)| done.arguments.get(name) == Some(value))
    };

    let is_worn =
        |call: &SubAgentCall| done.iter().filter(|done| is_same(done, call)).count() >= TIMES;
    let is_stuck = !plan.sub_agent_calls.is_empty() && plan.tool_calls.is_empty();
    if !is_stuck || !plan.sub_agent_calls.iter().all(is_worn) {
        return;
    }

    let has_records = state.coverage().fetched > 0;
    if !has_records && state.enabled_tools.is_empty() {
        return;
    }

    let agent = if has_records { SYNTHESIZER } else { AGGREGATOR };
    plan.sub_agent_calls = vec![SubAgentCall {
        id: String::new(),
        agent: agent.to_owned(),
        arguments: Object::new(),
        depends_on: Vec::new(),
    }];

    counted.push(Note::own(format!(
        "plans asked {TIMES} times for what was done; the {agent} was called in place of more"
    )));
}
