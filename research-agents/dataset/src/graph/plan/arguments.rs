//! Completes the arguments of a planned sub-agent call from the state.

use research_agents_report::evidence::Source;
use serde_json::{Value, json};

use crate::data::config::DatasetConfig;
use crate::data::names::{SCANNER, STATE_OWNED};
use crate::data::record::Object;
use crate::state::model::DatasetState;

/// Returns the arguments, completed with those that the agent takes, that the plan left out, and
/// that the state or the settings contain.
///
/// The input schema of an agent says which arguments it takes, so that agents of the host are
/// treated alike. Results of the run are always taken from the state: a plan that writes them may
/// abridge or invent them, or follow an instruction hidden in the data to leave something out.
pub(crate) fn complete(
    agent: &str,
    arguments: Object,
    schema: &Value,
    state: &DatasetState,
    config: &DatasetConfig,
) -> Object {
    complete_but(&[], agent, arguments, schema, state, config)
}

/// Returns the same without the arguments that the agent fills from the state itself.
pub(crate) fn complete_but(
    filled: &[&str],
    agent: &str,
    mut arguments: Object,
    schema: &Value,
    state: &DatasetState,
    config: &DatasetConfig,
) -> Object {
    let taken = schema.get("properties").and_then(Value::as_object);
    for name in taken.into_iter().flat_map(|properties| properties.keys()) {
        if filled.contains(&name.as_str()) {
            arguments.remove(name);
            continue;
        }
        if is_for_the_plan(name, arguments.get(name)) {
            continue;
        }
        match known(agent, name, &arguments, state, config) {
            Some(value) => arguments.insert(name.clone(), value),
            // An explicit null is as good as nothing.
            None => arguments.remove(name),
        };
    }

    arguments
}

/// Returns whether a plan's value is used.
fn is_for_the_plan(name: &str, value: Option<&Value>) -> bool {
    match (name, value) {
        (_, None | Some(Value::Null)) => false,
        // A plan may choose records: they are looked up by their ids, and read as the tool returned
        // them.
        ("documents", Some(Value::Array(items))) => {
            !items.is_empty() && items.iter().all(Value::is_object)
        }
        // The question is the user's.
        ("original_query", _) => false,
        (name, _) => !STATE_OWNED.contains(&name),
    }
}

fn known(
    agent: &str,
    name: &str,
    given: &Object,
    state: &DatasetState,
    config: &DatasetConfig,
) -> Option<Value> {
    match name {
        "query" | "original_query" | "topic" | "extraction_focus" => Some(json!(state.question)),
        "findings" => Some(json!(state.findings)),
        "sub_questions" => Some(json!(state.sub_questions)),
        "aggregation_results" => Some(json!(state.aggregation_results)),
        "documents" => Some(Value::Array(state.unread().map(document).collect())),
        "docs_processed" => Some(json!(state.total_docs_processed)),
        "total_docs_available" => state.total_docs_available.map(Value::from),

        "format" => Some(json!(state.format)),
        "num_perspectives" => Some(json!(config.review.perspectives)),
        "max_questions" => Some(json!(config.max_questions)),
        "max_findings_per_doc" => Some(json!(config.max_findings_per_doc)),
        "batch_size" => Some(json!(config.batch_size)),
        "top_n" => Some(json!(config.top_n)),
        "samples_per_bucket" => Some(json!(config.samples_per_bucket)),

        // The tool with the most to scan comes first, then the one that answered last.
        "tool_name"
            if given
                .get("tool_names")
                .and_then(Value::as_array)
                .is_none_or(Vec::is_empty) =>
        {
            let wanting = state
                .ledger
                .wanting()
                .filter(|_| agent == SCANNER)
                .map(|scope| &scope.tool);
            let last = state
                .last_successful_tool_args
                .as_ref()
                .map(|call| &call.tool);
            wanting
                .or(last)
                .or(state.enabled_tools.first())
                .map(|tool| json!(tool))
        }
        _ => None,
    }
}

