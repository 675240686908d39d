//! Limits that hold across the calls of one plan, and the order of calls that wait for each other.

use std::sync::Arc;

use research_agents::dataset::DatasetAgent;
use research_llm::testing::ScriptedModel;
use research_mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::script::{PLAN, helpful, plan};

/// A tool with 400 records for each set of filters, no two sets sharing one.
struct ManySets;

impl ToolSource for ManySets {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let schema = json!({"type": "object", "properties": {
            "filters": {"type": "string"}, "group_by": {"type": "string"},
            "page_size": {"type": "integer"}, "search_after": {"type": "array"}
        }});
        let tool = Tool::new("fake", "analyze_events", schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let set = arguments.get("filters").and_then(Value::as_str).unwrap_or("none").to_owned();
        let number = |name: &str, value: Option<u64>| value.unwrap_or_else(|| panic!("{name} is no number"));
        let size = arguments.get("page_size").map_or(20, |size| number("page_size", size.as_u64())).min(100);
        let from = arguments.get("search_after").map_or(0, |cursor| number("search_after", cursor[0].as_u64()));
        let to = (from + size).min(400);
        let documents: Vec<Value> = (from..to).map(|at| json!({"id": format!("{set}-{at}"), "n": at})).collect();
        let result = json!({
            "data_context": {"unique_ids_matched": 400}, "documents": documents, "has_more": to < 400, "search_after": [to]
        });
        Box::pin(async move { Ok(CallOutput::structured("fake", name, result)) })
    }
}

async fn sources_of(model: ScriptedModel) -> usize {
    let agent = DatasetAgent::builder(model, Arc::new(ManySets)).build().unwrap();
    let report = agent.run("numbers").await.unwrap();
    assert!(report.coverage.fetched <= 300, "{:?}", report.coverage);
    report.sources.len()
}

#[tokio::test]
async fn two_scans_of_one_plan_share_the_limit_on_records() {
    let scan = |set: &str| ("scanner", json!({"tool_args": {"filters": format!("{{\"set\":\"{set}\"}}")}}));
    let model = helpful().on_task(PLAN, plan(&[], &[json!({})])).always(PLAN, plan(&[scan("a"), scan("b")], &[]));
    assert_eq!(sources_of(model).await, 300);
}

#[tokio::test]
async fn direct_calls_of_one_plan_share_the_limit_on_records() {
    let calls: Vec<Value> =
        (0..12).map(|set| json!({"filters": format!("{{\"set\":{set}}}"), "page_size": 100})).collect();
    let model = helpful().on_task(PLAN, plan(&[], &calls)).always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    assert_eq!(sources_of(model).await, 300);
}

/// Runs a plan with these `depends_on` and gives the coverage sentence of the report.
async fn coverage_sentence(agents: &[(&str, Value)], waits: &[(usize, &str)]) -> String {
    let mut circle = plan(agents, &[]);
    for (call, waits_for) in waits {
        circle["sub_agent_calls"][*call]["depends_on"] = json!([waits_for]);
    }
    let model = helpful().on_task(PLAN, plan(&[], &[json!({"group_by": "parity"})])).always(PLAN, circle);
    let tool = FakeTool::new("analyze_events", 165);
    let agent = DatasetAgent::builder(model, Arc::new(tool)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert_eq!(report.coverage.fetched, 165);
    report.markdown.lines().find(|line| line.starts_with("Coverage")).unwrap().to_owned()
}

#[tokio::test]
async fn the_report_is_written_last_even_when_calls_wait_in_a_circle() {
    let agents = [("scanner", json!({})), ("aggregator", json!({"group_by": "parity"})), ("synthesizer", json!({}))];
    let sentence = coverage_sentence(&agents, &[(0, "a1"), (1, "a0")]).await;
    assert!(sentence.contains("165 of 165 records read"), "{sentence}");
}

#[tokio::test]
async fn no_call_waits_for_the_report() {
    let agents = [("scanner", json!({})), ("synthesizer", json!({}))];
    let sentence = coverage_sentence(&agents, &[(0, "a1")]).await;
    assert!(sentence.contains("165 of 165 records read"), "{sentence}");
}
