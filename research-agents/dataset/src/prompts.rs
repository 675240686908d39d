//! The prompts of the dataset agent: versioned templates, and the strings that fill them.

mod arguments;

use std::iter;

use research_agents_report::evidence::plain;
use research_agents_report::language::Language;
use research_agents_report::text::Untrusted;
use research_agents_runtime::ask::{Shrink, Template};
use serde_json::Value;

use crate::data::record::{AggregationResult, Finding, Object, SubAgentCall, SubQuestion};
use crate::data::task::conversation::Conversation;
use crate::data::task::question::shape::Measure;
use crate::data::task::{
    AgentFacts, DocumentText, FieldProfile, GroupedMeasure, MeasuredGroup, QueryOverrides,
    ReadQuestion, SynthesizeTask, ToolFacts, ValuePair,
};
use crate::found::evidence::distribution;
use crate::state::model::DatasetState;

/// The prompt that decides whether the user must be asked what is meant.
pub(crate) const CLARIFY: Template = Template::new(
    "dataset.clarify",
    1,
    include_str!("../prompts/clarify.v1.md"),
);
/// The prompt that plans what to do next.
pub(crate) const PLANNER: Template = Template::new(
    "dataset.planner",
    5,
    include_str!("../prompts/planner.v5.md"),
);
/// The prompt that breaks the question into sub-questions.
pub(crate) const DECOMPOSER: Template = Template::new(
    "dataset.decomposer",
    2,
    include_str!("../prompts/decomposer.v2.md"),
);
/// The prompt that finds points of view.
pub(crate) const PERSPECTIVE: Template = Template::new(
    "dataset.perspective",
    1,
    include_str!("../prompts/perspective.v1.md"),
);
/// The prompt that reviews findings.
pub(crate) const VALIDATOR: Template = Template::new(
    "dataset.validator",
    1,
    include_str!("../prompts/validator.v1.md"),
);
/// The prompt that looks for gaps.
pub(crate) const GAP_ANALYZER: Template = Template::new(
    "dataset.gap_analyzer",
    1,
    include_str!("../prompts/gap_analyzer.v1.md"),
);
/// The prompt that draws insights from aggregations.
pub(crate) const INSIGHTS: Template = Template::new(
    "dataset.insights",
    1,
    include_str!("../prompts/insights.v1.md"),
);
/// The prompt that draws findings from records.
pub(crate) const EXTRACT: Template = Template::new(
    "dataset.extract",
    2,
    include_str!("../prompts/extract.v2.md"),
);
/// The prompt that drafts the report.
pub(crate) const SYNTHESIZER: Template = Template::new(
    "dataset.synthesizer",
    1,
    include_str!("../prompts/synthesizer.v1.md"),
);

/// The maximum number of values of a field that a prompt lists: in full length, and shortened as
/// far as possible. The constants below are such pairs too.
const VALUES: (usize, usize) = (60, 3);
/// The maximum number of groups of an aggregation.
const GROUPS: (usize, usize) = (200, 12);
/// The maximum number of most frequent values of a profiled field.
const TOP: (usize, usize) = (10, 2);
/// The maximum number of pairs of values, and of measures by group.
const RELATIONS: (usize, usize) = (8, 1);
/// The maximum number of notes, of which the newest are listed.
const NOTES: (usize, usize) = (30, 3);

/// The last line of prompts that leave the language to the model.
const OF_THE_QUESTION: &str = "- Write in the language of the question.\n";

