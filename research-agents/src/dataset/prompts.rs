//! The prompts of the dataset agent: versioned texts beside the code, and the words that fill them.

use serde_json::Value;

use super::evidence::distribution;
use super::record::{AggregationResult, Object, SubQuestion};
use super::task::{AgentFacts, DocumentText, FieldProfile, QueryOverrides, ToolFacts};
use crate::kernel::evidence::plain;
use crate::kernel::{Template, Untrusted};

/// Decides what to do next.
pub(crate) const PLANNER: Template = Template::new("dataset.planner", 1, include_str!("../../prompts/planner.v1.md"));
/// Breaks the question down.
pub(crate) const DECOMPOSER: Template =
    Template::new("dataset.decomposer", 1, include_str!("../../prompts/decomposer.v1.md"));
/// Says what aggregations show.
pub(crate) const INSIGHTS: Template =
    Template::new("dataset.insights", 1, include_str!("../../prompts/insights.v1.md"));
/// Draws findings from records.
pub(crate) const EXTRACT: Template = Template::new("dataset.extract", 1, include_str!("../../prompts/extract.v1.md"));
/// Writes the report.
pub(crate) const SYNTHESIZER: Template =
    Template::new("dataset.synthesizer", 1, include_str!("../../prompts/synthesizer.v1.md"));

/// Values of a field that a prompt lists.
const VALUES: usize = 60;

/// Lines as untrusted text; `(none)` when there is none.
pub(crate) fn lines(items: impl IntoIterator<Item = String>) -> Untrusted<String> {
    let text = items.into_iter().collect::<Vec<_>>().join("\n");
    Untrusted::new(if text.is_empty() { "(none)".to_owned() } else { text })
}

/// `- ` lines with the sub-questions.
pub(crate) fn questions(sub_questions: &[SubQuestion]) -> Untrusted<String> {
    lines(sub_questions.iter().map(|question| format!("- {}", question.question)))
}

/// `- ` lines with the sub-questions and their ids.
pub(crate) fn questions_with_ids(sub_questions: &[SubQuestion]) -> Untrusted<String> {
    lines(sub_questions.iter().map(|question| format!("{}:\n- {}", question.id, question.question)))
}

/// The tools with their arguments, fields and values.
pub(crate) fn tools(tools: &[ToolFacts]) -> Untrusted<String> {
    lines(tools.iter().map(|tool| {
        let mut text = format!("## {}\n{}\narguments: {}\n", tool.name, tool.description, tool.arguments.join(", "));
        for field in &tool.fields {
            text.push_str(&format!("- {} ({})", field.name, word(&field.kind)));
            if let Some((low, high)) = &field.range {
                text.push_str(&format!(" from {} to {}", plain(low), plain(high)));
            }
            if !field.values.is_empty() {
                let values: Vec<String> = field.values.iter().take(VALUES).map(plain).collect();
                text.push_str(&format!(": {}", values.join(" | ")));
            }
            text.push('\n');
        }
        text
    }))
}

/// The sub-agents with what they are for and the JSON schemas of their arguments.
pub(crate) fn agents(agents: &[AgentFacts]) -> Untrusted<String> {
    lines(agents.iter().map(|agent| {
        let properties = agent.input_schema.get("properties").cloned().unwrap_or(Value::Null);
        format!(
            "## {}\n{}\nuse when: {}\nspeed: {}\ncost: {}\narguments: {properties}",
            agent.name, agent.description, agent.use_when, agent.speed, agent.cost
        )
    }))
}

/// What the user fixed.
pub(crate) fn overrides(overrides: &QueryOverrides) -> Untrusted<String> {
    let filters = overrides.filters.as_ref().map(|filters| format!("filters: {}", json(filters)));
    let group_by = overrides.group_by.as_ref().map(|fields| format!("group_by: {}", fields.join(",")));
    lines(filters.into_iter().chain(group_by))
}

/// An object as JSON.
pub(crate) fn json(object: &Object) -> String {
    Value::Object(object.clone()).to_string()
}

/// The records with their ids.
pub(crate) fn documents(documents: &[DocumentText]) -> Untrusted<String> {
    lines(documents.iter().map(|document| format!("[record {}]\n{}", document.id, document.text)))
}

/// The aggregations as distributions.
pub(crate) fn aggregations(aggregations: &[AggregationResult]) -> Untrusted<String> {
    lines(aggregations.iter().map(distribution))
}

/// The field profile.
pub(crate) fn profile(profile: &[FieldProfile]) -> Untrusted<String> {
    lines(profile.iter().map(|field| {
        let top: Vec<String> = field.top.iter().map(|(value, count)| format!("{}: {count}", plain(value))).collect();
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
                numbers.min.0, numbers.min.1, numbers.max.0, numbers.max.1, numbers.median, numbers.mean, numbers.sum
            ));
        }
        if let Some((first, last)) = &field.dates {
            text.push_str(&format!("; from {first} to {last}"));
        }
        text
    }))
}

/// The name that an enum serializes to.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::task::{FieldFacts, FieldKind};
    use super::*;
    use crate::kernel::{Marker, Prompt};

    #[test]
    fn research_questions_stand_in_the_extraction_prompt_line_by_line() {
        let question = |id: &str, text: &str| SubQuestion {
            id: id.into(),
            question: text.into(),
            priority: 1,
            depends_on: Vec::new(),
        };
        let asked = [question("sq_1", "What are the main event themes in India?"), question("sq_2", "Which lead?")];
        let marker = Marker::fixed("m1");
        let prompt = Prompt::new(&EXTRACT, &marker)
            .set("question", "q")
            .set("focus", "f")
            .data("sub_questions", &questions(&asked))
            .data("filters", &lines([]))
            .data("documents", &lines(["x".to_owned()]))
            .set("max_findings_per_doc", 3_usize)
            .finish()
            .unwrap();
        let at = prompt.find("RESEARCH QUESTIONS TO ANSWER:").unwrap();
        assert!(prompt[at..].contains("- What are the main event themes in India?\n"), "{prompt}");
        assert!(prompt[at..].contains("- Which lead?\n"), "{prompt}");
    }

    #[test]
    fn tools_show_fields_with_values_and_ranges() {
        let field = FieldFacts {
            name: "speed".into(),
            kind: FieldKind::Number,
            values: Vec::new(),
            range: Some((0.into(), 400.into())),
        };
        let tool = ToolFacts { name: "t".into(), fields: vec![field], ..ToolFacts::default() };
        assert!(tools(&[tool]).for_code().contains("- speed (number) from 0 to 400"));
    }
}
