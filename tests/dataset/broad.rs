//! A broad question beside a narrow one: a scan of all records is not narrowed by what was asked last, and a run that is to
//! read everything does.

use std::sync::{Arc, Mutex};

use research_agents::dataset::{Completion, DatasetAgent, DatasetConfig, DatasetReport};
use research_llm::testing::ScriptedModel;
use research_mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

use crate::script::{EXTRACT, PLAN, helpful, plan};

/// Records in all, and those of India, which stand first.
const ALL: usize = 165;
const INDIA: usize = 12;

/// A tool that honours its filters, and remembers them.
#[derive(Default)]
struct Countries(Mutex<Vec<String>>);

impl ToolSource for Countries {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let schema = json!({"type": "object", "properties": {
            "filters": {"type": "string"}, "page_size": {"type": "integer"}, "search_after": {"type": "array"}
        }});
        let tool = Tool::new("events", "analyze_events", schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let filters = arguments.get("filters").and_then(Value::as_str).unwrap_or("none").to_owned();
        let total = if filters.contains("India") { INDIA } else { ALL };
        self.0.lock().unwrap().push(filters);
        let size = arguments.get("page_size").and_then(Value::as_u64).unwrap_or(20).min(100) as usize;
        let from = arguments.get("search_after").and_then(|cursor| cursor[0].as_u64()).unwrap_or(0) as usize;
        let to = (from + size).min(total);
        let country = |at: usize| if at < INDIA { "India" } else { "Peru" };
        let documents: Vec<Value> = (from..to).map(|at| json!({"id": at, "country": country(at)})).collect();
        let result = json!({
            "data_context": {"unique_ids_matched": total}, "documents": documents,
            "has_more": to < total, "search_after": [to]
        });
        Box::pin(async move { Ok(CallOutput::structured("events", name, result)) })
    }
}

fn india() -> Value {
    json!({"filters": "{\"country\": \"India\"}"})
}

async fn run(model: ScriptedModel, exhaustive: bool) -> (DatasetReport, Arc<ScriptedModel>, Vec<String>) {
    let (model, tool) = (Arc::new(model), Arc::new(Countries::default()));
    let config = DatasetConfig { exhaustive, ..DatasetConfig::default() };
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&tool)).config(config).build().unwrap();
    let report = agent.run("events by country").await.unwrap();
    let asked = tool.0.lock().unwrap().clone();
    (report, model, asked)
}

fn only_report() -> Value {
    plan(&[("synthesizer", json!({}))], &[])
}

#[tokio::test]
async fn a_scan_that_code_adds_is_of_all_records_whatever_was_asked_last() {
    let model = helpful().on_task(PLAN, plan(&[], &[json!({}), india()])).always(PLAN, only_report());
    let (report, _, asked) = run(model, false).await;
    assert_eq!((report.coverage.fetched, report.coverage.total), (ALL as u64, Some(ALL as u64)));
    assert!(report.stats.planner_calls <= 3, "{:?}", report.stats);
    assert_eq!(asked[2..], ["none"; 2], "nobody filters the pages of the scan");
}

#[tokio::test]
async fn a_scan_without_filters_of_its_own_takes_those_of_the_last_call() {
    let scan = plan(&[("scanner", json!({}))], &[]);
    let model = helpful().on_task(PLAN, plan(&[], &[india()])).on_task(PLAN, scan).always(PLAN, only_report());
    let (report, model, asked) = run(model, false).await;
    assert_eq!((report.coverage.fetched, report.coverage.total), (INDIA as u64, Some(INDIA as u64)));
    assert_eq!((asked.len(), model.calls_of(EXTRACT).len()), (1, 1), "what came is read, and not fetched again");
}

#[tokio::test]
async fn a_scan_that_is_planned_again_and_again_reads_what_is_unread_and_nothing_twice() {
    let scan = || plan(&[("scanner", json!({"tool_args": india()}))], &[]);
    let model = helpful().on_task(PLAN, plan(&[], &[json!({})])).always(PLAN, scan());
    let (report, model, asked) = run(model, false).await;
    assert_eq!((report.coverage.fetched, report.completion), (ALL as u64, Some(Completion::AllDocumentsRead)));
    assert_eq!(asked.iter().filter(|filters| filters.contains("India")).count(), 1);
    assert_eq!(model.calls_of(EXTRACT).len(), 4, "one for India, three for all");
}

#[tokio::test]
async fn a_lack_of_news_ends_a_run_unless_it_is_to_read_everything() {
    let scan = || plan(&[("scanner", json!({"tool_args": india(), "batch_size": 1}))], &[]);
    let model = || helpful().on_task(PLAN, plan(&[], &[json!({})])).always(PLAN, scan());
    let (report, _, _) = run(model(), false).await;
    assert_eq!((report.coverage.fetched, report.completion), (20, Some(Completion::NoNewFindings)));
    let (report, _, _) = run(model(), true).await;
    assert_eq!((report.coverage.fetched, report.completion), (ALL as u64, Some(Completion::AllDocumentsRead)));
}

#[tokio::test]
async fn a_plan_holds_no_run_back_that_is_to_read_everything() {
    let few = json!({"batch_size": 20, "max_batches": 1, "tool_args": {"filters": "{}"}});
    let narrow = json!({"tool_args": india()});
    for scan in [few, narrow] {
        let planned = plan(&[("scanner", scan), ("synthesizer", json!({}))], &[]);
        let model = || helpful().on_task(PLAN, plan(&[], &[json!({})])).always(PLAN, planned.clone());
        let (report, _, _) = run(model(), false).await;
        assert_eq!((report.coverage.fetched, report.completion), (20, Some(Completion::Planner)));
        let (report, _, _) = run(model(), true).await;
        assert_eq!(report.coverage.fetched, ALL as u64, "{planned}");
        assert!(report.markdown.contains("165 of 165 records read"), "{}", report.markdown);
    }
}
