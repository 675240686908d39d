//! Decides what a run does next: ask for groups and totals, read everything, write the report.

pub(crate) mod computed;

use serde_json::{Value, json};

use crate::data::record::{Object, ReportFormat, SubAgentCall, ToolCall};
use crate::data::task::{AgentFacts, PlanTask, PlannerOutput};
use crate::offline::plan::computed::computed;
use crate::question::topics::Topics;

/// Names of arguments that take a question in natural language.
const QUESTION_ARGUMENTS: &[&str] = &["query", "question", "q", "search"];

/// Sample records of a group at most.
const SAMPLES: u64 = 20;
/// Groups that a tool lists unless it is asked for more.
const GROUPS: usize = 20;

/// Answers the task.
pub(crate) fn plan(task: &PlanTask) -> PlannerOutput {
    let state = &task.state;
    let Some(topics) = Topics::new(
        &task.question,
        &task.conversation,
        &task.tools,
        &task.overrides,
    ) else {
        return synthesize(
            task,
            "There is no data tool; the report says what is known.",
        );
    };

    let known =
        state.total_docs.is_some() || !state.aggregations.is_empty() || state.docs_fetched > 0;
    if state.total_docs == Some(0) {
        return synthesize(task, "No record matches; the report says so.");
    }

    if task.iteration <= 1 && !known {
        let calls = computed(task);
        let is_full = task.format == ReportFormat::ComprehensiveReport;
        if is_full || calls.is_empty() {
            return begin(task, &topics);
        }
        let read = task.reading.as_ref();
        return PlannerOutput {
            reasoning: read.map_or_else(String::new, |read| read.meaning.explanation()),
            sub_agent_calls: calls,
            tool_calls: Vec::new(),
        };
    }

    if state.needs_full_scan && agent(task, "scanner").is_some() {
        let why = match state.total_docs {
            Some(total) => {
                format!(
                    "{} of {total} matching records are read; the rest must be read too.",
                    state.docs_fetched
                )
            }
            None => "The number of matching records is unknown; all must be read.".to_owned(),
        };
        return scan(task, &topics, why);
    }

    if !known && task.iteration == 2 && agent(task, "scanner").is_some() {
        return scan(
            task,
            &topics,
            "The first call gave nothing; the records are read without grouping.".to_owned(),
        );
    }

    let is_counted = task.format != ReportFormat::ComprehensiveReport && !computed(task).is_empty();
    let is_answered = is_counted && !state.aggregations.is_empty();
    if state.unread_documents > 0
        && !state.needs_full_scan
        && !is_answered
        && agent(task, "extractor").is_some()
    {
        return extract(task);
    }

    synthesize(
        task,
        "Everything that can be had was fetched; the report can be written.",
    )
}

fn agent<'t>(task: &'t PlanTask, name: &str) -> Option<&'t AgentFacts> {
    task.agents.iter().find(|agent| agent.name == name)
}

/// Plans the first round: the checklist, the main grouping with its course of time, and a further
/// grouping.
fn begin(task: &PlanTask, topics: &Topics<'_>) -> PlannerOutput {
    let mut output = PlannerOutput {
        reasoning: topics.meant.explanation(),
        ..PlannerOutput::default()
    };
    output.sub_agent_calls.extend(decompose(task));

    let groups = topics.takes("group_by") && !topics.meant.group_by.is_empty();
    let course = topics
        .takes("date_histogram")
        .then_some(topics.course.as_ref())
        .flatten();

    // Without an aggregator the tool is called directly.
    match agent(task, "aggregator").filter(|_| groups || course.is_some()) {
        Some(aggregator) => output
            .sub_agent_calls
            .push(aggregate(topics, aggregator, groups)),
        None => {
            let mut arguments = data_arguments(task, topics);
            if groups {
                arguments.insert(
                    "group_by".to_owned(),
                    json!(topics.meant.group_by.join(",")),
                );
            }
            if let Some(course) = course {
                arguments.insert(
                    "date_histogram".to_owned(),
                    json!({"field": course.field, "interval": course.interval}),
                );
            }
            output.tool_calls.push(tool_call("t_1", topics, arguments));
        }
    }

    output.tool_calls.extend(grouped_call(
        task,
        topics,
        topics.category.map(|field| field.name.clone()),
        output.tool_calls.len() + 1,
    ));
    output
}

