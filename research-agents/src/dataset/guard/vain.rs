//! Filters that are in vain: a tool has refused them, or they matched nothing.

use serde_json::{Value, json};

use crate::ErrorCategory;
use crate::dataset::filters::filters_of;
use crate::dataset::prompts;
use crate::dataset::record::Object;
use crate::dataset::state::{CallError, DatasetState};
use crate::dataset::task::PlannerOutput;
use crate::kernel::evidence::plain;

/// Leaves out filters that a tool has refused before, and of filters that matched nothing those that the question does not
/// name: a model that repeats them would read nothing for ever.
pub(super) fn drop_from(plan: &mut PlannerOutput, state: &DatasetState, notes: &mut Vec<String>) {
    let is_refusal =
        |error: &CallError| error.category == ErrorCategory::McpToolError && blames_the_filters(&error.message);
    let failed = state.completed_calls.iter().filter(|call| call.error.as_ref().is_some_and(is_refusal));
    // What gave a result once is not what was refused.
    let has_come_through = |filters: &Object| state.ledger.scopes().iter().any(|scope| scope.filters == *filters);
    let failed = failed.filter(|call| !has_come_through(&filters_of(inner(&call.arguments))));
    let refused: Vec<Object> = failed.map(|call| filters_of(inner(&call.arguments))).collect();
    let empty = state.ledger.scopes().iter().filter(|scope| scope.total == Some(0)).map(|scope| &scope.filters);
    let empty: Vec<&Object> = empty.collect();
    let turns = state.turns.iter().map(|turn| &turn.question);
    let answers = state.clarifications.iter().map(|settled| &settled.answer);
    let settled = state.clarifications.iter().map(|settled| settled.settled());
    let said: Vec<&str> =
        [&state.question].into_iter().chain(turns).chain(answers).map(String::as_str).chain(settled).collect();
    let said = said.join("\n");
    let mut correct = |arguments: &mut Object| {
        let filters = filters_of(arguments);
        if filters.is_empty() {
            return;
        }
        if refused.contains(&filters) {
            arguments.remove("filters");
            notes.push(format!("the tool refuses the filters {}; they were left out", prompts::json(&filters)));
        } else if empty.contains(&&filters) {
            let named: Object = filters.iter().filter(|(_, condition)| is_named(condition, &said)).map(owned).collect();
            if named.len() < filters.len() {
                let (all, kept) = (prompts::json(&filters), prompts::json(&named));
                notes.push(format!("no record matches {all}; of it, what the question names was kept: {kept}"));
                arguments.insert("filters".to_owned(), json!(kept));
            }
        }
    };
    plan.tool_calls.iter_mut().for_each(|call| correct(&mut call.arguments));
    for call in &mut plan.sub_agent_calls {
        match call.arguments.get_mut("tool_args") {
            Some(Value::Object(arguments)) => correct(arguments),
            _ => correct(&mut call.arguments),
        }
    }
}

/// Whether the words of a tool blame its filters, and do not only list them among its arguments.
fn blames_the_filters(message: &str) -> bool {
    let message = message.to_lowercase();
    message.match_indices("filter").any(|(at, word)| {
        let quotes = ['`', '"', '\''];
        let before = message[..at].trim_end_matches(quotes);
        let after = message[at + word.len()..].trim_start_matches('s').trim_start_matches(quotes);
        !before.ends_with(", ") && !before.ends_with("are: ") && !after.starts_with(',')
    })
}

fn owned((field, condition): (&String, &Value)) -> (String, Value) {
    (field.clone(), condition.clone())
}

/// Whether a word of the condition's values stands in the question, if only in another form.
fn is_named(condition: &Value, question: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        words.filter(|word| !word.is_empty()).collect()
    };
    let asked = words(question);
    let is_alike = |word: &String, other: &String| {
        let long = word.chars().count() > 2 && other.chars().count() > 2 && !word.starts_with(|c: char| c.is_numeric());
        word == other || (long && (word.starts_with(other.as_str()) || other.starts_with(word.as_str())))
    };
    let stands =
        |value: &Value| words(&plain(value)).iter().any(|word| asked.iter().any(|other| is_alike(word, other)));
    match condition {
        Value::Array(values) => values.iter().any(stands),
        Value::Object(range) => range.values().any(stands),
        value => stands(value),
    }
}

/// The arguments for the tool in those of a call: a scan has them one level down.
fn inner(arguments: &Object) -> &Object {
    arguments.get("tool_args").and_then(Value::as_object).unwrap_or(arguments)
}