/// Adds the language to answer in to a prompt. The prompt stays unchanged if question and answer
/// are English, and so does the planner's, whose answer is a plan.
pub(crate) fn in_language(prompt: String, template: &str, state: &DatasetState) -> String {
    let language = state.language;
    let is_plain = language == Language::ENGLISH && state.question_language == Language::ENGLISH;
    if is_plain || template == PLANNER.name {
        return prompt;
    }

    let (name, own, example) = (
        language.name(),
        language.own_name(),
        language.number_example(),
    );
    let own = if own == name {
        String::new()
    } else {
        format!(" ({own})")
    };
    let prompt = prompt.strip_suffix(OF_THE_QUESTION).unwrap_or(&prompt);

    format!(
        "{prompt}\n# Language\n- Write every text for the reader in {name}{own}, whatever the \
         language of the question and of the data.\n- Names and values of fields, ids and quotes \
         stay exactly as they are in the data: never translate or respell them.\n- Write numbers \
         as {name} does, like {example}, and shares with the sign %.\n"
    )
}

/// Returns lines as untrusted text, or `(none)` without any lines.
pub(crate) fn lines(items: impl IntoIterator<Item = String>) -> Untrusted<String> {
    let text = items.into_iter().collect::<Vec<_>>().join("\n");
    Untrusted::new(if text.is_empty() {
        "(none)".to_owned()
    } else {
        text
    })
}

/// Returns `- ` lines with the sub-questions.
pub(crate) fn questions(sub_questions: &[SubQuestion]) -> Untrusted<String> {
    lines(
        sub_questions
            .iter()
            .map(|question| format!("- {}", question.question)),
    )
}

/// Returns `- ` lines with the sub-questions and their ids.
pub(crate) fn questions_with_ids(sub_questions: &[SubQuestion]) -> Untrusted<String> {
    lines(
        sub_questions
            .iter()
            .map(|question| format!("{}:\n- {}", question.id, question.question)),
    )
}

/// Returns the tools with their arguments, fields and values.
pub(crate) fn tools(tools: &[ToolFacts], shrink: Shrink) -> Untrusted<String> {
    let most = shrink.length(VALUES.0, VALUES.1);

    lines(tools.iter().map(|tool| {
        let mut text = format!(
            "## {}\n{}\narguments: {}\n",
            tool.name,
            tool.description,
            tool.arguments.join(", ")
        );
        for field in &tool.fields {
            text.push_str(&format!("- {} ({})", field.name, word(&field.kind)));
            if let Some((low, high)) = &field.range {
                text.push_str(&format!(" from {} to {}", plain(low), plain(high)));
            }
            if !field.values.is_empty() {
                let values: Vec<String> = field.values.iter().take(most).map(plain).collect();
                text.push_str(&format!(": {}", values.join(" | ")));
                if field.values.len() > most {
                    text.push_str(&format!(" | … ({} more)", field.values.len() - most));
                }
            }
            text.push('\n');
        }
        text
    }))
}

/// Returns the sub-agents with their purpose and their arguments, except those that the state owns
/// and fills in. A short prompt has one line for each agent, with the names of its arguments alone.
pub(crate) fn agents(agents: &[AgentFacts], shrink: Shrink) -> Untrusted<String> {
    lines(agents.iter().map(|agent| {
        let AgentFacts {
            name,
            description,
            use_when,
            speed,
            cost,
            input_schema,
        } = agent;

        if !shrink.is_none() {
            let names = arguments::names(input_schema).join(", ");
            return format!("- {name}: {description} Use when: {use_when}. Arguments: {names}");
        }

        let head =
            format!("## {name}\n{description}\nuse when: {use_when}\nspeed: {speed}; cost: {cost}");
        iter::once(head)
            .chain(arguments::lines(input_schema))
            .collect::<Vec<_>>()
            .join("\n")
    }))
}

