//! Corrections of a plan by code: premature reports, missing scans, ineffective filters, what the
//! user fixed, and the order of calls.

use std::collections::HashSet;

use research_agents_runtime::event::Note;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::data::names::{
    AGGREGATOR, DECOMPOSER, EXTRACTOR, GAP_ANALYZER, SCANNER, SYNTHESIZER, VALIDATOR,
};
use crate::data::record::{Object, ReportFormat, SubAgentCall, ToolCall};
use crate::data::task::{PlannerOutput, QueryOverrides, ToolFacts};
use crate::found::coverage::Scope;
use crate::graph::plan::{ineffective_filters, stuck, tidy};
use crate::prompts;
use crate::state::filter_notes::note_of_filter_left_out;
use crate::state::model::DatasetState;
use crate::tools::dialect::ToolArguments;
use crate::tools::field_names::Spelling;

/// Records of one batch of a scan that code adds to a plan.
const FORCED_BATCH: usize = 100;

/// A plan as it is carried out, and what was changed.
#[derive(Debug)]
pub(crate) struct Guarded {
    pub(crate) plan: PlannerOutput,
    /// Changes of form, in words.
    pub(crate) form: Vec<String>,
    /// Changes of what is read and counted, such as filters that were removed: the next plan and
    /// the reader must know of them.
    pub(crate) counted: Vec<Note>,
}

/// Corrects a plan.
pub(crate) fn guard(mut plan: PlannerOutput, state: &DatasetState) -> Guarded {
    let (mut notes, mut counted) = (Vec::new(), Vec::new());
    stuck::move_on(&mut plan, state, &mut counted);

    let planned = |plan: &PlannerOutput, agent: &str| {
        plan.sub_agent_calls.iter().any(|call| call.agent == agent)
    };
    if planned(&plan, SYNTHESIZER) && !state.has_data() {
        plan.sub_agent_calls
            .retain(|call| call.agent != SYNTHESIZER);
        notes.push("a report was planned before any data was there; it was left out".to_owned());
    }

    // Where everything came already, an extractor reads as much as a scanner.
    let is_read = |scope: &Scope| scope.total == Some(scope.fetched()) && planned(&plan, EXTRACTOR);
    if let Some(scope) = state
        .ledger
        .wanting()
        .filter(|_| state.needs_full_scan || !state.counts_suffice())
        .filter(|scope| !ineffective_filters::has_scan(&plan, state) && !is_read(scope))
    {
        replace_by_scan(&mut plan, forced_scan(scope, state));
        notes.push("documents are unread and no scan was planned; one was added".to_owned());
    }

    let first_synthesizer = plan
        .sub_agent_calls
        .iter()
        .position(|call| call.agent == SYNTHESIZER);
    let mut at = 0;
    plan.sub_agent_calls.retain(|call| {
        at += 1;
        call.agent != SYNTHESIZER || Some(at - 1) == first_synthesizer
    });

    // What the user fixed goes in after the plan's own arguments are put right; ids and order come
    // last, when all calls are known. Calls that are made once only hand their waits on by their
    // ids.
    name_calls(&mut plan);
    tidy::tidy(&mut plan, state, &mut notes, &mut counted);
    spell(&mut plan, state, &mut notes);
    ineffective_filters::drop_from(&mut plan, state, &mut counted);
    fix(&mut plan, state, &mut counted);
    name_calls(&mut plan);
    order(&mut plan, &mut notes);
    shorten(&mut plan, &mut counted);

    Guarded {
        plan,
        form: notes,
        counted,
    }
}

/// Replaces the tool calls and scans of a plan, and its report, by a scan. What waited for one of
/// them waits for the scan.
fn replace_by_scan(plan: &mut PlannerOutput, mut scan: SubAgentCall) {
    name_calls(plan);
    let taken = |id: &String| plan.sub_agent_calls.iter().any(|call| call.id == *id);
    let free = (1..).map(|n| format!("scan_{n}")).find(|id| !taken(id));
    scan.id = free.unwrap_or_default();

    let tools = plan.tool_calls.drain(..).map(|call| call.id);
    let mut replaced: HashSet<String> = tools.collect();
    plan.sub_agent_calls.retain(|call| {
        let is_kept = call.agent != SYNTHESIZER && call.agent != SCANNER;
        if !is_kept {
            replaced.insert(call.id.clone());
        }
        is_kept
    });

    for call in &mut plan.sub_agent_calls {
        let before = call.depends_on.len();
        call.depends_on.retain(|id| !replaced.contains(id));
        if call.depends_on.len() < before {
            call.depends_on.push(scan.id.clone());
        }
    }
    plan.sub_agent_calls.push(scan);
}

