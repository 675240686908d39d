//! Ineffective plans: filters that a tool has refused or that matched nothing, and scans that
//! cannot begin.

use research_agents_report::evidence::plain;
use research_agents_runtime::error::ErrorCategory;
use research_agents_runtime::event::Note;
use serde_json::{Value, json};

use crate::data::call::CallError;
use crate::data::call::asked_tools;
use crate::data::filters::filters_of;
use crate::data::names::SCANNER;
use crate::data::record::{Object, SubAgentCall};
use crate::data::task::PlannerOutput;
use crate::prompts;
use crate::state::model::DatasetState;

/// Leaves out filters that the same tool has refused before, and of filters that matched nothing
/// there those that the question does not name: a model that repeats them would never read
/// anything.
pub(crate) fn drop_from(plan: &mut PlannerOutput, state: &DatasetState, counted: &mut Vec<Note>) {
    let history = History::new(state);
    for call in &mut plan.tool_calls {
        let tools = vec![call.tool.clone()];
        counted.extend(history.correct(&tools, &mut call.arguments));
    }

    for call in &mut plan.sub_agent_calls {
        let tools = tools_of(&call.agent, &call.arguments, state);
        let arguments = match call.arguments.get_mut("tool_args") {
            Some(Value::Object(arguments)) => arguments,
            _ => &mut call.arguments,
        };
        counted.extend(history.correct(&tools, arguments));
    }
}

/// The filters that brought nothing so far.
struct History<'a> {
    state: &'a DatasetState,
    /// Tools with filters that they refused.
    refused: Vec<(String, Object)>,
    /// Tools with filters that no record matched.
    empty: Vec<(&'a str, &'a Object)>,
    /// Everything that the user said.
    said: String,
}

impl<'a> History<'a> {
    fn new(state: &'a DatasetState) -> Self {
        let scopes = state.ledger.scopes();
        let empty = scopes.iter().filter(|scope| scope.total == Some(0));

        Self {
            state,
            refused: refused(state),
            empty: empty
                .map(|scope| (scope.tool.as_str(), &scope.filters))
                .collect(),
            said: said(state),
        }
    }

    /// Corrects the filters of a call to these tools, and returns what was changed.
    fn correct(&self, tools: &[String], arguments: &mut Object) -> Option<Note> {
        let filters = filters_of(arguments);
        if filters.is_empty() || tools.is_empty() {
            return None;
        }

        let is_refused = |tool: &String| {
            self.refused
                .iter()
                .any(|(other, known)| other == tool && *known == filters)
        };
        let names = named(tools, self.state);
        if tools.iter().all(is_refused) {
            arguments.remove("filters");
            let message = format!("filters of the plan that {names} refused were left out");
            let full = format!(
                "the tool refuses the filters {}; they were left out",
                prompts::json(&filters)
            );
            return Some(Note::own(message).in_full(full));
        }

        let is_empty = |tool: &String| self.empty.contains(&(tool.as_str(), &filters));
        if !tools.iter().all(is_empty) {
            return None;
        }

        // Of filters that matched nothing the question's own conditions stay.
        let kept: Object = filters
            .iter()
            .filter(|(_, condition)| is_named(condition, &self.said))
            .map(owned)
            .collect();
        if kept.len() == filters.len() {
            return None;
        }
        let (all, kept) = (prompts::json(&filters), prompts::json(&kept));
        let message = format!(
            "no record of {names} matched the filters of a plan; of them, what the question \
             names was kept"
        );
        let full =
            format!("no record matches {all}; of it, what the question names was kept: {kept}");
        arguments.insert("filters".to_owned(), json!(kept));
        Some(Note::own(message).in_full(full))
    }
}

/// Returns the tools with the filters that they refused.
fn refused(state: &DatasetState) -> Vec<(String, Object)> {
    let is_refusal = |error: &CallError| {
        error.category == ErrorCategory::McpToolError && blames_the_filters(&error.message)
    };
    let failed = state
        .completed_calls
        .iter()
        .filter(|call| call.error.as_ref().is_some_and(is_refusal));
    let refused = failed.flat_map(|call| {
        let filters = filters_of(inner(&call.arguments));
        tools_of(&call.name, &call.arguments, state)
            .into_iter()
            .map(move |tool| (tool, filters.clone()))
    });

    // Filters that gave a result once are not the ones that were refused.
    let gave_a_result = |tool: &String, filters: &Object| {
        state
            .ledger
            .scopes()
            .iter()
            .any(|scope| scope.tool == *tool && scope.filters == *filters)
    };
    refused
        .filter(|(tool, filters)| !gave_a_result(tool, filters))
        .collect()
}