/// Returns the question as code reads it, and the calls that compute its answer.
pub(crate) fn reading(reading: Option<&ReadQuestion>, calls: &[SubAgentCall]) -> Untrusted<String> {
    let Some(ReadQuestion { tool, meaning, .. }) = reading else {
        return lines([]);
    };

    let measure = |measure: &Measure| format!("{} of {}", word(&measure.function), measure.field);
    let not_applied = meaning.dropped();
    let lists = [
        ("measures", meaning.measures.iter().map(measure).collect()),
        ("groups", meaning.group_by.clone()),
        (
            "not applied",
            not_applied
                .map(|condition| condition.said.clone())
                .collect::<Vec<_>>(),
        ),
    ];
    let lists = lists
        .into_iter()
        .filter(|(_, words)| !words.is_empty())
        .map(|(name, words)| format!("{name}: {}", words.join("; ")));

    let filters = (!meaning.filters.is_empty()).then(|| json(&meaning.filters));
    let filters = filters.map(|filters| format!("filters for {tool}: {filters}"));
    let calls = calls
        .iter()
        .map(|call| format!("call of {}: {}", call.agent, json(&call.arguments)));
    lines(filters.into_iter().chain(lists).chain(calls))
}

/// Returns the filters and the grouping that the user fixed.
pub(crate) fn overrides(overrides: &QueryOverrides) -> Untrusted<String> {
    let filters = overrides
        .filters
        .as_ref()
        .map(|filters| format!("filters: {}", json(filters)));
    let group_by = overrides
        .group_by
        .as_ref()
        .map(|fields| format!("group_by: {}", fields.join(",")));
    lines(filters.into_iter().chain(group_by))
}

/// Returns what was said and found before the question, and what was settled about it.
pub(crate) fn conversation(conversation: &Conversation) -> Untrusted<String> {
    lines(conversation.lines())
}

/// Returns an object as JSON.
pub(crate) fn json(object: &Object) -> String {
    Value::Object(object.clone()).to_string()
}

/// Returns the records with their ids.
pub(crate) fn documents(documents: &[DocumentText]) -> Untrusted<String> {
    lines(
        documents
            .iter()
            .map(|document| format!("[record {}]\n{}", document.id, document.text)),
    )
}

/// Returns the aggregations as distributions.
pub(crate) fn aggregations(
    aggregations: &[AggregationResult],
    shrink: Shrink,
) -> Untrusted<String> {
    let most = shrink.length(GROUPS.0, GROUPS.1);
    lines(
        aggregations
            .iter()
            .map(|aggregation| distribution(aggregation, most)),
    )
}

/// Returns the findings with their ids: at most the given number, those with the most records.
pub(crate) fn findings(findings: &[Finding], most: usize) -> Untrusted<String> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.doc_ids.len()));
    let left_out = findings.len().saturating_sub(most);
    let left_out = (left_out > 0).then(|| format!("({left_out} more findings)"));
    let line = |finding: &&Finding| {
        format!(
            "{} ({} records): {}",
            finding.id,
            finding.doc_ids.len(),
            finding.claim
        )
    };
    lines(sorted.iter().take(most).map(line).chain(left_out))
}

/// Returns the notes, the newest last; a short prompt leaves out the older ones.
pub(crate) fn notes(notes: &[String], shrink: Shrink) -> Untrusted<String> {
    let skipped = notes.len().saturating_sub(shrink.length(NOTES.0, NOTES.1));
    let left_out = (skipped > 0).then(|| format!("- ({skipped} earlier notes)"));
    lines(
        left_out
            .into_iter()
            .chain(notes.iter().skip(skipped).map(|note| format!("- {note}"))),
    )
}

/// Returns the field profile.
fn profile(profile: &[FieldProfile], shrink: Shrink) -> impl Iterator<Item = String> {
    let most = shrink.length(TOP.0, TOP.1);

    profile.iter().map(move |field| {
        let top: Vec<String> = field
            .top
            .iter()
            .take(most)
            .map(|(value, count)| format!("{}: {count}", plain(value)))
            .collect();
        let mut text = format!(
            "{} ({}): {} present, {} missing, {} distinct; {}",
            field.field,
            word(&field.kind),
            field.present,
            field.missing,
            field.distinct,
            top.join(", ")
        );

        if let Some(numbers) = &field.numbers {
            text.push_str(&format!(
                "; min {} (record {}), max {} (record {}), median {}, mean {}, sum {}",
                numbers.min.0,
                numbers.min.1,
                numbers.max.0,
                numbers.max.1,
                numbers.median,
                numbers.mean,
                or_too_large(numbers.sum)
            ));
        }
        if let Some((first, last)) = &field.dates {
            text.push_str(&format!("; from {first} to {last}"));
        }
        text
    })
}