/// Returns a record as a dictionary: its fields, and the id that findings name it by.
fn document(source: &Source) -> Value {
    let mut fields = source.fields.for_code().clone();
    fields.insert("id".to_owned(), json!(source.id));
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::standard::standard_agents;
    use crate::data::record::SubQuestion;

    fn state() -> DatasetState {
        let question = |id: &str| SubQuestion {
            id: id.into(),
            question: "Which?".into(),
            priority: 1,
            depends_on: Vec::new(),
        };
        DatasetState {
            question: "India events by theme".into(),
            enabled_tools: vec!["analyze_events".into()],
            sub_questions: vec![question("sq_1"), question("sq_2")],
            ..DatasetState::default()
        }
    }

    fn filled(agent: &str, arguments: Value) -> Value {
        let schema = standard_agents().input_schema(agent).unwrap();
        let arguments = arguments.as_object().unwrap().clone();
        Value::Object(complete(
            agent,
            arguments,
            &schema,
            &state(),
            &DatasetConfig::default(),
        ))
    }

    #[test]
    fn every_agent_can_be_planned_without_arguments() {
        assert_eq!(
            filled("decomposer", json!({}))["query"],
            "India events by theme"
        );
        assert_eq!(
            filled("aggregator", json!({}))["tool_name"],
            "analyze_events"
        );

        let scanner = filled("scanner", json!({}));

        assert_eq!(scanner["extraction_focus"], "India events by theme");
        assert_eq!(scanner["sub_questions"][0]["id"], "sq_1");
        assert_eq!(scanner["batch_size"], 75);
        assert_eq!(
            filled("synthesizer", json!({}))["format"],
            "comprehensive_report"
        );

        let perspective = filled("perspective", json!({}));

        assert_eq!(
            (&perspective["topic"], &perspective["num_perspectives"]),
            (&json!("India events by theme"), &json!(3))
        );

        let extractor = filled("extractor", json!({"documents": ["PAG001"]}));

        assert_eq!(
            (&extractor["documents"], &extractor["max_findings_per_doc"]),
            (&json!([]), &json!(3))
        );

        for agent in ["validator", "gap_analyzer"] {
            let arguments = filled(agent, json!({"findings": null}));
            assert_eq!(
                arguments["original_query"], "India events by theme",
                "{agent}"
            );
            assert_eq!(
                (&arguments["findings"], &arguments["sub_questions"][0]["id"]),
                (&json!([]), &json!("sq_1"))
            );
        }
    }

    #[test]
    fn what_the_plan_gives_stays_unless_the_state_owns_it() {
        let scanner = filled(
            "scanner",
            json!({"batch_size": 100, "sub_questions": ["Which?"], "max_batches": null}),
        );
        assert_eq!(scanner["batch_size"], 100);
        assert_eq!(scanner["sub_questions"][0]["id"], "sq_1");
        assert_eq!(scanner.get("max_batches"), None);
        let report = filled(
            "synthesizer",
            json!({"original_query": "There are 999999", "format": "bullet_points"}),
        );
        assert_eq!(
            report["original_query"], "India events by theme",
            "the question is the user's"
        );
        assert_eq!(report["format"], "bullet_points");
    }

    #[test]
    fn what_the_run_has_found_is_not_a_plans_to_write() {
        let whole = filled("validator", json!({}))["sub_questions"].clone();

        assert_eq!(whole.as_array().map(Vec::len), Some(2));

        for written in [
            json!([{"id": "sq_1"}]),
            json!([{"id": "sq_1", "question": "How many are there?", "priority": 9}]),
            json!([{"id": "q", "question": "How many are there?"}]),
            json!(["sq_1"]),
            json!([]),
            json!("sq_1"),
        ] {
            for agent in [
                "validator",
                "gap_analyzer",
                "synthesizer",
                "scanner",
                "extractor",
            ] {
                assert_eq!(
                    filled(agent, json!({"sub_questions": written}))["sub_questions"],
                    whole,
                    "{agent} {written}"
                );
            }
        }

        let planted = json!([{
            "id": "a", "claim": "Revenue was 999999 dollars", "evidence": [], "evidence_count": 1,
            "doc_ids": ["1"],
            "confidence": "high"
        }]);

        for agent in ["validator", "gap_analyzer", "synthesizer"] {
            assert_eq!(
                filled(agent, json!({"findings": planted}))["findings"],
                json!([]),
                "{agent}"
            );
        }

        let table = json!([{
            "id": "A1", "type": "group_by", "field": "x", "buckets": [], "total_docs": 999_999
        }]);
        for agent in ["gap_analyzer", "synthesizer"] {
            assert_eq!(
                filled(agent, json!({"aggregation_results": table}))["aggregation_results"],
                json!([]),
                "{agent}"
            );
        }
    }
}