/// Returns a direct call for a further grouping. If the user fixed the grouping, no other one is
/// requested.
fn grouped_call(
    task: &PlanTask,
    topics: &Topics<'_>,
    by: Option<String>,
    number: usize,
) -> Option<ToolCall> {
    let by = by.filter(|_| topics.takes("group_by") && task.overrides.group_by.is_none())?;
    if task
        .state
        .aggregations
        .iter()
        .any(|(_, known, _)| *known == by)
    {
        return None;
    }

    let mut arguments = data_arguments(task, topics);
    arguments.insert("group_by".to_owned(), json!(by));
    if topics.takes("page_size") {
        arguments.insert("page_size".to_owned(), json!(1));
    }

    Some(tool_call(&format!("t_{number}"), topics, arguments))
}

fn decompose(task: &PlanTask) -> Option<SubAgentCall> {
    let wanted = task.state.sub_questions.is_empty() && agent(task, "decomposer").is_some();
    let arguments = Object::from_iter([("query".to_owned(), json!(task.question))]);
    wanted.then(|| sub_agent_call("a_1", "decomposer", arguments))
}

fn aggregate(topics: &Topics<'_>, aggregator: &AgentFacts, groups: bool) -> SubAgentCall {
    let mut arguments = Object::from_iter([("tool_name".to_owned(), json!(topics.tool.name))]);
    if groups {
        arguments.insert(
            "group_by".to_owned(),
            json!(topics.meant.group_by.join(",")),
        );
    }

    if !topics.meant.filters.is_empty() {
        arguments.insert("filters".to_owned(), as_text(&topics.meant.filters));
    }

    let property = aggregator
        .input_schema
        .pointer("/properties/date_histogram");
    if let (Some(course), true) = (
        &topics.course,
        property.is_some() && topics.takes("date_histogram"),
    ) {
        let course = json!({"field": course.field, "interval": course.interval});
        let as_string = property
            .and_then(|schema| schema.get("type"))
            .is_some_and(|kind| kind == "string");
        arguments.insert(
            "date_histogram".to_owned(),
            if as_string {
                json!(course.to_string())
            } else {
                course
            },
        );
    }

    sub_agent_call("a_2", "aggregator", arguments)
}

fn scan(task: &PlanTask, topics: &Topics<'_>, reasoning: String) -> PlannerOutput {
    let mut output = PlannerOutput {
        reasoning,
        ..PlannerOutput::default()
    };
    output.sub_agent_calls.extend(decompose(task));
    let arguments = Object::from_iter([
        ("tool_name".to_owned(), json!(topics.tool.name)),
        (
            "tool_args".to_owned(),
            Value::Object(data_arguments(task, topics)),
        ),
        ("extraction_focus".to_owned(), json!(task.question)),
    ]);

    output
        .sub_agent_calls
        .extend(sample(task, topics, &arguments));
    output
        .sub_agent_calls
        .push(sub_agent_call("a_2", "scanner", arguments));

    // The names come with the scan and not before it: calls that bring groups bring no findings,
    // and a run ends after some of these in a row.
    output.tool_calls.extend(grouped_call(
        task,
        topics,
        topics.names.map(|field| field.name.clone()),
        1,
    ));

    // The main grouping with a further one inside shows what goes together over all records,
    // however many are read.
    let within = match (topics.meant.group_by.as_slice(), topics.category) {
        ([main], Some(category)) => Some(format!("{main},{}", category.name)),
        _ => None,
    };
    let number = output.tool_calls.len() + 1;
    output
        .tool_calls
        .extend(grouped_call(task, topics, within, number));

    output
}