/// Returns a number, or words for a sum that is too large for one.
fn or_too_large(number: f64) -> String {
    if number.is_finite() {
        number.to_string()
    } else {
        "too large for a number".to_owned()
    }
}

/// Returns what the records read contain: the field profile, and the relations between fields. If
/// no record was read, the fields that can be queried.
pub(crate) fn facts(task: &SynthesizeTask, shrink: Shrink) -> Untrusted<String> {
    if task.profile.is_empty() && !task.fields.is_empty() {
        let names: Vec<&str> = task
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .collect();
        return lines([format!(
            "No record was read. The fields of the data are {}.",
            names.join(", ")
        )]);
    }

    let most = shrink.length(RELATIONS.0, RELATIONS.1);
    let pair = |pair: &ValuePair| {
        let ([a, b], [x, y]) = (&pair.fields, &pair.values);
        let (x, y, [with_x, with_y]) = (plain(x), plain(y), pair.each);
        format!(
            "{a} {x} ({with_x} records) and {b} {y} ({with_y} records): {} records have both",
            pair.together
        )
    };

    let measure = |measure: &GroupedMeasure| {
        let groups = measure.groups.iter().take(most).map(|group| {
            let MeasuredGroup {
                value,
                records,
                median,
                mean,
                sum,
            } = group;
            format!(
                "{} ({records} records): median {median}, mean {mean}, sum {sum}",
                plain(value)
            )
        });
        format!(
            "{} by {}: {}",
            measure.field,
            measure.by,
            groups.collect::<Vec<_>>().join("; ")
        )
    };

    let relations = task.relations.pairs.iter().take(most).map(pair);
    let relations = relations.chain(task.relations.measures.iter().take(most).map(measure));

    lines(profile(&task.profile, shrink).chain(relations))
}

/// Returns the name that an enum serializes to.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .as_ref()
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use research_agents_report::text::Marker;
    use research_agents_runtime::ask::Prompt;

    use super::*;
    use crate::data::task::{FieldFacts, FieldKind};

    #[test]
    fn research_questions_stand_in_the_extraction_prompt_line_by_line() {
        let question = |id: &str, text: &str| SubQuestion {
            id: id.into(),
            question: text.into(),
            priority: 1,
            depends_on: Vec::new(),
        };
        let asked = [
            question("sq_1", "What are the main event themes in India?"),
            question("sq_2", "Which lead?"),
        ];
        let marker = Marker::fixed("m1");
        let prompt = Prompt::new(&EXTRACT, &marker)
            .set("question", "q")
            .set("focus", "f")
            .data("sub_questions", &questions(&asked))
            .data("filters", &lines([]))
            .data("documents", &lines(["x".to_owned()]))
            .set("max_findings_per_doc", 3_usize)
            .set("max_findings", 9_usize)
            .finish()
            .unwrap();
        let at = prompt.find("RESEARCH QUESTIONS TO ANSWER:").unwrap();

        assert!(
            prompt[at..].contains("- What are the main event themes in India?\n"),
            "{prompt}"
        );
        assert!(prompt[at..].contains("- Which lead?\n"), "{prompt}");
    }

    #[test]
    fn tools_show_fields_with_values_and_ranges() {
        let field = FieldFacts {
            name: "speed".into(),
            kind: FieldKind::Number,
            values: Vec::new(),
            range: Some((0.into(), 400.into())),
            ..FieldFacts::default()
        };
        let tool = ToolFacts {
            name: "t".into(),
            fields: vec![field],
            ..ToolFacts::default()
        };
        assert!(
            tools(&[tool], Shrink::default())
                .for_code()
                .contains("- speed (number) from 0 to 400")
        );
    }
}
