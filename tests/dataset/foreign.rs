//! Tools that speak another language than the agent's plans: other arguments, other pages, other results.

use std::sync::{Arc, Mutex};

use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetReport};
use research_mcp::{
    BoxFuture, CallOutput, FieldMap, FieldMapping, McpError, Object, PagerOptions, Paging, Tool, ToolListing,
    ToolSource,
};
use serde_json::{Value, json};

use crate::script::{PLAN, helpful, plan, prompt};

/// Records of the tool, every third of them large.
const TOTAL: u64 = 165;

/// A tool that refuses every argument that it does not list, and keeps those of its calls.
struct Foreign {
    schema: Value,
    calls: Mutex<Vec<Value>>,
}

impl Foreign {
    fn new(properties: Value) -> Arc<Self> {
        Arc::new(Self { schema: properties, calls: Mutex::default() })
    }

    fn answer(&self, arguments: &Object) -> Result<Value, String> {
        let unknown = arguments.keys().find(|name| self.schema.get(name).is_none());
        if let Some(name) = unknown {
            return Err(format!("there is no argument {name}"));
        }
        let size = match arguments.get("where").map(|filters| filters.as_object().ok_or("where must be an object")) {
            Some(filters) => filters?.get("size").cloned(),
            None => arguments.get("size").cloned(),
        };
        let matching: Vec<u64> = (0..TOTAL).filter(|n| size.as_ref().is_none_or(|size| size == size_of(*n))).collect();
        let number = |name: &str, default: usize| arguments.get(name).map_or(default, |n| n.as_u64().unwrap() as usize);
        let (skip, rows) = (number("skip", 0).min(matching.len()), number("rows", 10).min(40));
        let page = matching[skip..].iter().take(rows);
        let hits =
            page.map(|n| json!({"ref_no": format!("R-{n}"), "headline": format!("Event {n}"), "size": size_of(*n)}));
        let mut result = json!({"found": {"matchCount": matching.len(), "rows": hits.collect::<Vec<_>>()}});
        if let Some(fields) = arguments.get("groupBy").filter(|fields| !fields.is_null()) {
            assert_eq!(fields, &json!(["size"]));
            let count = |of: &str| matching.iter().filter(|n| size_of(**n) == of).count();
            let groups = [("large", count("large")), ("small", count("small"))];
            let groups = groups.map(|(size, count)| json!({"size": size, "count": count}));
            result["groups"] = json!(groups);
        }
        Ok(result)
    }
}

fn size_of(n: u64) -> &'static str {
    if n.is_multiple_of(3) { "large" } else { "small" }
}

impl ToolSource for Foreign {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let schema = json!({"type": "object", "properties": self.schema});
        let tool = Tool::new("abroad", "find", schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        self.calls.lock().unwrap().push(arguments.clone().into());
        let output = match self.answer(&arguments) {
            Ok(result) => CallOutput::structured("abroad", name, result),
            Err(reason) => CallOutput::error("abroad", name, reason),
        };
        Box::pin(async move { Ok(output) })
    }
}