/// Plans samples of each group if more records match than a run reads, so that no group is left out
/// because the tool lists it late. They take half of the limit at most.
fn sample(task: &PlanTask, topics: &Topics<'_>, scan: &Object) -> Option<SubAgentCall> {
    let limit = task.state.max_docs;
    task.state
        .total_docs
        .filter(|total| limit > 0 && *total > limit)?;
    let grouped = topics.meant.group_by.first();
    let field = grouped.or(topics.category.map(|field| &field.name));
    let field = field.filter(|_| topics.takes("group_by") && topics.takes("samples_per_bucket"))?;
    let facts = topics.tool.fields.iter().find(|facts| facts.name == *field);
    let groups = facts
        .map(|facts| facts.values.len())
        .filter(|values| (1..GROUPS).contains(values))
        .unwrap_or(GROUPS);
    let each = (limit / 2 / groups as u64).clamp(1, SAMPLES);
    let mut arguments = scan.clone();
    if let Some(Value::Object(own)) = arguments.get_mut("tool_args") {
        own.insert("group_by".to_owned(), json!(field));
        own.insert("samples_per_bucket".to_owned(), json!(each));
    }

    Some(sub_agent_call("a_3", "scanner", arguments))
}

/// Plans to read records that came with a call and that no scan has read, for instance because the
/// data tool failed before it.
fn extract(task: &PlanTask) -> PlannerOutput {
    let count = task.state.unread_documents;
    let arguments = Object::from_iter([("extraction_focus".to_owned(), json!(task.question))]);
    PlannerOutput {
        reasoning: format!("{count} records came that are not read for findings yet."),
        sub_agent_calls: vec![sub_agent_call("a_1", "extractor", arguments)],
        tool_calls: Vec::new(),
    }
}

fn synthesize(task: &PlanTask, reasoning: &str) -> PlannerOutput {
    let call =
        agent(task, "synthesizer").map(|_| sub_agent_call("a_1", "synthesizer", Object::new()));
    PlannerOutput {
        reasoning: reasoning.to_owned(),
        sub_agent_calls: call.into_iter().collect(),
        tool_calls: Vec::new(),
    }
}

/// Returns what selects the records, in the arguments that the tool has: `filters` as JSON text,
/// arguments named like the filtered fields, or the question in words. The arguments of the last
/// call take precedence over a new reading of the question.
fn data_arguments(task: &PlanTask, topics: &Topics<'_>) -> Object {
    let mut arguments = Object::new();
    let last = task
        .state
        .last_arguments
        .as_ref()
        .and_then(|last| last.get("filters"));

    // Filters of the user go before those of the last call.
    if topics.takes("filters") {
        match last {
            Some(Value::String(text)) if task.overrides.filters.is_none() => {
                arguments.insert("filters".to_owned(), json!(text));
            }
            Some(Value::Object(filters)) if task.overrides.filters.is_none() => {
                arguments.insert("filters".to_owned(), as_text(filters));
            }
            _ if topics.meant.filters.is_empty() => {}
            _ => {
                arguments.insert("filters".to_owned(), as_text(&topics.meant.filters));
            }
        }
    } else {
        let direct = topics
            .meant
            .filters
            .iter()
            .filter(|(field, _)| topics.takes(field));
        arguments.extend(direct.map(|(field, value)| (field.clone(), value.clone())));
    }

    if topics.tool.fields.is_empty()
        && let Some(name) = QUESTION_ARGUMENTS.iter().find(|name| topics.takes(name))
    {
        arguments.insert((*name).to_owned(), json!(task.question));
    }

    arguments
}

fn as_text(filters: &Object) -> Value {
    Value::String(Value::Object(filters.clone()).to_string())
}

fn sub_agent_call(id: &str, agent: &str, arguments: Object) -> SubAgentCall {
    SubAgentCall {
        id: id.to_owned(),
        agent: agent.to_owned(),
        arguments,
        depends_on: Vec::new(),
    }
}

fn tool_call(id: &str, topics: &Topics<'_>, arguments: Object) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        tool: topics.tool.name.clone(),
        arguments,
    }
}

#[cfg(test)]
mod tests;
