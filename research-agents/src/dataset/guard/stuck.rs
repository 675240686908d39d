//! A plan that goes round in circles: what it asks for was done again and again, and nothing has come since.

use crate::dataset::CompletedCall;
use crate::dataset::agents::{AGGREGATOR, SYNTHESIZER};
use crate::dataset::note::Note;
use crate::dataset::record::{Object, SubAgentCall};
use crate::dataset::state::DatasetState;
use crate::dataset::task::PlannerOutput;

/// So often a call that reads nothing may be made before something has to be read in between.
const TIMES: usize = 3;

/// Puts the next step in place of a plan that only repeats itself: the report, or where no record matched so far a count of all
/// that there is.
pub(super) fn move_on(plan: &mut PlannerOutput, state: &DatasetState, counted: &mut Vec<Note>) {
    let reads = |call: &&CompletedCall| call.fetched_data && call.error.is_none();
    let since = state.completed_calls.iter().rev().take_while(|call| !reads(call));
    let done: Vec<&CompletedCall> = since.filter(|call| !call.fetched_data && call.error.is_none()).collect();
    // What was done has the arguments that the state gives, beside those of its plan.
    let is_same = |done: &CompletedCall, call: &SubAgentCall| {
        done.name == call.agent && call.arguments.iter().all(|(name, value)| done.arguments.get(name) == Some(value))
    };
    let is_worn = |call: &SubAgentCall| done.iter().filter(|done| is_same(done, call)).count() >= TIMES;
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
