//! Calls of the model that fail for a passing reason are made again, shorter where they were too long.

use std::sync::Arc;

use futures::StreamExt;
use research_agents::ErrorCategory;
use research_agents::dataset::{Changed, DatasetAgent, DatasetReport, EventKind, RunEvent};
use research_llm::ModelError;
use research_llm::testing::ScriptedModel;
use serde_json::json;

use crate::fake::FakeTool;
use crate::retry::quick;
use crate::script::{EXTRACT, INSIGHTS, PLAN, SYNTHESIZE, draft, extraction, helpful, plan};

async fn run(model: ScriptedModel) -> (DatasetReport, Vec<(String, u32, ErrorCategory, Changed)>, Arc<ScriptedModel>) {
    let model = Arc::new(model);
    let tool = FakeTool::new("analyze_events", 40);
    let agent = DatasetAgent::builder(Arc::clone(&model), tool).config(quick()).build().unwrap();
    let mut events = agent.run("numbers by parity").stream();
    let mut retries = Vec::new();
    while let Some(event) = events.next().await {
        if let EventKind::Run(RunEvent::Retry { what, attempt, category, changed, .. }) = event.kind {
            retries.push((what, attempt, category, changed));
        }
    }
    (events.outcome().await.unwrap(), retries, model)
}

fn planned() -> ScriptedModel {
    helpful()
        .on_task(PLAN, plan(&[], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, plan(&[("scanner", json!({}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
}

fn calls(model: &ScriptedModel, name: &str) -> usize {
    model.calls().iter().filter(|call| call.task.as_ref().is_some_and(|task| task.name == name)).count()
}

#[tokio::test]
async fn a_report_that_is_too_long_to_ask_for_is_asked_for_with_fewer_findings() {
    let too_long = || ModelError::token_limit("prompt is too long", None, None);
    let model = planned().on_task(SYNTHESIZE, too_long()).on_task(SYNTHESIZE, too_long()).on_task(SYNTHESIZE, draft());
    let (_, retries, model) = run(model).await;
    assert_eq!(calls(&model, SYNTHESIZE), 3);
    let findings = |old: u64, new: u64| Changed::from([("max_findings".to_owned(), [old, new])]);
    let expected = [(1, findings(50, 25)), (2, findings(25, 12))];
    for ((what, attempt, category, changed), (number, change)) in retries.iter().zip(&expected) {
        assert_eq!((what.as_str(), attempt, category), (SYNTHESIZE, number, &ErrorCategory::TokenLimit));
        assert_eq!(changed, change);
    }
    assert_eq!(retries.len(), 2);
}

#[tokio::test]
async fn a_planner_whose_service_stumbles_plans_after_a_pause() {
    let model = helpful()
        .on_task(PLAN, ModelError::server(Some(503), "unavailable", None))
        .on_task(PLAN, ModelError::rate_limit("slow down", None))
        .on_task(PLAN, plan(&[], &[json!({"group_by": "parity"})]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let (report, retries, _) = run(model).await;
    assert_eq!(report.coverage.fraction, Some(1.0));
    let told: Vec<(&str, u32, ErrorCategory)> =
        retries.iter().map(|(what, attempt, category, _)| (what.as_str(), *attempt, *category)).collect();
    assert_eq!(told, [(PLAN, 1, ErrorCategory::ServerError), (PLAN, 2, ErrorCategory::RateLimit)]);
}

#[tokio::test]
async fn a_key_that_is_not_accepted_is_not_tried_again() {
    let model = planned().on_task(INSIGHTS, ModelError::authentication("no"));
    let (_, retries, _) = run(model).await;
    assert_eq!(retries, []);
    let model = helpful()
        .on_task(PLAN, plan(&[], &[json!({"group_by": "parity"})]))
        .always(PLAN, ModelError::authentication("invalid x-api-key"));
    let (report, retries, model) = run(model).await;
    assert_eq!((retries.len(), calls(&model, PLAN)), (0, 2));
    assert_eq!(report.completion, Some(research_agents::dataset::Completion::PlanningFailed));
}

#[tokio::test]
async fn records_that_are_too_many_for_the_time_are_read_in_smaller_packs() {
    let slow = || ModelError::timeout(std::time::Duration::from_secs(1));
    let model = planned().on_task(EXTRACT, slow()).on_task(EXTRACT, slow()).always(EXTRACT, extraction(&[]));
    let (report, retries, model) = run(model).await;
    assert_eq!(report.coverage.fraction, Some(1.0));
    assert!(report.notes.iter().all(|note| !note.contains("could not be read for findings")), "{:?}", report.notes);
    let changes: Vec<&Changed> = retries.iter().map(|(_, _, _, changed)| changed).collect();
    let documents = |old: u64, new: u64| Changed::from([("documents".to_owned(), [old, new])]);
    assert_eq!(changes, [&documents(40, 20), &documents(20, 10)]);
    assert_eq!(calls(&model, EXTRACT), 5, "40, 20, 10 and 10, and the other 20");
}