fn forced_scan(scope: &Scope, state: &DatasetState) -> SubAgentCall {
    let tool_args = ToolArguments::of(state.listed_tool(&scope.tool)).naming(&scope.filters);
    let arguments =
        json!({"tool_name": scope.tool, "tool_args": tool_args, "batch_size": FORCED_BATCH});
    SubAgentCall {
        id: String::new(),
        agent: SCANNER.to_owned(),
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        depends_on: Vec::new(),
    }
}

/// Spells the names of fields as the tools do.
fn spell(plan: &mut PlannerOutput, state: &DatasetState, notes: &mut Vec<String>) {
    let spelling = |tool: Option<&str>| {
        let named = move |facts: &&ToolFacts| tool.is_none_or(|name| facts.name == name);
        let fields = state.tools().filter(named).flat_map(|facts| &facts.fields);
        Spelling::new(fields.map(|field| field.name.as_str()))
    };

    let mut changed = Vec::new();
    for call in &mut plan.tool_calls {
        changed.extend(spelling(Some(&call.tool)).correct(&mut call.arguments));
    }

    for call in &mut plan.sub_agent_calls {
        let tool = call
            .arguments
            .get("tool_name")
            .and_then(Value::as_str)
            .filter(|name| !name.is_empty());
        let spelling = spelling(tool);
        match call.agent.as_str() {
            AGGREGATOR => changed.extend(spelling.correct(&mut call.arguments)),
            SCANNER => {
                if let Some(Value::Object(arguments)) = call.arguments.get_mut("tool_args") {
                    changed.extend(spelling.correct(arguments));
                }
            }
            _ => {}
        }
    }

    changed.sort();
    changed.dedup();

    notes.extend(
        changed
            .iter()
            .map(|(from, to)| format!("the plan's field `{from}` was taken for `{to}`")),
    );
}

/// Replaces filters and grouping of the plan by those that the user fixed, and adds a call for the
/// user's grouping if the plan has none.
fn fix(plan: &mut PlannerOutput, state: &DatasetState, counted: &mut Vec<Note>) {
    let QueryOverrides { filters, group_by } = &state.overrides;
    let filters = filters
        .as_ref()
        .map(|filters| json!(prompts::json(filters)));
    let group_by = group_by
        .as_ref()
        .filter(|fields| !fields.is_empty())
        .map(|fields| json!(fields.join(",")));

    // A grouping that the user fixed is computed even if the plan forgot it.
    let wanted = group_by.is_some() && state.aggregation_results.is_empty() && state.iteration == 0;
    let asks = !plan.tool_calls.is_empty()
        || plan
            .sub_agent_calls
            .iter()
            .any(|call| call.agent == AGGREGATOR);
    if wanted && !asks && !state.enabled_tools.is_empty() {
        let agent = AGGREGATOR.to_owned();
        plan.sub_agent_calls.push(SubAgentCall {
            id: String::new(),
            agent,
            arguments: Object::new(),
            depends_on: Vec::new(),
        });
    }

    for call in &mut plan.tool_calls {
        let takes = |name: &str| {
            let listed = state
                .available_tools
                .iter()
                .find(|tool| tool.name == call.tool)
                .map(|tool| &tool.arguments);
            listed
                .is_none_or(|listed| listed.is_empty() || listed.iter().any(|known| known == name))
        };

        let fixed = [("filters", &filters), ("group_by", &group_by)]
            .map(|(name, value)| (name, value, takes(name)));
        for (name, value, _) in fixed.into_iter().filter(|(_, _, takes)| *takes) {
            set(&mut call.arguments, name, value);
        }

        // A tool without filters gets what it has arguments for; the rest is noted.
        if let (Some(own), false) = (&state.overrides.filters, takes("filters")) {
            let selecting = ToolArguments::of(state.listed_tool(&call.tool)).fixed_to(own);
            let refused = own.keys().filter(|field| !selecting.contains_key(*field));
            counted.extend(refused.map(|field| note_of_filter_left_out(&call.tool, field, state)));
            call.arguments.extend(selecting);
        }
    }

    for call in &mut plan.sub_agent_calls {
        match call.agent.as_str() {
            AGGREGATOR => {
                set(&mut call.arguments, "filters", &filters);
                set(&mut call.arguments, "group_by", &group_by);
                write_out(&mut call.arguments);
            }
            SCANNER => {
                if !call
                    .arguments
                    .get("tool_args")
                    .is_some_and(Value::is_object)
                {
                    call.arguments.insert("tool_args".to_owned(), json!({}));
                }
                if let Some(Value::Object(arguments)) = call.arguments.get_mut("tool_args") {
                    set(arguments, "filters", &filters);
                    write_out(arguments);
                }
            }
            // The user's format replaces the plan's; an invalid one is for the agent to refuse.
            SYNTHESIZER
                if call
                    .arguments
                    .get("format")
                    .is_some_and(|format| ReportFormat::deserialize(format).is_ok()) =>
            {
                call.arguments.remove("format");
            }
            _ => {}
        }
    }
}

