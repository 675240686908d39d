//! The extractor: records of direct tool calls are read for findings, as the tool returned them, and nothing is fetched.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use research_agents::dataset::{Completion, DatasetAgent, DatasetReport};
use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::script::{EXTRACT, PLAN, extraction, finding, helpful, plan};

/// A direct call that brings 12 of 12 records, then the extractor with these arguments.
async fn run(arguments: Value, findings: &[Value]) -> (Arc<ScriptedModel>, DatasetReport) {
    let model = helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({})]))
        .on_task(PLAN, plan(&[("extractor", arguments)], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
        .always(EXTRACT, extraction(findings));
    let (model, tool) = (Arc::new(model), Arc::new(FakeTool::new("analyze_events", 12)));
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&tool)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert_eq!(tool.calls.load(Ordering::SeqCst), 1, "an extractor fetches nothing");
    (model, report)
}

fn read(model: &ScriptedModel) -> Vec<String> {
    let input = model.calls_of(EXTRACT)[0].task.as_ref().unwrap().input.clone();
    let documents = input["documents"].as_array().unwrap();
    documents.iter().map(|document| document["id"].as_str().unwrap().to_owned()).collect()
}

/// The records of a direct call are kept, and read without being named.
#[tokio::test]
async fn records_of_a_tool_call_are_read_without_arguments() {
    let (model, report) = run(json!({}), &[finding("Numbers are even", &["2", "4"])]).await;
    assert_eq!(read(&model).len(), 12);
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].doc_ids, ["2", "4"]);
    assert_eq!(report.completion, Some(Completion::AllDocumentsRead), "a scan would read nothing more");
}

#[tokio::test]
async fn no_more_findings_of_a_record_are_kept_than_allowed() {
    let many: Vec<Value> =
        (0..5).map(|n| finding(&format!("Claim {}", ["a", "b", "c", "d", "e"][n]), &["1"])).collect();
    for (arguments, kept) in
        [(json!({}), 3), (json!({"max_findings_per_doc": 1}), 1), (json!({"max_findings_per_doc": 4}), 4)]
    {
        let (_, report) = run(arguments.clone(), &many).await;
        assert_eq!(report.findings.len(), kept, "{arguments}");
    }
}

#[tokio::test]
async fn ids_that_no_record_has_are_dropped_and_counted() {
    let (_, report) = run(json!({}), &[finding("Numbers are even", &["2", "999"]), finding("Made up", &["998"])]).await;
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].doc_ids, ["2"]);
    assert!(
        report.notes.iter().any(|note| note.starts_with("2 record ids that the model named")),
        "{:?}",
        report.notes
    );
}

#[tokio::test]
async fn records_that_are_named_are_read_as_the_tool_returned_them() {
    let given = json!({"documents": [{"id": 3, "parity": "both"}, {"id": "77", "parity": "even"}]});
    let (model, report) = run(given, &[finding("Numbers are odd", &["3"])]).await;
    assert_eq!(read(&model), ["3"]);
    let input = model.calls_of(EXTRACT)[0].task.as_ref().unwrap().input.clone();
    assert_eq!(input["documents"][0]["fields"]["parity"], "odd", "a plan's copy is not what the tool said");
    assert!(
        report.notes.iter().any(|note| note.contains("1 given records were returned by no tool")),
        "{:?}",
        report.notes
    );
}

#[tokio::test]
async fn nothing_is_asked_when_nothing_waits() {
    let model = helpful()
        .on_task(PLAN, plan(&[], &[json!({})]))
        .on_task(PLAN, plan(&[("scanner", json!({"max_batches": 1}))], &[]))
        .on_task(PLAN, plan(&[("extractor", json!({}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let model = Arc::new(model);
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 400)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert_eq!(model.calls_of(EXTRACT).len(), 1, "the scan's");
    assert_eq!(report.coverage.fetched, 75);
}

/// A batch of the extractor without a new finding counts like one of a scan.
#[tokio::test]
async fn batches_without_a_new_finding_end_the_research() {
    let by_ids = |ids: &[u32]| json!({"documents": ids.iter().map(|id| json!({"id": id})).collect::<Vec<_>>()});
    let extract = |ids: &[u32]| plan(&[("extractor", by_ids(ids))], &[]);
    let model = helpful()
        .on_task(PLAN, plan(&[], &[json!({})]))
        .on_task(PLAN, plan(&[("scanner", json!({"max_batches": 1}))], &[]))
        .on_task(EXTRACT, extraction(&[finding("Numbers are even", &["2"])]))
        .on_task(PLAN, extract(&[1]))
        .on_task(PLAN, extract(&[2]))
        .on_task(PLAN, extract(&[3]))
        .always(PLAN, extract(&[4]));
    let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", 4000)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert_eq!((report.completion, report.stats.iterations), (Some(Completion::NoNewFindings), 5));
}
