//! The validator: what code finds is the verdict, what a model adds is advice, and a rejected run goes back to the planner.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::StreamExt;
use research_agents::dataset::review::ValidationStatus;
use research_agents::dataset::{Completion, DatasetAgent, DatasetConfig, DatasetReport, EventKind, RunEvent};
use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::fixture;
use crate::script::{EXTRACT, PLAN, VALIDATE, extraction, finding, golden_start, helpful, plan, prompt};

/// A verdict of 0.85 without an issue ends the research, with documents unread.
#[tokio::test]
async fn a_passed_validation_ends_the_research() {
    let hub = fixture(&[]).await;
    let scan = ("scanner", json!({"batch_size": 100, "max_batches": 1}));
    let model = helpful()
        .on_task(PLAN, golden_start())
        .on_task(PLAN, plan(&[scan, ("validator", json!({}))], &[]))
        .on_task(EXTRACT, extraction(&[finding("AI events lead", &["PAG001", "PAG002", "PAG003"])]))
        .on_task(VALIDATE, json!({"issues": [], "overall_confidence": 0.85, "status": "PASSED"}));
    let agent = DatasetAgent::builder(model, Arc::clone(&hub)).build().unwrap();
    let report = agent.run("India events by theme").await.unwrap();
    hub.close().await;
    assert_eq!(report.validation_status, Some(ValidationStatus::Passed));
    assert!(report.validation_issues.is_empty(), "{:?}", report.validation_issues);
    assert_eq!((report.stats.confidence, report.completion), (0.85, Some(Completion::Confidence)));
    assert_eq!(report.coverage.fetched, 100);
    let scores: Vec<f64> = report.question_confidence.values().copied().collect();
    assert_eq!(scores, [1.0, 0.9, 0.9], "counted for all three, and a finding for the first");
}

/// A run over 12 numbers that reads all of them and validates what these findings say.
async fn validated(findings: &[Value], arguments: Value, view: Value) -> (Arc<ScriptedModel>, DatasetReport) {
    let model = helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({})]))
        .on_task(PLAN, plan(&[("extractor", json!({})), ("validator", arguments)], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
        .always(EXTRACT, extraction(findings))
        .always(VALIDATE, view);
    let (model, tool) = (Arc::new(model), Arc::new(FakeTool::new("analyze_events", 12)));
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&tool)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert_eq!(tool.calls.load(Ordering::SeqCst), 1, "a validator fetches nothing");
    (model, report)
}

fn off_topic(claim: &str, docs: &[&str]) -> Value {
    json!({"claim": claim, "doc_ids": docs, "confidence": "low", "relevant_questions": [], "themes": []})
}

fn planted() -> [Value; 3] {
    [
        finding("The first themes lead", &["1", "2", "3"]),
        finding("The first themes do not lead", &["1"]),
        off_topic("Coffee is dear", &["4", "5", "6"]),
    ]
}

fn kinds(report: &DatasetReport) -> BTreeSet<&str> {
    report.validation_issues.iter().map(|issue| issue.kind.as_str()).collect()
}

/// The four defaults, each with a planted case.
#[tokio::test]
async fn each_check_finds_its_planted_case() {
    let (_, report) = validated(&planted(), json!({}), json!({})).await;
    assert_eq!(kinds(&report), ["contradiction", "coverage", "evidence_strength", "relevance"].into());
    assert!(report.validation_issues.iter().all(|issue| !issue.advisory));
    assert_eq!(report.validation_status, Some(ValidationStatus::NeedsRevision));
    let weak = report.validation_issues.iter().find(|issue| issue.kind == "evidence_strength").unwrap();
    assert_eq!(weak.affected_findings, [report.findings[1].id.clone()], "three records are enough, one is not");
    let open = report.validation_issues.iter().filter(|issue| issue.kind == "coverage").count();
    assert_eq!(open, 2, "only the first question has a finding: {:?}", report.validation_issues);
    assert_eq!(report.question_confidence["sq_1"], 0.9);

    let at = report.markdown.find("## Contradictions").unwrap_or_else(|| panic!("{}", report.markdown));
    assert!(
        report.markdown[at..].contains("“The first themes lead” and “The first themes do not lead”"),
        "{}",
        report.markdown
    );
}

#[tokio::test]
async fn only_the_checks_that_are_asked_for_are_made() {
    let (model, report) = validated(&planted(), json!({"validation_checks": ["relevance"]}), json!({})).await;
    assert_eq!(kinds(&report), ["relevance"].into());
    let prompt = prompt(&model, VALIDATE, 0);
    assert!(prompt.contains("- `relevance`:"), "{prompt}");
    for other in ["`contradiction`", "`coverage`", "`evidence_strength`"] {
        assert!(!prompt.contains(other), "{other} in {prompt}");
    }
    let (model, report) = validated(&planted(), json!({"validation_checks": ["evidence_strength"]}), json!({})).await;
    assert_eq!(kinds(&report), ["evidence_strength"].into());
    assert!(model.calls_of(VALIDATE).is_empty(), "records are counted by code");
}