fn set(arguments: &mut Object, name: &str, value: &Option<Value>) {
    if let Some(value) = value {
        arguments.insert(name.to_owned(), value.clone());
    }
}

/// Writes filters that a model gave as an object as the JSON text that tools take, and a list of
/// fields as one text.
fn write_out(arguments: &mut Object) {
    if let Some(filters @ Value::Object(_)) = arguments.get_mut("filters") {
        *filters = json!(filters.to_string());
    }
    if let Some(Value::Array(fields)) = arguments.get("group_by") {
        let fields: Vec<&str> = fields.iter().filter_map(Value::as_str).collect();
        let fields = json!(fields.join(","));
        arguments.insert("group_by".to_owned(), fields);
    }
}

/// Assigns every call an id that no other call of the plan has. An id that the plan assigns to one
/// call is given to no other, so that a call waits for the one that it names.
fn name_calls(plan: &mut PlannerOutput) {
    let agents = plan.sub_agent_calls.iter_mut().map(|call| &mut call.id);
    let mut ids: Vec<&mut String> = agents
        .chain(plan.tool_calls.iter_mut().map(|call| &mut call.id))
        .collect();
    let mut reserved: HashSet<String> = ids.iter().map(|id| (**id).clone()).collect();
    let mut taken = HashSet::new();
    for id in &mut ids {
        if id.trim().is_empty() || taken.contains(id.as_str()) {
            **id = (1..)
                .map(|n| format!("call_{n}"))
                .find(|id| !reserved.contains(id))
                .unwrap_or_default();
            reserved.insert((**id).clone());
        }
        taken.insert((**id).clone());
    }
}

/// Drops dependencies on calls that do not exist, lets those that look at results wait for the
/// calls that bring them, and the report for all other calls.
fn order(plan: &mut PlannerOutput, notes: &mut Vec<String>) {
    let agents = plan.sub_agent_calls.iter().map(|call| call.id.clone());
    let all: HashSet<String> = agents
        .chain(plan.tool_calls.iter().map(|call| call.id.clone()))
        .collect();
    let report = plan
        .sub_agent_calls
        .iter()
        .find(|call| call.agent == SYNTHESIZER)
        .map(|call| call.id.clone());

    let mut scan: Option<String> = None;
    for call in &mut plan.sub_agent_calls {
        let before = call.depends_on.len();
        call.depends_on
            .retain(|id| all.contains(id) && *id != call.id && Some(id) != report.as_ref());
        if call.depends_on.len() < before {
            notes.push(format!(
                "`{}` waits for a call that the plan does not have; it does not wait",
                call.id
            ));
        }
        // Scans share the limit on documents, so that one must know what the other has read.
        if call.agent == SCANNER {
            call.depends_on.extend(scan.replace(call.id.clone()));
        }
        if call.agent == SYNTHESIZER {
            let mut others: Vec<String> =
                all.iter().filter(|id| **id != call.id).cloned().collect();
            others.sort();
            call.depends_on = others;
        }
    }

    for (reader, brings) in READERS {
        wait(plan, reader, brings);
    }
}