/// Counts by size, then reads everything that the filters match.
async fn run(tool: &Arc<Foreign>, filters: &str, config: DatasetConfig) -> DatasetReport {
    let mut count = plan(&[("aggregator", json!({"group_by": "size", "filters": filters}))], &[]);
    // No plan knows where a page begins.
    count["tool_calls"] =
        json!([{"id": "t", "tool": "find", "arguments": {"skip": 150, "rows": 5, "filters": filters}}]);
    let model = helpful().on_task(PLAN, count).always(PLAN, plan(&[("scanner", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, Arc::clone(tool)).config(config).build().unwrap();
    agent.run("events by size").await.unwrap()
}

fn read(report: &DatasetReport) -> Vec<String> {
    let mut records: Vec<String> = report.sources.iter().map(|source| source.record.clone()).collect();
    records.sort();
    records
}

fn large() -> Vec<String> {
    let mut ids: Vec<String> = (0..TOTAL).filter(|n| size_of(*n) == "large").map(|n| format!("R-{n}")).collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn other_arguments_other_pages_and_other_results_give_the_same_report() {
    let number = json!({"type": "integer"});
    let tool = Foreign::new(json!({
        "where": {"type": "object", "properties": {"size": {"type": "string"}}},
        "groupBy": {"type": "array", "items": {"type": "string"}},
        "skip": number, "rows": {"type": "integer", "maximum": 40}
    }));
    let report = run(&tool, "{\"size\": \"large\"}", DatasetConfig::default()).await;
    assert_eq!(read(&report), large());
    assert_eq!((report.coverage.fetched, report.coverage.total), (55, Some(55)), "{:?}", report.notes);
    let table = &report.aggregations[0];
    assert_eq!((table.field.as_str(), table.buckets[0].doc_count, table.total_docs), ("size", 55, 55));
    let calls = tool.calls.lock().unwrap();
    assert!(calls.contains(&json!({"where": {"size": "large"}, "groupBy": ["size"]})), "{calls:?}");
    assert!(calls.contains(&json!({"where": {"size": "large"}, "rows": 5})), "{calls:?}");
    assert!(calls.contains(&json!({"where": {"size": "large"}, "rows": 35, "skip": 40})), "{calls:?}");
}

#[tokio::test]
async fn a_tool_with_an_argument_for_each_field_is_asked_by_them() {
    let number = json!({"type": "integer"});
    let tool = Foreign::new(json!({"size": {"type": "string"}, "skip": number, "rows": number}));
    let report = run(&tool, "{\"size\": \"large\"}", DatasetConfig::default()).await;
    assert_eq!(read(&report), large());
    assert_eq!((report.coverage.fetched, report.coverage.total), (55, Some(55)), "{:?}", report.notes);
    let calls = tool.calls.lock().unwrap();
    assert!(calls.iter().all(|call| call["size"] == "large"), "{calls:?}");
}

#[tokio::test]
async fn what_no_schema_tells_the_settings_do() {
    // By its schema the tool does not page at all, and its records would have other ids.
    let tool = Foreign::new(json!({"where": {"type": "object"}, "groupBy": {"type": "array"}, "skip": {}, "rows": {}}));
    let options = PagerOptions::default().paging(Paging::Offset).cursor_argument("skip").size_argument(Some("rows"));
    let mut config = DatasetConfig::default();
    config.paging.insert("find".to_owned(), options.page_size_cap(20));
    config.mapping = FieldMapping::default().for_tool("find", FieldMap::empty().id(["headline"]));
    let report = run(&tool, "{\"size\": \"large\"}", config).await;
    assert_eq!((report.coverage.fetched, report.coverage.total), (55, Some(55)), "{:?}", report.notes);
    assert!(read(&report).iter().all(|id| id.starts_with("Event ")), "{:?}", read(&report));
    let calls = tool.calls.lock().unwrap();
    let sizes: Vec<&Value> = calls.iter().filter_map(|call| call.get("rows")).collect();
    assert!(sizes.contains(&&json!(20)) && sizes.iter().all(|size| size.as_u64() <= Some(20)), "{calls:?}");
}

#[tokio::test]
async fn a_filter_that_the_tool_has_no_argument_for_is_told_in_notes_report_and_later_plans() {
    let number = json!({"type": "integer"});
    let tool = Foreign::new(json!({"size": {"type": "string"}, "skip": number, "rows": number}));
    let filters = json!({"size": "large", "year": {"gte": 1990}, "There are 999999 records": 7}).to_string();
    let mut first = plan(&[], &[json!({})]);
    first["tool_calls"] = json!([{"id": "t", "tool": "find", "arguments": {"filters": filters}}]);
    let model = Arc::new(helpful().on_task(PLAN, first).always(PLAN, plan(&[("scanner", json!({}))], &[])));
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&tool)).build().unwrap();
    let report = agent.run("events by size and year").await.unwrap();
    assert_eq!(report.coverage.total, Some(55));
    let told = "The tool find has no argument for such a filter on `year`; it was left out.";
    assert!(report.limitations.contains(&told.to_owned()), "{:?}", report.limitations);
    assert!(report.markdown.contains("has no argument for a filter of the plan"), "{}", report.markdown);
    assert!(!report.markdown.contains("999999"), "{}", report.markdown);
    assert!(report.notes.iter().any(|note| note.contains("999999")), "{:?}", report.notes);
    let later = prompt(&model, PLAN, 1);
    assert!(later.contains("note: the tool find has no argument for such a filter on `year`"), "{later}");
}

#[tokio::test]
async fn a_filter_that_the_user_fixed_and_the_tool_has_no_argument_for_is_told() {
    let number = json!({"type": "integer"});
    let tool = Foreign::new(json!({"size": {"type": "string"}, "skip": number, "rows": number}));
    let mut first = plan(&[], &[json!({})]);
    first["tool_calls"] = json!([{"id": "t", "tool": "find", "arguments": {}}]);
    let model = helpful().on_task(PLAN, first).always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, Arc::clone(&tool)).build().unwrap();
    let fixed = json!({"size": ["large", "small"]}).as_object().unwrap().clone();
    let report = agent.run("events").filters(fixed).await.unwrap();
    let told = "The tool find has no argument for such a filter on `size`; it was left out.";
    assert!(report.limitations.contains(&told.to_owned()), "{:?}", report.limitations);
}
