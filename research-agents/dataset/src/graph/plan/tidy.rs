//! Calls as a tool can take them: each once, without arguments that the tool does not know, and one
//! at least before the end.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::iter;

use research_agents_runtime::event::Note;
use research_mcp::Tool;
use serde_json::Value;

use crate::data::names::{AGGREGATOR, SCANNER};
use crate::data::record::{Object, SubAgentCall};
use crate::data::task::PlannerOutput;
use crate::state::filter_notes::note_of_filter_left_out;
use crate::state::model::DatasetState;
use crate::tools::dialect::ToolArguments;

/// Leaves out arguments that a tool does not list, those that say where a page begins, and calls
/// that the plan has already.
pub(crate) fn tidy(
    plan: &mut PlannerOutput,
    state: &DatasetState,
    notes: &mut Vec<String>,
    counted: &mut Vec<Note>,
) {
    let mut unknown: Vec<String> = Vec::new();
    for call in &mut plan.tool_calls {
        let own = ToolArguments::of(state.listed_tool(&call.tool));
        // Where a page begins only the tool says, and no plan has seen it.
        own.remove_places(&mut call.arguments);

        // Filters that cannot be read are refused when the call is made: left out, they would
        // select everything.
        let is_readable = own.check_filters(&call.arguments).is_ok();
        for note in own
            .refused(&call.arguments)
            .iter()
            .map(|field| note_of_filter_left_out(&call.tool, field, state))
        {
            if !counted.contains(&note) {
                counted.push(note);
            }
        }

        call.arguments = own.with_filters_apart(std::mem::take(&mut call.arguments));
        let facts = state
            .available_tools
            .iter()
            .find(|facts| facts.name == call.tool);
        if let Some(facts) = facts.filter(|facts| !facts.arguments.is_empty()) {
            call.arguments.retain(|name, _| {
                let is_known =
                    facts.arguments.contains(name) || (name == "filters" && !is_readable);
                if !is_known {
                    unknown.push(format!(
                        "the tool {} takes no argument `{name}`; it was left out",
                        call.tool
                    ));
                }
                is_known
            });
        }
    }

    plan.sub_agent_calls
        .iter_mut()
        .for_each(|call| tidy_scan(call, state, &mut unknown));
    unknown.sort();
    unknown.dedup();
    notes.extend(unknown);

    let left_out = drop_repeated(plan);
    if left_out > 0 {
        notes.push(format!(
            "{left_out} calls stood more than once in the plan; each is made once"
        ));
    }
}

/// Keeps each call once and returns how many were dropped. What waits for a dropped call waits for
/// the one that is kept, and for what the dropped one would have waited for.
fn drop_repeated(plan: &mut PlannerOutput) -> usize {
    let mut kept: HashMap<(String, String), String> = HashMap::new();
    let mut instead: HashMap<String, Vec<String>> = HashMap::new();
    let mut is_new = |name: &str, arguments: &Object, id: &str, waits: &[String]| match kept
        .entry((name.to_owned(), text(arguments)))
    {
        Entry::Vacant(place) => {
            place.insert(id.to_owned());
            true
        }
        Entry::Occupied(place) => {
            let ids = iter::once(place.get()).chain(waits).cloned();
            instead.insert(id.to_owned(), ids.collect());
            false
        }
    };

    let before = plan.tool_calls.len() + plan.sub_agent_calls.len();
    plan.tool_calls
        .retain(|call| is_new(&call.tool, &call.arguments, &call.id, &[]));
    plan.sub_agent_calls
        .retain(|call| is_new(&call.agent, &call.arguments, &call.id, &call.depends_on));

    // A dropped call may wait for another dropped one.
    for call in &mut plan.sub_agent_calls {
        let mut at = 0;
        while let Some(id) = call.depends_on.get(at) {
            match instead.get(id) {
                Some(ids) if call.depends_on.len() <= before => {
                    let known = call.depends_on.clone();
                    call.depends_on.remove(at);
                    let new = ids
                        .iter()
                        .filter(|id| !known.contains(id) && **id != call.id);
                    call.depends_on.extend(new.cloned());
                }
                _ => at += 1,
            }
        }
    }
    before - plan.tool_calls.len() - plan.sub_agent_calls.len()
}

/// Leaves out arguments of a scan that none of its tools lists: a tool that refuses one would not
/// be read at all.
fn tidy_scan(call: &mut SubAgentCall, state: &DatasetState, unknown: &mut Vec<String>) {
    let several = call
        .arguments
        .get("tool_names")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let names = several
        .chain(call.arguments.get("tool_name"))
        .filter_map(Value::as_str);
    let named: Vec<String> = names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let is_asked = |name: &String| named.is_empty() || named.contains(name);
    let tools: Vec<&Tool> = state
        .listed_tools
        .iter()
        .filter(|tool| is_asked(&tool.exposed_name))
        .collect();

    let Some(Value::Object(arguments)) = call
        .arguments
        .get_mut("tool_args")
        .filter(|_| call.agent == SCANNER)
    else {
        return;
    };
    if tools.is_empty() {
        return;
    }

    arguments.retain(|name, _| {
        let is_known = tools
            .iter()
            .any(|tool| ToolArguments::of(Some(tool)).is_scan_argument(name));
        if !is_known {
            let tools: Vec<&str> = tools
                .iter()
                .map(|tool| tool.exposed_name.as_str())
                .collect();
            unknown.push(format!(
                "the tool {} takes no argument `{name}`; it was left out",
                tools.join(" or ")
            ));
        }
        is_known
    });
}

fn text(arguments: &Object) -> String {
    Value::Object(arguments.clone()).to_string()
}

/// Adds a scan to the last plan of a run that has nothing yet: what matches is read rather than
/// nothing at all.
pub(crate) fn last_chance(plan: &mut PlannerOutput, state: &DatasetState) -> Option<String> {
    let has_failed = state
        .completed_calls
        .iter()
        .any(|call| call.fetched_data && call.error.is_some());
    let may_read =
        |call: &SubAgentCall| call.agent == SCANNER || (call.agent == AGGREGATOR && !has_failed);
    let reads =
        plan.sub_agent_calls.iter().any(may_read) || (!plan.tool_calls.is_empty() && !has_failed);
    if reads || state.has_data() || state.enabled_tools.is_empty() {
        return None;
    }

    plan.sub_agent_calls.push(SubAgentCall {
        id: String::new(),
        agent: SCANNER.to_owned(),
        arguments: Object::new(),
        depends_on: Vec::new(),
    });

    Some("nothing was read so far and this is the last plan; a scan was added".to_owned())
}