/// Agents that look at results, each with the agents whose results they look at in addition to
/// those of tools.
const READERS: [(&str, &[&str]); 3] = [
    (EXTRACTOR, &[AGGREGATOR, SCANNER]),
    (VALIDATOR, &[AGGREGATOR, SCANNER, EXTRACTOR, DECOMPOSER]),
    (
        GAP_ANALYZER,
        &[AGGREGATOR, SCANNER, EXTRACTOR, DECOMPOSER, VALIDATOR],
    ),
];

/// Makes a reader wait for tools and for agents, unless these wait for it.
fn wait(plan: &mut PlannerOutput, reader: &str, brings: &[&str]) {
    let tools: Vec<String> = plan.tool_calls.iter().map(|call| call.id.clone()).collect();
    let agents: Vec<(String, Vec<String>)> = plan
        .sub_agent_calls
        .iter()
        .filter(|call| brings.contains(&call.agent.as_str()))
        .map(|call| (call.id.clone(), call.depends_on.clone()))
        .collect();

    for call in plan
        .sub_agent_calls
        .iter_mut()
        .filter(|call| call.agent == reader)
    {
        let first = agents
            .iter()
            .filter(|(_, on)| !on.contains(&call.id))
            .map(|(id, _)| id);
        let new: Vec<String> = tools
            .iter()
            .chain(first)
            .filter(|id| !call.depends_on.contains(id))
            .cloned()
            .collect();
        call.depends_on.extend(new);
    }
}

/// The maximum number of rounds of calls of one plan, each of which waits for the one before: a run
/// has so many steps for each plan, and one that is out of steps loses its report.
pub(crate) const ROUNDS: usize = 200;

/// Lets the calls that would begin after too many others begin together in the last round. Calls
/// that wait for no other begin in the first round, however many they are; the report comes after
/// all others.
fn shorten(plan: &mut PlannerOutput, counted: &mut Vec<Note>) {
    let mut waiting: Vec<SubAgentCall> = plan.sub_agent_calls.clone();
    let mut tools = std::mem::take(&mut plan.tool_calls);
    let mut last: Vec<String> = Vec::new();
    for _ in 1..ROUNDS {
        let begun: HashSet<String> = ready(&waiting, &tools)
            .into_iter()
            .map(|call| call.id)
            .collect();
        if begun.is_empty() && tools.is_empty() {
            break;
        }
        waiting.retain(|call| !begun.contains(&call.id));
        last = begun.into_iter().collect();
        plan.tool_calls.append(&mut tools);
    }

    let late: HashSet<String> = waiting
        .into_iter()
        .filter(|call| call.agent != SYNTHESIZER)
        .map(|call| call.id)
        .collect();
    let next = |call: &&mut SubAgentCall| late.contains(&call.id);
    let mut calls: Vec<&mut SubAgentCall> = plan.sub_agent_calls.iter_mut().filter(next).collect();
    if calls
        .iter()
        .all(|call| !call.depends_on.iter().any(|id| late.contains(id)))
    {
        return;
    }

    last.sort();
    for call in &mut calls {
        call.depends_on.clone_from(&last);
    }
    let number = late.len();
    counted.push(Note::own(format!(
        "{number} calls wait for {ROUNDS} or more others in turn; they are made together after \
         these"
    )));
}

/// Splits the pending calls into those that can start now and those that wait. When all wait for
/// each other, all but the report start.
pub(crate) fn ready(agents: &[SubAgentCall], tools: &[ToolCall]) -> Vec<SubAgentCall> {
    let pending: HashSet<&str> = agents
        .iter()
        .map(|call| call.id.as_str())
        .chain(tools.iter().map(|call| call.id.as_str()))
        .collect();
    let free = |call: &&SubAgentCall| {
        !call
            .depends_on
            .iter()
            .any(|id| pending.contains(id.as_str()))
    };
    let ready: Vec<SubAgentCall> = agents.iter().filter(free).cloned().collect();
    if ready.is_empty() && tools.is_empty() {
        let work: Vec<SubAgentCall> = agents
            .iter()
            .filter(|call| call.agent != SYNTHESIZER)
            .cloned()
            .collect();
        return if work.is_empty() {
            agents.to_vec()
        } else {
            work
        };
    }

    ready
}

#[cfg(test)]
mod tests;