#[tokio::test]
async fn an_unknown_check_is_rejected_by_its_name() {
    let (model, report) =
        validated(&planted(), json!({"validation_checks": ["coverage", "spelling"]}), json!({})).await;
    assert!(model.calls_of(VALIDATE).is_empty());
    let told =
        report.notes.iter().find(|note| note.contains("spelling")).unwrap_or_else(|| panic!("{:?}", report.notes));
    assert!(told.contains("validation_checks[1]") && told.contains("evidence_strength"), "{told}");
    assert_eq!(report.validation_status, None);
}

#[tokio::test]
async fn what_a_model_sees_is_marked_as_advice_and_does_not_decide() {
    let findings = [finding("Themes lead", &["1", "2", "3"]), finding("Cities lead", &["4", "5", "6"])];
    let (_, report) = validated(&findings, json!({}), json!({})).await;
    let (first, second) = (report.findings[0].id.clone(), report.findings[1].id.clone());
    let view = json!({
        "issues": [
            {"type": "contradiction", "affected_findings": [first, second], "description": "Only one can lead."},
            {"type": "contradiction", "affected_findings": [first, "f_unknown"], "description": "x"},
            {"type": "evidence_strength", "affected_findings": [first], "description": "x"}
        ],
        "overall_confidence": 1.0, "status": "FAILED"
    });
    let (_, advised) = validated(&findings, json!({}), view).await;
    let advice: Vec<_> = advised.validation_issues.iter().filter(|issue| issue.advisory).collect();
    assert_eq!(advice.len(), 1);
    assert_eq!((advice[0].kind.as_str(), advice[0].severity.as_str()), ("contradiction", "low"));
    assert_eq!(
        (advised.validation_status, advised.stats.confidence),
        (report.validation_status, report.stats.confidence)
    );
    assert!(advised.markdown.contains("By the model's view, which code did not confirm"), "{}", advised.markdown);
    assert!(!report.markdown.contains("## Contradictions"), "{}", report.markdown);
}

#[tokio::test]
async fn a_verdict_that_the_model_sees_otherwise_is_logged() {
    let model = helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({})]))
        .on_task(PLAN, plan(&[("extractor", json!({})), ("validator", json!({}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
        .on_task(VALIDATE, json!({"status": "PASSED", "overall_confidence": 1.0}));
    let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", 12)).build().unwrap();
    let events: Vec<_> = agent.run("numbers by parity").stream().collect().await;
    let thinking: Vec<&String> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Run(RunEvent::Thinking { text }) => Some(text),
            _ => None,
        })
        .collect();
    assert!(thinking.iter().any(|text| text.contains("verdict is PASSED, the computed one FAILED")), "{thinking:?}");
    assert!(thinking.iter().any(|text| text.contains("confidence is 1.00, the computed one 0.00")), "{thinking:?}");
}

/// What is rejected goes back to the planner with its issues, also where the plan had the report already.
#[tokio::test]
async fn a_failed_validation_puts_the_report_off_and_shows_the_planner_why() {
    let model = helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({})]))
        .on_task(PLAN, plan(&[("extractor", json!({})), ("validator", json!({})), ("synthesizer", json!({}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let model = Arc::new(model);
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 12)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert_eq!(report.validation_status, Some(ValidationStatus::Failed));
    assert_eq!((report.stats.planner_calls, report.completion), (3, Some(Completion::Planner)));
    let next = prompt(&model, PLAN, 2);
    assert!(next.contains("validation: FAILED") && next.contains("issue (high): sq_1"), "{next}");
}

/// A verdict holds for what was there: new records take it back.
#[tokio::test]
async fn new_records_take_a_verdict_back() {
    let scan = |from: &str| {
        plan(&[("scanner", json!({"batch_size": 300, "max_batches": 1, "tool_args": {"filters": from}}))], &[])
    };
    let model = helpful()
        .on_task(PLAN, plan(&[("validator", json!({}))], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, scan("{}"))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let config = DatasetConfig { exhaustive: true, ..DatasetConfig::default() };
    let model = Arc::new(model);
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 400)).config(config).build();
    let report = agent.unwrap().run("numbers by parity").await.unwrap();
    assert!(prompt(&model, PLAN, 1).contains("validation: "));
    assert!(!prompt(&model, PLAN, 2).contains("validation: "));
    assert_eq!(report.validation_status, None);
    assert_eq!((report.coverage.fetched, report.coverage.capped), (300, true));
}
