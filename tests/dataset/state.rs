//! The state: every documented field exists and serialises, and its phases have their names.

use research_agents::dataset::{DatasetState, Phase};
use serde_json::{Value, json};

const FIELDS: &[&str] = &[
    "sub_questions",
    "perspectives",
    "findings",
    "aggregation_results",
    "extracted_sources",
    "total_docs_available",
    "docs_fetched",
    "needs_full_scan",
    "validation_status",
    "validation_issues",
    "overall_confidence",
    "question_confidence",
    "gaps_identified",
    "final_report",
    "key_findings",
    "current_phase",
    "iteration",
    "conversation_id",
    "llm_provider",
    "llm_model",
    "available_tools",
    "enabled_tools",
    "research_plan",
    "max_iterations",
    "pending_sub_agent_calls",
    "pending_tool_calls",
    "completed_calls",
    "findings_by_theme",
    "processed_doc_ids",
    "total_docs_processed",
    "thinking_steps",
    "chart_configs",
    "error_message",
    "progress_percentage",
    "batches_with_no_new_findings",
    "batch_findings",
    "last_successful_tool_args",
    "recommendation",
];

#[test]
fn all_fields_exist_and_come_back_from_json() {
    let mut state = serde_json::to_value(DatasetState::default()).unwrap();
    for field in FIELDS {
        assert!(state.get(field).is_some(), "no {field} in {state}");
    }
    state["validation_status"] = json!("NEEDS_REVISION");
    state["validation_issues"] =
        json!([{"type": "coverage", "description": "x", "severity": "low", "suggested_action": "", "advisory": true}]);
    state["gaps_identified"] =
        json!([{"description": "x", "importance": "low", "suggested_agent": null, "suggested_params": {}}]);
    state["perspectives"] = json!([{"name": "x", "focus": "y", "questions": [], "keywords": ["z"]}]);
    state["recommendation"] = json!("DIMINISHING_RETURNS");
    state["question_confidence"] = json!({"sq_1": 0.7});
    let read: DatasetState = serde_json::from_value(state.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), state);
}

#[test]
fn phases_have_the_names_of_the_requirements() {
    let phases = [
        Phase::Planning,
        Phase::Decomposing,
        Phase::Aggregating,
        Phase::Sampling,
        Phase::Scanning,
        Phase::Extracting,
        Phase::Validating,
        Phase::Synthesizing,
        Phase::Complete,
    ];
    let names: Vec<Value> = phases.iter().map(|phase| serde_json::to_value(phase).unwrap()).collect();
    let expected = "planning decomposing aggregating sampling scanning extracting validating synthesizing complete";
    assert_eq!(names, expected.split(' ').map(Value::from).collect::<Vec<_>>());
}
