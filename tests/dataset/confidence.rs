//! The confidence that is computed without a validator, what a rejecting verdict does to a run, and the number of records
//! that were read of those that match.

use std::sync::Arc;

use futures::StreamExt;
use research_agents::dataset::review::ValidationStatus;
use research_agents::dataset::{Completion, ConfidenceWeights, DatasetAgent, DatasetConfig, EventKind, RunEvent};
use research_llm::ModelError;
use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::script::{EXTRACT, PLAN, VALIDATE, extraction, finding, helpful, plan, prompt};

/// Counts 80 numbers by parity, reads 40 of them, and reports. The planner is shown the confidence by its end.
async fn confidence(weights: ConfidenceWeights, found: bool, groups: bool) -> f64 {
    let first = if groups { json!({"group_by": "parity"}) } else { json!({}) };
    let found = if found { vec![finding("Number 2 is even", &["2"])] } else { Vec::new() };
    let model = helpful()
        .on_task(PLAN, plan(&[], &[first]))
        .on_task(PLAN, plan(&[("scanner", json!({"batch_size": 40, "max_batches": 1}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
        .always(EXTRACT, extraction(&found));
    let config = DatasetConfig { confidence_weights: weights, completion_confidence: 1.0, ..DatasetConfig::default() };
    let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", 80)).config(config).build().unwrap();
    let report = agent.run("what do the notes tell").await.unwrap();
    assert_eq!((report.coverage.fetched, report.coverage.total), (40, Some(80)));
    report.stats.confidence
}

#[tokio::test]
async fn confidence_follows_its_weights_exactly() {
    let usual = ConfidenceWeights::default;
    assert_eq!(confidence(usual(), true, true).await, 0.65, "0.3 + 0.2 + 0.3 / 2");
    assert_eq!(confidence(usual(), false, true).await, 0.45, "0.3 + 0.3 / 2");
    assert_eq!(confidence(usual(), true, false).await, 0.35, "0.2 + 0.3 / 2");

    let mut own = ConfidenceWeights::default();
    (own.aggregations, own.findings, own.coverage, own.all_fetched) = (0.125, 0.25, 0.5, 0.0625);
    assert_eq!(confidence(own, true, true).await, 0.625);
    assert_eq!(confidence(own, false, false).await, 0.25);
}

/// A validator that rejects what was found. Later plans call nothing, so that nothing new comes.
fn rejecting() -> ScriptedModel {
    let beside = json!({"claim": "Coffee is dear", "doc_ids": ["4"], "confidence": "low", "relevant_questions": [], "themes": []});
    helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({})]))
        .on_task(PLAN, plan(&[("extractor", json!({})), ("validator", json!({})), ("synthesizer", json!({}))], &[]))
        .always(PLAN, plan(&[], &[]))
        .always(EXTRACT, extraction(&[beside]))
        .always(VALIDATE, json!({"issues": []}))
}

#[tokio::test]
async fn a_rejected_run_is_planned_again_until_its_plans_are_used_up() {
    let model = Arc::new(rejecting());
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 12)).build().unwrap();
    let report = agent.run("numbers by parity").max_iterations(8).await.unwrap();

    assert_eq!(report.validation_status, Some(ValidationStatus::Failed));
    assert_eq!((report.completion, report.stats.planner_calls), (Some(Completion::MaxIterations), 8));
    for at in 2..8 {
        let shown = prompt(&model, PLAN, at);
        assert!(shown.contains("validation: FAILED") && shown.contains("issue ("), "{shown}");
    }
}

/// The records of a narrow query are not counted against the total of another one.
#[tokio::test]
async fn records_read_are_counted_against_the_total_of_the_same_query() {
    let of = |parity: &str| json!({"filters": json!({"parity": parity}).to_string()});
    let model = helpful()
        .on_task(PLAN, plan(&[], &[of("even"), of("odd")]))
        .on_task(PLAN, plan(&[("scanner", json!({"tool_args": of("even")}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let config = DatasetConfig { completion_confidence: 1.0, ..DatasetConfig::default() };
    let model = Arc::new(model);
    let agent = DatasetAgent::builder(Arc::clone(&model), Parities).config(config).build().unwrap();
    let report = agent.run("what do the notes tell").await.unwrap();

    let plans = model.calls_of(PLAN);
    assert!(plans.len() >= 2, "{}", plans.len());
    for asked in &plans[1..] {
        let shown = asked.task.as_ref().unwrap().input["state"].clone();
        let (fetched, total) = (shown["docs_fetched"].as_u64(), shown["total_docs"].as_u64());
        assert!(fetched > Some(0) && fetched <= total, "{shown}");
    }
    assert!(Some(report.coverage.fetched) <= report.coverage.total, "{:?}", report.coverage);
    assert_eq!(report.stats.docs_processed, report.sources.len() as u64, "all that was read, each once");
}

/// 30 even and 50 odd numbers, of which a call gives those of one parity.
struct Parities;

impl research_mcp::ToolSource for Parities {
    fn list_tools(&self) -> research_mcp::BoxFuture<'_, Result<research_mcp::ToolListing, research_mcp::McpError>> {
        let schema = json!({"type": "object", "properties": {
            "filters": {"type": "string"}, "page_size": {"type": "integer"}, "search_after": {"type": "array"}
        }});
        let tool = research_mcp::Tool::new("fake", "analyze_events", schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(research_mcp::ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        arguments: research_mcp::Object,
    ) -> research_mcp::BoxFuture<'a, Result<research_mcp::CallOutput, research_mcp::McpError>> {
        let filters = arguments.get("filters").and_then(Value::as_str).unwrap_or_default();
        let (parity, total) = if filters.contains("even") { ("even", 30) } else { ("odd", 50) };
        let size = arguments.get("page_size").and_then(Value::as_u64).unwrap_or(20).min(100) as usize;
        let from = arguments.get("search_after").and_then(|cursor| cursor[0].as_u64()).unwrap_or(0) as usize;
        let to = (from + size).min(total);
        let documents: Vec<Value> =
            (from..to).map(|id| json!({"id": format!("{parity}-{id}"), "parity": parity})).collect();
        let result = json!({
            "data_context": {"unique_ids_matched": total}, "documents": documents,
            "has_more": to < total, "search_after": [to]
        });
        Box::pin(async move { Ok(research_mcp::CallOutput::structured("fake", name, result)) })
    }
}

/// The error event of a run has words for the user, without the raw text of the provider.
#[tokio::test]
async fn an_error_event_has_words_for_the_user() {
    let raw = "connect ECONNREFUSED 10.1.2.3:443 (request 7f3a)";
    let model = ScriptedModel::new().always(PLAN, ModelError::authentication(raw));
    let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", 12)).build().unwrap();
    let events: Vec<_> = agent.run("numbers by parity").stream().collect().await;

    let told: Vec<&String> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Run(RunEvent::Error { user_message, .. }) => Some(user_message),
            _ => None,
        })
        .collect();
    assert!(!told.is_empty(), "{events:#?}");
    for words in told {
        assert!(words.len() > 20 && words.contains(' '), "{words}");
        assert!(!words.contains("ECONNREFUSED") && !words.contains("10.1.2.3") && !words.contains("7f3a"), "{words}");
    }
}