/// Returns everything that the user said on the thread.
fn said(state: &DatasetState) -> String {
    let turns = state.turns.iter().map(|turn| &turn.question);
    let answers = state.clarifications.iter().map(|settled| &settled.answer);
    let settled = state.clarifications.iter().map(|settled| settled.settled());
    let said: Vec<&str> = [&state.question]
        .into_iter()
        .chain(turns)
        .chain(answers)
        .map(String::as_str)
        .chain(settled)
        .collect();
    said.join("\n")
}

/// Returns whether a message from a tool blames its filters, and does not only list them among its
/// arguments.
fn blames_the_filters(message: &str) -> bool {
    let message = message.to_lowercase();
    message.match_indices("filter").any(|(at, word)| {
        let quotes = ['`', '"', '\''];
        let before = message[..at].trim_end_matches(quotes);
        let after = message[at + word.len()..]
            .trim_start_matches('s')
            .trim_start_matches(quotes);
        !before.ends_with(", ") && !before.ends_with("are: ") && !after.starts_with(',')
    })
}

/// Returns whether a scan is planned that may succeed. One that could not begin is not waited for
/// when it is planned again, nor is a third after two that could not.
pub(crate) fn has_scan(plan: &PlannerOutput, state: &DatasetState) -> bool {
    let before = state
        .completed_calls
        .iter()
        .rev()
        .filter(|call| call.name == SCANNER);
    let failed =
        before.take_while(|call| call.error.as_ref().is_some_and(|error| error.is_invalid));
    let failed: Vec<&Object> = failed.map(|call| &call.arguments).collect();
    let is_again = |scan: &SubAgentCall| {
        let same = |before: &&Object| {
            scan.arguments
                .iter()
                .all(|(name, value)| before.get(name) == Some(value))
        };
        !scan.arguments.is_empty() && failed.first().is_some_and(same)
    };

    failed.len() < 2
        && plan
            .sub_agent_calls
            .iter()
            .any(|call| call.agent == SCANNER && !is_again(call))
}

/// Returns the tools that a call goes to: the one that was called directly, or those that a
/// sub-agent was to ask.
fn tools_of(name: &str, arguments: &Object, state: &DatasetState) -> Vec<String> {
    if state.enabled_tools.iter().any(|known| known == name) {
        return vec![name.to_owned()];
    }
    asked_tools(arguments, &state.enabled_tools)
}

/// Returns the names of tools for the reader. A name that the run does not know may be anybody's
/// text.
fn named(tools: &[String], state: &DatasetState) -> String {
    let known: Vec<&str> = tools
        .iter()
        .filter(|tool| state.enabled_tools.contains(tool))
        .map(String::as_str)
        .collect();
    if known.is_empty() {
        "a tool".to_owned()
    } else {
        known.join(" and ")
    }
}

fn owned((field, condition): (&String, &Value)) -> (String, Value) {
    (field.clone(), condition.clone())
}

/// Returns whether a word of the condition's values is in the question, possibly in another form.
fn is_named(condition: &Value, question: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .map(str::to_lowercase);
        words.filter(|word| !word.is_empty()).collect()
    };
    let asked = words(question);
    let is_alike = |word: &String, other: &String| {
        let long = word.chars().count() > 2
            && other.chars().count() > 2
            && !word.starts_with(|c: char| c.is_numeric());
        word == other
            || (long && (word.starts_with(other.as_str()) || other.starts_with(word.as_str())))
    };
    let stands = |value: &Value| {
        words(&plain(value))
            .iter()
            .any(|word| asked.iter().any(|other| is_alike(word, other)))
    };

    match condition {
        Value::Array(values) => values.iter().any(stands),
        Value::Object(range) => range.values().any(stands),
        value => stands(value),
    }
}

/// Returns the arguments for the tool in those of a call: a scan has them one level down.
fn inner(arguments: &Object) -> &Object {
    arguments
        .get("tool_args")
        .and_then(Value::as_object)
        .unwrap_or(arguments)
}
